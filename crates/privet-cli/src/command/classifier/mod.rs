//! What a classifier is still worth when its input is a report.

mod advise;
mod answer;
mod bounds;
mod channels;
mod people;
mod picture;
mod quantify;
mod region;

use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  How likely is the same answer, if age and bmi are randomised on the device?
    privet classifier quantify --model stroke_lr.json --record .79,1,0,1,.5804,.48 --sensitive 0,5 \\
      --mechanism ogpm,laplace-truncated --epsilon 1,2,4,8

  Where does the model keep its answer?
    privet classifier region --model stroke_lr.json --record .79,1,0,1,.5804,.48 --sensitive 0,5 \\
      --plot region.png

  Which mechanism and which epsilon keep nine answers of ten, for 95 % of the people in a table?
    privet classifier advise --model stroke_lr.json --data stroke.csv --label stroke --clamp \\
      --sensitive age,bmi --epsilon 1:12:0.5 --target 0.9 --goal share";

/// Say what a classifier is still worth when it reads randomised features
///
/// Some features of a record are randomised on the device, each by itself, and a fixed classifier reads the result. How
/// likely is the answer that the record itself would get? Answers have two sides, a lower and an upper bound: proved from
/// linear models, tree ensembles and small networks, or from drawn reports with a stated confidence.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ClassifierVerb {
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Subcommand)]
enum Step {
    Quantify(quantify::QuantifyArguments),
    Region(region::RegionArguments),
    Advise(advise::AdviseArguments),
}

impl ClassifierVerb {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        match &self.step {
            Step::Quantify(step) => step.run(output),
            Step::Region(step) => step.run(output),
            Step::Advise(step) => step.run(output),
        }
    }
}
