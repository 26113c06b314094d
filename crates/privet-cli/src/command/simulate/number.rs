//! Means and distributions of numbers and angles, and the reports themselves: truth against estimate.

use super::{Contest, Contestant, Goal};
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::table::batch_rows;
use privet::analysis::{AnyNumeric, Space};
use privet::numeric::{Method, metrics};
use privet::{Answer, CountSummary, Estimate, Generator, ReportBuffer, Request, Values};
use serde::Serialize;
use std::f64::consts::TAU;

/// What is compared.
pub(super) struct Task {
    pub(super) goal: Goal,
    pub(super) values: Vec<f64>,
    pub(super) methods: Vec<Method>,
    pub(super) bins: usize,
}

/// One row of the comparison.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    pub(super) mechanism: &'static str,
    pub(super) epsilon: f64,
    pub(super) goal: &'static str,
    pub(super) method: String,
    pub(super) mean_absolute_error: f64,
    pub(super) mean_squared_error: f64,
    #[serde(flatten)]
    pub(super) beyond: Beyond,
    pub(super) n: u64,
    pub(super) trials: u32,
}

/// What is known for some goals only: means over the trials.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct Beyond {
    /// In units of the whole domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    wasserstein: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    l1: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kolmogorov_smirnov: Option<f64>,
    /// The root of the mean of the squared standard errors that the estimates state.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_standard_error: Option<f64>,
    /// How often the 95 % interval holds the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<f64>,
}

/// How one trial went with one method.
#[derive(Debug, Clone, Default)]
struct Errors {
    method: String,
    absolute: f64,
    squared: f64,
    distances: Option<[f64; 3]>,
    stated: Option<(f64, bool)>,
}

/// Compares and prints.
pub(super) fn run(task: Task, contest: Contest, output: Output) -> Result<(), Failure> {
    let comparisons = contest.run(|contestant, trials| {
        let Some(channel) = contestant.estimator.numeric() else { return Ok(Vec::new()) };
        let trial = Trial { contestant, channel, task: &task, truth: Truth::of(&task, channel.space()) };
        let errors = trials.run(|rng| trial.run(rng))?;
        Ok(compare(contestant, &task, &errors))
    })?;
    let comparisons: Vec<Comparison> = comparisons.into_iter().flatten().collect();
    output.print(&comparisons, || page(&comparisons))
}

/// What is true of the column.
struct Truth {
    /// The mean, or the mean direction.
    centre: f64,
    shares: Vec<f64>,
}

impl Truth {
    fn of(task: &Task, space: Space) -> Self {
        let each = 1.0 / task.values.len() as f64;
        let mut shares = vec![0.0; task.bins];
        let (mut sum, mut cos, mut sin) = (0.0, 0.0, 0.0);
        for unit in task.values.iter().map(|value| space.to_unit(*value)) {
            shares[((unit * task.bins as f64) as usize).min(task.bins - 1)] += each;
            sum += unit;
            cos += (TAU * unit).cos();
            sin += (TAU * unit).sin();
        }
        let unit = if space.is_ring() { (sin.atan2(cos) / TAU).rem_euclid(1.0) } else { sum * each };
        Self { centre: space.from_unit(unit), shares }
    }
}

/// Everybody reports once.
struct Trial<'a> {
    contestant: &'a Contestant,
    channel: &'a dyn AnyNumeric,
    task: &'a Task,
    truth: Truth,
}

impl Trial<'_> {
    /// The errors of each method.
    fn run(&self, mut rng: Generator) -> Result<Vec<Errors>, Failure> {
        let estimator = &self.contestant.estimator;
        let mut summary = estimator.empty_summary();
        let mut point = Errors { method: "reports as they are".to_owned(), ..Errors::default() };
        let mut reports = ReportBuffer::new(self.contestant.mechanism.report_bytes());
        for values in self.task.values.chunks(batch_rows(reports.report_bytes())) {
            reports.clear();
            let column = Values::Numbers(values.to_vec());
            self.contestant.mechanism.randomize_batch(&column, &mut rng, &mut reports)?;
            if self.task.goal == Goal::Point {
                self.add_distances(values, &reports, &mut point)?;
            } else {
                estimator.accumulate(&mut summary, &reports)?;
            }
        }
        match self.task.goal {
            Goal::Point => Ok(vec![point]),
            Goal::Distribution => {
                self.task.methods.iter().map(|method| self.distribution(&summary, *method)).collect()
            }
            Goal::Mean | Goal::Frequency => Ok(vec![self.centre(&summary)?]),
        }
    }

    /// The mean or the mean direction, which do not depend on how the distribution is estimated.
    fn centre_of(&self, summary: &CountSummary) -> Result<Option<Estimate>, Failure> {
        let request =
            Request { method: Method::Histogram, bins: 1, quantiles: Vec::new(), ..Request::default() };
        Ok(match self.contestant.estimator.answer(summary, &request)? {
            Answer::Numbers(numbers) => Some(numbers.mean),
            Answer::Angles(angles) => Some(angles.direction),
            Answer::Frequencies(_) | Answer::Places(_) | Answer::Vector(_) => None,
        })
    }

    fn centre(&self, summary: &CountSummary) -> Result<Errors, Failure> {
        let Some(centre) = self.centre_of(summary)? else { return Ok(Errors::default()) };
        let space = self.channel.space();
        let error = distance(space, centre.value, self.truth.centre);
        let [low, high] = centre.interval;
        let holds = |value: f64| (low..=high).contains(&value);
        // The interval of a direction may reach past zero.
        let turns: &[f64] = if space.is_ring() { &[-1.0, 0.0, 1.0] } else { &[0.0] };
        let is_covered = turns.iter().any(|turn| holds(self.truth.centre + turn * space.width()));
        Ok(Errors {
            method: centre.method.to_owned(),
            absolute: error,
            squared: error * error,
            stated: Some((centre.standard_error.powi(2), is_covered)),
            ..Errors::default()
        })
    }

    fn distribution(&self, summary: &CountSummary, method: Method) -> Result<Errors, Failure> {
        let request = Request { method, bins: self.task.bins, ..Request::default() };
        let distribution = self.contestant.estimator.distribution(summary, &request)?;
        let shares = distribution.shares();
        let truth = &self.truth.shares;
        let squares = shares.iter().zip(truth).map(|(one, two)| (one - two).powi(2));
        let is_ring = self.channel.space().is_ring();
        let wasserstein = if is_ring { metrics::wasserstein_circular } else { metrics::wasserstein };
        Ok(Errors {
            method: method.as_str().to_owned(),
            absolute: metrics::mean_absolute_error(shares, truth),
            squared: squares.sum::<f64>() / shares.len() as f64,
            distances: Some([
                wasserstein(shares, truth),
                metrics::l1(shares, truth),
                metrics::kolmogorov_smirnov(shares, truth),
            ]),
            stated: None,
        })
    }

    /// The means over people of the distances between reports and values.
    fn add_distances(
        &self,
        values: &[f64],
        reports: &ReportBuffer,
        errors: &mut Errors,
    ) -> Result<(), Failure> {
        let people = self.task.values.len() as f64;
        for (value, report) in values.iter().zip(reports.iter()) {
            let reported = self.channel.output_value(self.channel.decode(report)?.0);
            let error = distance(self.channel.space(), reported, *value);
            errors.absolute += error / people;
            errors.squared += error * error / people;
        }
        Ok(())
    }
}

/// How far two values are apart; on a circle the shorter way around.
fn distance(space: Space, one: f64, other: f64) -> f64 {
    let straight = (one - other).abs();
    if !space.is_ring() {
        return straight;
    }
    let around = straight.rem_euclid(space.width());
    around.min(space.width() - around)
}

fn compare(contestant: &Contestant, task: &Task, trials: &[Vec<Errors>]) -> Vec<Comparison> {
    let methods = trials.first().map_or(0, Vec::len);
    let row = |method: usize| {
        let of_method = || trials.iter().filter_map(move |trial| trial.get(method));
        let mean = |part: &dyn Fn(&Errors) -> f64| of_method().map(part).sum::<f64>() / trials.len() as f64;
        let optional = |part: &dyn Fn(&Errors) -> Option<f64>| {
            let sum: Option<f64> = of_method().map(part).sum();
            sum.map(|sum| sum / trials.len() as f64)
        };
        let distance = |index: usize| optional(&|trial| trial.distances.map(|all| all[index]));
        Comparison {
            mechanism: contestant.mechanism.info().id,
            epsilon: contestant.epsilon,
            goal: task.goal.as_str(),
            method: of_method().next().map(|trial| trial.method.clone()).unwrap_or_default(),
            mean_absolute_error: mean(&|trial| trial.absolute),
            mean_squared_error: mean(&|trial| trial.squared),
            beyond: Beyond {
                wasserstein: distance(0),
                l1: distance(1),
                kolmogorov_smirnov: distance(2),
                expected_standard_error: optional(&|trial| trial.stated.map(|(variance, _)| variance))
                    .map(f64::sqrt),
                coverage: optional(&|trial| trial.stated.map(|(_, covered)| f64::from(u8::from(covered)))),
            },
            n: task.values.len() as u64,
            trials: trials.len() as u32,
        }
    };
    (0..methods).map(row).collect()
}

pub(super) fn page(comparisons: &[Comparison]) -> String {
    let Some(first) = comparisons.first() else { return String::new() };
    let extra: &[&str] = match first.beyond {
        Beyond { wasserstein: Some(_), .. } => &["WASSERSTEIN", "L1", "KOLMOGOROV-SMIRNOV"],
        Beyond { coverage: Some(_), .. } => &["EXPECTED", "COVERAGE"],
        _ => &[],
    };
    let header = ["MECHANISM", "METHOD", "EPSILON", "MEAN |ERROR|", "ROOT MEAN SQUARE"];
    let mut table = table_of_numbers(&[&header, extra].concat(), 2);
    for row in comparisons {
        let beyond = &row.beyond;
        let numbers =
            [beyond.wasserstein, beyond.l1, beyond.kolmogorov_smirnov, beyond.expected_standard_error];
        let cells = [
            row.mechanism.to_owned(),
            row.method.clone(),
            row.epsilon.to_string(),
            number(row.mean_absolute_error),
            number(row.mean_squared_error.sqrt()),
        ];
        let extra = numbers.into_iter().flatten().map(number);
        let coverage = beyond.coverage.map(|coverage| format!("{:.1} %", 100.0 * coverage));
        table.add_row(cells.into_iter().chain(extra).chain(coverage));
    }
    format!("{}\n\n{} people, {} trials", table.trim_fmt(), first.n, first.trials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn around_a_circle_the_shorter_way_counts() {
        let day = Space::Ring { period: 24.0 };
        assert_eq!(distance(day, 23.0, 1.0), 2.0);
        assert_eq!(distance(day, 1.0, 23.0), 2.0);
        assert_eq!(distance(Space::Line { low: 0.0, high: 24.0 }, 23.0, 1.0), 22.0);
    }
}
