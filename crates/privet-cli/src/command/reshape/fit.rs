//! A map for a model.

use super::jacobians::{Jacobians, read_weights};
use super::{PublicArguments, Read, read_model};
use crate::arguments::generator;
use crate::command::vector::ChoiceArguments;
use crate::failure::Failure;
use crate::output::{Output, number};
use crate::progress::Waiting;
use crate::table::replace_file;
use clap::Args;
use privet::CryptoRng;
use privet::document;
use privet::model::Model;
use privet::vector::reshape::{
    MechanismChoice, Norm, Reaction, Reading, Reshape, Reshaped, Rows, fit, fit_reaction,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  From a model and public vectors: rank, radius and the treatment of lengths are tried out:
    privet reshape fit --model head.onnx --public public.npy --mechanism privunit --epsilon 5 \\
      --out map.json

  A regression that averages the reports of a hundred people:
    privet reshape fit --model demand.json --read values --people 100 --public households.npy \\
      --mechanism laplace-vector --epsilon 1 --out map.json

  From Jacobians of a model that is elsewhere, an array of points, scores and inputs:
    privet reshape fit --jacobians jacobians.npy --public public.npy --mechanism privunit \\
      --epsilon 5 --out map.json";

/// Fit a map to a public model, public vectors and a mechanism
///
/// The map turns vectors into balanced coordinates: those to which the model reacts most and in which vectors vary most come
/// first, stretched as the mechanism's noise wants it. The rank and the clip radius are chosen on public vectors, and the
/// expected gain over the same mechanism on centred vectors is measured on public vectors that had no part in the choice. The
/// model's own answers count as right. Nothing is sent for directions that are left out: they are filled in from what is sent, as
/// public vectors vary together.
///
/// With Jacobians there is no model to try: the rank has the least predicted task error, and the gain is that of the first-order
/// change of the scores. Take Jacobians at randomised points, too: units that sleep at public points may wake under noise.
///
/// The file holds all public numbers, where they come from, and a digest. It has never seen a private vector.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("from").required(true).args(["model", "weights", "jacobians"])))]
pub(super) struct FitArguments {
    /// The public model: .onnx, .safetensors, .json or .csv, and .gz may follow
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// The weights of a linear model without intercepts: an array with a row for each score
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Jacobians of a model: an array of points, scores and inputs, or with --outputs one below the other
    #[arg(long, value_name = "FILE")]
    jacobians: Option<PathBuf>,
    /// How many scores the model has, where Jacobians are below each other
    #[arg(long, value_name = "COUNT", requires = "jacobians", value_parser = clap::value_parser!(u32).range(1..))]
    outputs: Option<u32>,
    #[command(flatten)]
    public: PublicArguments,
    #[command(flatten)]
    choice: ChoiceArguments,
    /// What is read from the scores
    #[arg(long, value_enum, default_value = "class")]
    read: Read,
    /// How many people's reports are averaged for one answer; their public vectors follow each other
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    people: u32,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Draw from a generator that anybody can repeat, for the same map again
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

/// A map and what it should bring.
struct Fitted {
    reshape: Reshape,
    /// How many directions the model reacts to and the public vectors vary in.
    task_space: usize,
    gain: Gain,
}

/// What reshaping should gain over the centred mechanism.
#[derive(Debug, Serialize)]
struct Gain {
    metric: &'static str,
    centred: f64,
    reshaped: f64,
    gain: f64,
    standard_error: f64,
}

impl FitArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let choice = self.choice.choice()?;
        let public = self.public.read()?;
        let mut rng = generator(self.insecure_seed)?;
        let waiting = Waiting::on(format!("fitting to {}", choice.row.info.id));
        let fitted = self.fitted(&choice, &public, &mut rng)?;
        drop(waiting);
        replace_file(&self.out, fitted.reshape.to_json().as_bytes())?;
        let reshaped = Reshaped::new(fitted.reshape.clone(), &choice)?;
        let document = self.document(&choice, &public, &fitted, &reshaped)?;
        output.print(&document, || self.page(&fitted, &reshaped))
    }

    fn fitted(
        &self,
        choice: &MechanismChoice,
        public: &Rows,
        rng: &mut dyn CryptoRng,
    ) -> Result<Fitted, Failure> {
        let reading = Reading::from(self.read);
        match (&self.model, &self.weights, &self.jacobians) {
            (Some(path), ..) => self.of_model(&read_model(path)?, choice, public, rng),
            (_, Some(path), _) => self.of_model(&read_weights(path)?, choice, public, rng),
            (_, _, Some(path)) => {
                let jacobians = Jacobians::read(path, self.outputs.map(|outputs| outputs as usize))?;
                let reaction = Reaction::of_jacobians(&jacobians.stacked, jacobians.outputs, reading)?;
                let task_space = Reshape::balanced(&reaction, public, choice.row)?.rank();
                let reshape = fit_reaction(&reaction, public, choice)?;
                let centred = Reshape::centred(public, choice.row)?;
                let before = jacobians.change(centred, choice, reading, public, rng)?;
                let after = jacobians.change(reshape.clone(), choice, reading, public, rng)?;
                let gain = Gain {
                    metric: "first-order-change",
                    centred: before.0,
                    reshaped: after.0,
                    gain: before.0 - after.0,
                    standard_error: before.1.hypot(after.1),
                };
                Ok(Fitted { reshape, task_space, gain })
            }
            _ => Err(Failure::Usage { message: "which model?".into(), hint: None }),
        }
    }

    fn of_model(
        &self,
        model: &Model,
        choice: &MechanismChoice,
        public: &Rows,
        rng: &mut dyn CryptoRng,
    ) -> Result<Fitted, Failure> {
        let reading = Reading::from(self.read);
        let reaction = Reaction::of_model(model, public, reading, rng)?;
        let task_space = Reshape::balanced(&reaction, public, choice.row)?.rank();
        let found = fit(model, reading, public, self.people as usize, choice, rng)?;
        let gain = Gain {
            metric: found.gain.metric.as_str(),
            centred: found.gain.centred,
            reshaped: found.gain.reshaped,
            gain: found.gain.gain,
            standard_error: found.gain.standard_error,
        };
        Ok(Fitted { reshape: found.reshape, task_space, gain })
    }

    fn document(
        &self,
        choice: &MechanismChoice,
        public: &Rows,
        fitted: &Fitted,
        reshaped: &Reshaped,
    ) -> Result<Value, Failure> {
        let reshape = &fitted.reshape;
        Ok(json!({
            "out": self.out.display().to_string(),
            "mechanism": choice.row.info.id,
            "epsilon": choice.epsilon.get(),
            "guarantee": document::guarantee(&reshaped.guarantee()),
            "recipe": reshape.recipe(),
            "dimension": reshape.dimension(),
            "rank": reshape.rank(),
            "null_space": reshape.dimension() - fitted.task_space,
            "strengths": reshape.strengths(),
            "lengths": lengths(reshape.norm()),
            "people": self.people,
            "public_vectors": public.count(),
            "gain": fitted.gain,
            "digest": reshape.digest(),
            "source": reshape.source(),
        }))
    }

    fn page(&self, fitted: &Fitted, reshaped: &Reshaped) -> String {
        let (reshape, gain) = (&fitted.reshape, &fitted.gain);
        let dimension = reshape.dimension();
        let facts = [
            ("map", self.out.display().to_string()),
            ("mechanism", format!("{} ({}, each)", reshaped.mechanism().id(), reshaped.guarantee())),
            ("rank", format!("{} of {dimension} coordinates are sent", reshape.rank())),
            ("null space", format!("{} directions do not matter", dimension - fitted.task_space)),
            ("lengths", lengths(reshape.norm()).to_owned()),
            ("centred", format!("{} {}", gain.metric, number(gain.centred))),
            ("reshaped", format!("{} {}", gain.metric, number(gain.reshaped))),
            ("gain", format!("{} with standard error {}", number(gain.gain), number(gain.standard_error))),
        ];
        let facts = facts.map(|(name, value)| format!("{name:<12} {value}")).join("\n");
        let measured = match self.jacobians {
            None => "Measured on public vectors that had no part in the choice.",
            Some(_) => "Measured to first order, on the public vectors that the map was fitted to.",
        };
        let verdict = if gain.gain > 2.0 * gain.standard_error {
            ""
        } else {
            " There is no clear gain: the mechanism on centred vectors may do as well."
        };
        format!("{facts}\n\n{measured}{verdict}\n{BASELINE}")
    }
}

const BASELINE: &str = "Where people can run the model, its answer through randomised response is usually better: \
                        `reshape evaluate` shows both.";

fn lengths(norm: Norm) -> &'static str {
    match norm {
        Norm::Replaced => "replaced",
        Norm::Kept => "kept",
    }
}
