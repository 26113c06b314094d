//! A row with one high weight and equal low weights: the shape of k-ary randomised response.

use super::reciprocal::Reciprocal;
use crate::error::ParameterError;
use crate::fraction::{ExpLowerBound, Fraction};
use crate::parameter::Epsilon;
use rand_core::Rng;

/// `count` outcomes; one has the weight `high`, each other one `low`, and `high + (count - 1) * low = 2^64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeakedRow {
    count: u32,
    high: u64,
    low: Reciprocal,
}

impl PeakedRow {
    /// The row with the largest high weight whose ratio `high / low` is at most e^epsilon.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights to tell high from low.
    pub fn calibrate(count: u32, epsilon: Epsilon) -> Result<Self, ParameterError> {
        let too_small = ParameterError::EpsilonTooSmall { got: epsilon.get() };
        let others = u64::from(count.saturating_sub(1));
        let low = ExpLowerBound::of(epsilon).smallest_weight(1, 1, others);
        let rest = u128::from(low) * u128::from(others);
        let high = (1u128 << 64).checked_sub(rest).and_then(|high| u64::try_from(high).ok());
        match high {
            Some(high) if high > low => Ok(Self { count, high, low: Reciprocal::new(low) }),
            _ => Err(too_small),
        }
    }

    /// How many outcomes there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The weight of the peak.
    pub fn high(&self) -> u64 {
        self.high
    }

    /// The weight of each other outcome.
    pub fn low(&self) -> u64 {
        self.low.divisor()
    }

    /// The weight of `outcome` when the peak is at `peak`.
    pub fn weight(&self, peak: u32, outcome: u32) -> u64 {
        if peak == outcome { self.high } else { self.low() }
    }

    /// `high / low`, exactly.
    pub fn ratio(&self) -> Fraction {
        &Fraction::of_weight(self.high) / &Fraction::of_weight(self.low())
    }

    /// Draws an outcome with the peak at `peak`. Takes one random word, whatever the peak is.
    #[inline]
    pub fn draw<R: Rng + ?Sized>(&self, peak: u32, rng: &mut R) -> u32 {
        let word = rng.next_u64();
        let other = self.low.divide(word.wrapping_sub(self.high)) as u32;
        let skipped = other.wrapping_add(u32::from(other >= peak));
        if word < self.high { peak } else { skipped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_core::{Infallible, TryRng};

    /// Gives one word over and over.
    struct Constant(u64);

    impl TryRng for Constant {
        type Error = Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(self.0 as u32)
        }
        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            Ok(self.0)
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
            unreachable!()
        }
    }

    proptest! {
        /// The words that lead to each outcome are exactly the interval that the weights name.
        #[test]
        fn every_outcome_has_its_interval_of_words(
            count in 2u32..2000, epsilon in 0.001f64..60.0, peak in any::<prop::sample::Index>(),
            outcome in any::<prop::sample::Index>(),
        ) {
            let row = PeakedRow::calibrate(count, Epsilon::new(epsilon).unwrap()).unwrap();
            let peak = peak.index(count as usize) as u32;
            let rank = outcome.index(count as usize - 1) as u32;
            let outcome = rank + u32::from(rank >= peak);
            let first = row.high + u64::from(rank) * row.low();
            let last = first + (row.low() - 1);
            prop_assert_eq!(row.draw(peak, &mut Constant(first)), outcome);
            prop_assert_eq!(row.draw(peak, &mut Constant(last)), outcome);
            prop_assert_eq!(row.draw(peak, &mut Constant(0)), peak);
            prop_assert_eq!(row.draw(peak, &mut Constant(row.high - 1)), peak);
            let total = u128::from(row.high) + u128::from(row.low()) * u128::from(count - 1);
            prop_assert_eq!(total, 1 << 64);
        }
    }

    #[test]
    fn tiny_epsilons_are_refused() {
        let tiny = Epsilon::new(1e-300).unwrap();
        assert_eq!(PeakedRow::calibrate(3, tiny), Err(ParameterError::EpsilonTooSmall { got: 1e-300 }));
        assert_eq!(PeakedRow::calibrate(2, tiny), Err(ParameterError::EpsilonTooSmall { got: 1e-300 }));
    }

    #[test]
    fn huge_epsilons_stay_within_the_weights() {
        let row = PeakedRow::calibrate(2, Epsilon::new(1e300).unwrap()).unwrap();
        assert_eq!((row.low(), row.high()), (1, u64::MAX));
    }
}
