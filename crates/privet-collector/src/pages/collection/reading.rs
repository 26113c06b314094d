//! An estimate as a page needs it, from the document that programs get.

use serde_json::Value;

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measure {
    pub(super) value: f64,
    pub(super) interval: [f64; 2],
}

impl Measure {
    fn of(document: &Value, key: &str) -> Option<Self> {
        let [low, high] = [0, 1].map(|end| document["interval"][end].as_f64());
        Some(Self { value: document[key].as_f64()?, interval: [low?, high?] })
    }
}

/// A value that has a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    pub(super) label: String,
    pub(super) measure: Measure,
    /// For places, the two corners of the cell.
    pub(super) corners: Option<[[f64; 2]; 2]>,
}

/// The share of a part of the domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) share: Measure,
}

/// What is learned about a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Learned {
    /// Too few reports: it takes this many.
    Withheld {
        minimum: u64,
    },
    Shares(Vec<Named>),
    Numbers {
        mean: Measure,
        distribution: Vec<Part>,
        quantiles: Vec<(f64, Measure)>,
    },
    Angles {
        direction: Measure,
        resultant: Option<Measure>,
        distribution: Vec<Part>,
    },
}

/// What is learned if some reports are forged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Robust {
    /// The share of forged reports.
    pub(super) fakes: f64,
    pub(super) rows: Vec<(String, Measure)>,
}

/// One question with what is learned about it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading {
    pub(super) n: u64,
    pub(super) epoch: Option<u64>,
    pub(super) learned: Learned,
    pub(super) method: String,
    /// How many reports the distribution rests on.
    pub(super) distribution_n: Option<u64>,
    /// Whether reports look like forged ones, and what was looked at.
    pub(super) plausibility: Option<(bool, String)>,
    /// The most that one report can change.
    pub(super) influence: Option<f64>,
    pub(super) robust: Option<Robust>,
}

impl Reading {
    pub(super) fn of(document: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let plausibility = document["plausibility"]["explanation"]
            .as_str()
            .map(|explanation| (document["plausibility"]["warning"] == true, explanation.to_owned()));
        Self {
            n: document["n"].as_u64().unwrap_or_default(),
            epoch: document["epoch"].as_u64(),
            learned: learned(document),
            method: text(&document["method"]),
            distribution_n: document["distribution_n"].as_u64(),
            plausibility,
            influence: document["influence"].as_f64(),
            robust: robust(&document["robust"]),
        }
    }
}

fn learned(document: &Value) -> Learned {
    if let Some(rows) = document["estimates"].as_array() {
        return Learned::Shares(rows.iter().filter_map(named).collect());
    }
    let minimum = document["minimum_reports"].as_u64().unwrap_or_default();
    let Some(centre) = Measure::of(document, "value") else { return Learned::Withheld { minimum } };
    let part = |row: &Value| {
        let [from, to] = [&row["from"], &row["to"]].map(Value::as_f64);
        Some(Part { from: from?, to: to?, share: Measure::of(row, "share")? })
    };
    let distribution = list(&document["distribution"]).iter().filter_map(part).collect();
    if document["resultant_length"].is_object() {
        let resultant = Measure::of(&document["resultant_length"], "value");
        return Learned::Angles { direction: centre, resultant, distribution };
    }
    let quantile = |row: &Value| Some((row["level"].as_f64()?, Measure::of(row, "value")?));
    let quantiles = list(&document["quantiles"]).iter().filter_map(quantile).collect();
    Learned::Numbers { mean: centre, distribution, quantiles }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn named(row: &Value) -> Option<Named> {
    let place = |key: &str| Some([row[key][0].as_f64()?, row[key][1].as_f64()?]);
    Some(Named {
        label: row["label"].as_str().unwrap_or_default().to_owned(),
        measure: Measure::of(row, "value")?,
        corners: place("from").zip(place("to")).map(|(from, to)| [from, to]),
    })
}

fn robust(document: &Value) -> Option<Robust> {
    let row = |row: &Value| {
        let [low, high] = [0, 1].map(|end| row["bounds"][end].as_f64());
        let measure = Measure { value: row["value"].as_f64()?, interval: [low?, high?] };
        Some((row["label"].as_str().unwrap_or_default().to_owned(), measure))
    };
    let rows = document["rows"].as_array()?.iter().filter_map(row).collect();
    Some(Robust { fakes: document["fakes"].as_f64()?, rows })
}
