//! Numbers that are known to lie between two others. Every operation rounds outwards, so a statement about the ends is a
//! statement about the real number.

use privet_core::{Epsilon, ExpLowerBound};
use std::ops::{Add, Mul, Neg, Sub};

/// A real number between `low` and `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Enclosure {
    low: f64,
    high: f64,
}

/// The next number below, unless it is exact anyway.
fn down(value: f64) -> f64 {
    value.next_down()
}

fn up(value: f64) -> f64 {
    value.next_up()
}

impl Enclosure {
    /// Exactly this number.
    pub const fn exact(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// Any number from `low` to `high`; the ends may be given in any order.
    pub fn between(low: f64, high: f64) -> Self {
        Self { low: low.min(high), high: low.max(high) }
    }

    /// e^epsilon, from the exact lower bound that the mechanisms are calibrated with.
    pub fn exp(epsilon: Epsilon) -> Self {
        // The bound misses e^epsilon by less than one part in 2^200, and its nearest number is half a step away at most.
        let near = ExpLowerBound::of(epsilon).to_fraction().to_f64();
        Self { low: down(near), high: up(up(near)) }
    }

    /// The lower end.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    pub fn high(self) -> f64 {
        self.high
    }

    /// The distance to zero.
    pub fn abs(self) -> Self {
        if self.low >= 0.0 {
            self
        } else if self.high <= 0.0 {
            -self
        } else {
            Self { low: 0.0, high: self.high.max(-self.low) }
        }
    }

    /// The square, which is not negative even where zero lies inside.
    pub fn square(self) -> Self {
        let size = self.abs();
        Self { low: down(size.low * size.low).max(0.0), high: up(size.high * size.high) }
    }

    /// The square root of a number that is not negative; a lower end below zero counts as zero.
    pub fn sqrt(self) -> Self {
        Self { low: down(self.low.max(0.0).sqrt()).max(0.0), high: up(self.high.max(0.0).sqrt()) }
    }

    /// The smaller of two numbers.
    pub fn min(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// The larger of two numbers.
    pub fn max(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    /// The quotient by a number that is above zero; by one that may be zero, anything.
    pub fn over(self, divisor: Self) -> Self {
        if divisor.low <= 0.0 {
            return Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let ends = [divisor.low, divisor.high];
        let low = ends.iter().map(|end| self.low / end).fold(f64::INFINITY, f64::min);
        let high = ends.iter().map(|end| self.high / end).fold(f64::NEG_INFINITY, f64::max);
        Self { low: down(low), high: up(high) }
    }
}

impl Add for Enclosure {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { low: down(self.low + other.low), high: up(self.high + other.high) }
    }
}

impl Neg for Enclosure {
    type Output = Self;

    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Sub for Enclosure {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Enclosure {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let products =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let low = products.iter().copied().fold(f64::INFINITY, f64::min);
        let high = products.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { low: down(low), high: up(high) }
    }
}

impl std::iter::Sum for Enclosure {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::exact(0.0), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Fraction;
    use proptest::prelude::*;

    #[test]
    fn the_exponential_lies_inside() {
        for epsilon in [1e-9, 0.1, 1.0, 2.0, 6.0, 44.0] {
            let value = Epsilon::new(epsilon).unwrap();
            let bound = ExpLowerBound::of(value);
            let enclosure = Enclosure::exp(value);
            // As exact fractions: numbers of the form n / 2^52 on both sides of the 256-bit bound.
            let scale = 2f64.powi(52 - enclosure.high().log2().ceil() as i32);
            let whole = |number: f64| Fraction::whole((number * scale) as u128);
            let scaled = &Fraction::whole(scale.max(1.0) as u128)
                * &(&bound.to_fraction() / &Fraction::whole((1.0 / scale).max(1.0) as u128));
            assert!(whole(enclosure.low()) < scaled && scaled < whole(enclosure.high()), "{epsilon}");
        }
    }

    proptest! {
        #[test]
        fn operations_enclose_the_real_result(a in -100i64..100, b in -100i64..100, c in 1i64..100) {
            // Thirds and sevenths are no floating-point numbers, so the ends must have moved.
            let third = |n: i64| Enclosure::between((n as f64 / 3.0).next_down(), (n as f64 / 3.0).next_up());
            let check = |result: Enclosure, numerator: i64, denominator: i64| {
                // numerator / denominator inside, checked without division.
                let scaled = result * Enclosure::exact(denominator as f64);
                scaled.low() <= numerator as f64 && numerator as f64 <= scaled.high()
            };
            prop_assert!(check(third(a) + third(b), a + b, 3));
            prop_assert!(check(third(a) - third(b), a - b, 3));
            prop_assert!(check(third(a) * third(b), a * b, 9));
            prop_assert!(check(third(a).square(), a * a, 9));
            prop_assert!(check(third(a).over(third(c)) * Enclosure::exact(c as f64), a, 1));
            let root = Enclosure::exact(c as f64).sqrt().square();
            prop_assert!(root.low() <= c as f64 && c as f64 <= root.high());
        }
    }
}
