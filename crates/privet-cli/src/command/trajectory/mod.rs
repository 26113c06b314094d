//! Locations and paths.

mod boundary;
mod budget;
mod estimate;
mod evaluate;
mod geo;
mod map;
mod method;
mod paths;
mod perturb;
mod publish;
mod reference;
mod rounding;
mod space;
mod time;

use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};
use privet::EstimateError;
use privet::trajectory::TrajectoryError;

const EXAMPLES: &str = "\
Examples:
  Which method suits these paths, and which epsilon?
    privet trajectory evaluate --in paths.csv --method window-2d,tracs-c --epsilon 2,4,10

  Every location becomes a report, on its way from one file to another:
    privet trajectory perturb --in paths.csv --out reports.csv \\
      --space rectangle:139.4,140,35.5,35.9 --method window-2d --epsilon 4

  Where the population is, and where each report probably comes from:
    privet trajectory estimate --in reports.csv --space rectangle:139.4,140,35.5,35.9 \\
      --method window-2d --epsilon 4

  A look at one path and what becomes of it:
    privet trajectory map --in paths.csv --only 7 --method window-2d --epsilon 4,10 --out map.html";

/// Perturb locations and paths, estimate where people are, and draw maps
///
/// Every location is perturbed on its own, under pure local differential privacy for the whole space where the method says
/// so. A path of n locations has n times the epsilon of one, unless the budget is for the path. How many locations a path has,
/// and its times if they are kept, stay visible unless `perturb` fixes a --count and a --time-grid.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Trajectory {
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Subcommand)]
enum Step {
    Evaluate(evaluate::EvaluateArguments),
    Perturb(perturb::PerturbArguments),
    Estimate(estimate::EstimateArguments),
    Map(map::MapArguments),
}

impl Trajectory {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        match &self.step {
            Step::Evaluate(step) => step.run(output),
            Step::Perturb(step) => step.run(output),
            Step::Estimate(step) => step.run(output),
            Step::Map(step) => step.run(output),
        }
    }
}

/// What the library refuses, as a failure with an exit code.
pub(crate) fn refused(error: TrajectoryError) -> Failure {
    match error {
        TrajectoryError::Parameter(error) => Failure::Parameter(error),
        TrajectoryError::Input(error) => Failure::Input(error),
        TrajectoryError::Estimate(error) => Failure::Estimate(error),
        // One path is one observation.
        TrajectoryError::TooFewPaths { needed, got } => {
            Failure::Estimate(EstimateError::TooFewReports { needed, got })
        }
        TrajectoryError::NoIntervals { .. } => Failure::Usage {
            message: error.to_string(),
            hint: Some(
                "leave --intervals out; tracs-d, strawman and atp have them if reports and estimate are made with \
                 --fixed-reference",
            ),
        },
        TrajectoryError::Times { .. } | TrajectoryError::NoTimes | TrajectoryError::PathTooLong { .. } => {
            Failure::Data { message: error.to_string(), hint: None }
        }
        other => Failure::Usage { message: other.to_string(), hint: None },
    }
}
