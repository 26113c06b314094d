//! What can be wrong with a policy, and where.

use crate::advisor::AdvisorError;
use crate::date::{Date, Epoch, Period};
use privet_core::ParameterError;
use std::borrow::Cow;
use std::fmt;
use thiserror::Error;

/// A place in a text, both numbers counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Place {
    /// The place of a byte of a text.
    pub(crate) fn of_offset(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// A policy that cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{}{problem}", place.map(|place| format!("{place}: ")).unwrap_or_default())]
pub struct PolicyError {
    /// Where, if the mistake has a place.
    pub place: Option<Place>,
    /// What.
    pub problem: PolicyProblem,
}

/// What is wrong with a policy.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PolicyProblem {
    /// It is no TOML or JSON.
    #[error("cannot be read as {format}: {reason}")]
    Syntax {
        /// `TOML` or `JSON`.
        format: &'static str,
        /// What the reader says.
        reason: String,
    },
    /// Something is larger than a policy needs.
    #[error("{what} must have at most {most} {unit}: got {got}")]
    TooLong {
        /// What is too long.
        what: String,
        /// How long it may be.
        most: usize,
        /// What is counted.
        unit: &'static str,
        /// How long it is.
        got: usize,
    },
    /// A key that means nothing here.
    #[error("{of} has no key {key:?}: allowed are {}", allowed.join(", "))]
    UnknownKey {
        /// What has the key.
        of: &'static str,
        /// The key.
        key: String,
        /// The keys that mean something.
        allowed: &'static [&'static str],
        /// The most similar one of them.
        nearest: Option<&'static str>,
    },
    /// A key that is needed.
    #[error("{of} needs the key {key:?}")]
    MissingKey {
        /// What needs the key.
        of: &'static str,
        /// The key.
        key: &'static str,
    },
    /// The same key or name twice.
    #[error("{what} {name:?} is given twice")]
    Twice {
        /// What is given twice.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A value of another kind.
    #[error("{key} must be {expected}")]
    Kind {
        /// The key.
        key: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// A word that is none of the possible ones.
    #[error("{key} must be one of {}: got {got:?}", allowed.join(", "))]
    Word {
        /// The key.
        key: &'static str,
        /// The words.
        allowed: Vec<&'static str>,
        /// What was received.
        got: String,
    },
    /// A text that is none of the possible ones.
    #[error("{key} must be {allowed}: got {got}")]
    Value {
        /// The key.
        key: &'static str,
        /// What is allowed.
        allowed: &'static str,
        /// What was received.
        got: String,
    },
    /// A collection that closes before it opens.
    #[error("the collection closes on {closes}, before it opens on {opens}")]
    DatesReversed {
        /// The first day.
        opens: Date,
        /// The last day.
        closes: Date,
    },
    /// Keys that exclude each other, or need each other.
    #[error("{reason}")]
    Conflict {
        /// What does not fit together, and what is allowed.
        reason: String,
    },
    /// No mechanism has this name.
    #[error("there is no mechanism called {got:?}")]
    UnknownMechanism {
        /// What was received.
        got: String,
        /// The most similar name.
        nearest: Option<&'static str>,
    },
    /// A parameter that cannot be used.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// No mechanism could be chosen.
    #[error("no mechanism can be chosen: {0}")]
    Advisor(#[from] AdvisorError),
    /// A mechanism whose answers cannot be permanent.
    #[error("answers by {mechanism} cannot be permanent: allowed are {}", allowed.join(", "))]
    NotPermanent {
        /// The mechanism's id.
        mechanism: String,
        /// Those that can.
        allowed: Vec<&'static str>,
    },
    /// A policy about something that this program was built without.
    #[error("this program does not understand policies about {what}")]
    NotUnderstood {
        /// The feature that is missing.
        what: &'static str,
    },
    /// A file that holds no mechanism for the attribute.
    #[error("the mechanism file {path:?} cannot be used: {reason}")]
    MechanismFile {
        /// The path, as written.
        path: String,
        /// Why not.
        reason: String,
    },
    /// The budget is counted over less time than one report stands for.
    #[error("one report stands for a {}, so its budget cannot be counted by the {}", epoch.as_str(), period.as_str())]
    PeriodTooShort {
        /// What a report stands for.
        epoch: Epoch,
        /// What the budget is counted over.
        period: Period,
    },
    /// The reports cost more than the budget.
    #[error(
        "the reports of one {} cost epsilon {} and delta {}, which is more than the budget of epsilon {} and delta {}",
        period.as_str(), needed[0], needed[1], allowed[0], allowed[1]
    )]
    Budget {
        /// The time over which the budget is counted.
        period: Period,
        /// Epsilon and delta of all reports in that time.
        needed: [f64; 2],
        /// Epsilon and delta of the budget.
        allowed: [f64; 2],
    },
    /// A mechanism that does not keep the epsilon that the policy states.
    #[error("{mechanism} does not keep epsilon {epsilon} and delta {delta}")]
    Promise {
        /// The mechanism's id.
        mechanism: String,
        /// The stated epsilon.
        epsilon: f64,
        /// The stated delta.
        delta: f64,
    },
}

impl PolicyError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match &self.problem {
            PolicyProblem::Syntax { .. } => "policy-syntax",
            PolicyProblem::TooLong { .. } => "policy-too-long",
            PolicyProblem::UnknownKey { .. } => "policy-unknown-key",
            PolicyProblem::MissingKey { .. } => "policy-missing-key",
            PolicyProblem::Twice { .. } => "policy-duplicate",
            PolicyProblem::Kind { .. } => "policy-kind",
            PolicyProblem::Word { .. } => "policy-word",
            PolicyProblem::Value { .. } => "policy-value",
            PolicyProblem::DatesReversed { .. } => "policy-dates-reversed",
            PolicyProblem::Conflict { .. } => "policy-conflict",
            PolicyProblem::UnknownMechanism { .. } => "policy-unknown-mechanism",
            PolicyProblem::Parameter(error) => error.code(),
            PolicyProblem::Advisor(_) => "policy-advisor",
            PolicyProblem::NotPermanent { .. } => "policy-not-permanent",
            PolicyProblem::NotUnderstood { .. } => "policy-not-understood",
            PolicyProblem::MechanismFile { .. } => "policy-mechanism-file",
            PolicyProblem::PeriodTooShort { .. } => "policy-period-too-short",
            PolicyProblem::Budget { .. } => "policy-budget",
            PolicyProblem::Promise { .. } => "policy-promise",
        }
    }

    /// What to do about it, where that is not obvious.
    pub fn hint(&self) -> Option<Cow<'static, str>> {
        match &self.problem {
            PolicyProblem::UnknownKey { nearest: Some(nearest), .. } => {
                Some(format!("did you mean {nearest}?").into())
            }
            PolicyProblem::MissingKey { key: "question", .. } => {
                Some("write down what people are asked, in the words that they read".into())
            }
            PolicyProblem::MissingKey { key: "budget", .. } => {
                Some("write [budget] with epsilon and period; there is no default".into())
            }
            PolicyProblem::UnknownMechanism { nearest: Some(nearest), .. } => {
                Some(format!("did you mean {nearest}? `privet mechanisms` lists them all").into())
            }
            PolicyProblem::UnknownMechanism { nearest: None, .. } => {
                Some("`privet mechanisms` lists them; auto lets the advisor choose".into())
            }
            PolicyProblem::Parameter(error) => error.hint().map(Cow::from),
            PolicyProblem::Advisor(error) => error.hint().map(Cow::from),
            PolicyProblem::NotPermanent { .. } => Some(
                "leave out epsilon_forever: each report is then drawn afresh and costs its epsilon again; permanent answers are for \
                 categories, so ask for numbers and places in classes"
                    .into(),
            ),
            PolicyProblem::NotUnderstood { what } => {
                Some(format!("use a program that was built with the feature {what}").into())
            }
            PolicyProblem::PeriodTooShort { .. } => {
                Some("count the budget by the same or a longer time, or let reports stand for less".into())
            }
            PolicyProblem::Budget { .. } => Some(
                "leave out the attributes' epsilons to divide the budget, or let people answer once or less often"
                    .into(),
            ),
            PolicyProblem::DatesReversed { .. } => Some("both days belong to the collection".into()),
            _ => None,
        }
    }
}

impl<P: Into<PolicyProblem>> From<P> for PolicyError {
    /// An error without a place.
    fn from(problem: P) -> Self {
        Self { place: None, problem: problem.into() }
    }
}

impl PolicyProblem {
    /// The error at a place.
    pub(crate) fn at(self, place: Place) -> PolicyError {
        PolicyError { place: Some(place), problem: self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters() {
        let text = "a\nbé = 1\n";
        assert_eq!(Place::of_offset(text, 0), Place { line: 1, column: 1 });
        assert_eq!(Place::of_offset(text, text.find('=').unwrap()), Place { line: 2, column: 4 });
        // Inside of a character, or beyond the end.
        assert_eq!(Place::of_offset(text, 4).line, 3);
        assert_eq!(Place::of_offset(text, 99), Place { line: 3, column: 1 });
    }
}
