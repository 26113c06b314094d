//! Programs of others that tests need. What is missing is installed where that is possible, and named where it is not.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{capture, cargo, run};

/// The server that tests of the second store start for themselves.
pub(crate) fn postgresql() -> Result<()> {
    let is_there =
        || std::fs::read_dir("/usr/lib/postgresql").is_ok_and(|mut versions| versions.next().is_some());
    if is_there() {
        return Ok(());
    }
    if install("postgresql").is_ok() && is_there() {
        return Ok(());
    }
    let missing = "PostgreSQL is missing: install the package postgresql";
    if std::env::var_os("CI").is_some() {
        bail!(missing);
    }
    println!("{missing}. Its tests are skipped");
    Ok(())
}

/// Where Debian's package puts the browser.
const CHROMIUM: &str = "/usr/bin/chromium";

/// The browser that tests of pages drive. The variable `CHROMIUM` names another one.
pub(crate) fn chromium() -> Result<()> {
    if std::env::var_os("CHROMIUM").is_some() || Path::new(CHROMIUM).exists() {
        return Ok(());
    }
    install("chromium").with_context(|| {
        format!("{CHROMIUM} is missing: install Chromium, or name it in the variable CHROMIUM")
    })
}

/// What Spark runs on.
pub(crate) fn java() -> Result<()> {
    let mut version = Command::new("java");
    version.arg("-version");
    if capture(version).is_ok() {
        return Ok(());
    }
    install("default-jre-headless").context("Java is missing: Spark needs 17 or newer")
}

/// Makes an environment for packages of Python.
pub(crate) fn python_environment(folder: &Path) -> Result<()> {
    let make = || {
        let mut make = Command::new("python3");
        make.args(["-m", "venv", "--clear"]).arg(folder);
        run(make)
    };
    make()
        .or_else(|_| install("python3-venv").and_then(|()| make()))
        .context("Python 3.11 or newer with venv is missing: install the package python3-venv")
}

/// Installs a package of Debian; the lists of packages may have to be fetched first.
fn install(package: &str) -> Result<()> {
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        run(apt)
    };
    let install = ["install", "--yes", "--no-install-recommends", package];
    apt(&install).or_else(|_| apt(&["update"]).and_then(|()| apt(&install)))
}

const FUZZ_VERSION: &str = "0.13.1";

/// The command that builds and runs fuzz targets.
pub(crate) fn cargo_fuzz() -> Result<()> {
    if capture(cargo(&["fuzz", "--version"])).is_ok() {
        return Ok(());
    }
    run(cargo(&["install", "cargo-fuzz", "--locked", "--version", FUZZ_VERSION]))
}
