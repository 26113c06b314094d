//! Pages in a real browser: `cargo xtask test` tests them, `cargo xtask screenshots` makes pictures of them.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::process::{cargo, run as run_process};
use crate::report::Report;

const TESTS: &str = "web/tests";
const PICTURES: &str = "target/screenshots";

/// Where Debian's package puts the browser.
const CHROMIUM: &str = "/usr/bin/chromium";

pub(crate) fn steps(report: &mut Report) {
    report.check("pages in a browser", || {
        prepare()?;
        run_process(node(&["--test"]))
    });
}

/// `cargo xtask screenshots`.
pub(crate) fn screenshots() -> Result<ExitCode> {
    prepare()?;
    let folder = std::env::current_dir()?.join(PICTURES);
    run_process(node(&["screenshots.js", &folder.to_string_lossy()]))?;
    Ok(ExitCode::SUCCESS)
}

/// The program, the browser, and the two packages that drive and judge pages.
fn prepare() -> Result<()> {
    run_process(cargo(&["build", "--package", "privet-cli", "--locked"]))?;
    install_chromium()?;
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(TESTS);
    run_process(npm).context("the tests of pages need Node 20 or later with npm")
}

fn install_chromium() -> Result<()> {
    if std::env::var_os("CHROMIUM").is_some() || Path::new(CHROMIUM).exists() {
        return Ok(());
    }
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--no-install-recommends", "chromium"]);
    if run_process(apt).is_err() {
        bail!("{CHROMIUM} is missing: install Chromium, or name it in the variable CHROMIUM");
    }
    Ok(())
}

fn node(arguments: &[&str]) -> Command {
    let mut node = Command::new("node");
    node.args(arguments).current_dir(TESTS).env("PRIVET", program());
    node
}

/// What `cargo build` made.
fn program() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let program = folder.join("debug").join("privet");
    std::path::absolute(&program).unwrap_or(program)
}
