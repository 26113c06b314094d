//! The `privet` command.

mod arguments;
mod choice;
mod command;
mod contract;
mod failure;
mod output;
mod plot;
mod progress;
mod table;
mod trials;
mod vectors;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    table::keep_guarded_panics_quiet();
    let arguments = command::Arguments::parse();
    match command::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
