//! From what is written to what is decided: mechanisms, epsilons, and how attributes share the budget.

mod special;

use crate::advisor::{self, Choice, Goal, Question, Wish, candidate};
use crate::attribute::{not_permanent, plane_estimator};
use crate::error::{PolicyError, PolicyProblem};
use crate::kind::AttributeKind;
use crate::memo::{self, LayerEpsilons};
use crate::registry::{self, MechanismRow};
use crate::resolved::ResolvedPolicy;
use crate::spending::{DecimalEpsilon, is_covered};
use crate::summary::Tally;
use crate::terms::{
    AttributeTerms, ComparedErrors, Contribution, ContributionTerms, FORMAT, Repetition, Terms,
};
use crate::written::{Policy, WrittenAttribute, WrittenMechanism};
use privet_core::{Categories, DomainSpec, Epsilon};
use privet_limit::{Solution, SolvedChannel};
use std::sync::Arc;

/// Gives the text of a mechanism file, or says in words why it cannot be read.
pub type ReadFile<'a> = dyn FnMut(&str) -> Result<String, String> + 'a;

impl Policy {
    /// Decides everything that is left open, and embeds the mechanisms of files, which `read_file` reads.
    ///
    /// # Errors
    /// When a mechanism does not fit, a file cannot be used, or the budget does not suffice.
    pub fn resolve(&self, read_file: &mut ReadFile<'_>) -> Result<Arc<ResolvedPolicy>, PolicyError> {
        let per_report = self.billionths_per_report()?;
        let way = |contribution: Contribution, read_file: &mut ReadFile<'_>| {
            self.decide(contribution, per_report, read_file)
        };
        if self.contribution == Some(Contribution::Sample) {
            self.refuse_shares()?;
        }
        let (kind, compared, decided) = match (self.contribution, self.attributes.len()) {
            (Some(kind), _) => (kind, None, way(kind, read_file)?),
            (None, 1) => (Contribution::Split, None, way(Contribution::Split, read_file)?),
            (None, _) => {
                self.refuse_fixed_epsilons()?;
                let split = way(Contribution::Split, read_file)?;
                let sample = way(Contribution::Sample, read_file)?;
                let compared =
                    ComparedErrors { split: self.mean_error(&split)?, sample: self.mean_error(&sample)? };
                if compared.sample < compared.split {
                    (Contribution::Sample, Some(compared), sample)
                } else {
                    (Contribution::Split, Some(compared), split)
                }
            }
        };
        let terms = Terms {
            format: FORMAT.to_owned(),
            name: self.name.clone(),
            purpose: self.purpose.clone(),
            origin: self.origin.clone(),
            opens: self.opens,
            closes: self.closes,
            epoch: self.epoch,
            answers: self.answers,
            minimum_reports: self.minimum_reports,
            retention_days: self.retention_days,
            budget: self.budget,
            contribution: ContributionTerms { kind, compared },
            attributes: decided.into_iter().map(|decided| decided.terms).collect(),
            public: self.public.clone(),
        };
        let policy = Arc::new(ResolvedPolicy::new(terms).map_err(|error| self.with_place(error))?);
        // What nobody could count must not be asked.
        Tally::new(Arc::clone(&policy))?;
        Ok(policy)
    }

    /// The place of what a whole policy can get wrong.
    fn with_place(&self, error: PolicyError) -> PolicyError {
        match error {
            PolicyError { place: None, problem: problem @ PolicyProblem::Budget { .. } } => {
                problem.at(self.budget_place)
            }
            other => other,
        }
    }

    /// How many billionths of epsilon each report may cost.
    fn billionths_per_report(&self) -> Result<u64, PolicyError> {
        let too_short = || {
            let (epoch, period) = (self.epoch, self.budget.period);
            PolicyProblem::PeriodTooShort { epoch, period }.at(self.budget_place)
        };
        let epochs = u32::try_from(self.epoch.number(self.closes) - self.epoch.number(self.opens) + 1);
        let most = self.budget.period.epochs(self.epoch, epochs.unwrap_or(u32::MAX)).ok_or_else(too_short)?;
        let reports = if self.answers == Repetition::Once { 1 } else { most.max(1) };
        Ok(self.budget.epsilon.billionths() / u64::from(reports))
    }

    fn refuse_shares(&self) -> Result<(), PolicyError> {
        let Some(shared) = self.attributes.iter().find(|attribute| attribute.share.is_some()) else {
            return Ok(());
        };
        let name = &shared.name;
        let reason = format!(
            "the attribute {name:?} has a share, but a sampled attribute has the whole budget of its report"
        );
        Err(PolicyProblem::Conflict { reason }.at(shared.place))
    }

    fn refuse_fixed_epsilons(&self) -> Result<(), PolicyError> {
        let is_fixed = |attribute: &&WrittenAttribute| {
            attribute.epsilon.is_some() || matches!(attribute.mechanism, WrittenMechanism::File(_))
        };
        let Some(fixed) = self.attributes.iter().find(is_fixed) else { return Ok(()) };
        let reason = format!(
            "the attribute {:?} has an epsilon of its own, so the budget cannot be divided automatically: \
             write contribution = \"split\" or \"sample\", or leave the epsilon out",
            fixed.name
        );
        Err(PolicyProblem::Conflict { reason }.at(fixed.place))
    }

    /// Every attribute with its mechanism, if the budget is shared in this way.
    fn decide(
        &self,
        contribution: Contribution,
        per_report: u64,
        read_file: &mut ReadFile<'_>,
    ) -> Result<Vec<Decided>, PolicyError> {
        let parts = match contribution {
            Contribution::Split => self.split(per_report)?,
            Contribution::Sample => vec![per_report; self.attributes.len()],
        };
        let people = match contribution {
            Contribution::Split => f64::from(self.minimum_reports),
            Contribution::Sample => f64::from(self.minimum_reports) / self.attributes.len() as f64,
        };
        let decide = |(attribute, billionths): (&WrittenAttribute, u64)| {
            let epsilon = match attribute.epsilon {
                Some(epsilon) => epsilon,
                None => DecimalEpsilon::of_billionths(billionths).ok_or_else(|| {
                    let reason =
                        format!("nothing of the budget is left for the attribute {:?}", attribute.name);
                    PolicyProblem::Conflict { reason }.at(attribute.place)
                })?,
            };
            attribute.decide(epsilon, people, read_file)
        };
        self.attributes.iter().zip(parts).map(decide).collect()
    }

    /// The billionths of each attribute: its share, or an equal part of what is left by those that have a share or an epsilon.
    fn split(&self, per_report: u64) -> Result<Vec<u64>, PolicyError> {
        let fixed = |attribute: &WrittenAttribute| match (attribute.charge(), attribute.share) {
            (Some(epsilon), _) => Some(epsilon.billionths()),
            (None, Some(share)) => Some((share * per_report as f64) as u64),
            (None, None) => None,
        };
        let taken: u64 = self.attributes.iter().filter_map(fixed).sum();
        let shares: f64 = self.attributes.iter().filter_map(|attribute| attribute.share).sum();
        if shares > 1.0 + 1e-9 {
            let reason = format!("the shares of the attributes must add up to at most 1: got {shares}");
            return Err(PolicyProblem::Conflict { reason }.at(self.budget_place));
        }
        let open = self.attributes.iter().filter(|attribute| fixed(attribute).is_none()).count() as u64;
        let part = per_report.saturating_sub(taken).checked_div(open).unwrap_or(0);
        Ok(self.attributes.iter().map(|attribute| fixed(attribute).unwrap_or(part)).collect())
    }

    /// The expected error of one way, averaged over the attributes.
    fn mean_error(&self, decided: &[Decided]) -> Result<f64, PolicyError> {
        let mut sum = 0.0;
        for (attribute, decided) in self.attributes.iter().zip(decided) {
            sum += decided.error.as_ref().map_err(|why| {
                let reason = format!(
                    "splitting and sampling cannot be compared, because {} has no expected error for {:?} ({why}): \
                     write contribution = \"split\" or \"sample\"",
                    decided.terms.mechanism, attribute.name
                );
                PolicyProblem::Conflict { reason }.at(self.contribution_place)
            })?;
        }
        Ok(sum / decided.len() as f64)
    }
}

/// An attribute with its mechanism.
struct Decided {
    terms: AttributeTerms,
    /// The expected error as a part of the domain's width, or why there is none.
    error: Result<f64, String>,
}

/// What was chosen for an attribute.
struct Chosen {
    mechanism: String,
    epsilon: DecimalEpsilon,
    delta: Option<f64>,
    bins: Option<u32>,
    solution: Option<Solution>,
    error: Result<f64, String>,
}

/// The mechanism that a policy names, if it names one.
enum Named {
    Auto,
    Row(&'static MechanismRow),
    Solved(Box<Solution>),
    #[cfg(feature = "vectors")]
    Vector(&'static str),
    #[cfg(feature = "pairs")]
    Pair,
}

impl WrittenAttribute {
    fn named(&self, read_file: &mut ReadFile<'_>) -> Result<Named, PolicyProblem> {
        match &self.mechanism {
            WrittenMechanism::Auto => Ok(Named::Auto),
            WrittenMechanism::Row(row) => Ok(Named::Row(row)),
            #[cfg(feature = "vectors")]
            WrittenMechanism::Vector(id) => Ok(Named::Vector(id)),
            #[cfg(feature = "pairs")]
            WrittenMechanism::Pair => Ok(Named::Pair),
            WrittenMechanism::File(path) => {
                let unusable = |reason: String| PolicyProblem::MechanismFile { path: path.clone(), reason };
                let text = read_file(path).map_err(unusable)?;
                let solution = Solution::from_json(&text).map_err(|error| unusable(error.to_string()))?;
                Ok(Named::Solved(Box::new(solution)))
            }
        }
    }

    /// The epsilon that a report is charged with, if the policy says so.
    fn charge(&self) -> Option<DecimalEpsilon> {
        self.pair.cap.or(self.epsilon)
    }

    /// Whether the mechanism is to be one on places itself. For the shares of cells `auto` need not try: a report of a place that is
    /// uniform in its cell is a private report of the cell, and among all of those with the same epsilon subset selection has the
    /// least error for people who are spread evenly. Paths have mechanisms on places only.
    fn is_on_places(&self, named: &Named) -> bool {
        match named {
            Named::Auto => self.sizes.places.is_some() && matches!(self.domain, DomainSpec::Rectangle(_)),
            Named::Row(row) => registry::is_on_places(row.info.id),
            Named::Solved(solution) => matches!(solution.channel, SolvedChannel::Rectangle(_)),
            #[cfg(any(feature = "vectors", feature = "pairs"))]
            _ => false,
        }
    }

    fn decide(
        &self,
        epsilon: DecimalEpsilon,
        people: f64,
        read_file: &mut ReadFile<'_>,
    ) -> Result<Decided, PolicyError> {
        let named = &self.named(read_file).map_err(|problem| problem.at(self.mechanism_place))?;
        let of_domain = |problem: PolicyProblem| problem.at(self.domain_place);
        let kind = AttributeKind::of(self.domain.clone(), self.sizes, self.is_on_places(named))
            .map_err(of_domain)?;
        let domain = kind.inner_domain().map_err(|error| of_domain(error.into()))?;
        let search = Search { attribute: self, kind, domain, people };
        let special: Option<Result<Decided, PolicyProblem>> = match named {
            #[cfg(feature = "vectors")]
            Named::Vector(id) => Some(search.on_vectors(id, epsilon)),
            #[cfg(feature = "pairs")]
            Named::Pair => Some(search.in_pairs()),
            _ => search
                .refuse_special_keys()
                .map_err(|problem| problem.at(self.mechanism_place))
                .map(|()| None)?,
        };
        if let Some(special) = special {
            return special.map_err(|problem| problem.at(self.mechanism_place));
        }
        let question = search.question().map_err(|problem| problem.at(self.goal_place))?;
        let chosen =
            search.choose(epsilon, &question, named).map_err(|problem| problem.at(self.mechanism_place))?;
        let terms = AttributeTerms {
            name: self.name.clone(),
            question: self.question.clone(),
            domain: self.domain.to_string(),
            goal: self.goal,
            mechanism: chosen.mechanism,
            epsilon: chosen.epsilon,
            epsilon_forever: self.epsilon_forever,
            delta: chosen.delta,
            bins: chosen.bins,
            places: self.sizes.places,
            radius: None,
            pairs: None,
            solution: chosen.solution.map(|solution| solution.to_json()),
        };
        Ok(Decided { terms, error: chosen.error })
    }
}

struct Search<'a> {
    attribute: &'a WrittenAttribute,
    kind: AttributeKind,
    domain: DomainSpec,
    people: f64,
}

impl Search<'_> {
    /// The goal on the mechanism's domain: places are learned cell by cell.
    fn question(&self) -> Result<Question, PolicyProblem> {
        let goal = match (&self.kind, self.attribute.goal) {
            (AttributeKind::Place { .. } | AttributeKind::Path { .. }, Goal::Distribution) => Goal::Frequency,
            (AttributeKind::Place { .. } | AttributeKind::Path { .. }, goal) => {
                let (key, got) = ("goal", format!("{:?}", goal.as_str()));
                return Err(PolicyProblem::Value { key, allowed: "\"distribution\" for a rectangle", got });
            }
            (_, goal) => goal,
        };
        // Words and cells are learned like categories, but by mechanisms that the advisor does not compare.
        let domain = match &self.domain {
            DomainSpec::Words(_) | DomainSpec::Rectangle(_) => &DomainSpec::Categories(Categories::new(2)?),
            domain => domain,
        };
        // Errors of means and shares are those of one person, divided by the root of the number of people afterwards.
        Ok(Question::about(domain, goal, 1)?)
    }

    fn choose(
        &self,
        epsilon: DecimalEpsilon,
        question: &Question,
        named: &Named,
    ) -> Result<Chosen, PolicyProblem> {
        let asked = self.kind.epsilon_of_each(epsilon.epsilon()?)?;
        if let Some(forever) = self.attribute.epsilon_forever {
            return self.permanent(epsilon, forever);
        }
        match named {
            Named::Auto if matches!(self.kind, AttributeKind::Path { .. }) => self.advised_on_places(epsilon),
            Named::Auto => self.advised(epsilon, asked, question),
            #[cfg(feature = "vectors")]
            Named::Vector(_) => Err(not_permanent("a mechanism on vectors")),
            #[cfg(feature = "pairs")]
            Named::Pair => Err(not_permanent(crate::pairs::ID)),
            Named::Row(row) if registry::is_solved(row) => {
                let solution = privet_limit::registry::solution(row.info.id, &self.domain, asked)?;
                self.solved(epsilon, solution, question)
            }
            Named::Row(row) => {
                let options = self.kind.options(self.attribute.delta, self.attribute.sizes.bins);
                // All of the options must fit, not only those that it takes.
                row.build_with(&self.domain, asked, &options)?;
                let error = self.expected(&Choice::Row(row), epsilon, question);
                Ok(Chosen {
                    mechanism: row.info.id.to_owned(),
                    epsilon,
                    delta: self.attribute.delta.map(|delta| delta.get()),
                    bins: self.attribute.sizes.bins,
                    solution: None,
                    error,
                })
            }
            Named::Solved(solution) => {
                let own = solution.channel.mechanism()?.guarantee().epsilon();
                let whole = own.times(self.kind.places())?;
                let stated = self.attribute.epsilon.or_else(|| least_decimal(whole));
                self.solved(stated.unwrap_or(epsilon), (**solution).clone(), question)
            }
        }
    }

    /// The best of all mechanisms on places.
    fn advised_on_places(&self, epsilon: DecimalEpsilon) -> Result<Chosen, PolicyProblem> {
        let options = self.kind.options(self.attribute.delta, self.attribute.sizes.bins);
        options.refuse_unless(false, false)?;
        let mut best: Option<(&'static str, Result<f64, String>)> = None;
        for row in registry::ready_mechanisms().iter().filter(|row| registry::is_on_places(row.info.id)) {
            let error = self.expected_on_places(&Choice::Row(row), epsilon);
            let least = best.as_ref().and_then(|(_, least)| least.clone().ok()).unwrap_or(f64::INFINITY);
            if best.is_none() || error.as_ref().is_ok_and(|error| *error < least) {
                best = Some((row.info.id, error));
            }
        }
        let domain = self.domain.to_string();
        let (id, error) = best.ok_or(advisor::AdvisorError::NoMechanism { domain })?;
        Ok(Chosen {
            mechanism: id.to_owned(),
            epsilon,
            delta: None,
            bins: self.attribute.sizes.bins,
            solution: None,
            error,
        })
    }

    /// The standard error of the share of a cell by the best unbiased linear estimate, for people who are spread evenly. That of
    /// mechanisms on cells is of a cell that hardly anybody holds, which differs from it by the square of one over their number.
    fn expected_on_places(&self, choice: &Choice<'_>, epsilon: DecimalEpsilon) -> Result<f64, String> {
        let whole = epsilon.epsilon().map_err(|error| error.to_string())?;
        let estimator = plane_estimator(choice, &self.kind, whole).map_err(|error| error.to_string())?;
        Ok(advisor::share_error_of(&estimator.cell_laws())? / self.people.sqrt())
    }

    fn advised(
        &self,
        epsilon: DecimalEpsilon,
        asked: Epsilon,
        question: &Question,
    ) -> Result<Chosen, PolicyProblem> {
        let options = self.kind.options(self.attribute.delta, self.attribute.sizes.bins);
        let advice =
            advisor::advise(&self.domain, question, Wish::Epsilon(asked), &options, &[], &mut |_| {})?;
        let best = advice.recommended;
        let is_place = matches!(self.kind, AttributeKind::Place { .. });
        Ok(Chosen {
            mechanism: best.id.to_owned(),
            epsilon,
            delta: best.options.delta.map(|delta| delta.get()),
            bins: if is_place { self.attribute.sizes.bins } else { best.options.bins },
            solution: None,
            error: Ok(self.relative(question, best.expected_error)),
        })
    }

    fn solved(
        &self,
        epsilon: DecimalEpsilon,
        solution: Solution,
        question: &Question,
    ) -> Result<Chosen, PolicyProblem> {
        let choice = Choice::Solved(&solution);
        let options = self.kind.options(self.attribute.delta, self.attribute.sizes.bins);
        let asked = self.kind.epsilon_of_each(epsilon.epsilon()?)?;
        let mechanism = choice.mechanism(&self.domain, asked, &options)?;
        if !is_covered(&mechanism.guarantee(), asked, 0.0) {
            let (mechanism, epsilon) = (choice.id().to_owned(), epsilon.to_f64());
            return Err(PolicyProblem::Promise { mechanism, epsilon, delta: 0.0 });
        }
        let error = self.expected(&choice, epsilon, question);
        Ok(Chosen {
            mechanism: choice.id().to_owned(),
            epsilon,
            delta: None,
            bins: self.attribute.sizes.bins,
            error,
            solution: Some(solution),
        })
    }

    /// The best of the mechanisms whose answers can be permanent, or the one that is named.
    fn permanent(&self, epsilon: DecimalEpsilon, forever: DecimalEpsilon) -> Result<Chosen, PolicyProblem> {
        self.kind.options(self.attribute.delta, self.attribute.sizes.bins).refuse_unless(false, false)?;
        let epsilons = LayerEpsilons { forever: forever.epsilon()?, report: epsilon.epsilon()? };
        let id = match &self.attribute.mechanism {
            WrittenMechanism::Auto => None,
            WrittenMechanism::Row(row) => Some(row.info.id),
            WrittenMechanism::File(_) => return Err(not_permanent("a mechanism from a file")),
            #[cfg(any(feature = "vectors", feature = "pairs"))]
            _ => return Err(not_permanent("such a mechanism")),
        };
        let mut best: Option<(f64, u32, &'static str)> = None;
        let mut refusal = not_permanent(id.unwrap_or("any mechanism on this domain"));
        for row in memo::ROWS.iter().filter(|row| id.is_none_or(|id| id == row.id)) {
            match (row.build)(&self.domain, epsilons) {
                Ok(layers) => {
                    let (error, bits) = (memo::rare_standard_error(&*layers), layers.report_bits());
                    // Among equals the one with the shortest reports.
                    if best.is_none_or(|(least, shortest, _)| (error, bits) < (least, shortest)) {
                        best = Some((error, bits, row.id));
                    }
                }
                Err(error) if candidate::is_misfit(&error) => {}
                Err(error) => refusal = error.into(),
            }
        }
        let (error, _, id) = best.ok_or(refusal)?;
        Ok(Chosen {
            mechanism: id.to_owned(),
            epsilon,
            delta: None,
            bins: self.attribute.sizes.bins,
            solution: None,
            error: Ok(error / self.people.sqrt()),
        })
    }

    /// The expected error of a mechanism, or why there is none.
    fn expected(
        &self,
        choice: &Choice<'_>,
        epsilon: DecimalEpsilon,
        question: &Question,
    ) -> Result<f64, String> {
        if matches!(self.kind, AttributeKind::Path { .. }) {
            return self.expected_on_places(choice, epsilon);
        }
        let asked = epsilon.epsilon().map_err(|error| error.to_string())?;
        let options = self.kind.options(self.attribute.delta, self.attribute.sizes.bins);
        let built =
            candidate::build(choice, &self.domain, asked, &options).map_err(|error| error.to_string())?;
        Ok(self.relative(question, question.expected_error(&built)?))
    }

    /// An error as a part of the domain's width, for the number of people.
    fn relative(&self, question: &Question, error: f64) -> f64 {
        let width = match &self.domain {
            DomainSpec::Interval(interval) => interval.width(),
            DomainSpec::Circle(circle) => circle.period(),
            _ => 1.0,
        };
        match question.goal {
            Goal::Point => error / width,
            Goal::Mean => error / width / self.people.sqrt(),
            Goal::Frequency | Goal::Distribution => error / self.people.sqrt(),
        }
    }
}

/// The least decimal number that is not below an epsilon.
fn least_decimal(epsilon: Epsilon) -> Option<DecimalEpsilon> {
    let near = (epsilon.get() * 1e9) as u64;
    let candidates = near.saturating_sub(1)..=near + 2;
    candidates
        .filter_map(DecimalEpsilon::of_billionths)
        .find(|decimal| decimal.epsilon().is_ok_and(|asked| epsilon <= asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `auto` relies on: cells by subset selection, whose variance for one person is known, have less error than the window.
    #[test]
    fn cells_are_learned_better_from_reports_of_cells() {
        for (epsilon, side) in [(1.0f64, 2u32), (4.0, 2), (2.0, 3), (6.0, 4)] {
            let domain: DomainSpec = "rectangle:0,1,0,1".parse().unwrap();
            let sizes = crate::kind::Sizes { bins: Some(side), places: None };
            let kind = AttributeKind::of(domain, sizes, true).unwrap();
            let choice = Choice::Row(registry::find_mechanism("window-2d").unwrap());
            let estimator = plane_estimator(&choice, &kind, Epsilon::new(epsilon).unwrap()).unwrap();
            let on_places = advisor::share_error_of(&estimator.cell_laws()).unwrap();
            let cells = DomainSpec::Categories(Categories::new(side * side).unwrap());
            let question = Question::about(&cells, Goal::Frequency, 1).unwrap();
            let wish = Wish::Epsilon(Epsilon::new(epsilon).unwrap());
            let advice =
                advisor::advise(&cells, &question, wish, &Default::default(), &[], &mut |_| {}).unwrap();
            assert!(advice.recommended.expected_error < on_places, "{epsilon} {side}: {on_places}");
        }
    }
}
