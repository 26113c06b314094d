//! What is said about a channel that was found or checked.

use super::wanted::{is_unbiased, loss_name, objective_of};
use crate::failure::Failure;
use crate::output::{number, table_of_numbers};
use privet::limit::Solution;
use serde::Serialize;
use std::path::Path;

/// One channel.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    id: &'static str,
    domain: String,
    epsilon: f64,
    loss: &'static str,
    pub(super) objective: &'static str,
    /// What the average is taken over: `uniform`, or the name of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prior: Option<String>,
    unbiased: bool,
    achieved: f64,
    lower_bound: f64,
    gap: f64,
    seconds: f64,
    report_bits: u32,
    fingerprint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) out: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<&'static str>,
}

impl Answer {
    pub(super) fn of(solution: &Solution, seconds: f64) -> Result<Self, Failure> {
        let (problem, mechanism) = (&solution.problem, solution.channel.mechanism()?);
        Ok(Self {
            id: solution.channel.id(),
            domain: problem.domain().to_string(),
            epsilon: problem.epsilon().get(),
            loss: loss_name(problem),
            objective: objective_of(problem).as_str(),
            prior: None,
            unbiased: is_unbiased(problem),
            achieved: solution.achieved,
            lower_bound: solution.lower_bound,
            gap: solution.gap(),
            seconds,
            report_bits: mechanism.report_bits(),
            fingerprint: mechanism.fingerprint().to_string(),
            out: None,
            verified: None,
            note: None,
        })
    }

    /// Which error of which mechanisms, in words.
    fn subject(&self) -> String {
        let kind = if self.unbiased { "variance of unbiased reports" } else { "error of one report" };
        let loss = match (self.unbiased, self.loss) {
            (true, _) | (_, "matrix") => String::new(),
            (false, loss) => format!("{loss} "),
        };
        match (self.objective, &self.prior) {
            ("average", Some(prior)) if prior != "uniform" => {
                format!("the {loss}{kind} on average over the prior in {prior}")
            }
            ("average", Some(_)) => {
                format!("the {loss}{kind} on average over all values alike (a uniform prior)")
            }
            ("average", None) => format!("the {loss}{kind} on average over the prior in the file"),
            _ => format!("the {loss}{kind} at the worst value"),
        }
    }
}

pub(super) fn page(answers: &[Answer], plot: Option<&Path>) -> String {
    let header = ["MECHANISM", "EPSILON", "ACHIEVED", "LOWER BOUND", "GAP", "SECONDS", "REPORT BITS"];
    let mut table = table_of_numbers(&header, 1);
    for row in answers {
        table.add_row([
            row.id.to_owned(),
            row.epsilon.to_string(),
            number(row.achieved),
            number(row.lower_bound),
            percent(row.gap),
            format!("{:.1}", row.seconds),
            row.report_bits.to_string(),
        ]);
    }
    let Some(first) = answers.first() else { return String::new() };
    let mut page = format!(
        "{}\n\nOf all mechanisms that keep epsilon on {}, none is below the lower bound: {}.",
        table.trim_fmt(),
        first.domain,
        first.subject()
    );
    for row in answers {
        let note = row.note.map(|note| format!("\nAt epsilon {}: {note}.", row.epsilon));
        let out = row.out.as_ref().map(|out| format!("\nAt epsilon {}: written to {out}.", row.epsilon));
        page.extend(note.into_iter().chain(out));
    }
    page.extend(plot.map(|path| format!("\nDrawn in {}.", path.display())));
    page
}

/// What a checked file proves.
pub(super) fn verified_page(answer: &Answer, path: &Path) -> String {
    let facts = [
        ("mechanism", answer.id.to_owned()),
        ("domain", answer.domain.clone()),
        ("epsilon", format!("{} (kept, from the integer weights)", answer.epsilon)),
        ("achieved", format!("{} (recomputed)", number(answer.achieved))),
        ("lower bound", format!("{} (proved by the certificate)", number(answer.lower_bound))),
        ("gap", percent(answer.gap)),
        ("report", format!("{} bits", answer.report_bits)),
        ("fingerprint", answer.fingerprint.clone()),
    ];
    let facts = facts.map(|(name, value)| format!("{name:<12} {value}")).join("\n");
    format!("{} holds: {}.\n\n{facts}", path.display(), answer.subject())
}

fn percent(share: f64) -> String {
    format!("{:.4} %", 100.0 * share)
}
