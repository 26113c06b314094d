//! One file for each verb.

mod advise;
mod answers;
mod audit;
mod bench;
mod classifier;
mod collect;
mod demo;
mod describe;
mod error;
mod estimate;
mod evaluation;
mod joint;
mod loss;
mod mechanisms;
mod optimize;
mod perturb;
mod policy;
mod prior;
mod reproduce;
mod reshape;
mod serve;
mod settings;
mod simulate;
pub(crate) mod trajectory;
mod true_values;
mod vector;

use crate::failure::Failure;
use crate::output::Output;
use clap::{Parser, Subcommand};

/// Local differential privacy: randomise values on the device, estimate statistics from the reports.
#[derive(Debug, Parser)]
#[command(name = "privet", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Print one JSON document on standard output, and nothing else there
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Mechanisms(mechanisms::Mechanisms),
    Describe(describe::Describe),
    Error(error::Error),
    Audit(audit::Audit),
    Advise(advise::Advise),
    Optimize(optimize::Optimize),
    Perturb(perturb::Perturb),
    Estimate(estimate::Estimate),
    Simulate(simulate::Simulate),
    Joint(joint::Joint),
    Trajectory(trajectory::Trajectory),
    Classifier(classifier::ClassifierVerb),
    Vector(vector::Vector),
    Reshape(reshape::Reshape),
    Policy(policy::PolicyVerb),
    Serve(serve::Serve),
    Collect(collect::Collect),
    Reproduce(reproduce::Reproduce),
    Bench(bench::Bench),
    Demo(demo::Demo),
}

/// Runs one verb.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = if arguments.json { Output::Json } else { Output::Text };
    match &arguments.verb {
        Verb::Mechanisms(verb) => verb.run(output),
        Verb::Describe(verb) => verb.run(output),
        Verb::Error(verb) => verb.run(output),
        Verb::Audit(verb) => verb.run(output),
        Verb::Advise(verb) => verb.run(output),
        Verb::Optimize(verb) => verb.run(output),
        Verb::Perturb(verb) => verb.run(output),
        Verb::Estimate(verb) => verb.run(output),
        Verb::Simulate(verb) => verb.run(output),
        Verb::Joint(verb) => verb.run(output),
        Verb::Trajectory(verb) => verb.run(output),
        Verb::Classifier(verb) => verb.run(output),
        Verb::Vector(verb) => verb.run(output),
        Verb::Reshape(verb) => verb.run(output),
        Verb::Policy(verb) => verb.run(output),
        Verb::Serve(verb) => verb.run(output),
        Verb::Collect(verb) => verb.run(output),
        Verb::Reproduce(verb) => verb.run(output),
        Verb::Bench(verb) => verb.run(output),
        Verb::Demo(verb) => verb.run(output),
    }
}

/// A consistency step by its name.
fn parse_consistency(name: &str) -> Result<privet::Consistency, Failure> {
    name.parse().map_err(|message| Failure::Usage { message, hint: None })
}

/// A secret text from a file, without the end of its line.
fn read_secret_text(path: &std::path::Path) -> Result<String, Failure> {
    let read = std::fs::read_to_string(path);
    let text =
        read.map_err(|source| Failure::File { action: "cannot read", path: path.to_owned(), source })?;
    Ok(text.trim().to_owned())
}
