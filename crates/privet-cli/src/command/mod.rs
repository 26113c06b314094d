//! One file for each verb.

use crate::failure::Failure;
use crate::output::Output;
use clap::{Parser, Subcommand};

/// Local differential privacy: randomise values on the device, estimate statistics from the reports.
#[derive(Debug, Parser)]
#[command(name = "privet", version, propagate_version = true)]
pub(crate) struct Arguments {
    /// Print one JSON document on standard output, and nothing else there.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {}

/// Runs one verb.
pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let _output = if arguments.json { Output::Json } else { Output::Text };
    match arguments.verb {}
}
