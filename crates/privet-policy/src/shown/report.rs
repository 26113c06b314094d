//! What was sent.

use super::{MOST_SHOWN, Reading, Showing, label, named_reports, number, percent, promise};
use crate::attribute::Attribute;
use crate::kind::AttributeKind;
use crate::report::SubmissionError;
use privet_core::{Category, Guarantee, ReportBuffer, ReportError};
use privet_mechanisms::categorical::FrequencyOracle;
use serde::Serialize;

/// A report as its person reads it. A report is what the collector sees, so nothing in here is private.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownReport {
    /// Its own random name, by which it can be withdrawn.
    pub id: String,
    /// The epoch that it stands for.
    pub epoch: u32,
    /// What was sent as it is.
    pub public: Vec<ShownPublic>,
    /// What was reported about each question that was answered.
    pub answers: Vec<ShownAnswer>,
}

/// A value that was sent as it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownPublic {
    /// The field.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What was reported about one question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownAnswer {
    /// What programs call the question.
    pub name: String,
    /// What people read.
    pub question: String,
    /// What was reported, in words.
    pub words: String,
    /// What it tells about the answer, in words.
    pub inference: String,
    /// What was reported.
    #[serde(flatten)]
    pub content: ShownContent,
}

/// What was reported.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ShownContent {
    /// Answers that it names or ticks.
    Choices {
        /// The first of them.
        labels: Vec<String>,
        /// How many there are.
        count: usize,
    },
    /// A number or an angle.
    Number {
        /// The number.
        value: f64,
    },
    /// Cells of the area that it names or ticks, counted along the first coordinate first.
    Places {
        /// The cells.
        cells: Vec<u32>,
    },
    /// Bits that are not read by themselves.
    Bits {
        /// How many bytes.
        bytes: usize,
    },
}

impl Showing {
    /// Takes a report apart for its person.
    ///
    /// # Errors
    /// When it is not a report of this policy.
    pub fn report(&self, bytes: &[u8]) -> Result<ShownReport, SubmissionError> {
        let report = self.codec.check(bytes)?;
        let public = (0..).zip(&self.policy.terms().public).map(|(index, field)| ShownPublic {
            name: field.name.clone(),
            value: report
                .public_value(index)
                .and_then(|value| field.values.get(value).cloned())
                .unwrap_or_default(),
        });
        let mut answers = Vec::new();
        for (index, (attribute, reading)) in self.readings().enumerate() {
            let Some(slot) = report.attribute(index) else { continue };
            let (words, content) = read(attribute, reading, slot).map_err(|source| {
                SubmissionError::Attribute { attribute: attribute.terms().name.clone(), source }
            })?;
            answers.push(ShownAnswer {
                name: attribute.terms().name.clone(),
                question: attribute.terms().question.clone(),
                words,
                inference: inference(attribute),
                content,
            });
        }
        Ok(ShownReport {
            id: report.id().to_string(),
            epoch: report.epoch(),
            public: public.collect(),
            answers,
        })
    }
}

fn read(
    attribute: &Attribute,
    reading: Reading<'_>,
    slot: &[u8],
) -> Result<(String, ShownContent), ReportError> {
    match (reading, attribute.kind()) {
        (Reading::Support(oracle), AttributeKind::Place { side, .. }) => {
            let cells = supported(oracle, slot)?;
            let words = match &cells[..] {
                [cell] => format!("the cell in column {} and row {}", cell % side + 1, cell / side + 1),
                several => format!("{} of {} cells", several.len(), side * side),
            };
            Ok((words, ShownContent::Places { cells }))
        }
        (Reading::Support(oracle), _) => {
            let named = supported(oracle, slot)?;
            let categories = oracle.categories();
            let labels: Vec<String> =
                named.iter().take(MOST_SHOWN).map(|index| label(categories, *index)).collect();
            Ok((list(&labels, named.len()), ShownContent::Choices { labels, count: named.len() }))
        }
        (Reading::Numbers(channel), _) => {
            let value = channel.output_value(channel.decode(slot)?.0);
            Ok((number(value, channel.space().width()), ShownContent::Number { value }))
        }
        _ => named(attribute, slot),
    }
}

fn named(attribute: &Attribute, slot: &[u8]) -> Result<(String, ShownContent), ReportError> {
    let bytes = slot.len();
    let Some(reports) = named_reports(attribute, None) else {
        return Ok((format!("{bytes} bytes of random bits"), ShownContent::Bits { bytes }));
    };
    let index = Category::read(slot, reports.len() as u32)?.0;
    let name = reports.get(index as usize).map(|piece| piece.what.clone()).unwrap_or_default();
    Ok((name.clone(), ShownContent::Choices { labels: vec![name], count: 1 }))
}

/// The categories that one report supports.
fn supported(oracle: &dyn FrequencyOracle, slot: &[u8]) -> Result<Vec<u32>, ReportError> {
    let mut one = ReportBuffer::new(oracle.oracle_report_bytes());
    one.push(slot)?;
    let mut counts = vec![0; oracle.categories().count() as usize];
    oracle.tally(&one, &mut counts)?;
    Ok((0..).zip(counts).filter(|(_, count)| *count > 0).map(|(index, _)| index).collect())
}

fn list(labels: &[String], count: usize) -> String {
    match count.saturating_sub(labels.len()) {
        0 if labels.is_empty() => "none of the answers".to_owned(),
        0 => labels.join(", "),
        more => format!("{} and {more} more", labels.join(", ")),
    }
}

/// Whoever held two answers for equally likely can hold one of them for e^epsilon / (1 + e^epsilon) likely afterwards, and not more. An
/// approximate guarantee does not bound that for each report, but how often a guess is right: (e^epsilon + delta) / (1 + e^epsilon).
fn inference(attribute: &Attribute) -> String {
    let promise = promise(attribute);
    let most = 1.0 / (1.0 + (-promise.epsilon().get()).exp());
    if let Guarantee::Approximate { delta, .. } = promise {
        let right = most + (1.0 - most) * delta.get();
        return format!(
            "Who thought any two answers equally likely before can now guess which it is, and be right with probability at most {}.",
            percent(right)
        );
    }
    let except = match promise.delta() {
        delta if delta > 0.0 => format!(", except with probability {delta}"),
        _ => String::new(),
    };
    format!(
        "Who thought any two answers equally likely before can now hold one of them for at most {} likely{except}.",
        percent(most)
    )
}
