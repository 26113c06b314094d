//! Other packages, measured by a script in an interpreter that has them.

use crate::BenchError;
use crate::run::{Row, Skipped};
use crate::task::Group;
use crate::timing::{Patience, Timed, Turn};
use serde::Deserialize;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What measures them.
const SCRIPT: &str = include_str!("../../../bindings/python/bench/peers.py");

/// What it needs, in the versions that were tried.
const REQUIREMENTS: &str = include_str!("../../../bindings/python/bench/requirements.txt");

/// How many people there are: others take milliseconds for each.
const PEOPLE: usize = 20_000;
const QUICK_PEOPLE: usize = 2_000;

/// Turns of which each takes seconds are few.
const MOST_TURNS: usize = 5;

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Peers {
    /// A row for each task of each package.
    pub rows: Vec<Row>,
    /// The packages that are not there.
    pub skipped: Vec<Skipped>,
}

/// What the script says.
#[derive(Debug, Deserialize)]
struct Answer {
    people: usize,
    python: String,
    versions: serde_json::Map<String, serde_json::Value>,
    rows: Vec<Pair>,
    skipped: Vec<Missing>,
}

/// One task, and the seconds of each turn: ours, then theirs.
#[derive(Debug, Deserialize)]
struct Pair {
    task: String,
    package: String,
    seconds: Vec<[f64; 2]>,
}

#[derive(Debug, Deserialize)]
struct Missing {
    package: String,
    reason: String,
}

/// Measures the same work by the packages that an interpreter has, and by ours, which it must have too.
///
/// # Errors
/// When the interpreter cannot be started, has no Privet, or the script fails.
pub fn measure_peers(python: &Path, patience: Patience) -> Result<Peers, BenchError> {
    let people = if patience.is_quick() { QUICK_PEOPLE } else { PEOPLE };
    let rounds = patience.turns().min(MOST_TURNS);
    let output = run_script(python, people, rounds)
        .map_err(|source| BenchError::Python { python: python.to_owned(), source })?;
    let failed = |reason: String| BenchError::Peers { python: python.to_owned(), reason };
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it says nothing");
        return Err(failed(last.to_owned()));
    }
    read(&output.stdout, python).map_err(failed)
}

fn run_script(python: &Path, people: usize, rounds: usize) -> std::io::Result<std::process::Output> {
    let mut child = Command::new(python)
        .args(["-", &people.to_string(), "--json", "--rounds", &rounds.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // An interpreter that ends early says why itself.
        let _ = stdin.write_all(SCRIPT.as_bytes());
    }
    child.wait_with_output()
}

/// The rows of what the script said, or what is wrong with it.
fn read(answer: &[u8], python: &Path) -> Result<Peers, String> {
    let answer: Answer = serde_json::from_slice(answer).map_err(|error| error.to_string())?;
    let rows = answer.rows.iter().map(|pair| pair.row(&answer)).collect::<Result<_, _>>()?;
    let skip = |missing: Missing| {
        let how = format!("{} -m pip install {}", python.display(), pinned(&missing.package));
        Skipped { name: missing.package, reason: missing.reason, how }
    };
    Ok(Peers { rows, skipped: answer.skipped.into_iter().map(skip).collect() })
}

impl Pair {
    fn row(&self, answer: &Answer) -> Result<Row, String> {
        let people = answer.people as f64;
        let turn = |[ours, theirs]: &[f64; 2]| {
            let are_times = [ours, theirs].into_iter().all(|seconds| seconds.is_finite() && *seconds > 0.0);
            are_times.then(|| Turn { ours: people / ours, peer: people / theirs })
        };
        let turns: Option<Vec<Turn>> = self.seconds.iter().map(turn).collect();
        let turns = turns.filter(|turns| !turns.is_empty());
        let turns = turns.ok_or_else(|| format!("{} beside {} has no times", self.task, self.package))?;
        let version =
            answer.versions.get(&self.package).and_then(|version| version.as_str()).unwrap_or_default();
        let note = format!("{} {version}, Python {}, {} people", self.package, answer.python, answer.people);
        let task = format!("{}-beside-{}", self.task.to_lowercase().replace(' ', "-"), self.package);
        Ok(Row::new(task, Group::Peers, Timed::of(turns).in_units("people/s", note)))
    }
}

/// A package as pip is to be asked for it.
fn pinned(package: &str) -> &str {
    let is_named = |line: &&str| line.split(['=', '<', '>']).next() == Some(package);
    REQUIREMENTS.lines().find(is_named).unwrap_or(package)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{"people": 100, "python": "3.11", "versions": {"privet": "0.1.0", "opendp": "0.16.0"},
        "rows": [{"task": "GRR client", "package": "opendp", "seconds": [[0.5, 2.0], [0.25, 2.0], [0.5, 1.0]]}],
        "skipped": [{"package": "pure-ldp", "reason": "ModuleNotFoundError: No module named 'pure_ldp'"}]}"#;

    #[test]
    fn times_become_rates_and_missing_packages_are_named() {
        let peers = read(ANSWER.as_bytes(), Path::new("python3")).unwrap();
        let row = &peers.rows[0];
        assert_eq!((row.task.as_str(), row.group), ("grr-client-beside-opendp", Group::Peers));
        // The turns' ratios are 4, 8 and 2.
        assert_eq!((row.ours, row.peer, row.ratio, row.turns), (200.0, 50.0, 4.0, 3));
        assert_eq!(row.note, "peer: opendp 0.16.0, Python 3.11, 100 people");
        assert_eq!(peers.skipped[0].name, "pure-ldp");
        assert_eq!(peers.skipped[0].how, "python3 -m pip install pure-ldp==1.2.0");
    }

    #[test]
    fn answers_that_are_none_are_refused() {
        for broken in ["", "{}", "no JSON", &ANSWER.replace("2.0", "0.0"), &ANSWER.replace("2.0", "-1.0")] {
            assert!(read(broken.as_bytes(), Path::new("python3")).is_err(), "{broken}");
        }
        let empty = ANSWER.replace("[[0.5, 2.0], [0.25, 2.0], [0.5, 1.0]]", "[]");
        assert!(read(empty.as_bytes(), Path::new("python3")).unwrap_err().contains("no times"));
    }

    #[test]
    fn an_interpreter_that_is_not_there_is_said() {
        let error = measure_peers(Path::new("no-such-interpreter"), Patience::once()).unwrap_err();
        assert!(error.to_string().starts_with("cannot run no-such-interpreter: "), "{error}");
    }

    #[test]
    fn packages_are_pinned() {
        for package in ["pure-ldp", "multi-freq-ldpy", "opendp", "diffprivlib", "python-dp"] {
            assert!(pinned(package).starts_with(&format!("{package}==")), "{package}");
            assert!(SCRIPT.contains(&format!("\"{package}\": ")), "{package}");
        }
    }
}
