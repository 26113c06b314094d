//! What a run found, in memory and in files.

use crate::machine::{Build, Machine, load_average, now};
use crate::task::Group;
use crate::timing::Measured;
use serde::{Deserialize, Serialize};

/// What was measured for one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The task's name.
    pub task: String,
    /// What it belongs to.
    pub group: Group,
    /// Our rate, in units.
    pub ours: f64,
    /// The peer's rate, in the same units.
    pub peer: f64,
    /// Our rate as a share of the peer's.
    pub ratio: f64,
    /// How far the ratio of a turn usually is from this one, as a share of it.
    pub noise: f64,
    /// How many turns there were.
    pub turns: usize,
    /// What is counted.
    pub unit: String,
    /// What the peer is.
    pub note: String,
}

impl Row {
    pub(crate) fn new(task: String, group: Group, measured: Measured) -> Self {
        let Measured { timed, unit, note } = measured;
        let (ours, peer) = (timed.middle.ours, timed.middle.peer);
        let (noise, turns) = (timed.noise, timed.turns);
        Self { task, group, ours, peer, ratio: ours / peer, noise, turns, unit: unit.to_owned(), note }
    }
}

/// What was to be measured and was not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
    /// What to do about it.
    pub how: String,
}

/// Everything that was measured, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    schema: String,
    /// When it began.
    pub date: String,
    /// The machine.
    pub machine: Machine,
    /// The program.
    pub build: Build,
    /// How busy the machine was before it began, if that is known.
    pub load_average: Option<[f64; 3]>,
    /// The tasks, in the order in which they were measured.
    pub rows: Vec<Row>,
    /// What is missing.
    pub skipped: Vec<Skipped>,
}

/// Why a file is no run.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotARun {
    /// It is no JSON, or something is missing.
    #[error("it is no run of the benchmarks: {0}")]
    Content(String),
    /// It was written by another version, whose figures may mean something else.
    #[error("its schema is {got:?}: only {SCHEMA:?} can be compared with")]
    Schema {
        /// The schema that it names.
        got: String,
    },
    /// A ratio or a noise that no turn can have given.
    #[error("{task}: a ratio must be above 0 and finite, and its noise at least 0 and finite")]
    Number {
        /// The task.
        task: String,
    },
}

/// How runs are written. It changes when a figure means something else.
const SCHEMA: &str = "privet-bench/1";

impl Run {
    /// A run that begins here and now, of which nothing is measured yet.
    pub fn begin() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            date: now(),
            machine: Machine::here(),
            build: Build::this(),
            load_average: load_average(),
            rows: Vec::new(),
            skipped: Vec::new(),
        }
    }

    /// Whether so many other programs ran when it began that they slow it down.
    pub fn is_disturbed(&self) -> bool {
        self.load_average.is_some_and(|load| load[0] > self.machine.cores as f64 / 2.0)
    }

    /// As it is kept in a file.
    pub fn to_json(&self) -> String {
        // Numbers, texts and lists always have a written form.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads what [`Run::to_json`] wrote.
    ///
    /// # Errors
    /// When the text is something else, of another schema, or holds numbers that cannot be.
    pub fn from_json(text: &str) -> Result<Self, NotARun> {
        #[derive(Deserialize)]
        struct Named {
            schema: String,
        }
        let content = |error: serde_json::Error| NotARun::Content(error.to_string());
        // The schema first: another one may have other parts.
        let Named { schema } = serde_json::from_str(text).map_err(content)?;
        if schema != SCHEMA {
            return Err(NotARun::Schema { got: schema });
        }
        let run: Self = serde_json::from_str(text).map_err(content)?;
        let is_sound =
            |row: &Row| row.ratio > 0.0 && row.ratio.is_finite() && row.noise >= 0.0 && row.noise.is_finite();
        match run.rows.iter().find(|row| !is_sound(row)) {
            Some(row) => Err(NotARun::Number { task: row.task.clone() }),
            None => Ok(run),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A task that was never measured.
    pub(crate) fn row(task: &str, group: Group, ratio: f64, noise: f64) -> Row {
        let (unit, note) = ("reports/s".to_owned(), "peer: the <generator>".to_owned());
        Row {
            task: task.to_owned(),
            group,
            ours: 1e6 * ratio,
            peer: 1e6,
            ratio,
            noise,
            turns: 15,
            unit,
            note,
        }
    }

    /// A run that was never made.
    pub(crate) fn run(rows: Vec<Row>) -> Run {
        Run {
            schema: SCHEMA.to_owned(),
            date: "2026-03-15 12:00 UTC".to_owned(),
            machine: Machine {
                cpu: "Some & Co CPU".to_owned(),
                cores: 4,
                memory_bytes: 8 << 30,
                os: "Some Linux, x86_64".to_owned(),
            },
            build: Build {
                version: "0.1.0".to_owned(),
                rustc: "rustc 1.95.0".to_owned(),
                profile: "release".to_owned(),
            },
            load_average: Some([0.5, 0.25, 0.125]),
            rows,
            skipped: Vec::new(),
        }
    }

    #[test]
    fn runs_come_back_as_they_were() {
        let mut made_up =
            run(vec![row("a", Group::Mechanisms, 0.1 + 0.2, 1.0 / 3.0), row("b", Group::Limit, 7.0, 0.0)]);
        let (name, reason, how) = ("other".to_owned(), "not there".to_owned(), "get it".to_owned());
        made_up.skipped.push(Skipped { name, reason, how });
        assert_eq!(Run::from_json(&made_up.to_json()), Ok(made_up));
        let here = Run::begin();
        assert_eq!(Run::from_json(&here.to_json()), Ok(here));
    }

    #[test]
    fn other_files_are_refused() {
        let json = run(vec![row("a", Group::Mechanisms, 0.5, 0.01)]).to_json();
        let read = |from: &str, to: &str| {
            assert!(json.contains(from));
            Run::from_json(&json.replace(from, to)).unwrap_err()
        };
        assert_eq!(read(SCHEMA, "privet-bench/2"), NotARun::Schema { got: "privet-bench/2".into() });
        assert_eq!(read("\"ratio\": 0.5", "\"ratio\": 0.0"), NotARun::Number { task: "a".into() });
        assert_eq!(read("\"noise\": 0.01", "\"noise\": -0.01"), NotARun::Number { task: "a".into() });
        assert!(matches!(read("\"ratio\"", "\"ration\""), NotARun::Content(_)));
        for text in ["", "[]", "{}", "nonsense", "[{\"task\": \"a\"}]"] {
            assert!(matches!(Run::from_json(text), Err(NotARun::Content(_))), "{text}");
        }
    }

    #[test]
    fn a_busy_machine_is_noticed() {
        let mut made_up = run(Vec::new());
        assert!(!made_up.is_disturbed());
        made_up.load_average = Some([2.1, 0.0, 0.0]);
        assert!(made_up.is_disturbed());
        made_up.load_average = None;
        assert!(!made_up.is_disturbed());
    }
}
