//! Policies: whether they hold, what they mean, what they cost.

use crate::contract::{read_policy, try_policy};
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use clap::{Args, Subcommand};
use privet::policy::{PolicyError, ResolvedPolicy, SpendingStatement, Statement};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  A policy is a file such as this one, travel.toml:
    name = \"How we travel\"
    purpose = \"Plan bicycle lanes\"
    origin = \"https://city.example\"
    opens = 2026-03-01
    closes = 2026-03-31
    epoch = \"month\"
    minimum_reports = 500
    [budget]
    epsilon = 2
    period = \"month\"
    [[attribute]]
    name = \"commute\"
    question = \"How do you get to work?\"
    domain = \"categories:walk,bicycle,bus,car\"
    goal = \"frequency\"

  Is it sound, and what does it mean for the people who are asked?
    privet policy check travel.toml
    privet policy show travel.toml";

const CHECK_EXAMPLES: &str = "\
Examples:
  Mistakes are shown with their line and column:
    privet policy check travel.toml

  For programs, with the policy's id:
    privet policy check travel.toml --json";

const SHOW_EXAMPLES: &str = "\
Examples:
  What people read before they answer:
    privet policy show travel.toml

  The same facts for programs:
    privet policy show travel.toml --json";

const BUDGET_EXAMPLES: &str = "\
Examples:
  What does one report cost, one period, the whole collection?
    privet policy budget travel.toml";

/// Check policies, and say what they mean and cost
///
/// A policy is the contract between a collector and its people: what is asked, why, and how it is protected. It is written in
/// TOML or JSON. What it leaves open (mechanisms, the parts of the budget) is decided in the same way every time, and the hash of
/// the result is the policy's id, which all its reports carry.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PolicyVerb {
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Subcommand)]
enum Step {
    Check(Check),
    Show(Show),
    Budget(Budget),
}

impl PolicyVerb {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        match &self.step {
            Step::Check(step) => step.run(output),
            Step::Show(step) => step.run(output),
            Step::Budget(step) => step.run(output),
        }
    }
}

/// Check that a policy is sound: its words, its mechanisms and its budget
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
struct Check {
    /// The policy, in TOML or JSON
    #[arg(value_name = "FILE")]
    policy: PathBuf,
}

impl Check {
    fn run(&self, output: Output) -> Result<(), Failure> {
        match try_policy(&self.policy)? {
            Ok(policy) => output.print(&document(&policy), || {
                let terms = policy.terms();
                let count = terms.attributes.len();
                format!("{} is sound: {count} attributes, policy {}", self.policy.display(), policy.id())
            }),
            Err(source) => {
                if output == Output::Json {
                    output.print(&mistake(&source), String::new)?;
                }
                Err(Failure::Policy { path: self.policy.clone(), source })
            }
        }
    }
}

/// What a policy means for a person, for programs.
#[derive(Debug, Serialize)]
struct Document {
    valid: bool,
    #[serde(flatten)]
    statement: Statement,
}

fn document(policy: &ResolvedPolicy) -> Document {
    Document { valid: true, statement: policy.statement() }
}

fn mistake(error: &PolicyError) -> Value {
    json!({
        "valid": false,
        "attributes": [],
        "total_epsilon": null,
        "problem": {
            "code": error.code(),
            "message": error.problem.to_string(),
            "line": error.place.map(|place| place.line),
            "column": error.place.map(|place| place.column),
            "hint": error.hint(),
        },
    })
}

/// Say in plain words what a policy means for the people who are asked
#[derive(Debug, Args)]
#[command(after_help = SHOW_EXAMPLES)]
struct Show {
    /// The policy, in TOML or JSON
    #[arg(value_name = "FILE")]
    policy: PathBuf,
}

impl Show {
    fn run(&self, output: Output) -> Result<(), Failure> {
        let policy = read_policy(&self.policy)?;
        output.print(&document(&policy), || policy.statement_text())
    }
}

/// Show what a policy costs: each attribute, one report, one period, all of it
#[derive(Debug, Args)]
#[command(after_help = BUDGET_EXAMPLES)]
struct Budget {
    /// The policy, in TOML or JSON
    #[arg(value_name = "FILE")]
    policy: PathBuf,
}

impl Budget {
    fn run(&self, output: Output) -> Result<(), Failure> {
        let policy = read_policy(&self.policy)?;
        let document = document(&policy);
        output.print(&document, || budget_page(&document.statement))
    }
}

fn budget_page(statement: &Statement) -> String {
    let mut attributes =
        table_of_numbers(&["ATTRIBUTE", "MECHANISM", "EPSILON", "EXACT EPSILON", "WHOLE COLLECTION"], 2);
    for one in &statement.attributes {
        attributes.add_row([
            one.name.clone(),
            one.mechanism.clone(),
            number(one.epsilon),
            number(one.guarantee.epsilon),
            number(one.total.epsilon),
        ]);
    }
    let period = &statement.per_period;
    let mut sums = table_of_numbers(&["WHAT", "REPORTS", "EPSILON", "DELTA"], 1);
    let mut add = |what: String, reports: String, cost: &SpendingStatement| {
        sums.add_row([what, reports, number(cost.epsilon), number(cost.delta)]);
    };
    add("one report".to_owned(), "1".to_owned(), &statement.per_report);
    add(format!("one {}", period.period), period.reports.to_string(), &period.cost);
    add(format!("allowed in one {}", period.period), String::new(), &period.budget);
    add("in all".to_owned(), statement.reports.to_string(), &statement.total);
    let why = &statement.contribution.why;
    format!("{}\n\n{}\n\nOne person, at most; {why}.", attributes.trim_fmt(), sums.trim_fmt())
}
