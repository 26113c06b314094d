//! Shares of categories: truth against estimate.

use super::Contest;
use crate::command::true_values::TrueValues;
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::table::batch_rows;
use privet::registry::AnyEstimator;
use privet::{
    AnyMechanism, Categories, Consistency, Domain, DomainSpec, Frequencies, Generator, ReportBuffer, Values,
};
use serde::Serialize;

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

/// Compares the shares of all categories.
pub(super) fn run(
    categories: &Categories,
    step: Consistency,
    table: &TrueValues,
    contest: Contest,
    output: Output,
) -> Result<(), Failure> {
    let truth = count(categories, table)?;
    let comparisons = contest.run(|contestant, trials| {
        let trial = Trial {
            mechanism: &*contestant.mechanism,
            estimator: &*contestant.estimator,
            truth: &truth,
            step,
        };
        let errors = trials.run(|rng| trial.run(rng))?;
        Ok(compare(contestant.mechanism.info().id, contestant.epsilon, &truth, &errors))
    })?;
    output.print(&comparisons, || page(&comparisons))
}

fn count(categories: &Categories, table: &TrueValues) -> Result<Truth, Failure> {
    let mut counts = vec![0u64; categories.count() as usize];
    let people = table.for_each(&DomainSpec::Categories(categories.clone()), |values, first_row| {
        let Values::Categories(values) = values else { return Ok(()) };
        for (row, category) in (first_row..).zip(values) {
            let Some(count) = counts.get_mut(*category as usize) else {
                return Err(table.refuse(row, categories.outside()));
            };
            *count += 1;
        }
        Ok(())
    })?;
    Ok(Truth { counts, people })
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
