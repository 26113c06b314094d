//! What several tests share.

// The helpers of a test may end it, and not every test uses all of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, dead_code)]

pub(crate) mod page;

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder of its own for each test, in which the command runs, and one for what it keeps for next time.
pub(crate) struct Folder(TempDir, TempDir);

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The names of all files.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs the command with the words of a line.
    pub(crate) fn run(&self, line: &str) -> Ending {
        self.run_with(&line.split_whitespace().collect::<Vec<_>>(), "")
    }

    /// Runs the command with these arguments and this standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], stdin: &str) -> Ending {
        let output = Command::cargo_bin("privet")
            .unwrap()
            .current_dir(self.0.path())
            .env("COLUMNS", "100")
            .env("PRIVET_CACHE", self.1.path())
            .args(arguments)
            .write_stdin(stdin)
            .output()
            .unwrap();
        Ending {
            code: output.status.code().expect("not ended by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs a command that must succeed without a word on standard error.
    pub(crate) fn succeed(&self, line: &str) -> String {
        let ending = self.run(line);
        assert_eq!((ending.code, ending.stderr.as_str()), (0, ""), "{line}");
        ending.stdout
    }

    /// Runs a command that must succeed and answer with one JSON document.
    pub(crate) fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.succeed(&format!("{line} --json"))).unwrap()
    }
}

/// A csv file with one column of colours, more than a batch of them, and a public column beside it.
pub(crate) fn colours(rows: usize) -> String {
    let row = |index: usize| {
        // Irregular, but the same every time.
        let colour = ["red", "red", "green", "red", "blue", "green", "red"][index * index % 7];
        format!("{index},{colour},\"city, {}\"\n", index % 3)
    };
    std::iter::once("id,colour,city\n".to_owned()).chain((0..rows).map(row)).collect()
}

/// The flags of one mechanism on three colours.
pub(crate) const COLOURS: &str = "--mechanism oue --domain categories:red,green,blue --epsilon 1";

/// The binary, quoted for a command line.
pub(crate) fn binary() -> String {
    format!("\"{}\"", Path::new(env!("CARGO_BIN_EXE_privet")).display())
}

/// A policy with two questions and a public field, for March.
pub(crate) const TRAVEL: &str = r#"
name = "How we travel"
purpose = "Plan bicycle lanes"
origin = "https://city.example"
opens = 2026-03-01
closes = 2026-03-31
epoch = "day"
minimum_reports = 100
contribution = "split"

[budget]
epsilon = 3
period = "collection"

[[attribute]]
name = "commute"
question = "How do you get to work?"
domain = "categories:walk,bicycle,bus,car"
goal = "frequency"
mechanism = "grr"
epsilon = 1

[[attribute]]
name = "minutes"
question = "How many minutes does it take?"
domain = "interval:0,120"
goal = "mean"
mechanism = "pm"
epsilon = 2

[[public]]
name = "region"
values = ["north", "south"]
"#;

/// People who can answer it, and a column that nobody asks for.
pub(crate) fn people(rows: usize) -> String {
    let row = |index: usize| {
        let commute = ["walk", "bicycle", "bus", "car", "car"][index % 5];
        let region = ["north", "south", "south"][index % 3];
        format!("{index},{commute},{},{region}\n", index % 96)
    };
    std::iter::once("id,commute,minutes,region\n".to_owned()).chain((0..rows).map(row)).collect()
}
