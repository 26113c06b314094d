//! Estimates for collectors who expect forged reports.

use crate::consistency::Consistency;
use crate::numeric::Method;
use crate::numeric::estimator::MeanOfGroups;
use crate::reading::Reading;
use crate::summary::CountSummary;
use crate::{Answer, Frequencies, Frequency, FrequencyEstimation, NumberEstimator};
use privet_core::{EstimateError, Probability, Summary};

/// What can be said although a share of the reports may be forged: an estimate that is moved back to what people can hold, and
/// how far the forged reports can have moved the raw one.
///
/// **The value.** For frequencies, the nearest frequencies that are not negative and add up to one. A projection onto a convex
/// set that holds the truth brings no point further from it: whatever was forged, the sum of squared errors is at
/// most that of the raw estimate, and at most two. Without forgeries it costs nothing in squared error; it is no longer
/// unbiased. For a mean, the mean of the distribution under which the reports are likeliest: reports that no
/// population sends often count little, and the result lies inside the domain. What it costs without forgeries depends on the people:
/// its error is often below that of the raw mean, and up to one and a half times as large where a few people are far from all
/// others. Where the forged reports are those of some population (two reports only, saturated noise) nothing is gained.
///
/// **The bounds.** If at most the stated share of reports is forged, the raw estimate from the honest reports alone lies between
/// the bounds, whatever the forgers sent: these are the smallest and the largest estimate after that many reports are
/// taken away. They hold with certainty and say nothing about noise; its interval comes on top ([`Robust::with_noise`]), and what
/// no share and no mean can be goes. No rule
/// does better from the counters of one category: both ends are what some forgery leads to. Forgers who lie about their value
/// can do at least `share x (1 - truth)` under every estimator.
///
/// Medians of means do not help: forgers are in every group.
#[derive(Debug, Clone, PartialEq)]
pub struct Robust {
    /// One for each category, or one for the mean.
    pub rows: Vec<RobustRow>,
    /// The share of forged reports that the bounds allow for.
    pub fakes: f64,
    /// How the values were computed.
    pub method: &'static str,
}

/// One number of a robust estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct RobustRow {
    /// The category, or `mean`.
    pub label: String,
    /// The estimate.
    pub value: f64,
    /// Between which numbers the raw estimate from the honest reports lies; `None` where the estimate is not a mean over
    /// reports.
    pub bounds: Option<[f64; 2]>,
    /// The raw estimate from all reports, where there are bounds.
    pub raw: Option<f64>,
}

impl Robust {
    pub(crate) fn of_frequencies(
        estimator: &impl FrequencyEstimation,
        summary: &CountSummary,
        fakes: Probability,
    ) -> Result<Self, EstimateError> {
        let taken = taken_away(summary.count(), fakes)?;
        let reading = estimator.reading();
        let step = match reading {
            Reading::Words => Consistency::NonNegative,
            _ => Consistency::Simplex,
        };
        let Frequencies { rows, .. } = estimator.frequencies(summary, &step.into())?;
        let bounds = |index: usize, taken: u64| bounds_of_frequency(reading, summary, index, taken);
        let robust = rows.into_iter().enumerate().map(|(index, row)| RobustRow {
            bounds: bounds(index, taken),
            raw: bounds(index, 0).map(|[raw, _]| raw),
            value: row.estimate.value,
            label: row.label,
        });
        Ok(Self { rows: robust.collect(), fakes: fakes.get(), method: step.as_str() })
    }

    pub(crate) fn of_mean(
        estimator: &NumberEstimator,
        summary: &CountSummary,
        fakes: Probability,
    ) -> Result<Self, EstimateError> {
        const BINS: usize = 64;
        let taken = taken_away(summary.count(), fakes)?;
        let MeanOfGroups { counts, weights, value: raw, .. } = estimator.mean_of_groups(summary)?;
        let value = estimator.distribution(summary, Method::ExpectationMaximization, BINS)?.mean();
        let cells: Vec<(f64, u64)> = weights.into_iter().zip(counts.iter().copied()).collect();
        // The numbers give the raw mean up to a constant.
        let shift = raw - mean_beyond(cells.iter(), 0);
        let bounds = Some(without(cells, taken).map(|end| end + shift));
        let rows = vec![RobustRow { label: "mean".to_owned(), value, bounds, raw: Some(raw) }];
        Ok(Self { rows, fakes: fakes.get(), method: "mean of the likeliest distribution" })
    }

    /// The same with the noise of the honest reports, so that the bounds are about the truth: what the interval of the
    /// answer reaches beyond the raw estimate comes on top. They are never narrower than that interval, and end where the
    /// shares or the domain do; an interval that reaches further, to an unbiased value, takes them along.
    #[must_use]
    pub fn with_noise(mut self, answer: &Answer) -> Self {
        const SHARES: [f64; 2] = [0.0, 1.0];
        let of_rows = |rows: &[Frequency]| rows.iter().map(|row| row.estimate.interval).collect();
        let (intervals, [first, last]): (Vec<[f64; 2]>, [f64; 2]) = match answer {
            Answer::Frequencies(all) => (of_rows(&all.rows), SHARES),
            Answer::Places(places) => (of_rows(&places.cells), SHARES),
            Answer::Numbers(numbers) => {
                let space = numbers.distribution.space();
                (vec![numbers.mean.interval], SHARES.map(|end| space.from_unit(end)))
            }
            Answer::Angles(_) | Answer::Vector(_) => return self,
        };
        for (row, [low, high]) in self.rows.iter_mut().zip(intervals) {
            let Some(([least, most], raw)) = row.bounds.zip(row.raw) else { continue };
            let [below, above] = [raw - low, high - raw].map(|reach| reach.max(0.0));
            let [least, most] = [least - below, most + above].map(|end| end.clamp(first, last));
            row.bounds = Some([least.min(low), most.max(high)]);
        }
        self
    }
}

/// How many reports may be forged.
pub(crate) fn taken_away(n: u64, fakes: Probability) -> Result<u64, EstimateError> {
    let taken = (n as f64 * fakes.get()).floor() as u64;
    if taken < n {
        Ok(taken)
    } else {
        Err(EstimateError::TooFewReports { needed: taken.saturating_add(1), got: n })
    }
}

fn bounds_of_frequency(
    reading: Reading<'_>,
    summary: &CountSummary,
    category: usize,
    taken: u64,
) -> Option<[f64; 2]> {
    match reading {
        Reading::Support(oracle) => {
            let support = oracle.support();
            let (other, difference) = (support.other.to_f64(), support.own.minus(&support.other).to_f64());
            let count = *summary.counts().get(category)?;
            let cells = vec![(1.0, count), (0.0, summary.count().checked_sub(count)?)];
            Some(without(cells, taken).map(|share| (share - other) / difference))
        }
        Reading::Table(table) => {
            let weights = table.inverse?.row(category);
            Some(without(weights.iter().copied().zip(summary.counts().iter().copied()).collect(), taken))
        }
        _ => None,
    }
}

/// The smallest and the largest mean of the reports that are left after `taken` were taken away, from pairs of a report's
/// number and how many have it.
pub(crate) fn without(mut cells: Vec<(f64, u64)>, taken: u64) -> [f64; 2] {
    cells.sort_by(|one, two| one.0.total_cmp(&two.0));
    let lowest = mean_beyond(cells.iter().rev(), taken);
    let highest = mean_beyond(cells.iter(), taken);
    [lowest, highest]
}

/// The mean of what comes after the first `skipped` reports.
fn mean_beyond<'a>(cells: impl Iterator<Item = &'a (f64, u64)>, skipped: u64) -> f64 {
    let (mut left, mut sum, mut count) = (skipped, 0.0, 0.0);
    for (number, reports) in cells {
        let skip = left.min(*reports);
        left -= skip;
        sum += number * (reports - skip) as f64;
        count += (reports - skip) as f64;
    }
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Case;
    use privet_core::Values;

    #[test]
    fn taking_reports_away_by_hand() {
        let cells = || vec![(2.0, 3), (0.0, 4), (1.0, 3)];
        assert_eq!(without(cells(), 0), [0.9, 0.9]);
        // Without the three twos, and without four zeros.
        assert_eq!(without(cells(), 3), [3.0 / 7.0, 9.0 / 7.0]);
        assert_eq!(without(cells(), 4), [2.0 / 6.0, 9.0 / 6.0]);
        assert_eq!(without(cells(), 9), [0.0, 2.0]);
    }

    #[test]
    fn no_forgeries_leave_the_raw_estimate() {
        let none = Probability::new(0.0).unwrap();
        for (id, people) in [
            ("olh", Values::Categories(vec![3; 500])),
            ("ordered-exponential", Values::Categories(vec![3; 500])),
            ("laplace", Values::Numbers(vec![0.25; 500])),
            ("square-wave", Values::Numbers(vec![0.25; 500])),
        ] {
            let case = Case::small(id, 1.0);
            let summary = case.summary(&case.reports(&people, 4));
            // A mean is between two linear estimates; its value and theirs lie in one interval.
            let [least, most] = match case.estimator.answer(&summary, &crate::Request::default()).unwrap() {
                Answer::Frequencies(frequencies) => [frequencies.rows[3].estimate.value; 2],
                Answer::Numbers(numbers) => numbers.mean.interval,
                _ => panic!(),
            };
            let robust = case.estimator.robust(&summary, none).unwrap();
            let row = &robust.rows[if robust.rows.len() > 1 { 3 } else { 0 }];
            let [low, high] = row.bounds.unwrap();
            assert!((low - high).abs() < 1e-9, "{id}: {low} {high}");
            assert!((row.raw.unwrap() - low).abs() < 1e-9, "{id}");
            assert!((least - 1e-9..=most + 1e-9).contains(&low), "{id}: {least} {low} {most}");
        }
    }

    /// Whoever expects forgers is not surer of the truth than others.
    #[test]
    fn bounds_with_noise_hold_the_interval_and_what_forgers_did() {
        for (id, people) in [
            ("olh", Values::Categories(vec![3; 500])),
            ("ordered-exponential", Values::Categories(vec![3; 500])),
            ("square-wave", Values::Numbers(vec![0.25; 500])),
        ] {
            let case = Case::small(id, 1.0);
            let summary = case.summary(&case.reports(&people, 4));
            let answer = case.estimator.answer(&summary, &crate::Request::default()).unwrap();
            let [few, many] = [0.0, 0.2].map(|fakes| {
                let robust = case.estimator.robust(&summary, Probability::new(fakes).unwrap()).unwrap();
                (robust.rows[0].bounds.unwrap(), robust.with_noise(&answer).rows[0].bounds.unwrap())
            });
            let [low, high] = match &answer {
                Answer::Frequencies(frequencies) => frequencies.rows[0].estimate.interval,
                Answer::Numbers(numbers) => numbers.mean.interval,
                _ => panic!(),
            };
            assert!(
                (few.1[0] - low).abs() < 1e-9 && (few.1[1] - high).abs() < 1e-9,
                "{id}: {few:?} {low} {high}"
            );
            let limits = if matches!(answer, Answer::Numbers(_)) { [-1.0, 1.0] } else { [0.0, 1.0] };
            let raw = few.0[0];
            let noisy = [many.0[0] - (raw - low).max(0.0), many.0[1] + (high - raw).max(0.0)];
            let [least, most] = noisy.map(|end: f64| end.clamp(limits[0], limits[1]));
            assert!(many.0[1] > many.0[0], "{id}: {many:?}");
            assert!(
                (many.1[0] - least.min(low)).abs() < 1e-9 && (many.1[1] - most.max(high)).abs() < 1e-9,
                "{id}: {many:?} {low} {high}"
            );
        }
    }

    /// No share is below zero or above one and no mean outside the domain, so no bound is, unless the ordinary interval is.
    #[test]
    fn bounds_with_noise_end_where_shares_and_domains_do() {
        for (id, people, limits) in [
            ("grr", Values::Categories(vec![3; 60]), [0.0, 1.0]),
            ("ordered-exponential", Values::Categories(vec![3; 60]), [0.0, 1.0]),
            ("laplace", Values::Numbers(vec![0.9; 60]), [-1.0, 1.0]),
            ("square-wave", Values::Numbers(vec![-1.0; 60]), [-1.0, 1.0]),
        ] {
            let case = Case::small(id, 1.0);
            let summary = case.summary(&case.reports(&people, 4));
            let answer = case.estimator.answer(&summary, &crate::Request::default()).unwrap();
            let intervals: Vec<[f64; 2]> = match &answer {
                Answer::Frequencies(all) => all.rows.iter().map(|row| row.estimate.interval).collect(),
                Answer::Numbers(numbers) => vec![numbers.mean.interval],
                _ => panic!(),
            };
            let robust = case.estimator.robust(&summary, Probability::new(0.3).unwrap()).unwrap();
            let is_beyond =
                |row: &RobustRow| row.bounds.is_some_and(|[low, high]| low < limits[0] || high > limits[1]);
            assert!(robust.rows.iter().any(is_beyond), "{id}: nothing is cut");
            for (row, [low, high]) in robust.with_noise(&answer).rows.iter().zip(intervals) {
                let [least, most] = row.bounds.unwrap();
                assert!(least <= low && high <= most, "{id}: [{least}, {most}] [{low}, {high}]");
                assert!(
                    least >= limits[0].min(low) && most <= limits[1].max(high),
                    "{id}: [{least}, {most}]"
                );
            }
        }
    }

    /// The cost without forgeries: the squared error over a few repetitions, of people in one place and with a few far away.
    #[test]
    fn the_robust_mean_is_nearly_as_good_as_the_raw_one() {
        let case = Case::small("piecewise", 1.0);
        for far in [1000, 20] {
            let people: Vec<f64> = (0..4000).map(|i| if i % far == 0 { 1.0 } else { -0.5 }).collect();
            let truth = people.iter().sum::<f64>() / 4000.0;
            let (mut raw, mut robust) = (0.0, 0.0);
            for seed in 0..12 {
                let summary = case.summary(&case.reports(&Values::Numbers(people.clone()), seed));
                let rows = case.estimator.robust(&summary, Probability::new(0.0).unwrap()).unwrap().rows;
                robust += (rows[0].value - truth).powi(2);
                raw += (rows[0].bounds.unwrap()[0] - truth).powi(2);
            }
            assert!(robust < 1.5f64.powi(2) * raw, "{far}: {robust} {raw}");
        }
    }

    #[test]
    fn nothing_is_left_if_all_are_forged() {
        let case = Case::small("oue", 1.0);
        let summary = case.summary(&case.reports(&Values::Categories(vec![3; 50]), 4));
        let refused = case.estimator.robust(&summary, Probability::new(1.0).unwrap());
        assert!(matches!(refused, Err(EstimateError::TooFewReports { .. })));
    }
}
