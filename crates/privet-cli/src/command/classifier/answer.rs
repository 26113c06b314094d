//! Rows of bounds, for programs and for people.

use super::people::People;
use crate::output::{number, table_of_numbers};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// One mechanism at one epsilon.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub(super) mechanism: &'static str,
    /// Of one sensitive feature.
    pub(super) epsilon: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) empirical: Option<f64>,
    pub(super) empirical_interval: Option<[f64; 2]>,
    pub(super) method: &'static str,
    pub(super) confidence: f64,
    /// What all sensitive features keep together.
    pub(super) total: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) table: Option<OverTable>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) paper: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) paper_exceeds_upper: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effective_samples: Option<f64>,
    /// How often the classifier was asked, for all rows together.
    pub(super) queries: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) statement: Option<String>,
}

/// What a table adds to the mean over its records.
#[derive(Debug, Clone, Serialize)]
pub(super) struct OverTable {
    pub(super) records: usize,
    /// The record with the smallest probability.
    pub(super) worst: [f64; 2],
    /// The largest probability that this share of the records reaches.
    pub(super) share: f64,
    pub(super) share_reaches: [f64; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) paper_worst: Option<f64>,
}

/// More names than this are counted instead.
const MOST_NAMES: usize = 8;

/// The rows as a table, what its numbers are, and the statements that were asked for.
pub(super) fn page(answers: &[Answer], people: &People, plot: Option<&Path>) -> String {
    let first = answers.first();
    let share = first.and_then(|answer| answer.table.as_ref()).map(|table| format!("{} OF ALL", table.share));
    let mut header = vec!["MECHANISM", "METHOD", "EPSILON", "TOTAL", "LOWER", "UPPER"];
    if let Some(share) = &share {
        header.extend(["WORST", share]);
    }
    let is_weighed = first.is_some_and(|answer| answer.effective_samples.is_some());
    header.push(if is_weighed { "EFFECTIVE SAMPLES" } else { "EMPIRICAL" });
    if first.is_some_and(|answer| answer.paper.is_some()) {
        header.push("PAPER");
    }
    let mut table = table_of_numbers(&header, 2);
    answers.iter().for_each(|answer| {
        table.add_row(answer.cells());
    });
    let mut parts = vec![table.trim_fmt(), notes(answers, people, plot).join("\n")];
    parts.extend(answers.iter().filter_map(|answer| answer.statement.clone()));
    parts.join("\n\n")
}

fn notes(answers: &[Answer], people: &People, plot: Option<&Path>) -> Vec<String> {
    let of = match people.records.len() {
        1 => "The probability that a report gets the label of its record.".to_owned(),
        count => {
            format!("The mean probability that a report gets the label of its record, over {count} records.")
        }
    };
    let features = match people.names.as_slice() {
        [only] => format!("Epsilon is that of {only}"),
        names if names.len() <= MOST_NAMES => format!("Epsilon is that of each of {}", names.join(", ")),
        names => format!("Epsilon is that of each of {} features", names.len()),
    };
    let mut notes = vec![of, format!("{features}; TOTAL is that of the whole record.")];
    if let Some(answer) = answers.iter().find(|answer| answer.confidence < 1.0) {
        let confidence = 100.0 * answer.confidence;
        notes.push(format!("Bounds without a proof hold together with {confidence} % confidence."));
    }
    if answers.iter().all(|answer| answer.lower > 1.0 - 1e-9) {
        notes.push("Every report gets it: the answer does not depend on these features.".to_owned());
    }
    let above = answers.iter().filter(|answer| answer.paper_exceeds_upper == Some(true)).count();
    if above > 0 {
        notes.push(format!("PAPER is above UPPER in {above} of {} rows: it is no bound.", answers.len()));
    }
    let queries = answers.first().map_or(0, |answer| answer.queries);
    notes.push(format!("The classifier was asked {queries} times."));
    notes.extend(plot.map(|path| format!("Drawn in {}.", path.display())));
    notes
}

impl Answer {
    fn cells(&self) -> Vec<String> {
        let mut cells = vec![
            self.mechanism.to_owned(),
            self.method.to_owned(),
            self.epsilon.to_string(),
            self.total["epsilon"].as_f64().map_or("-".to_owned(), number),
            number(self.lower),
            number(self.upper),
        ];
        if let Some(table) = &self.table {
            cells.extend([number(table.worst[0]), number(table.share_reaches[0])]);
        }
        let empirical = || self.empirical.map_or("-".to_owned(), number);
        cells.push(self.effective_samples.map_or_else(empirical, |samples| format!("{samples:.0}")));
        cells.extend(self.paper.map(number));
        cells
    }
}
