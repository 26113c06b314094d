//! The questions of a policy, as pages ask them.

use privet_core::DomainSpec;
use privet_policy::{Attribute, AttributeKind};
use serde::Serialize;

/// One question.
#[derive(Debug, Serialize)]
pub(crate) struct Question<'a> {
    name: &'a str,
    question: &'a str,
    mechanism: &'a str,
    epsilon: f64,
    permanent: bool,
    #[serde(flatten)]
    input: Input,
}

/// What kind of value is asked for.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Input {
    YesNo,
    Choice {
        labels: Vec<String>,
    },
    Number {
        low: f64,
        high: f64,
    },
    Angle {
        period: f64,
    },
    Place {
        low: [f64; 2],
        high: [f64; 2],
    },
    Word {
        longest: u32,
    },
    /// A kind that this client cannot ask for.
    Unknown,
}

impl<'a> Question<'a> {
    pub(crate) fn of(attribute: &'a Attribute) -> Self {
        let terms = attribute.terms();
        Self {
            name: &terms.name,
            question: &terms.question,
            mechanism: &terms.mechanism,
            epsilon: terms.epsilon.to_f64(),
            permanent: terms.epsilon_forever.is_some(),
            input: Input::of(attribute.kind()),
        }
    }
}

impl Input {
    fn of(kind: &AttributeKind) -> Self {
        match kind {
            AttributeKind::Place { rectangle, .. } | AttributeKind::Path { rectangle, places: 1, .. } => {
                let sides = rectangle.sides();
                Self::Place { low: sides.map(|side| side.low()), high: sides.map(|side| side.high()) }
            }
            AttributeKind::Value(DomainSpec::Categories(categories)) => {
                if categories.count() == 2 && !categories.has_labels() {
                    return Self::YesNo;
                }
                Self::Choice {
                    labels: (0..categories.count()).map(|index| categories.label(index)).collect(),
                }
            }
            AttributeKind::Value(DomainSpec::Interval(interval)) => {
                Self::Number { low: interval.low(), high: interval.high() }
            }
            AttributeKind::Value(DomainSpec::Circle(circle)) => Self::Angle { period: circle.period() },
            AttributeKind::Value(DomainSpec::Words(words)) => Self::Word { longest: words.longest() },
            _ => Self::Unknown,
        }
    }
}
