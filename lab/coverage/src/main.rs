//! Runs the laboratory and writes what it found.

use anyhow::{Context, Result, bail};
use clap::Parser;
use privet_coverage::cells::{self, Cell};
use privet_coverage::page::Findings;
use privet_coverage::population::Data;
use privet_coverage::rows;
use privet_coverage::run;
use privet_coverage::verdict::Effort;
use privet_coverage::width::{self, WidthCase};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Do intervals hold what they promise, for every population, and how wide are they?
#[derive(Debug, Parser)]
#[command(name = "privet-coverage", version)]
struct Arguments {
    /// The folder for the page, the tables and the pictures
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A few cells and fewer repetitions: two minutes
    #[arg(long)]
    bounded: bool,
    /// Only cells whose names hold this text, and no widths of others
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Missing data sets are an error, as they are with CI=true
    #[arg(long)]
    require_data: bool,
    /// Draws the page again from the tables of an earlier run in the folder
    #[arg(long, conflicts_with_all = ["bounded", "only", "require_data"])]
    page_only: bool,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot make {}", arguments.out.display()))?;
    let findings = if arguments.page_only { read(&arguments.out)? } else { find(&arguments)? };
    findings.write(&arguments.out)?;
    print!("{}", findings.summary());
    Ok(if findings.fails() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn outcomes_file(folder: &Path) -> PathBuf {
    folder.join("outcomes.csv")
}

fn widths_file(folder: &Path) -> PathBuf {
    folder.join("widths.csv")
}

/// What an earlier run found.
fn read(folder: &Path) -> Result<Findings> {
    let (rows, widths) = (rows::read(&outcomes_file(folder))?, rows::read(&widths_file(folder))?);
    Ok(Findings { rows, widths, missing: Vec::new(), seconds: None })
}

/// Runs everything that was asked for, and keeps the tables.
fn find(arguments: &Arguments) -> Result<Findings> {
    let start = Instant::now();
    let data = Data::read();
    let must_have_data = arguments.require_data || std::env::var_os("CI").is_some();
    if must_have_data && !data.missing.is_empty() {
        bail!("data sets are missing (PRIVET_DATA is their folder):\n{}", data.missing.join("\n"));
    }
    data.missing.iter().for_each(|missing| eprintln!("missing: {missing}"));
    let (design, effort, cases) = if arguments.bounded {
        (cells::bounded(&data), Effort::BOUNDED, width::bounded())
    } else {
        (cells::all(&data), Effort::FULL, width::all())
    };
    let design: Vec<Cell> = design.into_iter().filter(|cell| cell.name().contains(&arguments.only)).collect();
    let is_wanted = |case: &WidthCase| case.name().contains(&arguments.only);
    let cases: Vec<WidthCase> = cases.into_iter().filter(is_wanted).collect();
    let say = |text: &str| eprintln!("{:5.0} s: {text}", start.elapsed().as_secs_f64());
    let records = run::judge_all(&design, effort, say);
    let rows = rows::rows_of(&design, &records);
    rows::write(&outcomes_file(&arguments.out), &rows)?;
    let widths = run::measure_all(&cases, say)?;
    rows::write(&widths_file(&arguments.out), &widths)?;
    Ok(Findings { rows, widths, missing: data.missing, seconds: Some(start.elapsed().as_secs_f64()) })
}
