//! One question with the mechanism that answers it.

use crate::error::{PolicyError, PolicyProblem};
use crate::memo::{self, AnyMemoized, LayerEpsilons};
use crate::registry::{self, AnyEstimator};
use crate::spending::{DecimalEpsilon, Spending, is_covered};
use crate::terms::AttributeTerms;
use crate::written::{MOST_CATEGORIES, MOST_CELLS_OF_A_SIDE};
use privet_core::{
    BuildOptions, Categories, Delta, Domain, DomainSpec, Fingerprint, Guarantee, InputError, ParameterError,
    Rectangle, ReportError, Values,
};
use privet_limit::Solution;
use privet_mechanisms::registry::{AnyMechanism, Reader};

/// What kind of value a question asks for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AttributeKind {
    /// A value of a domain, as it is.
    Value(DomainSpec),
    /// A place in a rectangle, of which a report tells something about its cell only: a grid with `side` cells along each side.
    /// Cells are counted along the first coordinate first.
    Place {
        /// Where places lie.
        rectangle: Rectangle,
        /// How many cells lie along each side.
        side: u32,
    },
}

impl AttributeKind {
    /// The kind of a written domain.
    pub(crate) fn of(domain: DomainSpec, bins: Option<u32>) -> Result<Self, PolicyProblem> {
        match (domain, bins) {
            (DomainSpec::Rectangle(rectangle), Some(side)) if side <= MOST_CELLS_OF_A_SIDE => {
                Ok(Self::Place { rectangle, side })
            }
            (DomainSpec::Rectangle(_), side) => Err(PolicyProblem::Value {
                key: "bins",
                allowed: "from 2 to 256 for a rectangle: the number of cells along each side",
                got: side.map_or("nothing".to_owned(), |side| side.to_string()),
            }),
            (DomainSpec::Categories(categories), _) if categories.count() > MOST_CATEGORIES => {
                let (max, got) = (u64::from(MOST_CATEGORIES), u64::from(categories.count()));
                Err(ParameterError::CategoryCount { min: 2, max, got }.into())
            }
            (domain, _) => Ok(Self::Value(domain)),
        }
    }

    /// The domain of the mechanism.
    pub(crate) fn inner_domain(&self) -> Result<DomainSpec, ParameterError> {
        match self {
            Self::Value(domain) => Ok(domain.clone()),
            Self::Place { side, .. } => {
                Ok(DomainSpec::Categories(Categories::new(side.saturating_mul(*side))?))
            }
        }
    }

    /// The parameters of the mechanism.
    pub(crate) fn options(&self, delta: Option<Delta>, bins: Option<u32>) -> BuildOptions {
        let bins = bins.filter(|_| matches!(self, Self::Value(_)));
        BuildOptions { delta, bins }
    }

    /// A written value as the mechanism takes it, checked.
    pub(crate) fn parse(&self, text: &str) -> Result<Values, InputError> {
        match self {
            Self::Value(domain) => {
                let mut values = domain.empty_values();
                domain.push_text(text, &mut values)?;
                check(domain, &values)?;
                Ok(values)
            }
            Self::Place { rectangle, side } => {
                let place = rectangle.parse(text)?;
                rectangle.check(&place)?;
                let cell = |axis: usize| {
                    let ends = rectangle.sides()[axis];
                    let share = (place[axis] - ends.low()) / ends.width();
                    ((share * f64::from(*side)) as u32).min(side - 1)
                };
                Ok(Values::Categories(vec![cell(1) * side + cell(0)]))
            }
        }
    }
}

/// Refuses values outside the domain before anything is drawn or spent.
fn check(domain: &DomainSpec, values: &Values) -> Result<(), InputError> {
    fn all<D: Domain>(domain: &D, values: &Values) -> Result<(), InputError> {
        let wrong_kind = || InputError::WrongKind { domain: domain.to_string() };
        D::select(values).ok_or_else(wrong_kind)?.iter().try_for_each(|value| domain.check(value))
    }
    match domain {
        DomainSpec::Categories(domain) => all(domain, values),
        DomainSpec::Interval(domain) => all(domain, values),
        DomainSpec::Circle(domain) => all(domain, values),
        DomainSpec::Rectangle(domain) => all(domain, values),
        DomainSpec::Words(domain) => all(domain, values),
        other => Err(InputError::WrongKind { domain: other.to_string() }),
    }
}

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
}

impl Attribute {
    /// Makes the mechanism, and checks that it keeps what the terms promise.
    pub(crate) fn new(terms: AttributeTerms) -> Result<Self, PolicyError> {
        let kind = AttributeKind::of(terms.domain.parse::<DomainSpec>()?, terms.bins)?;
        let domain = kind.inner_domain()?;
        let delta = terms.delta.map(Delta::new).transpose()?;
        let options = kind.options(delta, terms.bins);
        let asked = terms.epsilon.epsilon()?;
        let answering = match (&terms.solution, terms.epsilon_forever) {
            (None, None) => {
                let row = registry::find_mechanism(&terms.mechanism)?;
                if registry::is_solved(row) {
                    let reason = format!("{} has to be solved for, and its file is missing", row.info.id);
                    return Err(PolicyProblem::Conflict { reason }.into());
                }
                Answering::Fresh { mechanism: row.build_with(&domain, asked, &options)?, solution: None }
            }
            (Some(text), None) => solved(text, &terms.mechanism, &domain)?,
            (None, Some(forever)) => Answering::Permanent(permanent(&terms, forever, &domain)?),
            (Some(_), Some(_)) => return Err(not_permanent(&terms.mechanism).into()),
        };
        let attribute = Self { terms, kind, answering };
        attribute.check_promise()?;
        Ok(attribute)
    }

    fn check_promise(&self) -> Result<(), PolicyError> {
        let (terms, delta) = (&self.terms, self.terms.delta.unwrap_or(0.0));
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
            Answering::Fresh { mechanism, .. } => mechanism.guarantee(),
            Answering::Permanent(layers) => layers.fresh(),
        }
    }

    /// How many bytes its report has.
    pub fn report_bytes(&self) -> usize {
        match &self.answering {
            Answering::Fresh { mechanism, .. } => mechanism.report_bytes(),
            Answering::Permanent(layers) => layers.report_bytes(),
        }
    }

    /// Refuses a report that its mechanism cannot have written.
    ///
    /// # Errors
    /// When the length is wrong or the content is impossible.
    pub fn check_report(&self, report: &[u8]) -> Result<(), ReportError> {
        match &self.answering {
            Answering::Fresh { mechanism, .. } => mechanism.check_report(report),
            Answering::Permanent(layers) => layers.check_report(report),
        }
    }

    /// The estimator for its reports.
    ///
    /// # Errors
    /// When the mechanism has none.
    pub fn estimator(&self) -> Result<Box<dyn AnyEstimator>, ParameterError> {
        match &self.answering {
            Answering::Permanent(_) => {
                let row = memo::ESTIMATORS.iter().find(|row| row.id == self.terms.mechanism);
                let unknown = || ParameterError::UnknownMechanism { got: self.terms.mechanism.clone() };
                let report = self.terms.epsilon.epsilon()?;
                let forever = self.terms.epsilon_forever.unwrap_or(self.terms.epsilon).epsilon()?;
                (row.ok_or_else(unknown)?.build)(
                    &self.kind.inner_domain()?,
                    LayerEpsilons { forever, report },
                )
            }
            Answering::Fresh { solution: Some(solution), .. } => solution.channel.estimator(),
            Answering::Fresh { solution: None, .. } => {
                let delta = self.terms.delta.map(Delta::new).transpose()?;
                let options = self.kind.options(delta, self.terms.bins);
                let epsilon = self.terms.epsilon.epsilon()?;
                registry::find_estimator(&self.terms.mechanism)?.build_with(
                    &self.kind.inner_domain()?,
                    epsilon,
                    &options,
                )
            }
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
