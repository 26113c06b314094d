//! Vectors.

mod clip;
mod evaluate;
mod perturb;

pub(in crate::command) use perturb::{ABOUT, about};

use crate::arguments::{OptionArguments, parse_epsilon};
use crate::failure::Failure;
use crate::output::Output;
use crate::vectors;
use clap::{Args, Subcommand};
use privet::vector::reshape::MechanismChoice;
use privet::{Dimension, ParameterError};

const EXAMPLES: &str = "\
Examples:
  Every row of an array becomes a randomised row; the clip set is fitted to public vectors:
    privet vector perturb --mechanism privunit --epsilon 5 --public public.npy \\
      --in features.npy --out reports.npy

  Which mechanism suits vectors of 64 coordinates, and which epsilon?
    privet vector evaluate --domain vector:64 --mechanism privunit,privunit-g,laplace-vector \\
      --epsilon 1,5,10";

/// Randomise vectors, and compare mechanisms on them
///
/// A mechanism on vectors first moves a vector into its public clip set (a ball, a sphere, a box), so that its promise holds
/// between any two vectors. Where the vectors feed a model, `privet reshape` puts the noise where the model does not look.
/// Values with envelopes for `privet estimate` are made by `privet perturb --domain vector:64`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Vector {
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Subcommand)]
enum Step {
    Perturb(perturb::PerturbArguments),
    Evaluate(evaluate::EvaluateArguments),
}

impl Vector {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        match &self.step {
            Step::Perturb(step) => step.run(output),
            Step::Evaluate(step) => step.run(output),
        }
    }
}

/// One mechanism on vectors, whose clip set comes from elsewhere.
#[derive(Debug, Args)]
pub(in crate::command) struct ChoiceArguments {
    /// The mechanism's id or a synonym, such as privunit; `privet mechanisms` lists those on vectors
    #[arg(long, value_name = "NAME")]
    mechanism: String,
    /// How much one report may reveal: the largest log-ratio of report probabilities
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    epsilon: String,
    #[command(flatten)]
    options: OptionArguments,
}

impl ChoiceArguments {
    pub(in crate::command) fn choice(&self) -> Result<MechanismChoice, Failure> {
        let row = vectors::find(&self.mechanism)?;
        Ok(MechanismChoice {
            row,
            epsilon: parse_epsilon(&self.epsilon)?,
            options: self.options.build_options()?,
        })
    }
}

/// A number of coordinates as the type for it.
pub(in crate::command) fn dimension(count: usize) -> Result<Dimension, Failure> {
    let wrong = ParameterError::Dimension { max: Dimension::MAX, got: count as u64 };
    Ok(u32::try_from(count).map_or(Err(wrong), Dimension::new)?)
}
