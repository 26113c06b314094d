//! Frequencies from support counts.

use crate::consistency::{Consistency, expectation_maximization};
use crate::statistics::normal_quantile;
use crate::summary::CountSummary;
use crate::{FrequencyEstimation, HasEstimator};
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
    /// These intervals cover the truths of *all* rows at once in at least 95 of 100 repetitions (Bonferroni).
    pub simultaneous_interval: [f64; 2],
}

/// A value with its variance, before intervals are put around it.
pub(crate) struct Raw {
    pub label: String,
    pub value: f64,
    pub variance: f64,
}

impl Frequencies {
    /// Puts intervals around unbiased values. `tests` is how many rows the simultaneous intervals must cover.
    pub(crate) fn new(raw: Vec<Raw>, n: u64, method: &'static str, tests: usize) -> Self {
        let marginal = normal_quantile(1.0 - (1.0 - CONFIDENCE) / 2.0);
        let simultaneous = normal_quantile(1.0 - (1.0 - CONFIDENCE) / 2.0 / tests.max(1) as f64);
        let row = |raw: Raw| {
            let standard_error = raw.variance.max(0.0).sqrt();
            let around = |z: f64| [raw.value - z * standard_error, raw.value + z * standard_error];
            Frequency {
                label: raw.label,
                estimate: Estimate {
                    value: raw.value,
                    standard_error,
                    interval: around(marginal),
                    n,
                    method,
                },
                simultaneous_interval: around(simultaneous),
            }
        };
        Self { rows: raw.into_iter().map(row).collect(), n, method: method.to_owned() }
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
/// `(f own (1 - own) + (1 - f) other (1 - other)) / (n (own - other)^2)`, with the estimate in place of f.
#[derive(Debug, Clone)]
pub struct FrequencyEstimator<O> {
    oracle: O,
    own: f64,
    other: f64,
}

impl<O: FrequencyOracle> FrequencyEstimator<O> {
    /// The estimator of an oracle's reports.
    pub fn new(oracle: O) -> Self {
        let support = oracle.support();
        Self { own: support.own.to_f64(), other: support.other.to_f64(), oracle }
    }

    /// The variance of the estimate of a category that a share `frequency` of `n` people hold.
    pub fn variance(&self, frequency: f64, n: u64) -> f64 {
        let of = |probability: f64| probability * (1.0 - probability);
        (frequency * of(self.own) + (1.0 - frequency) * of(self.other))
            / (n as f64 * (self.own - self.other).powi(2))
    }

    fn maximum_likelihood(&self, counts: &[u64]) -> Vec<f64> {
        // The channel to support counts is `other` everywhere plus `own - other` on the diagonal, and symmetric.
        let apply = |values: &[f64]| {
            let base = self.other * values.iter().sum::<f64>();
            values.iter().map(|value| base + (self.own - self.other) * value).collect()
        };
        expectation_maximization(counts, counts.len(), apply, apply)
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
        let counts = summary.of_mechanism(self.oracle.oracle_fingerprint())?;
        let n = summary.count();
        let raw = (0u32..).zip(counts).map(|(category, count)| {
            let value = (*count as f64 / n as f64 - self.other) / (self.own - self.other);
            Raw {
                label: self.oracle.categories().label(category),
                value,
                variance: self.variance(value.clamp(0.0, 1.0), n),
            }
        });
        Ok(Frequencies::new(raw.collect(), n, "support counts", counts.len()))
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
                let values = self.maximum_likelihood(summary.counts());
                frequencies.with_values(values, step)
            }
            projection => frequencies.projected(projection),
        })
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
