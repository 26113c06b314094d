//! The README does what it says: its commands run, and print what stands below them.

#![cfg(unix)]
// The helpers of a test may end it.
#![allow(clippy::expect_used)]

mod common;

use common::page::{Block, blocks, run};
use std::process::{Command, Output};

const README: &str = include_str!("../../../README.md");
const EXAMPLE: &str = include_str!("../../privet/examples/quick_start.rs");

/// The part of a page below a heading, up to the next one of the same level.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let start = page.find(&format!("\n## {heading}\n")).expect("the heading is there") + 1;
    let end = page[start..].find("\n## ").map_or(page.len(), |length| start + length);
    &page[start..end]
}

fn stdout_of(output: Output, what: &str) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}\n{errors}");
    String::from_utf8(output.stdout).expect("output is text")
}

/// What the page shows below its last command: the table that both ways of the quick start print.
fn shown_table(quick_start: &[Block<'static>]) -> &'static str {
    quick_start.iter().rfind(|block| block.language == "text").expect("the page shows its output").text
}

#[test]
fn the_commands_of_the_quick_start_print_what_the_page_shows() {
    let folder = tempfile::tempdir().unwrap();
    let blocks = blocks(section(README, "Quick start"));
    let mut compared = 0;
    for (place, block) in blocks.iter().enumerate().filter(|(_, block)| block.language == "sh") {
        let printed = stdout_of(run(block.text, folder.path()), block.text);
        if let Some(shown) = blocks.get(place + 1).filter(|next| next.language == "text") {
            assert_eq!(printed.trim_end(), shown.text, "printed by {}", block.text);
            compared += 1;
        }
    }
    assert_eq!(compared, 2, "the page shows the output of `perturb` and of `estimate`");
}

#[test]
fn the_program_of_the_quick_start_is_the_example_and_prints_the_same_table() {
    let blocks = blocks(section(README, "Quick start"));
    let program = blocks.iter().find(|block| block.language == "rust").expect("the page has a program");
    assert_eq!(program.text, EXAMPLE.trim_end());
    let printed = stdout_of(example().output().expect("the example can be started"), "the example");
    assert_eq!(printed.trim_end(), shown_table(&blocks));
}

/// The example as `cargo test --workspace` has built it; when only this package is tested, cargo builds it now.
fn example() -> Command {
    let own = std::env::current_exe().ok();
    let built = own.and_then(|own| Some(own.parent()?.with_file_name("examples/quick_start")));
    if let Some(built) = built.filter(|built| built.exists()) {
        return Command::new(built);
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--locked", "--package", "privet", "--example", "quick_start"]);
    cargo.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    cargo
}

/// A reader who starts there has no table yet, so the page makes the one that it reads.
#[test]
fn the_best_there_can_be_is_found_and_used_in_an_empty_folder() {
    let folder = tempfile::tempdir().unwrap();
    let blocks = blocks(section(README, "The best there can be"));
    let commands = blocks.iter().find(|block| block.language == "sh").expect("the page has commands").text;
    stdout_of(run(commands, folder.path()), commands);
    let reports = std::fs::read_to_string(folder.path().join("reports.csv")).unwrap();
    assert_eq!(reports.lines().count(), 4, "{reports}");
}

/// The audit draws from the operating system; an honest program fails it with probability 1e-6 at most.
#[test]
fn the_audit_of_the_page_passes_and_one_of_the_truth_fails() {
    let folder = tempfile::tempdir().unwrap();
    let blocks = blocks(section(README, "Audit your own program"));
    let audit = blocks.iter().find(|block| block.language == "sh").expect("the page has an audit").text;
    assert!(stdout_of(run(audit, folder.path()), audit).contains("passed"));
    let (options, _) = audit.split_once("--command").expect("the audit is of a command");
    let truth = run(&format!("{options} --command cat"), folder.path());
    assert_eq!(truth.status.code(), Some(1), "{}", String::from_utf8_lossy(&truth.stderr));
}

/// A test that reads a page must notice when the page changes.
#[test]
fn blocks_are_found_in_order() {
    let page = "# t\n\n## One\n\n```sh\na\nb\n```\n\n```text\nc\n```\n\n## Two\n\n```sh\nd\n```\n";
    let (sh, text) = (Block { language: "sh", text: "a\nb" }, Block { language: "text", text: "c" });
    assert_eq!(blocks(section(page, "One")), [sh, text]);
    assert_eq!(blocks(section(page, "Two")), [Block { language: "sh", text: "d" }]);
}
