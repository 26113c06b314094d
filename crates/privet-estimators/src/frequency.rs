//! Frequencies from support counts.

use crate::consistency::{Consistency, maximize_support_likelihood};
use crate::statistics::{BinomialCount, ClopperPearson, clopper_pearson, normal_quantile};
use crate::summary::CountSummary;
use crate::{FrequencyEstimation, HasEstimator, Reading};
use privet_core::{Estimate, EstimateError, Estimator, ReportBuffer, ReportError, Summary};
use privet_mechanisms::categorical::{
    BucketRule, FrequencyOracle, HadamardResponse, LocalHashing, PeakedResponse, PeakedRule, SubsetSelection,
    UnaryEncoding, UnaryRule,
};
use privet_mechanisms::wrapper::{Memoized, Relayed};

/// The confidence of all intervals.
pub(crate) const CONFIDENCE: f64 = 0.95;

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

/// A value with its variance, before intervals are put around it.
pub(crate) struct Raw {
    pub label: String,
    pub value: f64,
    pub variance: f64,
}

impl Raw {
    fn normal_interval(&self, alpha: f64) -> [f64; 2] {
        let reach = normal_quantile(1.0 - alpha / 2.0) * self.variance.max(0.0).sqrt();
        [self.value - reach, self.value + reach]
    }
}

impl Frequencies {
    /// Puts normal intervals around unbiased values. `tests` is how many rows the simultaneous intervals must cover.
    pub(crate) fn new(raw: Vec<Raw>, n: u64, method: &'static str, tests: usize) -> Self {
        Self::with_intervals(raw, n, method, tests, |_, raw, alpha| raw.normal_interval(alpha))
    }

    /// Puts intervals around unbiased values: `interval` gives that of a row at a total error probability.
    fn with_intervals(
        raw: Vec<Raw>,
        n: u64,
        method: &'static str,
        tests: usize,
        interval: impl Fn(usize, &Raw, f64) -> [f64; 2],
    ) -> Self {
        let alpha = 1.0 - CONFIDENCE;
        let row = |(index, raw): (usize, Raw)| Frequency {
            estimate: Estimate {
                value: raw.value,
                standard_error: raw.variance.max(0.0).sqrt(),
                interval: interval(index, &raw, alpha),
                n,
                method,
            },
            simultaneous_interval: interval(index, &raw, alpha / tests.max(1) as f64),
            label: raw.label,
        };
        Self { rows: raw.into_iter().enumerate().map(row).collect(), n, method: method.to_owned() }
    }

    /// Replaces the values, keeps standard errors and intervals (they are about the unbiased estimate), and says so.
    pub(crate) fn with_values(mut self, values: Vec<f64>, step: Consistency) -> Self {
        for (row, value) in self.rows.iter_mut().zip(values) {
            row.estimate.value = value;
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

/// Unbiased frequencies from support counts: (share of supporting reports - other) / (own - other).
///
/// The standard error is over the draws of the reports, for the people at hand:
/// `(f own (1 - own) + (1 - f) other (1 - other)) / (n (own - other)^2)`, with the estimate in place of f. Intervals are
/// normal ones where the supporting reports vary by more than ten, and otherwise exact binomial ones (Clopper-Pearson),
/// which are wider than they need to be.
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

/// Below this variance of a support count its law is too skewed for the normal interval.
const SMALLEST_NORMAL_VARIANCE: f64 = 100.0;

impl<O: FrequencyOracle> FrequencyEstimator<O> {
    /// The estimator of an oracle's reports.
    pub fn new(oracle: O) -> Self {
        let support = oracle.support();
        let difference = support.own.minus(&support.other).to_f64();
        Self { own: support.own.to_f64(), other: support.other.to_f64(), difference, oracle }
    }

    /// The variance of the estimate of a category that a share `frequency` of `n` people hold.
    pub fn variance(&self, frequency: f64, n: u64) -> f64 {
        let of = |probability: f64| probability * (1.0 - probability);
        (frequency * of(self.own) + (1.0 - frequency) * of(self.other)) / (n as f64 * self.difference.powi(2))
    }

    fn interval(&self, count: u64, n: u64, raw: &Raw, alpha: f64) -> [f64; 2] {
        let count_variance = raw.variance * (n as f64 * self.difference).powi(2);
        match BinomialCount::new(count, n) {
            Some(count) if count_variance < SMALLEST_NORMAL_VARIANCE => {
                let ClopperPearson { lower, upper } = clopper_pearson(count, alpha);
                [lower, upper].map(|share| (share - self.other) / self.difference)
            }
            _ => raw.normal_interval(alpha),
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
        let categories = self.oracle.categories().count() as usize;
        let counts = summary.of_mechanism(self.oracle.oracle_fingerprint(), categories)?;
        if self.difference <= 0.0 {
            return Err(EstimateError::NotIdentifiable { reason: "reports say nothing at this epsilon" });
        }
        let n = summary.count();
        let raw = (0u32..).zip(counts).map(|(category, count)| {
            let value = (*count as f64 / n as f64 - self.other) / self.difference;
            Raw {
                label: self.oracle.categories().label(category),
                value,
                variance: self.variance(value.clamp(0.0, 1.0), n),
            }
        });
        let interval = |row: usize, raw: &Raw, alpha: f64| self.interval(counts[row], n, raw, alpha);
        Ok(Frequencies::with_intervals(raw.collect(), n, "support counts", counts.len(), interval))
    }
}

impl<O: FrequencyOracle> FrequencyEstimation for FrequencyEstimator<O> {
    fn estimate_consistently(
        &self,
        summary: &CountSummary,
        step: Consistency,
    ) -> Result<Frequencies, EstimateError> {
        let frequencies = self.estimate(summary)?;
        Ok(match step {
            Consistency::ExpectationMaximization => {
                let values = maximize_support_likelihood(summary.counts(), self.other / self.difference);
                frequencies.with_values(values, step)
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
