//! Questions that two people answer together.

use crate::error::PolicyProblem;
use crate::registry::AnyEstimator;
use crate::spending::DecimalEpsilon;
use crate::statement::PairStatement;
use crate::terms::{AttributeTerms, PairTerms};
use privet_core::{
    Category, DomainSpec, ExposedEpsilon, Guarantee, ParameterError, Probability, ReportError,
};
use privet_core::{CryptoRng, Generator};
use privet_estimators::FrequencyEstimator;
use privet_joint::collection::{CollectionError, perturb};
use privet_joint::pairing::Meeting;
use privet_joint::two_party::{RunLedger, Truthfulness};
use privet_joint::wire::RunId;
use privet_joint::{
    Crowd, JointError, JointEstimator, JointResponse, JointTable, PairedOracle, Plan, Relay, Request,
    Statement,
};
use std::net::SocketAddr;
use std::time::Duration;

/// What the mechanism is called.
pub(crate) const ID: &str = "joint-response";

/// Joint randomised response with the numbers of a policy.
#[derive(Debug)]
pub(crate) struct PairAnswering {
    response: JointResponse,
    request: Request,
    guarantee: Guarantee,
    exposed: f64,
}

/// The helpers through whom people find their partners. Nothing here is the collector's.
#[derive(Debug, Clone)]
pub struct Helpers {
    /// Where the helpers of the policy's `relay` listen.
    pub addresses: Vec<SocketAddr>,
    /// How long a single message may take.
    pub time_out: Duration,
    /// How long the pairing may take.
    pub patience: Duration,
}

impl Helpers {
    /// Draws a person's truthfulness with a partner, or alone where there is none.
    pub(crate) fn truthfulness(
        &self,
        run: RunId,
        table: &JointTable,
        runs: &mut dyn RunLedger,
        rng: &mut Generator,
    ) -> Result<Truthfulness, CollectionError> {
        let meeting = Meeting { helpers: self.addresses.clone(), run, time_out: self.time_out };
        let assignment = meeting.submit(rng).and_then(|submission| submission.wait(self.patience));
        Ok(perturb(&meeting, table, assignment, runs, rng)?.truthfulness)
    }
}

/// The best table for what a policy asks for.
pub(crate) fn plan(
    users: u64,
    colluders: u64,
    average: DecimalEpsilon,
    cap: DecimalEpsilon,
) -> Result<Plan, PolicyProblem> {
    let crowd = Crowd::new(users, colluders).map_err(conflict)?;
    let request = Request { crowd, epsilon: average.epsilon()?, ones: None, cap: Some(cap.epsilon()?) };
    let plan = request.plan().map_err(conflict)?;
    if plan.is_joint() {
        return Ok(plan);
    }
    let reason =
        format!("there is no need for pairs, because {}: use randomized-response", plan.choice.reason());
    Err(PolicyProblem::Conflict { reason })
}

fn conflict(error: JointError) -> PolicyProblem {
    match error {
        JointError::Parameter(error) => error.into(),
        error => PolicyProblem::Conflict { reason: error.to_string() },
    }
}

impl PairAnswering {
    /// Makes the response, and checks that it keeps both promises: the average one, and the one to people whose partner colludes.
    pub(crate) fn new(terms: &AttributeTerms, pair: &PairTerms) -> Result<Self, PolicyProblem> {
        let domain: DomainSpec = terms.domain.parse()?;
        let categories = match domain {
            DomainSpec::Categories(categories) if categories.count() == 2 => categories,
            domain => {
                let (mechanism, expected, got) = (ID, "two categories", domain.to_string());
                return Err(ParameterError::WrongDomain { mechanism, expected, got }.into());
            }
        };
        let (average, cap) = (pair.epsilon.epsilon()?, terms.epsilon.epsilon()?);
        let crowd = Crowd::new(pair.users, pair.colluders).map_err(conflict)?;
        let table = JointTable::new(Probability::new(pair.truthful)?, pair.correlation).map_err(conflict)?;
        let response = JointResponse::new(categories, table).map_err(conflict)?;
        let guarantee = response.guarantee(&crowd);
        let (Some(guarantee), ExposedEpsilon::Bounded(exposed)) = (guarantee, response.exposed_epsilon())
        else {
            let reason = "a person whose partner colludes would have no protection at all".to_owned();
            return Err(PolicyProblem::Conflict { reason });
        };
        if guarantee.epsilon() > average || exposed > cap {
            let broken = if exposed > cap { terms.epsilon } else { pair.epsilon };
            let (mechanism, epsilon) = (ID.to_owned(), broken.to_f64());
            return Err(PolicyProblem::Promise { mechanism, epsilon, delta: 0.0 });
        }
        let request = Request { crowd, epsilon: average, ones: None, cap: Some(cap) };
        Ok(Self { response, request, guarantee, exposed: exposed.get() })
    }

    pub(crate) fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    pub(crate) fn table(&self) -> &JointTable {
        self.response.table()
    }

    pub(crate) fn report_bytes(&self) -> usize {
        1
    }

    pub(crate) fn check_report(&self, report: &[u8]) -> Result<(), ReportError> {
        if report.len() != 1 {
            return Err(ReportError::Length { expected: 1, got: report.len() });
        }
        Category::read(report, 2).map(drop)
    }

    /// The estimator for all reports of the collection: nearly all people have their partner among them.
    pub(crate) fn estimator(&self) -> Box<dyn AnyEstimator> {
        Box::new(JointEstimator::new(self.response.clone()))
    }

    /// The estimator for some of the reports. Who of them are partners is not known, so they count as independent.
    pub(crate) fn estimator_of_some(&self) -> Box<dyn AnyEstimator> {
        Box::new(FrequencyEstimator::new(self.response.clone()))
    }

    /// The truthfulness of a person without a partner.
    pub(crate) fn alone(&self, rng: &mut impl CryptoRng) -> Truthfulness {
        Truthfulness::draw_alone(self.table(), rng)
    }

    pub(crate) fn statement(&self, pair: &PairTerms) -> PairStatement {
        let words = self.request.plan().map(|plan| {
            let (p, rho) = (pair.truthful, pair.correlation);
            let stated = Plan { p, rho, table: *self.table(), guarantee: self.guarantee, ..plan };
            Statement::of(&stated, Relay::Helper, None)
        });
        let Statement { promised, not_promised } =
            words.unwrap_or(Statement { promised: Vec::new(), not_promised: Vec::new() });
        PairStatement {
            users: pair.users,
            colluders: pair.colluders,
            average_epsilon: self.guarantee.epsilon().get(),
            exposed_epsilon: self.exposed,
            relay: pair.relay.clone(),
            promised,
            not_promised,
        }
    }
}

/// The standard error of a share for one person, at the mean variance over all possible numbers of ones.
pub(crate) fn standard_error_of_one(plan: &Plan) -> f64 {
    (plan.variance / plan.request.crowd.users() as f64).sqrt()
}
