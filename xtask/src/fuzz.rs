//! `cargo xtask fuzz`: bytes that are made up and kept if they reach new code, for what strangers can send. Needs a nightly toolchain.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::process::capture;
use crate::report::Report;

/// For each target.
const SECONDS: u32 = 600;

pub(crate) fn run() -> Result<ExitCode> {
    let mut report = Report::default();
    report.check("cargo-fuzz", crate::tools::cargo_fuzz);
    for target in targets()? {
        let corpus = format!("fuzz/corpus/{target}");
        std::fs::create_dir_all(&corpus)?;
        let seeds = format!("fuzz/seeds/{target}");
        let mut command = nightly();
        command.args(["run", &target, &corpus]).args(Path::new(&seeds).exists().then_some(&seeds));
        let seconds = format!("-max_total_time={SECONDS}");
        // Nothing here needs more memory or time, so more of either is a finding.
        command.args(["--", &seconds, "-rss_limit_mb=2048", "-timeout=20", "-print_final_stats=1"]);
        report.command(&target, command);
    }
    Ok(report.close())
}

fn targets() -> Result<Vec<String>> {
    let mut list = nightly();
    list.arg("list");
    Ok(capture(list)?.lines().map(str::to_owned).collect())
}

/// Not the cargo that started us: only a nightly compiler can instrument code.
fn nightly() -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo", "fuzz"]);
    command
}
