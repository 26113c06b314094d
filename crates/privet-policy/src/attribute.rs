//! One question with the mechanism that answers it.

use crate::advisor::Choice;
use crate::error::{PolicyError, PolicyProblem};
use crate::estimator::AttributeEstimator;
use crate::kind::{AttributeKind, Sizes};
use crate::memo::{self, AnyMemoized, LayerEpsilons};
#[cfg(feature = "pairs")]
use crate::pairs::PairAnswering;
use crate::registry;
use crate::spending::{DecimalEpsilon, Spending, is_covered};
use crate::terms::{AttributeTerms, PairTerms};
#[cfg(feature = "vectors")]
use crate::vectors::VectorAnswering;
use privet_core::{Budget, Delta, DomainSpec, Epsilon, Fingerprint, Guarantee, ParameterError, ReportError};
use privet_estimators::PlaneEstimator;
use privet_limit::Solution;
use privet_mechanisms::plane::{PlaneErrors, PlaneReports};
use privet_mechanisms::registry::{AnyMechanism, Reader};
use std::sync::Arc;

/// One question with the mechanism that answers it.
#[derive(Debug)]
pub struct Attribute {
    terms: AttributeTerms,
    kind: AttributeKind,
    pub(crate) answering: Answering,
}

/// How reports are made.
#[derive(Debug)]
pub(crate) enum Answering {
    /// Each one is drawn by itself.
    Fresh { mechanism: Box<dyn AnyMechanism>, solution: Option<Box<Solution>> },
    /// Each one is fresh noise on an answer that never changes.
    Permanent(Box<dyn AnyMemoized>),
    /// Each one is a vector of its own.
    #[cfg(feature = "vectors")]
    Vector(VectorAnswering),
    /// Each one is drawn together with a partner's.
    #[cfg(feature = "pairs")]
    Pair(Box<PairAnswering>),
}

impl Attribute {
    /// Makes the mechanism, and checks that it keeps what the terms promise.
    pub(crate) fn new(terms: AttributeTerms) -> Result<Self, PolicyError> {
        let sizes = Sizes { bins: terms.bins, places: terms.places };
        let on_places = registry::is_on_places(&terms.mechanism);
        let kind = AttributeKind::of(terms.domain.parse::<DomainSpec>()?, sizes, on_places)?;
        let domain = kind.inner_domain()?;
        let answering = match (&terms.pairs, &domain) {
            (Some(pair), _) => in_pairs(&terms, pair)?,
            (None, DomainSpec::Vectors(_)) => on_vectors(&terms, &domain)?,
            (None, _) if terms.radius.is_some() => {
                let reason = "a radius is about vectors".to_owned();
                return Err(PolicyProblem::Conflict { reason }.into());
            }
            (None, domain) => ordinary(&terms, &kind, domain)?,
        };
        let attribute = Self { terms, kind, answering };
        attribute.check_promise()?;
        Ok(attribute)
    }

    fn check_promise(&self) -> Result<(), PolicyError> {
        let (terms, delta) = (&self.terms, self.terms.delta.unwrap_or(0.0));
        if terms.pairs.is_some() {
            // Both promises of pairs are checked where they are made.
            return Ok(());
        }
        let keeps = |guarantee: Guarantee, epsilon: DecimalEpsilon| {
            epsilon.epsilon().is_ok_and(|asked| is_covered(&guarantee, asked, delta))
        };
        let wrong = |epsilon: DecimalEpsilon| PolicyProblem::Promise {
            mechanism: terms.mechanism.clone(),
            epsilon: epsilon.to_f64(),
            delta,
        };
        if !keeps(self.guarantee(), terms.epsilon) {
            return Err(wrong(terms.epsilon).into());
        }
        match (&self.answering, terms.epsilon_forever) {
            (Answering::Permanent(layers), Some(forever)) if !keeps(layers.permanent(), forever) => {
                Err(wrong(forever).into())
            }
            _ => Ok(()),
        }
    }

    /// What the policy says.
    pub fn terms(&self) -> &AttributeTerms {
        &self.terms
    }

    /// What kind of value it asks for.
    pub fn kind(&self) -> &AttributeKind {
        &self.kind
    }

    /// What each report adds, computed from the weights that the sampler uses.
    pub fn guarantee(&self) -> Guarantee {
        match &self.answering {
            Answering::Fresh { mechanism, .. } => self.of_all_places(mechanism.guarantee()),
            Answering::Permanent(layers) => layers.fresh(),
            #[cfg(feature = "vectors")]
            Answering::Vector(vector) => vector.mechanism().guarantee(),
            #[cfg(feature = "pairs")]
            Answering::Pair(pair) => pair.guarantee(),
        }
    }

    /// What the reports of all places promise together.
    fn of_all_places(&self, one: Guarantee) -> Guarantee {
        let all = Budget::repeated(one, self.kind.places());
        all.ok().and_then(|all| all.total()).unwrap_or(one)
    }

    /// How many bytes its report has.
    pub fn report_bytes(&self) -> usize {
        match &self.answering {
            Answering::Fresh { mechanism, .. } => mechanism.report_bytes() * self.kind.places() as usize,
            Answering::Permanent(layers) => layers.report_bytes(),
            #[cfg(feature = "vectors")]
            Answering::Vector(vector) => vector.mechanism().report_bytes(),
            #[cfg(feature = "pairs")]
            Answering::Pair(pair) => pair.report_bytes(),
        }
    }

    /// Refuses a report that its mechanism cannot have written.
    ///
    /// # Errors
    /// When the length is wrong or the content is impossible.
    pub fn check_report(&self, report: &[u8]) -> Result<(), ReportError> {
        match &self.answering {
            Answering::Fresh { mechanism, .. } => {
                let expected = self.report_bytes();
                if report.len() != expected {
                    return Err(ReportError::Length { expected, got: report.len() });
                }
                report.chunks(mechanism.report_bytes()).try_for_each(|part| mechanism.check_report(part))
            }
            Answering::Permanent(layers) => layers.check_report(report),
            #[cfg(feature = "vectors")]
            Answering::Vector(vector) => vector.check_report(report),
            #[cfg(feature = "pairs")]
            Answering::Pair(pair) => pair.check_report(report),
        }
    }

    /// The estimator for its reports.
    ///
    /// # Errors
    /// When the mechanism has none.
    pub fn estimator(&self) -> Result<AttributeEstimator, ParameterError> {
        let counts = match &self.answering {
            Answering::Permanent(_) => {
                let row = memo::ESTIMATORS.iter().find(|row| row.id == self.terms.mechanism);
                let unknown = || ParameterError::UnknownMechanism { got: self.terms.mechanism.clone() };
                let report = self.terms.epsilon.epsilon()?;
                let forever = self.terms.epsilon_forever.unwrap_or(self.terms.epsilon).epsilon()?;
                let epsilons = LayerEpsilons { forever, report };
                (row.ok_or_else(unknown)?.build)(&self.kind.inner_domain()?, epsilons)?
            }
            Answering::Fresh { solution, .. } if matches!(self.kind, AttributeKind::Path { .. }) => {
                let choice = match solution {
                    Some(solution) => Choice::Solved(solution),
                    None => Choice::Row(registry::find_mechanism(&self.terms.mechanism)?),
                };
                Box::new(plane_estimator(&choice, &self.kind, self.terms.epsilon.epsilon()?)?)
            }
            Answering::Fresh { solution: Some(solution), .. } => solution.channel.estimator()?,
            Answering::Fresh { solution: None, .. } => {
                let delta = self.terms.delta.map(Delta::new).transpose()?;
                let options = self.kind.options(delta, self.terms.bins);
                let epsilon = self.terms.epsilon.epsilon()?;
                let row = registry::find_estimator(&self.terms.mechanism)?;
                row.build_with(&self.kind.inner_domain()?, epsilon, &options)?
            }
            #[cfg(feature = "vectors")]
            Answering::Vector(vector) => return Ok(AttributeEstimator::Vectors(vector.estimator()?)),
            #[cfg(feature = "pairs")]
            Answering::Pair(pair) => pair.estimator(),
        };
        Ok(AttributeEstimator::Counts(counts))
    }

    /// The estimator for some of the reports, where it is another one than that for all.
    pub(crate) fn estimator_of_some(&self) -> Option<AttributeEstimator> {
        match &self.answering {
            #[cfg(feature = "pairs")]
            Answering::Pair(pair) => Some(AttributeEstimator::Counts(pair.estimator_of_some())),
            _ => None,
        }
    }

    /// How its fresh reports are read one by one; `None` where they are not.
    pub(crate) fn reader(&self) -> Option<Reader> {
        let Answering::Fresh { solution, .. } = &self.answering else { return None };
        if let Some(solution) = solution {
            return solution.channel.numeric().ok().flatten().map(Reader::Numbers);
        }
        let delta = self.terms.delta.map(Delta::new).transpose().ok()?;
        let options = self.kind.options(delta, self.terms.bins);
        let row = registry::find_mechanism(&self.terms.mechanism).ok()?;
        row.reader(&self.kind.inner_domain().ok()?, self.terms.epsilon.epsilon().ok()?, &options).ok()?
    }

    /// What one report costs.
    pub fn cost(&self) -> Spending {
        Spending::new(self.terms.epsilon, self.terms.delta.unwrap_or(0.0))
    }

    /// Whether two people answer it together.
    pub fn is_in_pairs(&self) -> bool {
        self.terms.pairs.is_some()
    }

    /// For permanent answers, which ones these are, and the most that any number of reports can cost.
    pub(crate) fn permanence(&self) -> Option<Permanence> {
        let Answering::Permanent(layers) = &self.answering else { return None };
        let forever = self.terms.epsilon_forever?;
        let Ok(DomainSpec::Categories(categories)) = self.kind.inner_domain() else { return None };
        Some(Permanence {
            answers: layers.permanent_fingerprint(),
            one_value: Spending::new(forever, 0.0),
            values: categories.count(),
        })
    }

    /// What a number of reports by one person cost together, whatever values the person holds. For permanent answers this is about
    /// which values were held, not about when they changed.
    pub fn cost_of_reports(&self, reports: u32) -> Spending {
        let fresh = self.cost().times(reports);
        self.permanence().map_or(fresh, |permanence| permanence.cost(fresh, reports))
    }
}

/// Answers that stay the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Permanence {
    /// The permanent layer.
    pub(crate) answers: Fingerprint,
    /// What all reports about one value cost.
    pub(crate) one_value: Spending,
    /// How many values there are.
    pub(crate) values: u32,
}

impl Permanence {
    /// The smaller of what the fresh layers cost and what the permanent answers to as many values as can have been held cost.
    /// Neither depends on the values, so refusing to answer beyond a budget says nothing about them.
    ///
    /// The second number is about which values were held by people whose values change on the same days. That and when a value
    /// changed is bounded by the first one only.
    pub(crate) fn cost(&self, fresh: Spending, reports: u32) -> Spending {
        let permanent = self.one_value.times(reports.min(self.values));
        if permanent.fits(fresh) { permanent } else { fresh }
    }
}

/// Reports that are drawn by one person alone, of anything but vectors.
fn ordinary(
    terms: &AttributeTerms,
    kind: &AttributeKind,
    domain: &DomainSpec,
) -> Result<Answering, PolicyProblem> {
    let delta = terms.delta.map(Delta::new).transpose()?;
    let options = kind.options(delta, terms.bins);
    let asked = kind.epsilon_of_each(terms.epsilon.epsilon()?)?;
    Ok(match (&terms.solution, terms.epsilon_forever) {
        (None, None) => {
            let row = registry::find_mechanism(&terms.mechanism)?;
            if registry::is_solved(row) {
                let reason = format!("{} has to be solved for, and its file is missing", row.info.id);
                return Err(PolicyProblem::Conflict { reason });
            }
            Answering::Fresh { mechanism: row.build_with(domain, asked, &options)?, solution: None }
        }
        (Some(text), None) => solved(text, &terms.mechanism, domain)?,
        (None, Some(forever)) => Answering::Permanent(permanent(terms, forever, domain)?),
        (Some(_), Some(_)) => return Err(not_permanent(&terms.mechanism)),
    })
}

#[cfg(feature = "vectors")]
fn on_vectors(terms: &AttributeTerms, domain: &DomainSpec) -> Result<Answering, PolicyProblem> {
    if terms.epsilon_forever.is_some() || terms.solution.is_some() {
        return Err(not_permanent(&terms.mechanism));
    }
    let delta = terms.delta.map(Delta::new).transpose()?;
    VectorAnswering::new(&terms.mechanism, domain, terms.epsilon, delta, terms.radius).map(Answering::Vector)
}

#[cfg(not(feature = "vectors"))]
fn on_vectors(_: &AttributeTerms, _: &DomainSpec) -> Result<Answering, PolicyProblem> {
    Err(PolicyProblem::NotUnderstood { what: "vectors" })
}

#[cfg(feature = "pairs")]
fn in_pairs(terms: &AttributeTerms, pair: &PairTerms) -> Result<Answering, PolicyProblem> {
    if terms.epsilon_forever.is_some() || terms.solution.is_some() || terms.delta.is_some() {
        return Err(not_permanent(&terms.mechanism));
    }
    if terms.mechanism != crate::pairs::ID {
        let reason = format!("pairs are for {}, not for {}", crate::pairs::ID, terms.mechanism);
        return Err(PolicyProblem::Conflict { reason });
    }
    Ok(Answering::Pair(Box::new(PairAnswering::new(terms, pair)?)))
}

#[cfg(not(feature = "pairs"))]
fn in_pairs(_: &AttributeTerms, _: &PairTerms) -> Result<Answering, PolicyProblem> {
    Err(PolicyProblem::NotUnderstood { what: "pairs" })
}

/// The estimator of a mechanism on places, for an epsilon of whole reports.
pub(crate) fn plane_estimator(
    choice: &Choice<'_>,
    kind: &AttributeKind,
    whole: Epsilon,
) -> Result<PlaneEstimator, ParameterError> {
    let (AttributeKind::Path { side, places, .. }, domain) = (kind, kind.inner_domain()?) else {
        return Err(not_on_places(choice));
    };
    let plane = choice.plane_errors(&domain, kind.epsilon_of_each(whole)?)?;
    let plane: Box<dyn PlaneErrors> = plane.ok_or_else(|| not_on_places(choice))?;
    let reports: Arc<dyn PlaneReports> = Arc::from(plane as Box<dyn PlaneReports>);
    let estimator = PlaneEstimator::new(reports, *side)?;
    Ok(if *places == 1 { estimator } else { estimator.for_paths(*places) })
}

fn not_on_places(choice: &Choice<'_>) -> ParameterError {
    ParameterError::Incompatible { reason: format!("{} is no mechanism on places", choice.id()) }
}

fn solved(text: &str, id: &str, domain: &DomainSpec) -> Result<Answering, PolicyProblem> {
    let wrong =
        |reason: String| PolicyProblem::MechanismFile { path: "inside of the policy".to_owned(), reason };
    let solution = Solution::from_json(text).map_err(|error| wrong(error.to_string()))?;
    if solution.channel.id() != id {
        return Err(wrong(format!("it is {}, not {id}", solution.channel.id())));
    }
    if solution.channel.domain() != *domain {
        return Err(wrong(format!("it is about {}, not about {domain}", solution.channel.domain())));
    }
    let mechanism = solution.channel.mechanism()?;
    Ok(Answering::Fresh { mechanism, solution: Some(Box::new(solution)) })
}

fn permanent(
    terms: &AttributeTerms,
    forever: DecimalEpsilon,
    domain: &DomainSpec,
) -> Result<Box<dyn AnyMemoized>, PolicyProblem> {
    let row = memo::ROWS.iter().find(|row| row.id == terms.mechanism);
    let row = row.ok_or_else(|| not_permanent(&terms.mechanism))?;
    Ok((row.build)(domain, LayerEpsilons { forever: forever.epsilon()?, report: terms.epsilon.epsilon()? })?)
}

pub(crate) fn not_permanent(mechanism: &str) -> PolicyProblem {
    let allowed = memo::ROWS.iter().map(|row| row.id).collect();
    PolicyProblem::NotPermanent { mechanism: mechanism.to_owned(), allowed }
}
