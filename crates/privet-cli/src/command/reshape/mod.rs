//! Noise where a model does not look.

mod apply;
mod evaluate;
mod fit;
mod jacobians;
mod recipe;

use crate::failure::Failure;
use crate::output::Output;
use crate::table::read_vectors;
use clap::{Args, Subcommand, ValueEnum};
use privet::model::Model;
use privet::vector::reshape::{Reading, Rows};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Fit a map to a public model and public vectors; it says what to expect:
    privet reshape fit --model head.onnx --public public.npy --mechanism privunit --epsilon 5 \\
      --out map.json

  Pre, clip, randomise, post, for everybody:
    privet reshape apply --reshape map.json --mechanism privunit --epsilon 5 \\
      --in features.npy --out noisy.npy

  With and without reshaping, on labelled vectors that you may read:
    privet reshape evaluate --model head.onnx --public public.npy --in test.npy \\
      --labels labels.npy --mechanism privunit,laplace-vector --epsilon 2,5,10 --plot accuracy.svg";

/// Put the noise where a public model does not look
///
/// A vector is mapped into coordinates that are made for the model, clipped, randomised and mapped back. The map comes from
/// the public model and public vectors alone, so the promise is that of the mechanism.
///
/// Where people can run the model, they should: its answer through randomised response is usually better than any randomised
/// vector, and `evaluate` always shows that row. Reshaping is for models that cannot be on the device, for several tasks that share one
/// vector, and for averages over people.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Reshape {
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Subcommand)]
enum Step {
    Fit(fit::FitArguments),
    Apply(apply::ApplyArguments),
    Evaluate(evaluate::EvaluateArguments),
}

impl Reshape {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        match &self.step {
            Step::Fit(step) => step.run(output),
            Step::Apply(step) => step.run(output),
            Step::Evaluate(step) => step.run(output),
        }
    }
}

/// What is read from a model's scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Read {
    /// Which score is the largest
    Class,
    /// The scores themselves
    Values,
}

impl From<Read> for Reading {
    fn from(read: Read) -> Self {
        match read {
            Read::Class => Self::Class,
            Read::Values => Self::Values,
        }
    }
}

/// Public vectors.
#[derive(Debug, Args)]
struct PublicArguments {
    /// Public vectors like those that people have: .npy, .parquet, .arrow, .csv or .jsonl. Never private ones
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
    /// The column of the public vectors, or one for each coordinate; npy has none
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    public_column: Vec<String>,
}

impl PublicArguments {
    fn read(&self) -> Result<Rows, Failure> {
        read_vectors(&self.public, &self.public_column)
    }
}

fn read_model(path: &Path) -> Result<Model, Failure> {
    Model::read(path).map_err(|source| Failure::Model { path: path.to_owned(), source })
}
