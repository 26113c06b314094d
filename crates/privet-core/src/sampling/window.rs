//! A row with one run of equal high weights and low weights everywhere else: the shape of the piecewise mechanisms.

use super::reciprocal::Reciprocal;
use crate::error::ParameterError;
use crate::fraction::{ExpLowerBound, Fraction};
use crate::parameter::Epsilon;
use rand_core::Rng;

/// `cells` outcomes in a line or a ring; `window` neighbouring ones have the weight `high`, each other one `low`.
///
/// The weights add up to a little less than 2^64 (by fewer words than the window has cells); words beyond are drawn again.
/// The total is the same wherever the window stands, so the ratio of two rows is that of their weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowRow {
    cells: u32,
    shares: Shares,
    /// The last word that is not drawn again.
    last: u64,
}

/// How words are shared out: to the cells of the window in their order, and then to the other cells in the order in which
/// they follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    window: u32,
    /// How many words each cell in the window has, and each other one. Which of them a word belongs to is as good as random,
    /// so a look-up is faster than a branch.
    weights: [Reciprocal; 2],
    /// How many words fall into the window.
    inside: u64,
}

/// Whose a word is.
pub(super) struct Owner {
    /// The cell, counted from the first cell of the window on.
    pub(super) place: u32,
    /// How many words of this cell come before.
    pub(super) index: u64,
    /// How many words this cell has.
    pub(super) count: u64,
}

impl Shares {
    /// The words of `window` cells that have the first number of words each, and of the others, which have the second.
    pub(super) fn new(window: u32, weights: [u64; 2]) -> Self {
        Self { window, weights: weights.map(Reciprocal::new), inside: weights[0] * u64::from(window) }
    }

    /// Finds the owner of a word, which must have one.
    #[inline]
    pub(super) fn owner(&self, word: u64) -> Owner {
        let is_outside = word >= self.inside;
        let mask = u64::from(is_outside).wrapping_neg();
        let rest = word - (self.inside & mask);
        let weight = &self.weights[usize::from(is_outside)];
        let cell = weight.divide(rest);
        Owner {
            place: (self.window & mask as u32) + cell as u32,
            index: rest - cell * weight.divisor(),
            count: weight.divisor(),
        }
    }
}

impl WindowRow {
    /// The largest number of outcomes.
    pub const MAX_CELLS: u32 = 1 << 30;

    /// The row with the largest high weight whose ratio `high / low` is at most e^epsilon.
    ///
    /// # Errors
    /// When the window is empty or all there is, or epsilon is too small for 64-bit weights to tell high from low.
    pub fn calibrate(cells: u32, window: u32, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::calibrate_within(cells, window, epsilon, 1 << 64)
    }

    /// As [`WindowRow::calibrate`], but the weights add up to `words` at most (between 2^32 and 2^64): the rest of the
    /// words belongs to other outcomes.
    ///
    /// # Errors
    /// As for [`WindowRow::calibrate`], and when there are too few or too many words.
    pub fn calibrate_within(
        cells: u32,
        window: u32,
        epsilon: Epsilon,
        words: u128,
    ) -> Result<Self, ParameterError> {
        if !(1 << 32..=1 << 64).contains(&words) {
            return Err(ParameterError::Incompatible {
                reason: format!("a row needs between 2^32 and 2^64 words: got {words}"),
            });
        }
        if window == 0 || window >= cells || cells > Self::MAX_CELLS {
            return Err(ParameterError::Incompatible {
                reason: format!(
                    "a window needs between 1 and {} cells: got {window}",
                    cells.saturating_sub(1)
                ),
            });
        }
        let (inner, outer) = (u64::from(window), u64::from(cells - window));
        let whole = ExpLowerBound::of(epsilon).smallest_weight(1, inner, outer);
        // The share of the words, rounded up: a larger low weight only makes the ratio smaller.
        let low = if words == 1 << 64 { whole } else { ((u128::from(whole) * words) >> 64) as u64 + 1 };
        let outside = u128::from(low) * u128::from(outer);
        let high = words.checked_sub(outside).map_or(0, |rest| rest / u128::from(inner));
        let high = u64::try_from(high).unwrap_or(u64::MAX);
        if high <= low {
            return Err(ParameterError::EpsilonTooSmall { got: epsilon.get() });
        }
        let total = u128::from(high) * u128::from(inner) + outside;
        Ok(Self { cells, shares: Shares::new(window, [high, low]), last: (total - 1) as u64 })
    }

    /// How many outcomes there are.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// How many of them are in the window.
    pub fn window(&self) -> u32 {
        self.shares.window
    }

    /// The weight of each outcome in the window.
    pub fn high(&self) -> u64 {
        self.shares.weights[0].divisor()
    }

    /// The weight of each other outcome.
    pub fn low(&self) -> u64 {
        self.shares.weights[1].divisor()
    }

    /// The sum of all weights.
    pub fn total(&self) -> u128 {
        u128::from(self.last) + 1
    }

    /// `high / low`, exactly.
    pub fn ratio(&self) -> Fraction {
        &Fraction::of_weight(self.high()) / &Fraction::of_weight(self.low())
    }

    /// Draws an outcome with the window starting at `start`, which is below `cells`.
    ///
    /// Words count through the window first and then through the other outcomes in the order in which they follow it
    /// around the ring. On a line, where the window does not reach beyond the last cell, this is the same law.
    #[inline]
    pub fn draw<R: Rng + ?Sized>(&self, start: u32, rng: &mut R) -> u32 {
        let mut word = rng.next_u64();
        while word > self.last {
            word = rng.next_u64();
        }
        self.outcome(start, word)
    }

    /// The outcome that a word leads to, which is below the total.
    #[inline]
    pub fn outcome(&self, start: u32, word: u64) -> u32 {
        let place = start.min(self.cells) + self.shares.owner(word).place;
        if place >= self.cells { place - self.cells } else { place }
    }

    /// The weight of an outcome when the window starts at `start`.
    pub fn weight(&self, start: u32, outcome: u32) -> u64 {
        let place = (outcome % self.cells + self.cells - start % self.cells) % self.cells;
        if place < self.window() { self.high() } else { self.low() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_core::{Infallible, TryRng};

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
            cells in 2u32..5000, share in 0.0f64..1.0, epsilon in 0.001f64..20.0,
            start in any::<prop::sample::Index>(), place in any::<prop::sample::Index>(),
        ) {
            let window = 1 + (f64::from(cells - 2) * share) as u32;
            let row = WindowRow::calibrate(cells, window, Epsilon::new(epsilon).unwrap()).unwrap();
            let start = start.index(cells as usize) as u32;
            let place = place.index(cells as usize) as u64;
            let (inner, outer) = (u64::from(window), u64::from(cells - window));
            let (first, weight) = if place < inner {
                (place * row.high(), row.high())
            } else {
                (inner * row.high() + (place - inner) * row.low(), row.low())
            };
            let expected = ((u64::from(start) + place) % u64::from(cells)) as u32;
            prop_assert_eq!(row.draw(start, &mut Constant(first)), expected);
            prop_assert_eq!(row.draw(start, &mut Constant(first + (weight - 1))), expected);
            let total = u128::from(inner) * u128::from(row.high()) + u128::from(outer) * u128::from(row.low());
            prop_assert_eq!(total, row.total());
            prop_assert!((1u128 << 64) - total < u128::from(window));
            prop_assert!(row.ratio().is_at_most_exp(Epsilon::new(epsilon).unwrap()));
        }
    }

    #[test]
    fn a_share_of_the_words_keeps_the_ratio() {
        for words in [1u128 << 40, (1 << 63) + 12_345, (1 << 64) - 1] {
            for epsilon in [0.1, 1.0, 8.0] {
                let epsilon = Epsilon::new(epsilon).unwrap();
                let row = WindowRow::calibrate_within(1000, 300, epsilon, words).unwrap();
                assert!(row.total() <= words && words - row.total() < 300);
                assert!(row.ratio().is_at_most_exp(epsilon));
                assert!(row.ratio().log_rounded_up() > epsilon.get() - 1e-5);
            }
        }
        assert!(WindowRow::calibrate_within(10, 5, Epsilon::new(1.0).unwrap(), 1000).is_err());
    }

    #[test]
    fn impossible_rows_are_refused() {
        let one = Epsilon::new(1.0).unwrap();
        assert!(WindowRow::calibrate(10, 0, one).is_err());
        assert!(WindowRow::calibrate(10, 10, one).is_err());
        let tiny = Epsilon::new(1e-25).unwrap();
        assert_eq!(WindowRow::calibrate(10, 5, tiny), Err(ParameterError::EpsilonTooSmall { got: 1e-25 }));
    }
}
