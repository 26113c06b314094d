//! Talking to a collector.

mod answers;
mod connection;
mod create;
mod results;
mod submit;

use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};
use privet::policy::PolicyId;

const EXAMPLES: &str = "\
Examples:
  Create a collection from a policy, send reports, and see what they say:
    privet collect create --collector http://127.0.0.1:8080 --policy travel.toml
    privet perturb --policy travel.toml --in people.csv --out reports.csv
    privet collect submit --collector http://127.0.0.1:8080 --collection ID --in reports.csv
    privet collect results --collector http://127.0.0.1:8080 --collection ID";

/// Create collections, send reports and read estimates at a collector
///
/// Requests are sent again, after a pause that grows and is partly drawn by lot, when the collector is busy or cannot be reached.
/// That is safe: a collection is known by its policy, a report by its id, and both count once.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Collect {
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Subcommand)]
enum Step {
    Create(create::Create),
    Submit(submit::Submit),
    Results(results::Results),
}

impl Collect {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        match &self.step {
            Step::Create(step) => step.run(output),
            Step::Submit(step) => step.run(output),
            Step::Results(step) => step.run(output),
        }
    }
}

/// The id of a collection, which is that of its policy.
fn parse_id(text: &str) -> Result<PolicyId, String> {
    text.parse().map_err(|error: privet::policy::NotAPolicyId| error.to_string())
}
