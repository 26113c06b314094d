//! An earlier run to compare with.

use crate::failure::Failure;
use privet_bench::{Comparison, Group, Run};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// More than any run has; what is longer is refused without reading all of it.
const MOST_BYTES: u64 = 16 << 20;

/// A run from a file.
#[derive(Debug)]
pub(super) struct Baseline {
    path: PathBuf,
    run: Run,
}

impl Baseline {
    /// Reads a run that `now` can be compared with.
    pub(super) fn read(path: &Path, now: &Run) -> Result<Self, Failure> {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
        read.map_err(|source| Failure::File { action: "cannot read", path: path.to_owned(), source })?;
        // What is not text is no run either, and the reader of runs says so.
        let run = Run::from_json(&String::from_utf8_lossy(&bytes)).map_err(|error| Failure::Data {
            message: format!("{}: {error}", path.display()),
            hint: Some("runs are written by `privet bench --out`"),
        })?;
        if run.build.profile != now.build.profile {
            let (before, now) = (&run.build.profile, &now.build.profile);
            return Err(Failure::Data {
                message: format!(
                    "{}: it is a run of a {before} build, and this is a {now} build",
                    path.display()
                ),
                hint: Some("only figures of release builds mean something: cargo run --release -- bench"),
            });
        }
        Ok(Self { path: path.to_owned(), run })
    }

    /// Forgets the tasks that nobody asks for this time, so that only what is missing unexpectedly is named.
    pub(super) fn keep(&mut self, is_wanted: impl Fn(Group, &str) -> bool) {
        self.run.rows.retain(|row| is_wanted(row.group, &row.task));
    }

    /// The tasks that look slower than before.
    pub(super) fn slower(&self, now: &Run) -> Vec<String> {
        Comparison::with(&self.run, now).slower().map(|change| change.task.clone()).collect()
    }

    /// What changed since. What makes the comparison worth less is said.
    pub(super) fn compare(&self, now: &Run) -> Comparison {
        let comparison = Comparison::with(&self.run, now);
        let path = self.path.display();
        if let Some(difference) = &comparison.other_machine {
            eprintln!("warning: {path} is of another machine: {difference}");
        }
        if !comparison.new.is_empty() {
            eprintln!("warning: not in {path}, so not compared: {}", comparison.new.join(", "));
        }
        if !comparison.gone.is_empty() {
            eprintln!("warning: only in {path}, so not compared: {}", comparison.gone.join(", "));
        }
        comparison
    }
}
