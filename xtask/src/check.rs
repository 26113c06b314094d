//! `cargo xtask check`: the house rules that the compiler does not know.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::process::{capture, cargo, run as run_process};
use crate::report::Report;
use crate::wasm::TARGET as WASM;

pub(crate) fn run() -> Result<ExitCode> {
    let mut report = Report::default();
    steps(&mut report);
    Ok(report.close())
}

pub(crate) fn steps(report: &mut Report) {
    report.check("arrows", crate::arrows::check);
    report.check("wasm", wasm);
    report.check("generated docs", crate::docs::check);
    report.check("links", crate::site::check);
    report.check("words", crate::words::check);
}

/// The crates that run on a person's device must build for the browser.
fn wasm() -> Result<()> {
    install_wasm_target()?;
    run_process(cargo(&[
        "build",
        "--target",
        WASM,
        "-p",
        "privet-core",
        "-p",
        "privet-mechanisms",
        "--locked",
    ]))?;
    // Without the solver, which no device needs.
    run_process(cargo(&[
        "build",
        "--target",
        WASM,
        "-p",
        "privet-policy",
        "--no-default-features",
        "--locked",
    ]))
}

pub(crate) fn install_wasm_target() -> Result<()> {
    let mut list = Command::new("rustup");
    list.args(["target", "list", "--installed"]);
    let Ok(installed) = capture(list) else {
        // A toolchain without rustup may still have the target; the build will say so if it has not.
        println!("rustup cannot list the installed targets: building for {WASM} without asking it");
        return Ok(());
    };
    if installed.lines().any(|target| target.trim() == WASM) {
        return Ok(());
    }
    let mut add = Command::new("rustup");
    add.args(["target", "add", WASM]);
    run_process(add).with_context(|| {
        format!("the target {WASM} is missing: connect to the network and run `rustup target add {WASM}`")
    })
}
