//! The candidates in order, and the smallest epsilon that reaches a target.

use super::candidate;
use super::expected::Question;
use super::{AdvisorError, Choice};
use crate::registry::{self, MechanismRow};
use privet_core::{BuildOptions, DomainSpec, Epsilon, Guarantee, ParameterError};

/// What is given.
#[derive(Debug, Clone, Copy)]
pub enum Wish {
    /// How much one report may reveal.
    Epsilon(Epsilon),
    /// The largest error that is good enough.
    Error(f64),
}

impl Wish {
    /// The largest error that is good enough, if that is what is given.
    pub fn target(self) -> Option<f64> {
        match self {
            Self::Epsilon(_) => None,
            Self::Error(target) => Some(target),
        }
    }
}

/// A mechanism that could be used.
#[derive(Debug)]
pub struct Candidate {
    /// What it is called.
    pub id: &'static str,
    /// The epsilon that it is asked to keep.
    pub epsilon: f64,
    /// Its expected error.
    pub expected_error: f64,
    /// How many bits a report has.
    pub report_bits: u32,
    /// What one report promises.
    pub guarantee: Guarantee,
    /// Which of the given parameters it takes.
    pub options: BuildOptions,
}

/// A mechanism on the domain that could not be compared.
#[derive(Debug)]
pub struct LeftOut {
    /// What it is called.
    pub id: &'static str,
    /// Why it could not be compared.
    pub why: String,
}

/// The answer.
#[derive(Debug)]
pub struct Advice {
    /// The best.
    pub recommended: Candidate,
    /// From the best on, each with the reason why it is not the recommended one.
    pub alternatives: Vec<(Candidate, String)>,
    /// What could not be compared.
    pub left_out: Vec<LeftOut>,
}

/// Where the smallest epsilon is looked for.
const LEAST: f64 = 0.01;
const MOST: f64 = 16.0;

/// Halvings of the range of epsilon's logarithm: the result is right to a millionth.
const HALVINGS: u32 = 23;

/// Errors that differ by less than this part are the same.
const TIE: f64 = 1e-6;

/// Compares all mechanisms that fit and are made at once, and some further ones. `before_each` is told which one comes next.
///
/// # Errors
/// When no mechanism is left, or one of the options fits none.
pub fn advise(
    domain: &DomainSpec,
    question: &Question,
    wish: Wish,
    options: &BuildOptions,
    further: &[Choice<'_>],
    before_each: &mut dyn FnMut(&Choice<'_>),
) -> Result<Advice, AdvisorError> {
    let search = Search { domain, question, options };
    let (mut candidates, mut unreached) = (Vec::new(), Vec::new());
    let mut left_out = unasked(domain, question, further);
    let ready: Vec<Choice<'_>> = registry::ready_mechanisms().iter().map(Choice::Row).collect();
    let mut all_taken = Vec::new();
    for choice in ready.iter().chain(further) {
        before_each(choice);
        match search.consider(choice, wish) {
            Err(Refusal::Misfit) => {}
            Err(Refusal::Why(why)) => left_out.push(LeftOut { id: choice.id(), why }),
            Ok(candidate) => {
                all_taken.push(candidate.options);
                let is_reached = wish.target().is_none_or(|target| candidate.expected_error <= target);
                if is_reached { candidates.push(candidate) } else { unreached.push(candidate) }
            }
        }
    }
    candidate::refuse_untaken(options, all_taken.into_iter())?;
    let unreachable = |candidate: &Candidate| LeftOut {
        id: candidate.id,
        why: format!(
            "even at epsilon {} its error is {}",
            candidate.epsilon,
            number(candidate.expected_error)
        ),
    };
    left_out.extend(unreached.iter().map(unreachable));
    let Some((recommended, alternatives)) = rank(candidates, wish) else {
        return Err(nothing(unreached, left_out, domain));
    };
    Ok(Advice { recommended, alternatives, left_out })
}

/// The mechanisms for the domain and the goal that would have to be solved for and that nobody asked for.
fn unasked(domain: &DomainSpec, question: &Question, further: &[Choice<'_>]) -> Vec<LeftOut> {
    let is_unasked = |row: &&MechanismRow| {
        registry::is_solved(row)
            && row.info.domain == "interval"
            && row.info.goal.contains(question.goal.as_str())
            && matches!(domain, DomainSpec::Interval(_))
            && !further.iter().any(|choice| choice.id() == row.info.id)
    };
    let left_out = |row: &MechanismRow| LeftOut {
        id: row.info.id,
        why: format!("it has to be solved for: ask for it with --epsilon and --mechanism {}", row.info.id),
    };
    registry::mechanisms().filter(is_unasked).map(left_out).collect()
}

/// The expected errors of a mechanism at several epsilons, where it has one; none of one that is not made at once.
pub fn curve(
    domain: &DomainSpec,
    question: &Question,
    options: &BuildOptions,
    id: &str,
    epsilons: &[f64],
) -> Option<Vec<[f64; 2]>> {
    let search = Search { domain, question, options };
    let choice = Choice::Row(registry::ready_mechanisms().iter().find(|row| row.info.id == id)?);
    let at = |epsilon: &f64| {
        let candidate = search.at(&choice, *epsilon).ok()?;
        Some([*epsilon, candidate.expected_error])
    };
    Some(epsilons.iter().filter_map(at).collect())
}

struct Search<'a> {
    domain: &'a DomainSpec,
    question: &'a Question,
    options: &'a BuildOptions,
}

/// Why a mechanism is not compared.
enum Refusal {
    /// It is for other domains.
    Misfit,
    Why(String),
}

impl From<ParameterError> for Refusal {
    fn from(error: ParameterError) -> Self {
        if candidate::is_misfit(&error) { Self::Misfit } else { Self::Why(error.to_string()) }
    }
}

impl Search<'_> {
    fn consider(&self, choice: &Choice<'_>, wish: Wish) -> Result<Candidate, Refusal> {
        match (wish, choice) {
            (Wish::Epsilon(epsilon), _) => self.at(choice, epsilon.get()),
            (Wish::Error(_), Choice::Solved(solution)) => self.at(choice, solution.problem.epsilon().get()),
            (Wish::Error(_), Choice::Row(row)) if registry::is_solved(row) => Err(Refusal::Why(
                "it would have to be solved for at many epsilons: ask with --epsilon".into(),
            )),
            (Wish::Error(target), _) => self.smallest_epsilon(choice, target),
        }
    }

    fn at(&self, choice: &Choice<'_>, epsilon: f64) -> Result<Candidate, Refusal> {
        if matches!(self.domain, DomainSpec::Rectangle(_)) {
            return self.on_places(choice, Epsilon::new(epsilon)?);
        }
        let built = candidate::build(choice, self.domain, Epsilon::new(epsilon)?, self.options)?;
        Ok(Candidate {
            id: choice.id(),
            epsilon,
            expected_error: self.question.expected_error(&built).map_err(Refusal::Why)?,
            report_bits: built.mechanism.report_bits(),
            guarantee: built.mechanism.guarantee(),
            options: built.taken,
        })
    }

    /// The largest expected distance between a place and its report.
    fn on_places(&self, choice: &Choice<'_>, epsilon: Epsilon) -> Result<Candidate, Refusal> {
        let options = BuildOptions::default();
        let mechanism = choice.mechanism(self.domain, epsilon, &options)?;
        let plane = choice.plane_errors(self.domain, epsilon)?.ok_or(Refusal::Misfit)?;
        Ok(Candidate {
            id: choice.id(),
            epsilon: epsilon.get(),
            expected_error: plane.worst_loss().0,
            report_bits: mechanism.report_bits(),
            guarantee: mechanism.guarantee(),
            options,
        })
    }

    /// The candidate with the smallest epsilon that reaches the target, or that with the largest epsilon if none does.
    fn smallest_epsilon(&self, choice: &Choice<'_>, target: f64) -> Result<Candidate, Refusal> {
        let mut found = self.at(choice, MOST)?;
        if found.expected_error > target {
            return Ok(found);
        }
        let (mut low, mut high) = (LEAST.ln(), MOST.ln());
        for halving in 0..=HALVINGS {
            // The first place to look at is the least epsilon itself.
            let middle = if halving == 0 { low } else { f64::midpoint(low, high) };
            match self.at(choice, middle.exp()) {
                Ok(better) if better.expected_error <= target => {
                    found = better;
                    high = middle;
                    if halving == 0 {
                        break;
                    }
                }
                // Where there is no channel or no estimate, epsilon is too small.
                _ => low = middle,
            }
        }
        Ok(found)
    }
}

/// The best candidate, and the others with why they are not.
fn rank(mut candidates: Vec<Candidate>, wish: Wish) -> Option<(Candidate, Vec<(Candidate, String)>)> {
    let cost = |candidate: &Candidate| match wish {
        Wish::Epsilon(_) => candidate.expected_error,
        Wish::Error(_) => candidate.epsilon,
    };
    candidates.sort_by(|one, two| cost(one).total_cmp(&cost(two)));
    let least = cost(candidates.first()?);
    let is_tied = |candidate: &Candidate| cost(candidate) <= least * (1.0 + TIE);
    let tied = candidates.iter().take_while(|candidate| is_tied(candidate)).count();
    // Among equals the one with the shortest reports, and among those the first of the registry.
    let shortest = (0..tied).min_by_key(|index| candidates[*index].report_bits)?;
    let recommended = candidates.remove(shortest);
    let why_not = |candidate: Candidate| {
        let why = match wish {
            _ if is_tied(&candidate) && candidate.report_bits > recommended.report_bits => {
                "as good, but its reports are longer".to_owned()
            }
            _ if is_tied(&candidate) => "as good".to_owned(),
            Wish::Epsilon(_) => format!("its error is {}", more(cost(&candidate) / least)),
            Wish::Error(_) => format!("its epsilon is {}", more(cost(&candidate) / least)),
        };
        (candidate, why)
    };
    let alternatives = candidates.into_iter().map(why_not).collect();
    Some((recommended, alternatives))
}

/// How much more, in words.
fn more(ratio: f64) -> String {
    if ratio < 2.0 {
        format!("{:.2} % larger", 100.0 * (ratio - 1.0))
    } else {
        format!("{ratio:.3} times as large")
    }
}

/// The error when no mechanism is left.
fn nothing(unreached: Vec<Candidate>, left_out: Vec<LeftOut>, domain: &DomainSpec) -> AdvisorError {
    let best = unreached.into_iter().min_by(|one, two| one.expected_error.total_cmp(&two.expected_error));
    let reason = match (best, left_out.into_iter().next()) {
        (Some(best), _) => format!(
            "no mechanism reaches this error: the best is {} with {} at epsilon {}",
            best.id,
            number(best.expected_error),
            best.epsilon
        ),
        (None, Some(LeftOut { id, why })) => format!("no mechanism fits {domain}: {id}: {why}"),
        (None, None) => format!("no mechanism fits {domain} and this goal"),
    };
    AdvisorError::Nothing { reason }
}

/// A number for people: six digits after the point for what is near one, and an exponent for what is tiny.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-4..1e7).contains(&size) { format!("{value:.6}") } else { format!("{value:.3e}") }
}
