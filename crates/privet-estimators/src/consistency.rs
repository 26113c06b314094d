//! Frequencies are not negative and add up to one. Unbiased estimates need not; each of these steps trades
//! unbiasedness for that, and is named wherever it is used.

use privet_core::EstimateError;
use std::str::FromStr;

/// A named step after the estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Consistency {
    /// None: unbiased, but possibly negative.
    #[default]
    None,
    /// Negative estimates become zero.
    NonNegative,
    /// Negative estimates become zero, and the same amount is added to the others until all add up to one.
    NormSub,
    /// The nearest point of the simplex in the sense of least squares.
    Simplex,
    /// The frequencies under which the counts are most likely: what expectation-maximisation converges to. Where a report
    /// supports several categories the likelihood is that of independent counts, an approximation.
    ExpectationMaximization,
}

impl Consistency {
    /// Every step, in the order of the documentation.
    pub const ALL: [Self; 5] =
        [Self::None, Self::NonNegative, Self::NormSub, Self::Simplex, Self::ExpectationMaximization];

    /// The name that programs use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::NonNegative => "non-negative",
            Self::NormSub => "norm-sub",
            Self::Simplex => "simplex",
            Self::ExpectationMaximization => "expectation-maximization",
        }
    }

    /// Refuses expectation-maximisation for methods that have no likelihood of their own.
    pub(crate) fn require_projection(self, method: &'static str) -> Result<(), EstimateError> {
        if self == Self::ExpectationMaximization {
            return Err(EstimateError::Step { step: self.as_str(), method });
        }
        Ok(())
    }

    /// Applies a projection to the values; expectation-maximisation needs the counts and is done elsewhere.
    pub(crate) fn project(self, values: &mut [f64]) {
        match self {
            Self::None | Self::ExpectationMaximization => {}
            Self::NonNegative => values.iter_mut().for_each(|value| *value = value.max(0.0)),
            Self::NormSub => norm_sub(values),
            Self::Simplex => project_to_simplex(values),
        }
    }
}

impl FromStr for Consistency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|step| step.as_str() == text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|step| step.as_str()).collect();
            format!("a consistency step is one of {}: got {text:?}", names.join(", "))
        })
    }
}

fn norm_sub(values: &mut [f64]) {
    loop {
        values.iter_mut().for_each(|value| *value = value.max(0.0));
        let positive = values.iter().filter(|value| **value > 0.0).count();
        if positive == 0 {
            let share = 1.0 / values.len() as f64;
            values.iter_mut().for_each(|value| *value = share);
            return;
        }
        let shift = (1.0 - values.iter().sum::<f64>()) / positive as f64;
        values.iter_mut().filter(|value| **value > 0.0).for_each(|value| *value += shift);
        if values.iter().all(|value| *value >= 0.0) {
            return;
        }
    }
}

fn project_to_simplex(values: &mut [f64]) {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mut sum = 0.0;
    let mut shift = 0.0;
    for (kept, value) in (1u32..).zip(&sorted) {
        sum += value;
        let candidate = (1.0 - sum) / f64::from(kept);
        // The largest values stay positive after the shift; the first that would not ends the search.
        if value + candidate <= 0.0 {
            break;
        }
        shift = candidate;
    }
    values.iter_mut().for_each(|value| *value = (*value + shift).max(0.0));
}

/// The frequencies that maximise the likelihood of support counts, where a category that a share f holds is supported by
/// a share `other + f (own - other)` of the reports: the fixed point of expectation-maximisation, in closed form.
///
/// The likelihood is the multinomial one where each report supports one category, and otherwise that of independent
/// Poisson counts with the same means. At the maximum, frequencies above zero are `count / scale - offset` with
/// `offset = other / (own - other)`, for the scale at which they add up to one.
pub(crate) fn maximize_support_likelihood(counts: &[u64], offset: f64) -> Vec<f64> {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let mut sum = 0.0;
    let mut scale = f64::INFINITY;
    for (kept, count) in (1u32..).zip(&sorted) {
        sum += *count as f64;
        let candidate = sum / (1.0 + f64::from(kept) * offset);
        // The largest counts stay positive; the first that would not ends the search.
        if kept > 1 && *count as f64 <= candidate * offset {
            break;
        }
        scale = candidate;
    }
    counts.iter().map(|count| (*count as f64 / scale - offset).max(0.0)).collect()
}

/// Expectation-maximisation stops when the log-likelihood is within this of its maximum.
const LIKELIHOOD_GAP: f64 = 0.05;
const MAX_ROUNDS: usize = 20_000;

/// The frequencies that maximise the multinomial likelihood of report counts under a channel.
///
/// `forward` gives the probabilities of reports from frequencies, `backward` is its transpose. With the largest factor m by
/// which a frequency would grow in the next round, the log-likelihood is within n ln m of its maximum.
///
/// # Errors
/// When the gap is still larger after the allowed number of rounds.
pub(crate) fn expectation_maximization(
    counts: &[u64],
    categories: usize,
    forward: impl Fn(&[f64]) -> Vec<f64>,
    backward: impl Fn(&[f64]) -> Vec<f64>,
) -> Result<Vec<f64>, EstimateError> {
    let n: f64 = counts.iter().map(|count| *count as f64).sum();
    let mut frequencies = vec![1.0 / categories as f64; categories];
    for _ in 0..MAX_ROUNDS {
        let shares = counts.iter().map(|count| *count as f64 / n);
        let means = forward(&frequencies);
        let ratios: Vec<f64> =
            shares.zip(&means).map(|(share, mean)| share / mean.max(f64::MIN_POSITIVE)).collect();
        let factors = backward(&ratios);
        let largest = factors.iter().copied().fold(1.0, f64::max);
        if n * largest.ln() <= LIKELIHOOD_GAP {
            return Ok(frequencies);
        }
        frequencies.iter_mut().zip(&factors).for_each(|(frequency, factor)| *frequency *= factor);
    }
    Err(EstimateError::NotConverged { rounds: MAX_ROUNDS })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn projections_land_on_the_simplex(values in prop::collection::vec(-1.0f64..1.0, 1..50)) {
            for step in [Consistency::NormSub, Consistency::Simplex] {
                let mut projected = values.clone();
                step.project(&mut projected);
                prop_assert!(projected.iter().all(|value| *value >= 0.0));
                prop_assert!((projected.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }

        /// The projection is nearer than any other point of the simplex.
        #[test]
        fn the_simplex_projection_is_nearest(
            values in prop::collection::vec(-1.0f64..1.0, 2..8),
            other in prop::collection::vec(0.001f64..1.0, 8),
        ) {
            let mut projected = values.clone();
            Consistency::Simplex.project(&mut projected);
            let total: f64 = other[..values.len()].iter().sum();
            let distance = |point: &[f64]| values.iter().zip(point).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            let other: Vec<f64> = other[..values.len()].iter().map(|value| value / total).collect();
            prop_assert!(distance(&projected) <= distance(&other) + 1e-12);
        }
    }

    proptest! {
        /// No small move between two categories makes the counts more likely.
        #[test]
        fn the_closed_form_is_the_maximum(
            counts in prop::collection::vec(0u64..1000, 2..20), own in 0.3f64..0.9, ratio in 0.05f64..0.9,
        ) {
            prop_assume!(counts.iter().sum::<u64>() > 0);
            let other = own * ratio;
            let best = maximize_support_likelihood(&counts, other / (own - other));
            prop_assert!((best.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let likelihood = |frequencies: &[f64]| -> f64 {
                let terms = counts.iter().zip(frequencies);
                terms.map(|(count, f)| *count as f64 * (other + f * (own - other)).ln()).sum()
            };
            for from in 0..best.len() {
                for to in 0..best.len() {
                    let mut moved = best.clone();
                    let step = 1e-4 * moved[from];
                    moved[from] -= step;
                    moved[to] += step;
                    prop_assert!(likelihood(&moved) <= likelihood(&best) + 1e-9);
                }
            }
        }

        /// The iteration and the closed form agree where both apply: one category for each report.
        #[test]
        fn the_iteration_reaches_the_closed_form(counts in prop::collection::vec(0u64..300, 2..6)) {
            prop_assume!(counts.iter().sum::<u64>() > 0);
            let others = counts.len() as f64 - 1.0;
            let (own, other) = (3.0 / (3.0 + others), 1.0 / (3.0 + others));
            let apply = |values: &[f64]| -> Vec<f64> {
                let base = other * values.iter().sum::<f64>();
                values.iter().map(|value| base + (own - other) * value).collect()
            };
            let likelihood = |frequencies: &[f64]| -> f64 {
                counts.iter().zip(apply(frequencies)).map(|(count, mean)| *count as f64 * mean.ln()).sum()
            };
            let closed = maximize_support_likelihood(&counts, other / (own - other));
            let iterated = expectation_maximization(&counts, counts.len(), apply, apply).unwrap();
            let gap = likelihood(&closed) - likelihood(&iterated);
            prop_assert!((-1e-9..=LIKELIHOOD_GAP).contains(&gap), "{}", gap);
        }
    }

    #[test]
    fn names_round_trip() {
        for step in Consistency::ALL {
            assert_eq!(step.as_str().parse(), Ok(step));
        }
        assert!("magic".parse::<Consistency>().is_err());
    }
}
