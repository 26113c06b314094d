//! Frequencies from noisy Bloom filters, by least squares over all known categories.

use crate::bounds::Spread;
use crate::frequency::{Basis, Frequencies, NOTHING, Raw};
use crate::summary::{CountSummary, must_fit_rows};
use crate::{FrequencyEstimation, HasEstimator, Reading, Request};
use nalgebra::{DMatrix, DVector};
use privet_core::{EstimateError, Estimator, Mechanism, ReportBuffer, ReportError, Summary};
use privet_mechanisms::categorical::{BitCounter, Rappor};

/// Least squares over the categories' bit patterns.
///
/// With n_c people in cohort c, the normal equations are `G f = S`, where G adds up n_c times the number of bits that two
/// categories share in cohort c, and S the estimated numbers of people who set the bits of a category. Every flip has
/// the same variance p (1 - p) / (2 p - 1)^2, so flips contribute that times the diagonal of the inverse of G. Who is in
/// which cohort is random too: that contributes the spread, over cohorts, of what a person adds beyond the average person.
#[derive(Debug, Clone)]
pub struct RapporEstimator {
    mechanism: Rappor,
    /// For each cohort and category, the bits that it sets.
    positions: Vec<Vec<Vec<usize>>>,
}

impl RapporEstimator {
    /// The estimator of the mechanism's reports.
    pub fn new(mechanism: Rappor) -> Self {
        let categories = mechanism.domain().count();
        let of_cohort =
            |cohort| (0..categories).map(|category| mechanism.positions(cohort, category)).collect();
        let positions = (0..mechanism.parameters().cohorts).map(of_cohort).collect();
        Self { mechanism, positions }
    }

    fn cohorts(&self) -> usize {
        self.positions.len()
    }

    fn bits(&self) -> usize {
        self.mechanism.parameters().bits as usize
    }

    /// The number of people in each cohort, and the counts of its bits.
    fn split<'a>(&self, counts: &'a [u64]) -> (&'a [u64], std::slice::ChunksExact<'a, u64>) {
        let (people, bits) = counts.split_at(self.cohorts());
        (people, bits.chunks_exact(self.bits()))
    }

    fn normal_equations(&self, counts: &[u64]) -> (DMatrix<f64>, DVector<f64>) {
        let size = self.mechanism.domain().count() as usize;
        let thresholds = self.mechanism.thresholds();
        let unset = thresholds.probability(false, true).to_f64();
        let mut gram = DMatrix::zeros(size, size);
        let mut sums = DVector::zeros(size);
        let (people, bit_counts) = self.split(counts);
        for ((positions, n), bits) in self.positions.iter().zip(people).zip(bit_counts) {
            let mut holders = vec![Vec::new(); self.bits()];
            for (category, set_bits) in positions.iter().enumerate() {
                for bit in set_bits {
                    holders[*bit].push(category);
                    sums[category] += (bits[*bit] as f64 - unset * *n as f64) / thresholds.difference();
                }
            }
            for group in &holders {
                for one in group {
                    for two in group {
                        gram[(*one, *two)] += *n as f64;
                    }
                }
            }
        }
        (gram, sums)
    }

    /// For each category, the variance that the random choice of cohorts adds.
    fn cohort_variance(&self, inverse: &DMatrix<f64>, frequencies: &DVector<f64>, n: f64) -> Vec<f64> {
        let size = frequencies.len();
        let cohorts = self.cohorts() as f64;
        let mut means = DMatrix::<f64>::zeros(size, size);
        let mut squares = DMatrix::<f64>::zeros(size, size);
        for positions in &self.positions {
            // Column b: how much a set bit b moves each estimate.
            let mut weights = DMatrix::<f64>::zeros(size, self.bits());
            for (category, bits) in positions.iter().enumerate() {
                for bit in bits {
                    let mut column = weights.column_mut(*bit);
                    column += inverse.column(category);
                }
            }
            let added = |bits: &Vec<usize>| {
                bits.iter().fold(DVector::zeros(size), |sum, bit| sum + weights.column(*bit))
            };
            let totals: Vec<DVector<f64>> = positions.iter().map(added).collect();
            let average = totals
                .iter()
                .zip(frequencies.iter())
                .fold(DVector::zeros(size), |sum, (total, frequency)| {
                    sum + total * frequency.clamp(0.0, 1.0)
                });
            for (held, total) in totals.iter().enumerate() {
                let beyond = total - &average;
                for estimate in 0..size {
                    means[(estimate, held)] += beyond[estimate] / cohorts;
                    squares[(estimate, held)] += beyond[estimate].powi(2) / cohorts;
                }
            }
        }
        let spread = |estimate: usize| {
            (0..size)
                .map(|held| {
                    let variance = squares[(estimate, held)] - means[(estimate, held)].powi(2);
                    n * frequencies[held].clamp(0.0, 1.0) * variance.max(0.0)
                })
                .sum()
        };
        (0..size).map(spread).collect()
    }
}

/// The inverse of a positive definite matrix, or `None` if it is singular up to rounding.
fn invert(gram: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let largest = gram.diagonal().max();
    let cholesky = gram.cholesky()?;
    // The squared diagonal of the factor is what is left of each column after the ones before it.
    let smallest =
        cholesky.l_dirty().diagonal().iter().map(|value| value * value).fold(f64::INFINITY, f64::min);
    (smallest > 1e-10 * largest).then(|| cholesky.inverse())
}

impl Estimator for RapporEstimator {
    type Summary = CountSummary;
    type Estimate = Frequencies;

    fn empty_summary(&self) -> CountSummary {
        CountSummary::empty(self.mechanism.fingerprint(), self.cohorts() * (1 + self.bits()))
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        let (cohorts, bits) = (self.cohorts(), self.bits());
        let mut counts = vec![0; cohorts * (1 + bits)];
        let (people, bit_counts) = counts.split_at_mut(cohorts);
        let mut counters = vec![BitCounter::new(bits); cohorts];
        let mut slot = vec![0; bits.div_ceil(8)];
        for bytes in reports.iter() {
            let report = self.mechanism.decode(bytes)?;
            let cohort = report.cohort as usize;
            people[cohort] += 1;
            report.bits.write(&mut slot);
            counters[cohort].add(&slot, &mut bit_counts[cohort * bits..][..bits])?;
        }
        for (counter, counts) in counters.iter_mut().zip(bit_counts.chunks_exact_mut(bits)) {
            counter.flush(counts);
        }
        summary.add(self.mechanism.fingerprint(), reports, &counts)
    }

    fn estimate(&self, summary: &CountSummary) -> Result<Frequencies, EstimateError> {
        self.frequencies(summary, &Request::default())
    }
}

impl FrequencyEstimation for RapporEstimator {
    fn frequencies(&self, summary: &CountSummary, request: &Request) -> Result<Frequencies, EstimateError> {
        const METHOD: &str = "least squares over Bloom patterns";
        request.step.require_projection(METHOD)?;
        let counts =
            summary.of_mechanism(self.mechanism.fingerprint(), self.cohorts() * (1 + self.bits()))?;
        let n = summary.count();
        must_fit_rows(counts, n, self.cohorts())?;
        let (gram, sums) = self.normal_equations(counts);
        let inverse = invert(gram).ok_or(EstimateError::NotIdentifiable {
            reason: "too few cohorts have reports for so many categories, or two categories set the same bits in all",
        })?;
        let values = &inverse * sums;
        let thresholds = self.mechanism.thresholds();
        let set = thresholds.probability(true, true).to_f64();
        let flip = set * (1.0 - set) / thresholds.difference().powi(2);
        let of_cohorts = self.cohort_variance(&inverse, &values, n as f64);
        let raw = (0u32..).zip(values.iter()).map(|(category, value)| {
            let index = category as usize;
            let held = value.clamp(0.0, 1.0);
            let of_draws = (flip * inverse[(index, index)] + of_cohorts[index]) * n as f64;
            Raw {
                label: self.mechanism.domain().label(category),
                value: *value,
                spread: Spread { of_draws, of_people: of_draws + held * (1.0 - held) },
                // Every report adds many noisy bits, none of which is rare.
                skew: [0.0; 2],
                people: n,
                others: NOTHING,
            }
        });
        let basis = Basis { n, request, method: METHOD, tests: values.len() };
        Ok(Frequencies::new(raw.collect(), basis).projected(request.step))
    }

    fn reading(&self) -> Reading<'_> {
        Reading::Bloom(&self.mechanism)
    }
}

impl HasEstimator for Rappor {
    type Estimator = RapporEstimator;
    fn estimator(&self) -> RapporEstimator {
        RapporEstimator::new(self.clone())
    }
}
