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
    /// The frequencies under which the counts are most likely, by expectation-maximisation.
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

/// Stops when no frequency moves by more than this in one round.
const TOLERANCE: f64 = 1e-10;
const MAX_ROUNDS: usize = 100_000;

/// The frequencies that maximise the likelihood of Poisson counts with means proportional to `forward(frequencies)`.
///
/// For reports that name one outcome these are the multinomial maximum-likelihood frequencies. `backward` is the
/// transpose of `forward`; the columns of `forward` must all have the same sum.
pub(crate) fn expectation_maximization(
    counts: &[u64],
    categories: usize,
    forward: impl Fn(&[f64]) -> Vec<f64>,
    backward: impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<f64> {
    let mut frequencies = vec![1.0 / categories as f64; categories];
    for _ in 0..MAX_ROUNDS {
        let means = forward(&frequencies);
        let ratios: Vec<f64> = counts
            .iter()
            .zip(&means)
            .map(|(count, mean)| *count as f64 / mean.max(f64::MIN_POSITIVE))
            .collect();
        let factors = backward(&ratios);
        let mut next: Vec<f64> = frequencies.iter().zip(&factors).map(|(f, factor)| f * factor).collect();
        let total: f64 = next.iter().sum();
        if total <= 0.0 {
            break;
        }
        next.iter_mut().for_each(|value| *value /= total);
        let moved = frequencies.iter().zip(&next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
        frequencies = next;
        if moved < TOLERANCE {
            break;
        }
    }
    frequencies
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

    #[test]
    fn names_round_trip() {
        for step in Consistency::ALL {
            assert_eq!(step.as_str().parse(), Ok(step));
        }
        assert!("magic".parse::<Consistency>().is_err());
    }
}
