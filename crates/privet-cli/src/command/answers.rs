//! Answers for people, wherever they were made: from reports in a file, or by a collector.

use crate::output::{interval, number, table_of_numbers};
use comfy_table::Table;
use privet::Target;
use privet::client::CollectError;
use privet::document::{AnswerDocument, AttributeDocument, EstimateDocument, RowDocument, ShareDocument};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is learned about the attributes of a policy.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answered {
    /// The policy's id.
    pub(super) collection: String,
    pub(super) name: String,
    pub(super) reports: u64,
    pub(super) minimum_reports: u32,
    /// One for each attribute and each value of a public field.
    pub(super) estimates: Vec<AttributeDocument>,
}

impl Answered {
    /// What a collector answered.
    pub(super) fn read(document: &Value) -> Result<Self, CollectError> {
        let answered = Self::deserialize(document).map_err(|_| CollectError::NotUnderstood)?;
        // An answer of which a part is missing is read as none at all.
        let is_whole = |estimate: &AttributeDocument| estimate.withheld || estimate.answer.is_some();
        if answered.estimates.iter().all(is_whole) { Ok(answered) } else { Err(CollectError::NotUnderstood) }
    }

    /// One line for each category, cell and coordinate, and one for each mean.
    pub(super) fn page(&self) -> String {
        let [estimate, margin, ends] = NUMBERS;
        let mut table = table_of_numbers(&["ATTRIBUTE", "WHAT", estimate, margin, ends, "REPORTS"], 2);
        for document in &self.estimates {
            for (what, numbers) in lines(document) {
                let ends = [numbers, [document.n.to_string()].to_vec()].concat();
                table.add_row([attribute(document), what].into_iter().chain(ends));
            }
        }
        let answer = self.estimates.iter().find_map(|document| document.answer.as_ref());
        let about = answer.map(about).unwrap_or_default();
        // Categories know of no smooth populations, so the attributes are asked one after the other.
        let smooth = self.estimates.iter().find_map(|document| smooth(document.answer.as_ref()?));
        let smooth = smooth.unwrap_or_default();
        format!("{}\n\n{}: {} reports{about}{smooth}", table.trim_fmt(), self.name, self.reports)
    }
}

/// What people see of a number. Noise and bias are in one margin: a standard error alone would promise too much.
const NUMBERS: [&str; 3] = ["ESTIMATE", "MARGIN", "95 % INTERVAL"];

fn numbers(value: f64, ends: [f64; 2]) -> Vec<String> {
    let margin = (ends[1] - value).max(value - ends[0]);
    vec![number(value), number(margin), interval(ends)]
}

fn of_estimate(estimate: &EstimateDocument) -> Vec<String> {
    numbers(estimate.value, estimate.interval)
}

/// What stands where no direction can be told.
pub(super) const NO_DIRECTION: [&str; 2] = ["no direction can be told", "the whole circle"];

/// The mean or the mean direction.
fn centre(document: &AttributeDocument) -> Option<(String, Vec<String>)> {
    let estimate = document.centre()?;
    let told = document.answer.as_ref()?.direction_told;
    let what = if told.is_some() { "mean direction" } else { "mean" };
    let [instead, everywhere] = NO_DIRECTION.map(str::to_owned);
    let numbers =
        if told == Some(false) { vec![instead, "-".to_owned(), everywhere] } else { of_estimate(&estimate) };
    Some((what.to_owned(), numbers))
}

/// The name of the attribute, and the public value that the estimate is about.
fn attribute(document: &AttributeDocument) -> String {
    match &document.public {
        Some(public) => format!("{}, {}", document.attribute, public.value),
        None => document.attribute.clone(),
    }
}

fn lines(document: &AttributeDocument) -> Vec<(String, Vec<String>)> {
    let Some(answer) = &document.answer else {
        let minimum = document.minimum_reports.unwrap_or_default();
        return vec![(format!("withheld below {minimum} reports"), vec![String::new(); NUMBERS.len()])];
    };
    match &answer.estimates {
        Some(rows) => rows.iter().map(|row| (what(row), of_estimate(&row.estimate))).collect(),
        None => centre(document).into_iter().collect(),
    }
}

fn what(row: &RowDocument) -> String {
    match (row.place, row.coordinate) {
        (Some([first, second]), _) => format!("around {}, {}", number(first), number(second)),
        (None, Some(coordinate)) => format!("coordinate {coordinate}"),
        (None, None) => row.label.clone().unwrap_or_default(),
    }
}

/// Everything that is known about one attribute.
pub(super) fn page(document: &AttributeDocument) -> String {
    let Some(answer) = &document.answer else { return String::new() };
    let (tables, note) = match &answer.estimates {
        Some(rows) => (of_rows(rows).trim_fmt(), note(rows)),
        None => (of_numbers(document, answer), String::new()),
    };
    let distribution =
        answer.distribution_method.as_ref().map(|method| format!("; distribution by {method}"));
    format!(
        "{tables}\n\n{} reports, {}{}{note}{}{}",
        document.n,
        answer.method,
        distribution.unwrap_or_default(),
        about(answer),
        smooth(answer).unwrap_or_default()
    )
}

/// More coordinates than this are not shown.
const MOST_COORDINATES: usize = 64;

/// Categories, cells or coordinates, which only differ in what they are called.
fn of_rows(rows: &[RowDocument]) -> Table {
    let (names, more): (&[&str], &[&str]) = match rows.first() {
        Some(RowDocument { place: Some(_), .. }) => (&["FIRST COORDINATE", "SECOND COORDINATE"], &[]),
        Some(RowDocument { coordinate: Some(_), .. }) => (&["COORDINATE"], &[]),
        _ => (&["LABEL"], &["SIMULTANEOUS 95 % INTERVAL"]),
    };
    let mut table = table_of_numbers(&[names, &NUMBERS, more].concat(), usize::from(!more.is_empty()));
    let most = if names == ["COORDINATE"] { MOST_COORDINATES } else { rows.len() };
    for row in rows.iter().take(most) {
        let names = match (row.place, row.coordinate) {
            (Some(place), _) => place.map(number).to_vec(),
            (None, Some(coordinate)) => vec![coordinate.to_string()],
            (None, None) => vec![row.label.clone().unwrap_or_default()],
        };
        let simultaneous = row.simultaneous_interval.filter(|_| !more.is_empty()).map(interval);
        table.add_row(names.into_iter().chain(of_estimate(&row.estimate)).chain(simultaneous));
    }
    table
}

/// What the numbers of the rows mean, and whether some are missing.
fn note(rows: &[RowDocument]) -> String {
    match rows.first() {
        Some(RowDocument { place: Some(_), .. }) => {
            "; coordinates are those of the middle of a cell".to_owned()
        }
        Some(RowDocument { coordinate: Some(_), .. }) if rows.len() > MOST_COORDINATES => {
            format!("; the first {MOST_COORDINATES} of {} coordinates, --json has them all", rows.len())
        }
        _ => String::new(),
    }
}

/// The mean or the mean direction, what was asked beside it, and the distribution.
fn of_numbers(document: &AttributeDocument, answer: &AnswerDocument) -> String {
    let mut table = table_of_numbers(&[&["WHAT"][..], &NUMBERS].concat(), 1);
    let mut add = |what: String, numbers: Vec<String>| {
        table.add_row([what].into_iter().chain(numbers));
    };
    centre(document).into_iter().for_each(|(what, numbers)| add(what, numbers));
    if let Some(length) = &answer.resultant_length {
        add("resultant length".into(), of_estimate(length));
    }
    for quantile in answer.quantiles.iter().flatten() {
        add(format!("quantile {}", quantile.level), of_estimate(&quantile.estimate));
    }
    for ShareDocument { from, to, share, interval, .. } in answer.ranges.iter().flatten() {
        add(format!("share from {from} to {to}"), numbers(*share, *interval));
    }
    let [_, margin, ends] = NUMBERS;
    let mut bins = table_of_numbers(&["FROM", "TO", "SHARE", margin, ends], 0);
    for ShareDocument { from, to, share, interval, .. } in answer.distribution.iter().flatten() {
        bins.add_row([*from, *to].map(number).into_iter().chain(numbers(*share, *interval)));
    }
    format!("{}\n\n{}", table.trim_fmt(), bins.trim_fmt())
}

/// Whom the answer is about.
fn about(answer: &AnswerDocument) -> String {
    let words = answer.target.parse().map(Target::describe);
    // A newer collector may know of others.
    format!("\nTarget: the truth {}", words.unwrap_or(&answer.target))
}

/// For whom the intervals hold, unless that is everybody.
fn smooth(answer: &AnswerDocument) -> Option<String> {
    let bins = answer.populations.as_ref()?.strip_prefix("smooth:")?;
    Some(format!(
        "\nThe intervals hold for smooth populations only, which are spread evenly inside each of {bins} equal bins"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answered(estimate: &Value) -> Value {
        json!({
            "collection": "c", "name": "Travel", "reports": 7, "minimum_reports": 5, "estimates": [estimate],
        })
    }

    /// A direction that cannot be told, as a collector writes it.
    fn direction() -> Value {
        let length = json!({
            "value": 0.0, "standard_error": 0.1, "bias_bound": 0.0, "interval": [0.0, 0.2], "n": 7,
            "method": "test", "target": "reported",
        });
        json!({
            "attribute": "wind", "n": 7, "guarantee": null, "withheld": false, "epoch": null, "public": null,
            "value": 10.0, "standard_error": 80.0, "bias_bound": 1.0, "interval": [-170.0, 190.0],
            "method": "test", "target": "population", "direction_told": false, "resultant_length": length,
            "populations": "smooth:20", "distribution_method": "em", "distribution": [], "ranges": [],
        })
    }

    #[test]
    fn directions_that_cannot_be_told_are_not_stated() {
        let document = Answered::read(&answered(&direction())).unwrap();
        for page in [document.page(), page(&document.estimates[0])] {
            for words in
                ["no direction can be told", "the whole circle", "in the population", "20 equal bins"]
            {
                assert!(page.contains(words), "{words} in {page}");
            }
            assert!(!page.contains("10.0"), "{page}");
        }
    }

    #[test]
    fn what_a_collector_leaves_out_is_noticed() {
        for key in ["target", "method", "resultant_length"] {
            let mut damaged = direction();
            damaged[key] = json!({});
            assert!(Answered::read(&answered(&damaged)).is_err(), "{key}");
        }
        let withheld = json!({
            "attribute": "wind", "n": 3, "guarantee": null, "withheld": true, "minimum_reports": 5,
        });
        let page = Answered::read(&answered(&withheld)).unwrap().page();
        assert!(page.contains("withheld below 5 reports") && !page.contains("Target"), "{page}");
    }
}
