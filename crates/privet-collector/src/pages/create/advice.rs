//! What a policy would mean: which mechanisms, how wrong, and what it costs a person.

use crate::pages::words::number;
use privet_core::{BuildOptions, Categories, DomainSpec};
use privet_policy::advisor::{self, Goal, Question, Wish};
use privet_policy::{Attribute, AttributeKind, Contribution, ResolvedPolicy};

/// What a policy would mean.
#[derive(Debug)]
pub(super) struct Advice {
    pub(super) id: String,
    pub(super) policy: String,
    pub(super) questions: Vec<QuestionAdvice>,
    /// How many people the errors are about.
    pub(super) people: u64,
    pub(super) total_epsilon: f64,
    pub(super) contribution: String,
    pub(super) statement: String,
}

/// One question.
#[derive(Debug)]
pub(super) struct QuestionAdvice {
    pub(super) question: String,
    pub(super) mechanism: String,
    pub(super) epsilon: f64,
    /// The expected error and what it is, or why there is none.
    pub(super) expected: Result<(f64, String), String>,
    /// The best mechanism, if it is another one.
    pub(super) better: Option<(String, f64)>,
    /// Other mechanisms and why they are not the best.
    pub(super) alternatives: Vec<(String, f64, String)>,
}

/// The alternatives that a page shows.
const MOST_ALTERNATIVES: usize = 5;

impl Advice {
    /// `people` is what somebody typed; the policy's minimum otherwise.
    pub(super) fn of(policy: &ResolvedPolicy, people: &str) -> Self {
        let terms = policy.terms();
        let least = u64::from(terms.minimum_reports);
        let people = people.parse::<u64>().ok().filter(|people| *people > 0).unwrap_or(least);
        // Where each person answers one question only, it has a part of the reports.
        let share = match terms.contribution.kind {
            Contribution::Split => 1,
            Contribution::Sample => terms.attributes.len() as u64,
        };
        let reports = (people / share.max(1)).max(1);
        let statement = policy.statement();
        Self {
            id: policy.id().to_string(),
            policy: policy.to_json().to_owned(),
            questions: policy.attributes().iter().map(|one| QuestionAdvice::of(one, reports)).collect(),
            people,
            total_epsilon: statement.total_epsilon,
            contribution: statement.contribution.why,
            statement: policy.statement_text(),
        }
    }
}

impl QuestionAdvice {
    fn of(attribute: &Attribute, reports: u64) -> Self {
        let terms = attribute.terms();
        let mut advice = Self {
            question: terms.question.clone(),
            mechanism: terms.mechanism.clone(),
            epsilon: terms.epsilon.to_f64(),
            expected: Err(String::new()),
            better: None,
            alternatives: Vec::new(),
        };
        match compared(attribute, reports) {
            Ok((all, criterion)) => {
                let own = all.iter().find(|(id, ..)| *id == advice.mechanism);
                advice.expected = match own {
                    Some((_, error, _)) => Ok((*error, criterion)),
                    None => Err("its error cannot be compared with that of the others".to_owned()),
                };
                advice.better = all
                    .first()
                    .filter(|(id, ..)| *id != advice.mechanism)
                    .map(|(id, error, _)| (id.clone(), *error));
                let others = all.into_iter().filter(|(id, ..)| *id != advice.mechanism);
                advice.alternatives = others.take(MOST_ALTERNATIVES).collect();
            }
            Err(why) => advice.expected = Err(why),
        }
        advice
    }
}

/// A mechanism, its expected error, and why it is not the best.
type Compared = (String, f64, String);

/// All mechanisms for a question, the best first, and what is compared.
fn compared(attribute: &Attribute, reports: u64) -> Result<(Vec<Compared>, String), String> {
    let (domain, goal) = match attribute.kind() {
        AttributeKind::Value(domain) => (domain.clone(), attribute.terms().goal),
        // A report about a place is one about its cell.
        AttributeKind::Place { side, .. } => {
            let cells = Categories::new(side.saturating_mul(*side)).map_err(|error| error.to_string())?;
            (DomainSpec::Categories(cells), Goal::Frequency)
        }
        _ => return Err("there is no advice about such questions".to_owned()),
    };
    let question = Question::about(&domain, goal, reports).map_err(|error| error.to_string())?;
    let epsilon = attribute.terms().epsilon.epsilon().map_err(|error| error.to_string())?;
    let options = BuildOptions::default();
    let advice = advisor::advise(&domain, &question, Wish::Epsilon(epsilon), &options, &[], &mut |_| ())
        .map_err(|error| error.to_string())?;
    let best = (advice.recommended.id.to_owned(), advice.recommended.expected_error, "the best".to_owned());
    let others =
        advice.alternatives.into_iter().map(|(one, why)| (one.id.to_owned(), one.expected_error, why));
    Ok((std::iter::once(best).chain(others).collect(), question.criterion(&domain)))
}

/// An expected error in words: shares as percentage points.
pub(super) fn error_text(error: f64, criterion: &str) -> String {
    if criterion.contains("frequency") || criterion.contains("share of one") {
        format!("±\u{a0}{} percentage points", number(100.0 * error))
    } else {
        format!("±\u{a0}{}", number(error))
    }
}
