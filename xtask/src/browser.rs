//! Pages in a real browser: `cargo xtask test` tests them, `cargo xtask screenshots` makes pictures of them.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::process::run as run_process;
use crate::program;
use crate::report::Report;

const TESTS: &str = "web/tests";
const PICTURES: &str = "target/screenshots";

pub(crate) fn steps(report: &mut Report) {
    report.check("pages in a browser", || {
        prepare()?;
        // The types in comments first: a page that does not fit the client is found without a browser.
        node(&["node_modules/typescript/bin/tsc", "--project", "."])?;
        node(&["--test"])
    });
}

/// `cargo xtask screenshots`.
pub(crate) fn screenshots() -> Result<ExitCode> {
    prepare()?;
    let folder = std::env::current_dir()?.join(PICTURES);
    node(&["screenshots.js", &folder.to_string_lossy()])?;
    Ok(ExitCode::SUCCESS)
}

/// The browser, and the packages that drive and judge pages.
fn prepare() -> Result<()> {
    crate::tools::chromium()?;
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(TESTS);
    run_process(npm).context("the tests of pages need Node 20 or later with npm")
}

fn node(arguments: &[&str]) -> Result<()> {
    let mut node = Command::new("node");
    node.args(arguments).current_dir(TESTS).env("PRIVET", program::privet()?);
    run_process(node)
}
