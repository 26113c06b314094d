//! `cargo xtask prove`: the full-size runs, which take too long for every change.
//!
//! A full-size test is marked `#[ignore = "full size: cargo xtask prove"]`.

use std::process::ExitCode;

use anyhow::Result;

use crate::process::cargo;
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
    report.command("bench", cargo(&["run", "--release", "--locked", "-p", "privet-cli", "--", "bench"]));
    crate::python::prove(&mut report);
    Ok(report.close())
}
