//! Speed here, beside something measured in the same run.

mod baseline;
mod table;

use crate::failure::Failure;
use crate::output::Output;
use crate::progress::{Progress, Waiting};
use crate::table::{Destination, is_standard_stream};
use baseline::Baseline;
use clap::Args;
use privet_bench::{BenchError, Comparison, Group, Patience, Row, Run, Task, measure_peers, page, tasks};
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Everything, about two seconds for each task:
    privet bench

  A first impression of two groups:
    privet bench --quick --only mechanisms,limit

  The tasks whose name contains a word, as JSON:
    privet bench --task local-hashing --seconds 1 --json

  Keep a run, with a page to look at:
    privet bench --out before.json --html before.html

  Later: what got slower by more than the noise? It ends with status 1 if something did:
    privet bench --against before.json

  Beside other packages, in a Python environment that has them and the wheel of Privet:
    privet bench --only peers --peers venv/bin/python

Groups: generator, mechanisms, vectors, estimation, trajectory, classifier, limit, collector, peers";

/// Measure how fast Privet is here, beside something measured in the same run
///
/// Each task takes turns with its peer: the same ChaCha generator, which feeds so many reports at most, given the random
/// bytes that a report takes; a fixed loop; the store without the collector; or another package. Rates depend on the
/// machine. The ratio of both, in the turn in the middle, is what can be compared; the noise says how far the other
/// turns usually are from it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bench {
    /// Only these groups of tasks, with commas between them
    #[arg(long, value_name = "GROUPS", value_delimiter = ',')]
    only: Vec<Group>,
    /// Only the tasks whose name contains this
    #[arg(long, value_name = "NAME")]
    task: Option<String>,
    /// How long to measure each task
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, allow_hyphen_values = true)]
    seconds: f64,
    /// Measure each task for a fifth of a second, in fewer turns
    #[arg(long, conflicts_with = "seconds")]
    quick: bool,
    /// Also measure other packages, in this Python interpreter, which must have Privet
    #[arg(long, value_name = "PYTHON")]
    peers: Option<PathBuf>,
    /// Write the run, the machine included, into a file of JSON that --against reads
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the run as a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Compare with an earlier run and name what got slower by more than the noise of both
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

/// An hour for each task is longer than anybody waits.
const MAX_SECONDS: f64 = 3600.0;

impl Bench {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let patience = self.patience()?;
        let tasks = self.tasks()?;
        let mut run = Run::begin();
        let mut baseline = self.against.as_deref().map(|path| Baseline::read(path, &run)).transpose()?;
        if let Some(baseline) = &mut baseline {
            baseline.keep(|group, task| self.wants(group, task));
        }
        // A folder that is not there is better said before minutes of measuring than after them.
        let (out, html) = (create(self.out.as_deref())?, create(self.html.as_deref())?);
        let to_stdout = self.out.as_deref().is_some_and(is_standard_stream);
        if to_stdout && output == Output::Json {
            let message = "--json and --out - both need standard output".to_owned();
            return Err(Failure::Usage { message, hint: Some("name a file with --out") });
        }
        warn(&run);
        measure(&mut run, &tasks, patience)?;
        self.measure_peers(&mut run, patience)?;
        if let Some(baseline) = &baseline {
            let slower = baseline.slower(&run);
            measure_again(&mut run, &tasks, &slower, patience)?;
        }
        let comparison = baseline.as_ref().map(|baseline| baseline.compare(&run));
        write(out, &run.to_json())?;
        write(html, &page(&run, comparison.as_ref()))?;
        if !to_stdout {
            table::print(output, &run, comparison.as_ref())?;
        }
        match comparison {
            Some(comparison) => refuse_slower(&comparison),
            None => Ok(()),
        }
    }

    fn patience(&self) -> Result<Patience, Failure> {
        if !(self.seconds > 0.0 && self.seconds <= MAX_SECONDS) {
            let got = self.seconds;
            let message = format!("the seconds must be above 0 and at most {MAX_SECONDS}: got {got}");
            return Err(Failure::Usage { message, hint: None });
        }
        Ok(if self.quick { Patience::quick() } else { Patience::seconds(self.seconds) })
    }

    fn wants_group(&self, group: Group) -> bool {
        self.only.is_empty() || self.only.contains(&group)
    }

    fn wants(&self, group: Group, task: &str) -> bool {
        self.wants_group(group) && task.contains(self.task.as_deref().unwrap_or_default())
    }

    fn tasks(&self) -> Result<Vec<Task>, Failure> {
        if self.only.contains(&Group::Peers) && self.peers.is_none() {
            return Err(Failure::Usage {
                message: "other packages are measured in a Python interpreter that has them".into(),
                hint: Some("name it with --peers, such as --peers venv/bin/python"),
            });
        }
        let is_wanted = |task: &Task| self.wants(task.group(), task.name());
        let tasks: Vec<Task> = tasks().into_iter().filter(is_wanted).collect();
        if tasks.is_empty() && !self.only.contains(&Group::Peers) {
            let wanted = self.task.as_deref().unwrap_or_default();
            return Err(Failure::Usage {
                message: format!("no task of these groups has {wanted:?} in its name"),
                hint: Some("tasks are called after mechanisms, such as optimized-local-hashing-client"),
            });
        }
        Ok(tasks)
    }

    /// Other packages, where an interpreter is named and nobody asked for something else.
    fn measure_peers(&self, run: &mut Run, patience: Patience) -> Result<(), Failure> {
        let Some(python) = self.peers.as_deref().filter(|_| self.wants_group(Group::Peers)) else {
            return Ok(());
        };
        let waiting = Waiting::on("measuring other packages".to_owned());
        let peers = measure_peers(python, patience)?;
        drop(waiting);
        run.rows.extend(peers.rows.into_iter().filter(|row| self.wants(row.group, &row.task)));
        for skipped in &peers.skipped {
            eprintln!("warning: {} is not measured: {}", skipped.name, skipped.reason);
            eprintln!("hint: {}", skipped.how);
        }
        run.skipped.extend(peers.skipped);
        Ok(())
    }
}

fn create(path: Option<&Path>) -> Result<Option<Destination>, Failure> {
    path.map(Destination::create).transpose()
}

fn write(destination: Option<Destination>, text: &str) -> Result<(), Failure> {
    let Some(mut destination) = destination else { return Ok(()) };
    destination.write_all(text.as_bytes()).map_err(|source| destination.failed(source))?;
    destination.commit()
}

/// Says what makes figures worth less.
fn warn(run: &Run) {
    if !run.build.is_optimised() {
        eprintln!("warning: the figures of an unoptimised build mean nothing; build with --release");
    }
    if let Some([load, ..]) = run.load_average.filter(|_| run.is_disturbed()) {
        let cores = run.machine.cores;
        eprintln!("warning: other programs are running (load average {load} on {cores} cores): expect noise");
    }
}

/// Measures tasks that look slower once more, and keeps the better of both: among so many tasks one may have bad luck.
fn measure_again(
    run: &mut Run,
    tasks: &[Task],
    slower: &[String],
    patience: Patience,
) -> Result<(), Failure> {
    for task in tasks.iter().filter(|task| slower.iter().any(|name| name == task.name())) {
        let again = task.measure(patience)?;
        let is_improved = |row: &&mut Row| row.task == again.task && row.ratio < again.ratio;
        if let Some(row) = run.rows.iter_mut().find(is_improved) {
            *row = again;
        }
    }
    Ok(())
}

fn measure(run: &mut Run, tasks: &[Task], patience: Patience) -> Result<(), Failure> {
    let mut progress = Progress::new("tasks", Some(tasks.len() as u64));
    for task in tasks {
        run.rows.push(task.measure(patience)?);
        progress.add(1);
    }
    Ok(())
}

fn refuse_slower(comparison: &Comparison) -> Result<(), Failure> {
    let tasks: Vec<&str> = comparison.slower().map(|change| change.task.as_str()).collect();
    if tasks.is_empty() { Ok(()) } else { Err(Failure::Slower { tasks: tasks.join(", ") }) }
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Parameter(error) => error.into(),
            BenchError::Input(error) => error.into(),
            BenchError::Report(error) => error.into(),
            BenchError::Serve(error) => error.into(),
            BenchError::Python { python, source } => {
                Self::File { action: "cannot run", path: python, source }
            }
            BenchError::Peers { .. } => Self::Data {
                message: error.to_string(),
                hint: Some("it needs the wheel of Privet, which `cargo xtask wheel` makes"),
            },
            BenchError::Io(source) => Self::Output(source),
            // The list of causes may grow.
            other => Self::Usage { message: other.to_string(), hint: None },
        }
    }
}
