//! What was run, what failed, and the closing line.

use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::process;

/// Counts checks and tests over all steps. A failing step does not stop the ones after it.
#[derive(Debug, Default)]
pub(crate) struct Report {
    counts: Counts,
    failed_steps: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl Report {
    /// A step that is one check: it passes or it fails.
    pub(crate) fn check(&mut self, name: &str, step: impl FnOnce() -> Result<()>) {
        self.step(name, || match step() {
            Ok(()) => (Counts { passed: 1, ..Counts::default() }, Ok(())),
            Err(error) => (Counts { failed: 1, ..Counts::default() }, Err(error)),
        });
    }

    /// A step that is one command: it passes if the command succeeds.
    pub(crate) fn command(&mut self, name: &str, command: Command) {
        self.check(name, || process::run(command));
    }

    /// A `cargo test` run: every test counts.
    pub(crate) fn tests(&mut self, name: &str, command: Command) {
        self.step(name, || {
            let title = process::line(&command);
            let mut tally = Tally::default();
            match process::stream(command, |line| tally.read(line)) {
                Ok(status) => tally.close(&title, status.success()),
                Err(error) => (Counts { failed: 1, ..tally.counts }, Err(error)),
            }
        });
    }

    /// The closing line, and the exit code that says the same.
    pub(crate) fn close(self) -> ExitCode {
        println!();
        if !self.failed_steps.is_empty() {
            println!("failed: {}", self.failed_steps.join(", "));
        }
        let Counts { passed, failed, skipped } = self.counts;
        println!("{passed} passed, {failed} failed, {skipped} skipped");
        if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn step(&mut self, name: &str, run: impl FnOnce() -> (Counts, Result<()>)) {
        println!("\n== {name}");
        let start = Instant::now();
        let (counts, outcome) = run();
        let seconds = start.elapsed().as_secs_f64();
        self.counts.add(counts);
        match outcome {
            Ok(()) => println!("== {name}: ok, {seconds:.1} s"),
            Err(error) => {
                println!("{error:#}\n== {name}: FAILED, {seconds:.1} s");
                self.failed_steps.push(name.to_owned());
            }
        }
    }
}

/// Adds up the result lines of all test programs in one `cargo test` run.
#[derive(Debug, Default)]
struct Tally {
    counts: Counts,
    started: u64,
    finished: u64,
}

impl Tally {
    fn read(&mut self, line: &str) {
        let line = without_colours(line);
        if announces_tests(&line) {
            self.started += 1;
        }
        if let Some(counts) = result_line(&line) {
            self.finished += 1;
            self.counts.add(counts);
        }
    }

    /// A test program that aborts leaves no result line and a build that fails starts no program:
    /// both must show in the number of failures, or the closing line would look fine.
    fn close(mut self, title: &str, cargo_succeeded: bool) -> (Counts, Result<()>) {
        let unfinished = self.started.saturating_sub(self.finished);
        if !cargo_succeeded {
            self.counts.failed += unfinished;
        }
        let outcome = self.outcome(title, cargo_succeeded, unfinished);
        if outcome.is_err() {
            self.counts.failed = self.counts.failed.max(1);
        }
        (self.counts, outcome)
    }

    fn outcome(&self, title: &str, cargo_succeeded: bool, unfinished: u64) -> Result<()> {
        let failed = self.counts.failed;
        if !cargo_succeeded && unfinished > 0 {
            bail!("`{title}`: {failed} failed, of which {unfinished} ended a test program without a result");
        }
        if !cargo_succeeded && failed == 0 {
            bail!("`{title}` failed without reporting a failed test");
        }
        if failed > 0 {
            bail!("`{title}`: {failed} failed");
        }
        if self.counts.passed == 0 {
            bail!("`{title}`: no test ran");
        }
        Ok(())
    }
}

/// `running 12 tests`, which each test program prints first.
fn announces_tests(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("running")
        && words.next().is_some_and(|count| count.parse::<u64>().is_ok())
        && matches!(words.next(), Some("test" | "tests"))
        && words.next().is_none()
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; ...`
fn result_line(line: &str) -> Option<Counts> {
    let (_, fields) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
    let count = |word: &str| {
        fields.split(';').find_map(|field| {
            let (number, name) = field.trim().split_once(' ')?;
            if name == word { number.parse().ok() } else { None }
        })
    };
    Some(Counts { passed: count("passed")?, failed: count("failed")?, skipped: count("ignored")? })
}

/// Drops the terminal's escape sequences (`ESC [ .. letter` and `ESC ( letter`), which may be forced on.
fn without_colours(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            text.push(character);
        } else if characters.next() == Some('[') {
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            characters.next();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(lines: &[&str]) -> Tally {
        let mut tally = Tally::default();
        lines.iter().for_each(|line| tally.read(line));
        tally
    }

    const GOOD: &str =
        "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.00s\n";
    const BAD: &str = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n";

    #[test]
    fn result_lines_add_up() {
        let (counts, outcome) = tally(&["running 4 tests", GOOD, "running 4 tests", GOOD]).close("t", true);
        assert_eq!(counts, Counts { passed: 6, failed: 0, skipped: 2 });
        assert!(outcome.is_ok());
    }

    #[test]
    fn failed_tests_are_counted_once() {
        let (counts, outcome) = tally(&["running 4 tests", GOOD, "running 3 tests", BAD]).close("t", false);
        assert_eq!(counts, Counts { passed: 4, failed: 2, skipped: 1 });
        assert!(outcome.is_err());
    }

    #[test]
    fn colours_do_not_matter() {
        let line = "test result: \u{1b}[32mok\u{1b}(B\u{1b}[m. 3 passed; 0 failed; 1 ignored; 0 measured\n";
        assert_eq!(tally(&[line]).counts, Counts { passed: 3, failed: 0, skipped: 1 });
    }

    #[test]
    fn other_lines_count_nothing() {
        let tally = tally(&["test result: unknown", "running late", "running 3 tests of it", "3 passed"]);
        assert_eq!((tally.counts, tally.started, tally.finished), (Counts::default(), 0, 0));
    }

    #[test]
    fn an_aborted_test_program_is_a_failure() {
        let (counts, outcome) = tally(&["running 4 tests", GOOD, "running 9 tests"]).close("t", false);
        assert_eq!(counts, Counts { passed: 3, failed: 1, skipped: 1 });
        assert!(outcome.is_err());
    }

    #[test]
    fn a_failed_build_is_a_failure() {
        let (counts, outcome) = tally(&[]).close("t", false);
        assert_eq!(counts.failed, 1);
        assert!(outcome.is_err());
    }

    #[test]
    fn no_test_at_all_is_a_failure() {
        let empty = "test result: ok. 0 passed; 0 failed; 5 ignored; 0 measured; 0 filtered out";
        let (counts, outcome) = tally(&["running 5 tests", empty]).close("t", true);
        assert_eq!(counts, Counts { passed: 0, failed: 1, skipped: 5 });
        assert!(outcome.is_err());
    }
}
