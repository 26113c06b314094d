//! Frequencies from support counts.

use crate::bounds::{MeanOverReports, Sampling, Spread, Tail};
use crate::consistency::{Consistency, maximize_support_likelihood};
use crate::summary::{CountSummary, must_add_up};
use crate::{FrequencyEstimation, HasEstimator, Reading, Request};
use privet_core::{Estimate, EstimateError, Estimator, ReportBuffer, ReportError, Summary};
use privet_mechanisms::categorical::{
    BucketRule, FrequencyOracle, HadamardResponse, LocalHashing, PeakedResponse, PeakedRule, SubsetSelection,
    UnaryEncoding, UnaryRule,
};
use privet_mechanisms::wrapper::{Memoized, Relayed};

/// How often each category or word is held.
#[derive(Debug, Clone, PartialEq)]
pub struct Frequencies {
    /// One row for each.
    pub rows: Vec<Frequency>,
    /// How many reports the estimate rests on.
    pub n: u64,
    /// How it was computed, with the consistency step.
    pub method: String,
}

/// How often one category or word is held.
#[derive(Debug, Clone, PartialEq)]
pub struct Frequency {
    /// Its name.
    pub label: String,
    /// The share of people who hold it. The interval covers the truth of this row in 95 of 100 repetitions.
    pub estimate: Estimate,
    /// These intervals cover the truths of *all* rows at once in 95 of 100 repetitions or more (Bonferroni).
    pub simultaneous_interval: [f64; 2],
}

/// An unbiased value, and how it varies, before intervals are put around it.
pub(crate) struct Raw {
    pub label: String,
    pub value: f64,
    /// The variance of what one of the people who count adds.
    pub spread: Spread,
    /// How long the tails of that are, below and above: see [`MeanOverReports::skew`].
    pub skew: [f64; 2],
    /// How many people count.
    pub people: u64,
    /// What somebody who holds another label is expected to add: zero, or between these, depending on the label.
    pub others: [f64; 2],
}

/// Others add nothing.
pub(crate) const NOTHING: [f64; 2] = [0.0; 2];

impl Raw {
    /// The means of a report's part in the estimate, and in its negative.
    fn sides(&self, sampling: Sampling) -> [MeanOverReports; 2] {
        let (variance, n) = (sampling.variance(self.spread), self.people as f64);
        [(-self.value, self.skew[0]), (self.value, self.skew[1])].map(|(mean, skew)| MeanOverReports {
            mean,
            variance,
            skew,
            n,
        })
    }

    /// The shares for which a mean between these is expected. With the share f and b from each other person it is `f + (1 - f) b`.
    fn without_others(&self, [low, high]: [f64; 2]) -> [f64; 2] {
        let [least, most] = self.others;
        [(low - most) / (1.0 - most), (high - least) / (1.0 - least)]
    }

    fn bias_bound(&self) -> f64 {
        (1.0 - self.value.clamp(0.0, 1.0)) * self.others[1].max(-self.others[0])
    }
}

/// Whom frequencies are about, and how they are called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Basis<'a> {
    pub(crate) n: u64,
    pub(crate) request: &'a Request,
    pub(crate) method: &'static str,
    /// How many rows the simultaneous intervals must cover.
    pub(crate) tests: usize,
}

impl Frequencies {
    /// Puts intervals around unbiased values.
    pub(crate) fn new(raw: Vec<Raw>, basis: Basis<'_>) -> Self {
        let Basis { n, request, method, tests } = basis;
        let row = |raw: Raw| {
            // Where somebody counts for a part of the people only, a lottery chose them from all.
            let took_part = request.took_part.unwrap_or(n).max(n);
            let [lower, upper] = raw.sides(Sampling::new(request.target, raw.people, Some(took_part)));
            let [interval, simultaneous_interval] = [Tail::ONE, Tail::of_many(tests)].map(|tail| {
                of_a_share(raw.without_others([-lower.upper(tail), upper.upper(tail)]), raw.value)
            });
            let estimate = Estimate {
                value: raw.value,
                standard_error: upper.standard_error(),
                bias_bound: raw.bias_bound(),
                interval,
                n,
                method,
                target: request.target,
            };
            Frequency { estimate, simultaneous_interval, label: raw.label }
        };
        Self { rows: raw.into_iter().map(row).collect(), n, method: method.to_owned() }
    }

    /// Replaces the values and says so. Standard errors and intervals are those of the unbiased estimate, stretched to the value
    /// where that lies beyond; how far a value is moved bounds its bias, on average over repetitions.
    pub(crate) fn with_values(mut self, values: Vec<f64>, step: Consistency) -> Self {
        for (row, value) in self.rows.iter_mut().zip(values) {
            row.estimate.bias_bound += (value - row.estimate.value).abs();
            row.estimate.value = value;
            row.estimate.interval = of_a_share(row.estimate.interval, value);
            row.simultaneous_interval = of_a_share(row.simultaneous_interval, value);
        }
        self.method = format!("{}, then {}", self.method, step.as_str());
        self
    }

    /// Applies a projection.
    pub(crate) fn projected(self, step: Consistency) -> Self {
        if step == Consistency::None {
            return self;
        }
        let mut values: Vec<f64> = self.rows.iter().map(|row| row.estimate.value).collect();
        step.project(&mut values);
        self.with_values(values, step)
    }
}

/// The part of an interval that a share can be in, stretched to an unbiased value that lies outside.
pub(crate) fn of_a_share(interval: [f64; 2], value: f64) -> [f64; 2] {
    // A zero is written without a sign.
    let [low, high] = interval.map(|end| end.clamp(0.0, 1.0) + 0.0);
    [low.min(value), high.max(value)]
}

/// Unbiased frequencies from support counts: (share of supporting reports - other) / (own - other).
///
/// The variance over the draws of the reports, for the people at hand, is
/// `(f own (1 - own) + (1 - f) other (1 - other)) / (n (own - other)^2)`, with the estimate, moved into [0, 1], in place of f; over
/// draws and people it is `s (1 - s) / (n (own - other)^2)`, where s is the share of supporting reports, and larger by `f (1 - f) / n` at least.
/// Intervals also hold for counts of a few.
///
/// Each person counts once: several reports of one person in a summary, memoised or not, make the standard error too small.
#[derive(Debug, Clone)]
pub struct FrequencyEstimator<O> {
    oracle: O,
    own: f64,
    other: f64,
    /// `own - other`, rounded once: the two may agree in floating point where they differ exactly.
    difference: f64,
}

impl<O: FrequencyOracle> FrequencyEstimator<O> {
    /// The estimator of an oracle's reports.
    pub fn new(oracle: O) -> Self {
        let support = oracle.support();
        let difference = support.own.minus(&support.other).to_f64();
        Self { own: support.own.to_f64(), other: support.other.to_f64(), difference, oracle }
    }

    /// The variance of the estimate of a category that a share `frequency` of `n` people hold, over the draws of their reports.
    pub fn variance(&self, frequency: f64, n: u64) -> f64 {
        (frequency * self.noise(self.own) + (1.0 - frequency) * self.noise(self.other)) / n as f64
    }

    /// The variance of a report's part in the estimate, if it supports the category with this probability.
    fn noise(&self, probability: f64) -> f64 {
        probability * (1.0 - probability) / self.difference.powi(2)
    }

    fn raw(&self, category: u32, count: u64, n: u64) -> Raw {
        let share = (count as f64 / n as f64).min(1.0);
        let value = (share - self.other) / self.difference;
        let held = value.clamp(0.0, 1.0);
        // As the counts vary, but not below what it is at the share that people can have: where no report happens to be a lie, lies
        // are still drawn.
        let at_share = held * self.noise(self.own) + (1.0 - held) * self.noise(self.other);
        let of_people = self.noise(share).max(at_share + held * (1.0 - held));
        let spread = Spread { of_draws: (of_people - held * (1.0 - held)).max(at_share), of_people };
        let skew = |probability: f64| (1.0 - 2.0 * probability) / self.difference;
        let (low, high) = (self.own.max(self.other), self.own.min(self.other));
        let skew = [(-skew(low)).max(0.0), skew(high).max(0.0)];
        Raw {
            label: self.oracle.categories().label(category),
            value,
            spread,
            skew,
            people: n,
            others: NOTHING,
        }
    }
}

impl<O: FrequencyOracle> Estimator for FrequencyEstimator<O> {
    type Summary = CountSummary;
    type Estimate = Frequencies;

    fn empty_summary(&self) -> CountSummary {
        CountSummary::empty(self.oracle.oracle_fingerprint(), self.oracle.categories().count() as usize)
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        let mut counts = vec![0; self.oracle.categories().count() as usize];
        self.oracle.tally(reports, &mut counts)?;
        summary.add(self.oracle.oracle_fingerprint(), reports, &counts)
    }

    fn estimate(&self, summary: &CountSummary) -> Result<Frequencies, EstimateError> {
        self.frequencies(summary, &Request::default())
    }
}

impl<O: FrequencyOracle> FrequencyEstimation for FrequencyEstimator<O> {
    fn frequencies(&self, summary: &CountSummary, request: &Request) -> Result<Frequencies, EstimateError> {
        let categories = self.oracle.categories().count() as usize;
        let counts = summary.of_mechanism(self.oracle.oracle_fingerprint(), categories)?;
        if self.oracle.is_single() {
            must_add_up(counts, summary.count())?;
        }
        if self.difference <= 0.0 {
            return Err(EstimateError::NotIdentifiable { reason: "reports say nothing at this epsilon" });
        }
        let n = summary.count();
        let raw = (0u32..).zip(counts).map(|(category, count)| self.raw(category, *count, n));
        let basis = Basis { n, request, method: "support counts", tests: counts.len() };
        let frequencies = Frequencies::new(raw.collect(), basis);
        Ok(match request.step {
            Consistency::ExpectationMaximization => {
                let values = maximize_support_likelihood(summary.counts(), self.other / self.difference);
                frequencies.with_values(values, request.step)
            }
            projection => frequencies.projected(projection),
        })
    }

    fn reading(&self) -> Reading<'_> {
        Reading::Support(&self.oracle)
    }
}

impl<K: PeakedRule + Clone> HasEstimator for PeakedResponse<K> {
    type Estimator = FrequencyEstimator<Self>;
    fn estimator(&self) -> Self::Estimator {
        FrequencyEstimator::new(self.clone())
    }
}

impl<K: UnaryRule + Clone> HasEstimator for UnaryEncoding<K> {
    type Estimator = FrequencyEstimator<Self>;
    fn estimator(&self) -> Self::Estimator {
        FrequencyEstimator::new(self.clone())
    }
}

impl<K: BucketRule + Clone> HasEstimator for LocalHashing<K> {
    type Estimator = FrequencyEstimator<Self>;
    fn estimator(&self) -> Self::Estimator {
        FrequencyEstimator::new(self.clone())
    }
}

impl HasEstimator for SubsetSelection {
    type Estimator = FrequencyEstimator<Self>;
    fn estimator(&self) -> Self::Estimator {
        FrequencyEstimator::new(self.clone())
    }
}

impl HasEstimator for HadamardResponse {
    type Estimator = FrequencyEstimator<Self>;
    fn estimator(&self) -> Self::Estimator {
        FrequencyEstimator::new(self.clone())
    }
}

impl<M: Relayed + Clone + 'static> HasEstimator for Memoized<M> {
    type Estimator = FrequencyEstimator<Self>;
    fn estimator(&self) -> Self::Estimator {
        FrequencyEstimator::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::Consistency;
    use crate::testing::Case;
    use privet_core::Values;

    /// Of 200 people who hold one category at epsilon 8 most collections show no lie at all. Lies are drawn all the same, and the
    /// standard error is that of the formula at a share of one.
    #[test]
    fn without_a_lie_in_sight_the_standard_error_is_that_of_lies() {
        let case = Case::new("grr", "categories:4", 8.0);
        let summary = case.summary(&case.reports(&Values::Categories(vec![0; 200]), 2));
        assert_eq!(summary.counts()[0], 200, "no lie with this seed");
        let found = case.estimator.estimate(&summary, Consistency::None).unwrap();
        let e = 8f64.exp();
        let (own, other) = (e / (e + 3.0), 1.0 / (e + 3.0));
        let exact = |p: f64| (p * (1.0 - p) / 200.0).sqrt() / (own - other);
        assert!((found.rows[0].estimate.standard_error / exact(own) - 1.0).abs() < 1e-6);
        assert!((found.rows[1].estimate.standard_error / exact(other) - 1.0).abs() < 1e-6);
    }
}
