//! Joint against independent randomised response, without cryptography.

use super::plan::{WishArguments, variance};
use super::refused;
use crate::arguments::generator;
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::progress::Progress;
use crate::table::{BATCH_ROWS, Columns, Format, Problem, Source, ValueColumn};
use clap::Args;
use privet::{Categories, Domain, DomainSpec, Generator, Values};
use privet_joint::{BinaryStudy, JointTable, Plan};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  Is the gain that the plan promises there?
    privet joint simulate --users 20000 --ones 659 --colluders 5 --epsilon 0.01,0.1,1 --trials 1000

  The same on a column of zeros and ones:
    privet joint simulate --in people.csv --column value --colluders 5 --epsilon 1 --cap 2";

/// Simulate a joint perturbation: its error, that of independent randomised response, and what theory says
///
/// In each trial everybody is paired at random and reports once. The distribution is that of the protocol, without its
/// cryptography: for studies, not for private data. Errors are squared errors of the estimated number of ones.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SimulateArguments {
    #[command(flatten)]
    people: People,
    #[command(flatten)]
    wish: WishArguments,
    /// How often everybody reports
    #[arg(long, value_name = "COUNT", default_value_t = 200,
          value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    trials: u32,
    /// Draw from a generator that anybody can repeat, for the same numbers again
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

/// The people, as two numbers or as a table.
#[derive(Debug, Args)]
struct People {
    /// How many people take part
    #[arg(
        long,
        value_name = "COUNT",
        requires = "ones",
        required_unless_present = "input",
        conflicts_with = "input"
    )]
    users: Option<u64>,
    /// How many of them hold a one
    #[arg(long, value_name = "COUNT", requires = "users")]
    ones: Option<u64>,
    /// A table of zeros and ones: .csv, .jsonl, .ndjson or .parquet, or - for standard input
    #[arg(long = "in", value_name = "FILE")]
    input: Option<PathBuf>,
    /// The column that holds the values
    #[arg(long, value_name = "NAME", requires = "input")]
    column: Option<String>,
    /// The format of the table, whatever it is called
    #[arg(long, value_name = "FORMAT", requires = "input")]
    format: Option<Format>,
}

impl People {
    /// How many there are, and how many of them hold a one.
    fn count(&self) -> Result<(u64, u64), Failure> {
        let Some(input) = &self.input else {
            return Ok((self.users.unwrap_or_default(), self.ones.unwrap_or_default()));
        };
        let format = Format::of(input, self.format)?;
        let columns = Columns { column: self.column.as_deref(), keep: &[], batch_rows: BATCH_ROWS };
        let source = Source::open(input, format, columns)?;
        let binary = Categories::new(2)?;
        let domain = Arc::new(DomainSpec::Categories(binary.clone()));
        let mut ones = 0;
        let people = source.for_each_batch(
            || ValueColumn::new(domain.clone(), false),
            |batch| {
                let Values::Categories(values) = &batch.column.values else { return Ok(()) };
                for (row, value) in (batch.first_row..).zip(values) {
                    binary.check(value).map_err(|source| Failure::Source {
                        path: input.clone(),
                        row: Some(row),
                        problem: Problem::Input { source, is_clampable: false },
                    })?;
                    ones += u64::from(*value);
                }
                Ok(())
            },
        )?;
        if people == 0 { Err(Source::no_rows(input)) } else { Ok((people, ones)) }
    }
}

/// One row of the comparison.
#[derive(Debug, Serialize)]
struct Comparison {
    epsilon: f64,
    users: u64,
    ones: u64,
    p: f64,
    rho: f64,
    mean_squared_error: f64,
    /// The standard error of the mean squared error over the trials.
    standard_error: f64,
    variance: f64,
    mean_squared_error_independent: f64,
    standard_error_independent: f64,
    variance_independent: f64,
    ratio: f64,
    expected_ratio: f64,
    trials: u32,
}

impl SimulateArguments {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let (users, ones) = self.people.count()?;
        let plans = self.wish.plans(users, Some(ones))?;
        let mut rng = generator(self.insecure_seed)?;
        let mut progress = Progress::new("trials", Some(2 * u64::from(self.trials) * plans.len() as u64));
        let mut comparisons = Vec::with_capacity(plans.len());
        for plan in &plans {
            comparisons.push(self.compare(plan, ones, &mut rng, &mut progress)?);
        }
        drop(progress);
        output.print(&comparisons, || page(&comparisons))
    }

    fn compare(
        &self,
        plan: &Plan,
        ones: u64,
        rng: &mut Generator,
        progress: &mut Progress,
    ) -> Result<Comparison, Failure> {
        let mut errors = |table: JointTable, report: fn(&BinaryStudy, &mut Generator) -> u64| {
            let study = BinaryStudy::new(table, plan.request.crowd, ones).map_err(refused)?;
            let squared = |mut rng: Generator| {
                let error = study.estimate(report(&study, &mut rng)) - ones as f64;
                error * error
            };
            Ok::<_, Failure>(Moments::of(&on_all_cores(self.trials, rng, progress, squared)))
        };
        let joint = errors(plan.table, BinaryStudy::reported_ones::<Generator>)?;
        let independent = errors(plan.independent, BinaryStudy::reported_ones_independently::<Generator>)?;
        Ok(Comparison {
            epsilon: plan.request.epsilon.get(),
            users: plan.request.crowd.users(),
            ones,
            p: plan.p,
            rho: plan.rho,
            mean_squared_error: joint.mean,
            standard_error: joint.standard_error,
            variance: plan.variance,
            mean_squared_error_independent: independent.mean,
            standard_error_independent: independent.standard_error,
            variance_independent: plan.variance_independent,
            ratio: joint.mean / independent.mean,
            expected_ratio: plan.ratio(),
            trials: self.trials,
        })
    }
}

/// A mean over trials, and how far it may be from the true one.
struct Moments {
    mean: f64,
    standard_error: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Self { mean, standard_error: (spread / count).sqrt() }
    }
}

/// Trials with a generator each, so that the results do not depend on the number of cores.
fn on_all_cores(
    trials: u32,
    rng: &mut Generator,
    progress: &mut Progress,
    trial: impl Fn(Generator) -> f64 + Sync,
) -> Vec<f64> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut results = Vec::with_capacity(trials as usize);
    // A few trials for each thread at a time, so that the progress moves.
    let (round, mut left) = (threads * 8, trials as usize);
    while left > 0 {
        let some = round.min(left);
        left -= some;
        let mut generators: Vec<Generator> = (0..some).map(|_| rng.split()).collect();
        let share = some.div_ceil(threads);
        std::thread::scope(|scope| {
            let mut parts = Vec::new();
            while !generators.is_empty() {
                let rest = generators.split_off(share.min(generators.len()));
                let mine = std::mem::replace(&mut generators, rest);
                let trial = &trial;
                parts.push(scope.spawn(move || mine.into_iter().map(trial).collect::<Vec<_>>()));
            }
            for part in parts {
                results.extend(part.join().unwrap_or_default());
            }
        });
        progress.add(some as u64);
    }
    results
}

fn page(comparisons: &[Comparison]) -> String {
    let header = [
        "EPSILON",
        "P",
        "RHO",
        "JOINT MSE",
        "THEORY",
        "INDEPENDENT MSE",
        "THEORY",
        "RATIO",
        "EXPECTED RATIO",
    ];
    let mut table = table_of_numbers(&header, 0);
    for row in comparisons {
        table.add_row([
            row.epsilon.to_string(),
            number(row.p),
            number(row.rho),
            variance(row.mean_squared_error),
            variance(row.variance),
            variance(row.mean_squared_error_independent),
            variance(row.variance_independent),
            number(row.ratio),
            number(row.expected_ratio),
        ]);
    }
    let facts = comparisons
        .first()
        .map(|row| format!("{} people, {} hold a one, {} trials", row.users, row.ones, row.trials));
    format!("{}\n\n{}", table.trim_fmt(), facts.unwrap_or_default())
}
