//! Truth against estimate.

use crate::arguments::{build_mechanisms, generator, parse_epsilons};
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::progress::Progress;
use crate::table::{BATCH_ROWS, Columns, Format, Problem, Source, ValueColumn, batch_rows};
use clap::{Args, ValueEnum};
use privet::registry::{self, AnyEstimator};
use privet::{
    AnyMechanism, Categories, Consistency, Domain, DomainSpec, Frequencies, Generator, ReportBuffer, Values,
};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

const EXAMPLES: &str = "\
Examples:
  Which mechanism suits this column, and which epsilon?
    privet simulate --mechanism grr,oue,olh --domain categories:walk,bus,car --epsilon 0.5,1,2 \\
      --in people.csv --column transport --goal frequency --trials 100";

/// Compare estimates with the truth, on a table of true values
///
/// In each trial everybody in the table reports once, and the estimates are compared with the shares in the table. This is
/// for data that you may read: test data, or a public table that resembles the private one.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Simulate {
    /// Mechanisms by id or synonym, or `all` for every one that fits the domain
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', required = true)]
    mechanism: Vec<String>,
    /// Where values come from: binary, categories:128 or categories:red,green,blue
    #[arg(long, value_name = "DOMAIN")]
    domain: String,
    /// Epsilons: a number, a list such as .1,1,4 or a range such as 1:8:0.5
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    epsilon: String,
    /// The table of true values: .csv, .jsonl, .ndjson or .parquet, or - for standard input
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// The column that holds the values
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// The format of the table, whatever it is called
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// What is estimated
    #[arg(long, value_enum, default_value_t = Goal::Frequency)]
    goal: Goal,
    /// How often everybody reports
    #[arg(long, value_name = "COUNT", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    trials: u32,
    /// What to do about negative estimates: none, non-negative, norm-sub, simplex, expectation-maximization
    #[arg(long, value_name = "STEP", default_value = "none")]
    consistency: String,
    /// Draw from a generator that anybody can repeat, for the same numbers again
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Goal {
    /// How often each category is held
    Frequency,
}

/// How many people hold each category.
struct Truth {
    counts: Vec<u64>,
    people: u64,
}

/// One row of the comparison.
#[derive(Debug, Serialize)]
struct Comparison {
    mechanism: &'static str,
    epsilon: f64,
    mean_absolute_error: f64,
    mean_squared_error: f64,
    max_absolute_error: f64,
    /// The root of the mean of the squared standard errors that the estimates state.
    expected_standard_error: f64,
    /// How often the 95 % interval of a category holds the truth.
    coverage: f64,
    /// How often all simultaneous intervals hold the truth.
    simultaneous_coverage: f64,
    n: u64,
    trials: u32,
    method: String,
}

impl Simulate {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let Goal::Frequency = self.goal;
        let step = super::parse_consistency(&self.consistency)?;
        let domain: DomainSpec = self.domain.parse()?;
        let DomainSpec::Categories(categories) = &domain else {
            return Err(Failure::Usage {
                message: format!("frequencies are simulated on categories: got {domain}"),
                hint: Some("write binary, categories:128 or categories:red,green,blue"),
            });
        };
        let mut mechanisms = Vec::new();
        for epsilon in parse_epsilons(&self.epsilon)? {
            for mechanism in build_mechanisms(&self.mechanism, &domain, epsilon)? {
                let estimator = registry::find_estimator(mechanism.info().id)?.build(&domain, epsilon)?;
                mechanisms.push((epsilon, mechanism, estimator));
            }
        }
        let truth = self.truth(&domain, categories)?;
        let mut rng = generator(self.insecure_seed)?;
        let mut progress = Progress::new("trials", Some(u64::from(self.trials) * mechanisms.len() as u64));
        let mut comparisons = Vec::new();
        for (epsilon, mechanism, estimator) in &mechanisms {
            let trial = Trial { mechanism: &**mechanism, estimator: &**estimator, truth: &truth, step };
            let generators = (0..self.trials).map(|_| rng.split()).collect();
            let errors = trial.repeat(generators, &mut progress)?;
            comparisons.push(compare(mechanism.info().id, epsilon.get(), &truth, &errors));
        }
        drop(progress);
        output.print(&comparisons, || page(&comparisons))
    }

    fn truth(&self, domain: &DomainSpec, categories: &Categories) -> Result<Truth, Failure> {
        let format = Format::of(&self.input, self.format)?;
        let columns = Columns { column: self.column.as_deref(), keep: &[], batch_rows: BATCH_ROWS };
        let source = Source::open(&self.input, format, columns)?;
        let mut counts = vec![0u64; categories.count() as usize];
        let domain = Arc::new(domain.clone());
        let make = || ValueColumn::new(domain.clone(), false);
        let people = source.for_each_batch(make, |batch| {
            let Values::Categories(values) = &batch.column.values else { return Ok(()) };
            for (row, category) in (batch.first_row..).zip(values) {
                let Some(count) = counts.get_mut(*category as usize) else {
                    let problem = Problem::Input { source: categories.outside(), is_clampable: false };
                    return Err(Failure::Source { path: self.input.clone(), row: Some(row), problem });
                };
                *count += 1;
            }
            Ok(())
        })?;
        if people == 0 {
            return Err(Source::no_rows(&self.input));
        }
        Ok(Truth { counts, people })
    }
}

/// Everybody reports once.
struct Trial<'a> {
    mechanism: &'a dyn AnyMechanism,
    estimator: &'a dyn AnyEstimator,
    truth: &'a Truth,
    step: Consistency,
}

/// How one trial went.
#[derive(Debug, Default)]
struct Errors {
    absolute: f64,
    squared: f64,
    max: f64,
    stated_variance: f64,
    covered: u64,
    all_covered: bool,
    method: String,
}

impl Trial<'_> {
    /// Runs a trial with each generator, on all cores. The order of the results is that of the generators.
    fn repeat(&self, generators: Vec<Generator>, progress: &mut Progress) -> Result<Vec<Errors>, Failure> {
        let trials = generators.len();
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(trials);
        let queue = Mutex::new(generators.into_iter().enumerate());
        let mut results: Vec<Errors> = (0..trials).map(|_| Errors::default()).collect();
        std::thread::scope(|scope| {
            let (sender, outcomes) = channel();
            for _ in 0..threads {
                let (sender, queue) = (sender.clone(), &queue);
                scope.spawn(move || {
                    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
                    while let Some((index, rng)) = next() {
                        if sender.send((index, self.run(rng))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for (index, outcome) in outcomes {
                results[index] = outcome?;
                progress.add(1);
            }
            Ok(results)
        })
    }

    fn run(&self, mut rng: Generator) -> Result<Errors, Failure> {
        let mut summary = self.estimator.empty_summary();
        let mut reports = ReportBuffer::new(self.mechanism.report_bytes());
        let limit = batch_rows(self.mechanism.report_bytes());
        let mut values = Vec::with_capacity(limit);
        // Reports are independent, so the order in which people stand does not matter.
        for (category, count) in (0u32..).zip(&self.truth.counts) {
            let mut left = *count;
            while left > 0 {
                let some = left.min((limit - values.len()) as u64);
                values.resize(values.len() + some as usize, category);
                left -= some;
                if values.len() == limit {
                    values = self.report(values, &mut rng, &mut reports)?;
                    self.estimator.accumulate(&mut summary, &reports)?;
                }
            }
        }
        self.report(values, &mut rng, &mut reports)?;
        self.estimator.accumulate(&mut summary, &reports)?;
        Ok(self.errors(&self.estimator.estimate(&summary, self.step)?))
    }

    /// Draws reports for the values and gives their memory back.
    fn report(
        &self,
        values: Vec<u32>,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<Vec<u32>, Failure> {
        reports.clear();
        let values = Values::Categories(values);
        self.mechanism.randomize_batch(&values, rng, reports)?;
        let Values::Categories(mut values) = values else { return Ok(Vec::new()) };
        values.clear();
        Ok(values)
    }

    fn errors(&self, estimates: &Frequencies) -> Errors {
        let mut errors = Errors { all_covered: true, method: estimates.method.clone(), ..Errors::default() };
        for (row, count) in estimates.rows.iter().zip(&self.truth.counts) {
            let share = *count as f64 / self.truth.people as f64;
            let holds = |[low, high]: [f64; 2]| (low..=high).contains(&share);
            let error = (row.estimate.value - share).abs();
            errors.absolute += error;
            errors.squared += error * error;
            errors.max = errors.max.max(error);
            errors.stated_variance += row.estimate.standard_error.powi(2);
            errors.covered += u64::from(holds(row.estimate.interval));
            errors.all_covered &= holds(row.simultaneous_interval);
        }
        errors
    }
}

fn compare(mechanism: &'static str, epsilon: f64, truth: &Truth, trials: &[Errors]) -> Comparison {
    let cells = (truth.counts.len() * trials.len()) as f64;
    let mean = |part: fn(&Errors) -> f64| trials.iter().map(part).sum::<f64>() / cells;
    let all_covered = trials.iter().filter(|trial| trial.all_covered).count();
    Comparison {
        mechanism,
        epsilon,
        mean_absolute_error: mean(|trial| trial.absolute),
        mean_squared_error: mean(|trial| trial.squared),
        max_absolute_error: trials.iter().map(|trial| trial.max).fold(0.0, f64::max),
        expected_standard_error: mean(|trial| trial.stated_variance).sqrt(),
        coverage: mean(|trial| trial.covered as f64),
        simultaneous_coverage: all_covered as f64 / trials.len() as f64,
        n: truth.people,
        trials: trials.len() as u32,
        method: trials.first().map(|trial| trial.method.clone()).unwrap_or_default(),
    }
}

fn page(comparisons: &[Comparison]) -> String {
    let header = [
        "MECHANISM",
        "EPSILON",
        "MEAN |ERROR|",
        "ROOT MEAN SQUARE",
        "EXPECTED",
        "LARGEST",
        "COVERAGE",
        "ALL COVERED",
    ];
    let mut table = table_of_numbers(&header, 1);
    for row in comparisons {
        table.add_row([
            row.mechanism.to_owned(),
            row.epsilon.to_string(),
            number(row.mean_absolute_error),
            number(row.mean_squared_error.sqrt()),
            number(row.expected_standard_error),
            number(row.max_absolute_error),
            format!("{:.1} %", 100.0 * row.coverage),
            format!("{:.1} %", 100.0 * row.simultaneous_coverage),
        ]);
    }
    let facts = comparisons.first().map(|row| format!("{} people, {} trials", row.n, row.trials));
    format!("{}\n\n{}", table.trim_fmt(), facts.unwrap_or_default())
}
