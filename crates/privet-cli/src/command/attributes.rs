//! Estimates of the attributes of a policy, wherever they were made: from a file, or by a collector.

use crate::output::{interval, number, table_of_numbers};
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
    pub(super) estimates: Vec<Value>,
}

/// The estimates for people: one line for each category, and one for each mean.
pub(super) fn page(answered: &Answered) -> String {
    let header = ["ATTRIBUTE", "WHAT", "ESTIMATE", "STANDARD ERROR", "95 % INTERVAL", "REPORTS"];
    let mut table = table_of_numbers(&header, 2);
    for estimate in &answered.estimates {
        for [what, value, error, ends] in lines(estimate) {
            table.add_row([attribute(estimate), what, value, error, ends, estimate["n"].to_string()]);
        }
    }
    format!("{}\n\n{}: {} reports", table.trim_fmt(), answered.name, answered.reports)
}

/// The name of the attribute, and the public value that the estimate is about.
fn attribute(estimate: &Value) -> String {
    let name = estimate["attribute"].as_str().unwrap_or_default();
    match estimate["public"]["value"].as_str() {
        Some(value) => format!("{name}, {value}"),
        None => name.to_owned(),
    }
}

fn lines(estimate: &Value) -> Vec<[String; 4]> {
    if estimate["withheld"] == true {
        let why = format!("withheld below {} reports", estimate["minimum_reports"]);
        return vec![[why, String::new(), String::new(), String::new()]];
    }
    match estimate["estimates"].as_array() {
        Some(rows) => rows.iter().map(|row| line(row["label"].as_str().unwrap_or_default(), row)).collect(),
        None => {
            let is_angle = estimate.get("resultant_length").is_some();
            vec![line(if is_angle { "mean direction" } else { "mean" }, estimate)]
        }
    }
}

fn line(what: &str, estimate: &Value) -> [String; 4] {
    let value = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let ends = [&estimate["interval"][0], &estimate["interval"][1]].map(value);
    [
        what.to_owned(),
        number(value(&estimate["value"])),
        number(value(&estimate["standard_error"])),
        interval(ends),
    ]
}
