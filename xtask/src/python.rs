//! The pip package: its wheel, and its tests in an environment of their own.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::process::run;
use crate::program::target_folder;
use crate::report::Report;
use crate::tools;

const PACKAGE: &str = "bindings/python";

const MATURIN: &str = "maturin>=1.16,<2";

/// A program of the environment, which is made where it is missing.
fn environment(program: &str) -> Result<Command> {
    let folder = target_folder()?.join("python");
    if !folder.join("bin/python").exists() {
        tools::python_environment(&folder)?;
    }
    let mut command = Command::new(folder.join("bin").join(program));
    // What is tested is what is installed, and nothing of the caller's.
    command.env_remove("PYTHONPATH").env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
    Ok(command)
}

fn install(arguments: &[&str]) -> Result<()> {
    let mut pip = environment("pip")?;
    pip.args(["install", "--quiet"]).args(arguments);
    run(pip)
}

/// `cargo xtask wheel`: the wheel that others install.
pub(crate) fn wheel() -> Result<ExitCode> {
    install(&[MATURIN])?;
    let mut maturin = environment("maturin")?;
    maturin.args(["build", "--release", "--locked", "--manifest-path"]);
    maturin.arg(Path::new(PACKAGE).join("Cargo.toml")).arg("--out").arg(target_folder()?.join("wheels"));
    run(maturin)?;
    Ok(ExitCode::SUCCESS)
}

/// Installs the library that `cargo test` has built, and runs the package's tests. Nothing is compiled here.
pub(crate) fn steps(report: &mut Report) {
    report.check("java", tools::java);
    report.check("python package", install_built);
    report.check("python tests", tests);
    report.check("python types", || {
        let mut mypy = environment("mypy")?;
        mypy.args(["--strict", "--package", "privet"]).current_dir(PACKAGE);
        run(mypy)
    });
}

/// The full-size run: twenty million rows on Spark, with the wheel that others install.
pub(crate) fn prove(report: &mut Report) {
    report.check("spark", || {
        wheel()?;
        let wheels = target_folder()?.join("wheels");
        install(&["--requirement", &requirements()])?;
        install(&[
            "--force-reinstall",
            "--no-deps",
            "--no-index",
            "--find-links",
            &wheels.to_string_lossy(),
            "privet",
        ])?;
        let mut measure = environment("python")?;
        measure.arg(Path::new(PACKAGE).join("bench/spark.py"));
        run(measure)
    });
}

/// The list of what the tests need.
fn requirements() -> String {
    format!("{PACKAGE}/tests/requirements.txt")
}

fn install_built() -> Result<()> {
    let target = target_folder()?;
    let library = target.join("debug/deps/lib_privet.so");
    if !library.exists() {
        bail!("{} is missing: the step before builds it", library.display());
    }
    let folder = target.join("wheels/test");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).context("cannot empty the folder of test wheels")?;
    }
    install(&["--requirement", &requirements()])?;
    let mut make = environment("python")?;
    make.arg(Path::new(PACKAGE).join("wheel.py")).arg(library).arg(&folder);
    run(make)?;
    let made = std::fs::read_dir(&folder)?.next().context("no wheel was made")??.path();
    install(&["--force-reinstall", "--no-deps", &made.to_string_lossy()])
}

fn tests() -> Result<()> {
    let mut pytest = environment("python")?;
    pytest.args(["-m", "pytest", "--quiet"]).current_dir(PACKAGE);
    pytest.env("PRIVET_COMMAND", target_folder()?.join("debug/privet"));
    run(pytest)
}
