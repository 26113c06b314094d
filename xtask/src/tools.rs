//! Programs of others that tests need. What is missing is installed where that is possible, and named where it is not.

use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{capture, cargo, run};

/// The server that tests of the second store start for themselves.
pub(crate) fn postgresql() -> Result<()> {
    let is_there =
        || std::fs::read_dir("/usr/lib/postgresql").is_ok_and(|mut versions| versions.next().is_some());
    if is_there() {
        return Ok(());
    }
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--no-install-recommends", "postgresql"]);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    if run(install).is_ok() && is_there() {
        return Ok(());
    }
    let missing = "PostgreSQL is missing: install the package postgresql";
    if std::env::var_os("CI").is_some() {
        bail!(missing);
    }
    println!("{missing}. Its tests are skipped");
    Ok(())
}

const FUZZ_VERSION: &str = "0.13.1";

/// The command that builds and runs fuzz targets.
pub(crate) fn cargo_fuzz() -> Result<()> {
    if capture(cargo(&["fuzz", "--version"])).is_ok() {
        return Ok(());
    }
    run(cargo(&["install", "cargo-fuzz", "--locked", "--version", FUZZ_VERSION]))
}
