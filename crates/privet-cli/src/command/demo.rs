//! The whole way, on made-up people: answers, reports, estimates, and a page that shows them.

mod collection;
mod reading;
mod report;
mod survey;

use crate::arguments::{generator, parse_epsilon};
use crate::failure::Failure;
use crate::output::{Output, table_of_numbers};
use crate::table::Destination;
use clap::Args;
use collection::{Collection, Survey};
use privet::{Budget, Guarantee};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  A hundred thousand people, and the page in privet-demo.html:
    privet demo

  Fewer people, a larger epsilon, another page:
    privet demo --people 20000 --epsilon 2 --out survey.html";

/// Let made-up people answer a survey privately, and write a page about it
///
/// Five questions; each answer is randomised before it leaves its device. The page has what was asked, what one report
/// looks like, and the estimates beside the truth, which only a demo knows. It is one file and loads nothing.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Demo {
    /// End when the page is written
    #[arg(long)]
    exit: bool,
    /// Where to write the page
    #[arg(long, value_name = "FILE", default_value = "privet-demo.html")]
    out: PathBuf,
    /// How many people answer
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    people: u64,
    /// Epsilon of each question [default: 1, and 2 for the free word]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// Draw the reports from this number, so that they can be repeated; they then protect nobody
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

/// Everything that the demo found out.
#[derive(Debug, Serialize)]
struct Findings {
    /// Where the page is.
    report: PathBuf,
    people: u64,
    /// What all reports of one person reveal together.
    epsilon: f64,
    insecure: bool,
    collections: Vec<Collection>,
}

impl Demo {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        if self.people == 0 {
            return Err(Failure::Usage {
                message: "a survey needs at least one person: got 0".into(),
                hint: Some("estimates get useful from about 10000 people on"),
            });
        }
        if self.out.as_os_str() == "-" {
            return Err(Failure::Usage {
                message: "the page cannot go to standard output: the results are there".into(),
                hint: Some("name a file, such as --out survey.html"),
            });
        }
        let epsilon = self.epsilon.as_deref().map(parse_epsilon).transpose()?;
        let rng = generator(self.insecure_seed)?;
        let insecure = rng.is_insecure();
        // Before the work, so that a folder that is not there is found at once.
        let mut page = Destination::create(&self.out)?;
        let collections = survey::hold(Survey::new(self.people, rng), epsilon)?;
        let total = total(&collections)?;
        let findings = Findings {
            report: self.out.clone(),
            people: self.people,
            epsilon: total.map_or(0.0, |total| total.epsilon().get()),
            insecure,
            collections,
        };
        page.write_all(report::page(&findings).as_bytes()).map_err(|source| page.failed(source))?;
        page.commit()?;
        output.print(&findings, || text(&findings))
    }
}

/// What one person spends who answers everything.
fn total(collections: &[Collection]) -> Result<Option<Guarantee>, Failure> {
    let budget = collections
        .iter()
        .try_fold(Budget::empty(), |budget, collection| budget.spend(collection.guarantee))?;
    Ok(budget.total())
}

/// How many rows a table on the terminal has at most.
const MAX_ROWS: usize = 10;

fn text(findings: &Findings) -> String {
    let mut text = format!(
        "{} made-up people answered {} questions; each answer was randomised before it left its device.\n",
        grouped(findings.people),
        findings.collections.len()
    );
    for (number, collection) in (1..).zip(&findings.collections) {
        text.push_str(&format!("\n{number}. {}\n{}\n\n", collection.question, facts(collection)));
        text.push_str(&estimates(collection));
    }
    text.push_str(&format!(
        "\nAll answers of one person together reveal at most epsilon = {}.\n",
        rounded_up(findings.epsilon)
    ));
    if findings.insecure {
        text.push_str("The reports were drawn from a fixed seed and protect nobody.\n");
    }
    text.push_str(&format!("The page with the plots: {}\n", findings.report.display()));
    text
}

/// The mechanism and what it promises, in one line.
fn facts(collection: &Collection) -> String {
    let bits = collection.report_bits;
    let unit = if bits == 1 { "bit" } else { "bits" };
    format!("{}: {}; {bits} {unit} per report", collection.title, collection.guarantee)
}

fn estimates(collection: &Collection) -> String {
    if collection.estimates.is_empty() {
        return collection.coverage() + "\n";
    }
    let rows = collection.largest(MAX_ROWS);
    let hidden = collection.estimates.len() - rows.len();
    let mut table = table_of_numbers(&["answer", "truth", "estimate", "95 % interval"], 1);
    for row in rows {
        let [low, high] = row.interval.map(percent);
        table.add_row([
            row.label.clone(),
            percent(row.truth),
            percent(row.value),
            format!("{low} to {high}"),
        ]);
    }
    let mut text = table.trim_fmt() + "\n";
    if hidden > 0 {
        text.push_str(&format!("and {hidden} more\n"));
    }
    text + &collection.coverage() + "\n"
}

/// A share in percent.
fn percent(share: f64) -> String {
    // Adding zero after rounding turns minus zero into zero.
    format!("{:.1} %", (share * 1000.0).round() / 10.0 + 0.0)
}

/// An epsilon with at most six decimals, never smaller than it is.
fn rounded_up(epsilon: f64) -> f64 {
    let rounded = (epsilon * 1e6).ceil() / 1e6;
    if rounded.is_finite() && rounded >= epsilon { rounded } else { epsilon }
}

/// A whole number with a space between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(100_000), "100 000");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(percent(0.3141), "31.4 %");
        assert_eq!(percent(-0.0001), "0.0 %");
        assert_eq!(rounded_up(5.999999999999999), 6.0);
        assert_eq!(rounded_up(1.25), 1.25);
        assert!(rounded_up(f64::MAX) == f64::MAX);
    }
}
