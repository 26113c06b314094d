//! `cargo xtask test`: everything that must hold before a change is merged.

use std::process::ExitCode;

use anyhow::Result;

use crate::process::cargo;
use crate::report::Report;

pub(crate) fn run() -> Result<ExitCode> {
    let mut report = Report::default();
    report.command("fmt", cargo(&["fmt", "--all", "--check"]));
    crate::check::steps(&mut report);
    report.command(
        "clippy",
        cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]),
    );
    let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    report.command("doc", doc);
    report.check("postgresql", crate::tools::postgresql);
    report.tests("tests", cargo(&["test", "--workspace", "--locked", "--no-fail-fast"]));
    report.command("coverage", crate::prove::laboratory(&["--bounded"])?);
    report.check("schemathesis", crate::schemathesis::check);
    crate::wasm::steps(&mut report);
    crate::browser::steps(&mut report);
    crate::python::steps(&mut report);
    Ok(report.close())
}
