//! `cargo xtask prove`: the full-size runs, which take too long for every change.
//!
//! A full-size test is marked `#[ignore = "full size: cargo xtask prove"]`.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::process::cargo;
use crate::program;
use crate::report::Report;

pub(crate) fn run() -> Result<ExitCode> {
    let mut report = Report::default();
    report.check("postgresql", crate::tools::postgresql);
    report.tests(
        "full-size tests",
        cargo(&[
            "test",
            "--workspace",
            "--release",
            "--locked",
            "--no-fail-fast",
            "--",
            "--ignored",
            "--nocapture",
        ]),
    );
    report.command("coverage", laboratory(&[])?);
    report.command("bench", cargo(&["run", "--release", "--locked", "-p", "privet-cli", "--", "bench"]));
    crate::python::prove(&mut report);
    Ok(report.close())
}

/// Only the coverage laboratory.
pub(crate) fn coverage() -> Result<ExitCode> {
    let mut report = Report::default();
    report.command("coverage", laboratory(&[])?);
    Ok(report.close())
}

/// The coverage laboratory, with its page in `target/coverage`. In release also for its bounded form: it repeats thousands of
/// estimates, which takes longer without optimisation than to build it.
pub(crate) fn laboratory(arguments: &[&str]) -> Result<Command> {
    let folder = program::target_folder()?.join("coverage");
    let mut command = cargo(&["run", "--release", "--locked", "-p", "privet-coverage", "--", "--out"]);
    command.arg(folder.to_str().context("a folder whose name is no text")?).args(arguments);
    Ok(command)
}
