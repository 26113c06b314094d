//! Speed here, beside something measured in the same run.

use crate::failure::Failure;
use crate::output::{Output, table_of_numbers};
use crate::progress::Progress;
use clap::Args;
use privet_bench::{BenchError, Patience, Row, TASKS, Task};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  Everything, about two seconds for each task:
    privet bench

  The tasks whose name contains a word, as JSON:
    privet bench --task local-hashing --seconds 1 --json";

/// Measure how fast reports are made and counted here, on one core
///
/// Each task stands beside its peer: how many reports per second the same ChaCha generator could feed at most, given
/// the random bytes that a report takes. Rates depend on the machine; the ratio says how much of what the generator
/// allows is left.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bench {
    /// Only the tasks whose name contains this
    #[arg(long, value_name = "NAME")]
    task: Option<String>,
    /// How long to measure each task
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, allow_hyphen_values = true)]
    seconds: f64,
}

/// A row as JSON has it.
#[derive(Debug, Serialize)]
struct Measured {
    task: &'static str,
    ours: f64,
    peer: f64,
    ratio: f64,
    unit: &'static str,
    note: String,
}

impl From<Row> for Measured {
    fn from(row: Row) -> Self {
        let ratio = row.ratio();
        Self { task: row.task, ours: row.ours, peer: row.peer, ratio, unit: row.unit, note: row.note }
    }
}

impl Bench {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let tasks = self.tasks()?;
        if !(self.seconds > 0.0 && self.seconds <= MAX_SECONDS) {
            return Err(Failure::Usage {
                message: format!(
                    "the seconds must be above 0 and at most {MAX_SECONDS}: got {}",
                    self.seconds
                ),
                hint: None,
            });
        }
        if cfg!(debug_assertions) {
            eprintln!("warning: the figures of an unoptimised build mean nothing; build with --release");
        }
        let mut progress = Progress::new("tasks", Some(tasks.len() as u64));
        let mut rows = Vec::new();
        for task in tasks {
            rows.push(Measured::from(task.measure(Patience::seconds(self.seconds))?));
            progress.add(1);
        }
        drop(progress);
        output.print(&rows, || text(&rows))
    }

    fn tasks(&self) -> Result<Vec<&'static Task>, Failure> {
        let wanted = self.task.as_deref().unwrap_or_default();
        let tasks: Vec<_> = TASKS.iter().filter(|task| task.name.contains(wanted)).collect();
        if tasks.is_empty() {
            return Err(Failure::Usage {
                message: format!("no task has {wanted:?} in its name"),
                hint: Some("tasks are called after mechanisms, such as optimized-local-hashing-client"),
            });
        }
        Ok(tasks)
    }
}

/// An hour for each task is longer than anybody waits.
const MAX_SECONDS: f64 = 3600.0;

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Parameter(error) => error.into(),
            BenchError::Input(error) => error.into(),
            BenchError::Report(error) => error.into(),
            // The list of causes may grow.
            other => Self::Usage { message: other.to_string(), hint: None },
        }
    }
}

fn text(rows: &[Measured]) -> String {
    let mut table = table_of_numbers(&["task", "ours", "peer", "ratio", "unit", "note"], 1);
    for column in [4, 5] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(comfy_table::CellAlignment::Left);
        }
    }
    for row in rows {
        table.add_row(vec![
            row.task.to_owned(),
            rate(row.ours),
            rate(row.peer),
            format!("{:.1} %", 100.0 * row.ratio),
            row.unit.to_owned(),
            row.note.clone(),
        ]);
    }
    table.trim_fmt()
}

/// A rate with a prefix that people can compare at a glance.
fn rate(value: f64) -> String {
    if value >= 1e9 {
        format!("{:.2} G", value / 1e9)
    } else if value >= 1e6 {
        format!("{:.2} M", value / 1e6)
    } else if value >= 1e3 {
        format!("{:.2} k", value / 1e3)
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_prefixes() {
        assert_eq!(rate(2.1e9), "2.10 G");
        assert_eq!(rate(1.23e7), "12.30 M");
        assert_eq!(rate(45_600.0), "45.60 k");
        assert_eq!(rate(16.25), "16.25");
    }
}
