//! Correlated perturbation: two people perturb together.

mod demo;
mod pair;
mod perturb;
mod plan;
mod simulate;

use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};
use privet_joint::JointError;

const EXAMPLES: &str = "\
Examples:
  How to perturb, and what is promised?
    privet joint plan --users 20000 --colluders 5 --epsilon 1 --ones 659

  How much better is the estimate?
    privet joint simulate --users 20000 --ones 659 --colluders 5 --epsilon 1";

/// Perturb in pairs: less noise in the estimate, the same noise in each report
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Joint {
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Subcommand)]
enum Step {
    Plan(plan::PlanArguments),
    Simulate(simulate::SimulateArguments),
    Pair(pair::PairArguments),
    Perturb(perturb::PerturbArguments),
    Demo(demo::DemoArguments),
}

impl Joint {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        match &self.step {
            Step::Plan(step) => step.run(output),
            Step::Simulate(step) => step.run(output),
            Step::Pair(step) => step.run(output),
            Step::Perturb(step) => step.run(output),
            Step::Demo(step) => step.run(output),
        }
    }
}

/// A parameter that the library refuses, as a failure with an exit code.
fn refused(error: JointError) -> Failure {
    match error {
        JointError::Parameter(error) => Failure::Parameter(error),
        other => Failure::Usage { message: other.to_string(), hint: None },
    }
}
