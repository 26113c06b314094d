//! `cargo xtask docs`: the parts of README.md that the program itself writes, so that they cannot drift.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::process::capture;
use crate::program;

const README: &str = "README.md";
const BEGIN: &str = "<!-- mechanisms:begin -->";
const END: &str = "<!-- mechanisms:end -->";

pub(crate) fn run() -> Result<ExitCode> {
    let readme = read()?;
    let written = replace(&readme, &generate()?)?;
    if written == readme {
        println!("{README} is up to date");
    } else {
        std::fs::write(README, written).with_context(|| format!("cannot write {README}"))?;
        println!("{README} is rewritten");
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn check() -> Result<()> {
    compare(split(&read()?)?.1, &generate()?)
}

fn read() -> Result<String> {
    std::fs::read_to_string(README).with_context(|| format!("cannot read {README}"))
}

fn generate() -> Result<String> {
    let mut command = Command::new(program::privet()?);
    command.args(["mechanisms", "--markdown"]);
    let table = capture(command)?;
    if table.trim().is_empty() {
        bail!("`privet mechanisms --markdown` printed nothing");
    }
    Ok(table)
}

/// What is before, between and after the markers; the markers belong to the outer parts.
fn split(readme: &str) -> Result<(&str, &str, &str)> {
    let missing = |marker: &str| format!("{README} has no `{marker}` where it is needed");
    let begin = readme.find(BEGIN).with_context(|| missing(BEGIN))? + BEGIN.len();
    let end = begin + readme[begin..].find(END).with_context(|| missing(END))?;
    Ok((&readme[..begin], &readme[begin..end], &readme[end..]))
}

fn replace(readme: &str, table: &str) -> Result<String> {
    let (before, _, after) = split(readme)?;
    Ok(format!("{before}\n\n{}\n\n{after}", table.trim()))
}

/// Compares by lines, because a checkout may have other line ends.
fn compare(found: &str, generated: &str) -> Result<()> {
    let mut found = found.trim().lines();
    let mut generated = generated.trim().lines();
    loop {
        match (found.next(), generated.next()) {
            (None, None) => return Ok(()),
            (found, generated) if found == generated => {}
            (found, generated) => bail!(
                "{README} has another table of mechanisms than the program: run `cargo xtask docs`\n  \
                 {README}:    {}\n  the program: {}",
                found.unwrap_or("(ends)"),
                generated.unwrap_or("(ends)")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Title\n<!-- mechanisms:begin -->\nold\n<!-- mechanisms:end -->\nrest\n";

    #[test]
    fn only_the_text_between_the_markers_changes() {
        let written = replace(PAGE, "| a |\n| b |\n").unwrap();
        assert_eq!(
            written,
            "# Title\n<!-- mechanisms:begin -->\n\n| a |\n| b |\n\n<!-- mechanisms:end -->\nrest\n"
        );
        assert_eq!(replace(&written, "| a |\n| b |\n").unwrap(), written);
    }

    #[test]
    fn what_was_written_passes_and_what_differs_does_not() {
        let written = replace(PAGE, "| a |\n| b |\n").unwrap();
        let between = split(&written).unwrap().1;
        assert!(compare(between, "| a |\n| b |\n").is_ok());
        assert!(compare(&between.replace('\n', "\r\n"), "| a |\n| b |\n").is_ok());
        assert!(compare(between, "| a |\n").is_err());
        assert!(compare(between, "| a |\n| b |\n| c |\n").is_err());
        assert!(compare(between, "| a |\n| B |\n").is_err());
    }

    #[test]
    fn a_missing_or_misplaced_marker_is_an_error() {
        assert!(split("# Title\n").is_err());
        assert!(split(&format!("{END}\n{BEGIN}\n")).is_err());
    }
}
