//! A place in a window row, and whether a value is rounded up, from 32 random bits.

use super::bernoulli;
use super::window::{Owner, Shares, WindowRow};
use rand_core::Rng;

/// Draws a place in a row and, independently, whether a value is rounded up.
///
/// Both laws are exact. A cell of weight w owns w / 2^32 *upper halves* of words, rounded down, so that 32 bits nearly always
/// name the cell, and say which of its halves they are. That number decides about the rounding, except for the first half,
/// after which a whole word makes up for what whole numbers cannot say. After an upper half that nobody owns, a lower half
/// is drawn: these are the words that the cells own beyond their halves, and those that are drawn again.
///
/// How many bits are drawn depends on the bits alone, never on the value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundedWindow {
    halves: Shares,
    /// How many upper halves have an owner.
    owned_halves: u64,
    beyond: Shares,
    /// How many words have an owner whose upper halves have none.
    owned_beyond: u64,
    swift: SwiftWindow,
}

impl RoundedWindow {
    /// The sampler of a row.
    pub fn new(row: &WindowRow) -> Self {
        let halves = [row.high() >> 32, row.low() >> 32];
        let beyond = [row.high(), row.low()].map(|weight| weight & u64::from(u32::MAX));
        let cells = [row.window(), row.cells() - row.window()].map(u64::from);
        let sum = |weights: [u64; 2]| weights[0] * cells[0] + weights[1] * cells[1];
        Self {
            halves: Shares::new(row.window(), halves),
            owned_halves: sum(halves),
            beyond: Shares::new(row.window(), beyond),
            owned_beyond: sum(beyond),
            swift: SwiftWindow::new(row.window(), halves, sum(halves)),
        }
    }

    /// Draws a place, counted from the first cell of the window on and then around the ring, and whether a value is rounded
    /// up that `up` of 2^64 words round up.
    #[inline]
    pub fn draw<R: Rng + ?Sized>(&self, up: u64, rng: &mut R) -> (u32, bool) {
        loop {
            let upper = u64::from(rng.next_u32());
            if upper < self.owned_halves {
                let Owner { place, index, count } = self.halves.owner(upper);
                return (place, is_rounded_up(index, count, up, rng));
            }
            let word = ((upper - self.owned_halves) << 32) | u64::from(rng.next_u32());
            if word < self.owned_beyond {
                return (self.beyond.owner(word).place, bernoulli(up, rng));
            }
        }
    }

    /// The same for most upper halves, in arithmetic that processors do for many values at once.
    pub fn swift(&self) -> SwiftWindow {
        self.swift
    }
}

/// One success with probability `up / 2^64`, from a uniform number below `count` where that is enough: of the numbers from 1
/// on as many succeed as `up * count / 2^64` has wholes, and 0 asks for another word, which stands for the rest.
#[inline]
fn is_rounded_up<R: Rng + ?Sized>(index: u64, count: u64, up: u64, rng: &mut R) -> bool {
    let expected = u128::from(up) * u128::from(count);
    if index == 0 { bernoulli(expected as u64, rng) } else { u128::from(index) <= expected >> 64 }
}

/// What a [`RoundedWindow`] draws, in floating point: it answers the same or says that it does not know.
///
/// There are neither branches nor look-ups, so that a loop over many values becomes vector instructions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwiftWindow {
    window: f64,
    owned_halves: f64,
    inside: f64,
    inside_count: f64,
    outside_count: f64,
    inside_inverse: f64,
    outside_inverse: f64,
}

/// What an upper half of a word leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwiftDraw {
    /// The place, as [`RoundedWindow::draw`] counts it.
    pub place: f64,
    /// Whether the value is rounded up.
    pub is_up: bool,
    /// Whether this is what [`RoundedWindow::draw`] answers. If not, it may draw more.
    pub is_known: bool,
}

impl SwiftWindow {
    /// More than all roundings of a product of a number below one and one below 2^32, and of a difference to it.
    const DOUBT: f64 = 1.0 / (1 << 19) as f64;

    fn new(window: u32, counts: [u64; 2], owned_halves: u64) -> Self {
        let [inside_count, outside_count] = counts.map(|count| count as f64);
        Self {
            window: f64::from(window),
            owned_halves: owned_halves as f64,
            inside: f64::from(window) * inside_count,
            inside_count,
            outside_count,
            inside_inverse: 1.0 / inside_count,
            outside_inverse: 1.0 / outside_count,
        }
    }

    /// What an upper half leads to for a value at `part` (from 0 to below 1) of the way to the node above.
    #[inline(always)]
    pub fn draw(self, upper: u32, part: f64) -> SwiftDraw {
        let upper = f64::from(upper);
        let is_outside = upper >= self.inside;
        let before = if is_outside { self.inside } else { 0.0 };
        let count = if is_outside { self.outside_count } else { self.inside_count };
        let inverse = if is_outside { self.outside_inverse } else { self.inside_inverse };
        let base = if is_outside { self.window } else { 0.0 };
        let rest = upper - before;
        // The quotient of a whole number and a half is at least half of 1 / count away from all whole numbers, and less than
        // 2^32 / count large: rounding moves it by a millionth of that distance. Everything else here is a whole number.
        let cell = ((rest + 0.5) * inverse).floor();
        let index = rest - cell * count;
        let ahead = part * count - index;
        SwiftDraw {
            place: base + cell,
            is_up: ahead > 0.0,
            is_known: (upper < self.owned_halves) & (index > 0.0) & (ahead.abs() > Self::DOUBT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Epsilon;
    use proptest::prelude::*;
    use rand_core::{Infallible, TryRng};

    /// Gives these halves of words and counts them.
    struct Halves<'a>(&'a [u32], usize);

    impl TryRng for Halves<'_> {
        type Error = Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            self.1 += 1;
            Ok(self.0[self.1 - 1])
        }
        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            let low = u64::from(self.try_next_u32()?);
            Ok(low | u64::from(self.try_next_u32()?) << 32)
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
            unreachable!()
        }
    }

    fn row(cells: u32, share: f64, epsilon: f64) -> WindowRow {
        let window = 1 + (f64::from(cells - 2) * share) as u32;
        WindowRow::calibrate(cells, window, Epsilon::new(epsilon).unwrap()).unwrap()
    }

    /// The weight of a place and those of all places before.
    fn owned(row: &WindowRow, place: u32, part: impl Fn(u64) -> u64) -> [u64; 2] {
        let before = |place: u32| {
            let inside = place.min(row.window());
            u64::from(inside) * part(row.high()) + u64::from(place - inside) * part(row.low())
        };
        [before(place), before(place + 1)]
    }

    proptest! {
        /// The upper halves and the words beyond that lead to a place are exactly as many as its weight says.
        #[test]
        fn every_place_has_its_weight(
            cells in 2u32..5_000_000, share in 0.0f64..1.0, epsilon in 0.01f64..30.0,
            place in any::<prop::sample::Index>(), up in any::<u64>(), end in any::<[u32; 2]>(),
        ) {
            let row = row(cells, share, epsilon);
            let rounded = RoundedWindow::new(&row);
            let place = place.index(cells as usize) as u32;
            let drawn = |halves: &[u32]| rounded.draw(up, &mut Halves(&[halves, &end].concat(), 0)).0;
            let [first, next] = owned(&row, place, |weight| weight >> 32);
            for upper in [first, (first + next) / 2, next.max(1) - 1].into_iter().filter(|_| first < next) {
                prop_assert_eq!(drawn(&[upper as u32]), place);
            }
            let [_, halves] = owned(&row, cells - 1, |weight| weight >> 32);
            let [first, next] = owned(&row, place, |weight| weight % (1 << 32));
            for word in [first, (first + next) / 2, next.max(1) - 1].into_iter().filter(|_| first < next) {
                prop_assert_eq!(drawn(&[(halves + (word >> 32)) as u32, word as u32]), place);
            }
            // The first upper half that nobody owns, with words that have an owner.
            let shares = [row.high(), row.low()].map(|weight| weight % (1 << 32));
            let first_owner = if shares[0] > 0 { 0 } else { row.window() };
            if halves < 1 << 32 && shares != [0, 0] {
                prop_assert_eq!(drawn(&[halves as u32, 0]), first_owner);
            }
            // Together they are all words that are not drawn again.
            let [_, beyond] = owned(&row, cells - 1, |weight| weight % (1 << 32));
            prop_assert_eq!((u128::from(halves) << 32) + u128::from(beyond), row.total());
            if row.total() < 1 << 64 {
                let again = [(halves + (beyond >> 32)) as u32, beyond as u32];
                prop_assert_eq!(drawn(&[again[0], again[1], 0]), if row.high() >> 32 > 0 { 0 } else { drawn(&[0]) });
            }
        }

        /// Of the halves of a place exactly the share `up / 2^64` rounds up, the other word of the first half included.
        #[test]
        fn rounding_is_exact(count in 1u64..1 << 32, up in any::<u64>(), low in 0u32..3) {
            for up in [up, up >> 40, u64::MAX - u64::from(low), u64::from(low)] {
                let expected = u128::from(up) * u128::from(count);
                let ups = (expected >> 64) as u64;
                let asked = |index| {
                    let mut rng = Halves(&[u32::MAX; 2], 0);
                    (is_rounded_up(index, count, up, &mut rng), rng.1)
                };
                for index in [1, ups, ups + 1, count - 1].into_iter().filter(|index| (1..count).contains(index)) {
                    prop_assert_eq!(asked(index), (index <= ups, 0));
                }
                // `ups` of the indices from 1 on round up, and of the words after index 0 as many as are missing.
                prop_assert!(ups < count);
                prop_assert_eq!(asked(0), (false, 2));
                let missing = expected as u64;
                for (word, is_up) in [(missing.wrapping_sub(1), missing > 0), (missing, false)] {
                    let halves = [word as u32, (word >> 32) as u32];
                    prop_assert_eq!(is_rounded_up(0, count, up, &mut Halves(&halves, 0)), is_up);
                }
            }
        }

        /// Floating point says what the integers say, or that it does not know, and that seldom: at the ends of a cell's
        /// halves, at those of the row, and where a value is rounded up by one half more or less.
        #[test]
        fn swift_draws_are_the_same(
            cells in 2u32..1 << 24, share in 0.0f64..1.0, epsilon in 0.01f64..30.0,
            place in any::<prop::sample::Index>(), upper in any::<u32>(), part in 0.0f64..1.0,
        ) {
            let row = row(cells, share, epsilon);
            let rounded = RoundedWindow::new(&row);
            let place = place.index(cells as usize) as u32;
            let [first, next] = owned(&row, place, |weight| weight >> 32);
            let ends = [first, first + 1, next.max(2) - 2, next.max(1) - 1, next, rounded.owned_halves];
            for upper in ends.map(|end| end.min(u64::from(u32::MAX)) as u32).into_iter().chain([upper, 0, u32::MAX]) {
                let Owner { index, count, .. } = rounded.halves.owner(u64::from(upper).min(rounded.owned_halves - 1));
                let turn = index as f64 / count as f64;
                let around = [1e-9, 1e-15, -1e-15].map(|below| turn * (1.0 - below));
                for part in [part, 0.0, 1.0 - f64::EPSILON / 2.0, turn].into_iter().chain(around) {
                    let swift = rounded.swift().draw(upper, part);
                    let mut rng = Halves(&[upper, 0, 0, 0, 0, 0, 0], 0);
                    let (place, is_up) = rounded.draw(((part * 2f64.powi(63)) as u64) << 1, &mut rng);
                    if swift.is_known {
                        prop_assert_eq!((swift.place as u32, swift.is_up, rng.1), (place, is_up, 1));
                    } else {
                        let is_near = (part * count as f64 - index as f64).abs() < 1e-5;
                        prop_assert!(u64::from(upper) >= rounded.owned_halves || index == 0 || is_near);
                    }
                }
            }
        }
    }
}
