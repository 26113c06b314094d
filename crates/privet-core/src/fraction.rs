//! Exact fractions, and e^epsilon bounded from below.
//!
//! A privacy test asks whether `numerator <= e^epsilon * denominator`. Floating point cannot answer that;
//! here it is answered with integers, against a lower bound of e^epsilon that is itself made of integers.

use crate::parameter::Epsilon;
use dashu_int::UBig;
use dashu_int::ops::{BitTest, Gcd};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul};

/// Bits behind the binary point of the bounds on e^epsilon.
const FRACTION_BITS: usize = 256;

/// Beyond this, e^epsilon is replaced by e^MAX_EXPONENT: still a lower bound, and above any ratio that a
/// pair of 64-bit weights can have, eight times over.
const MAX_EXPONENT: f64 = 512.0;

/// Logarithms are not told apart below this: it is far above the precision of the bounds.
const MIN_EXPONENT: f64 = 1.0 / (1u128 << 100) as f64;

/// The first guess at a logarithm is a few units in the last place off, never this many.
const MAX_STEPS: u32 = 1000;

/// A non-negative rational number, exactly.
#[derive(Clone)]
pub struct Fraction {
    numerator: UBig,
    denominator: UBig,
}

impl Fraction {
    /// `numerator / denominator`; a zero denominator is refused.
    pub fn new(numerator: u128, denominator: u128) -> Option<Self> {
        (denominator != 0)
            .then(|| Self { numerator: UBig::from(numerator), denominator: UBig::from(denominator) })
    }

    /// A whole number.
    pub fn whole(value: u128) -> Self {
        Self { numerator: UBig::from(value), denominator: UBig::ONE }
    }

    /// `weight / 2^64`: the probability that a threshold gives.
    pub fn of_weight(weight: u64) -> Self {
        Self { numerator: UBig::from(weight), denominator: UBig::ONE << 64 }
    }

    /// `1 - weight / 2^64`.
    pub fn of_complement(weight: u64) -> Self {
        Self { numerator: (UBig::ONE << 64) - UBig::from(weight), denominator: UBig::ONE << 64 }
    }

    /// `1 / 2^bits`: the probability of one particular string of fair bits.
    pub fn of_fair_bits(bits: u32) -> Self {
        Self { numerator: UBig::ONE, denominator: UBig::ONE << bits as usize }
    }

    /// This number to a whole power.
    pub fn pow(&self, exponent: u32) -> Self {
        Self {
            numerator: self.numerator.pow(exponent as usize),
            denominator: self.denominator.pow(exponent as usize),
        }
    }

    /// The same number with the smallest numerator and denominator, for long sums.
    pub fn reduced(&self) -> Self {
        if self.denominator.is_zero() {
            return self.clone();
        }
        let divisor = (&self.numerator).gcd(&self.denominator);
        Self { numerator: &self.numerator / &divisor, denominator: &self.denominator / &divisor }
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// This less `other`, or zero where that would be negative.
    pub fn minus(&self, other: &Self) -> Self {
        let minuend = &self.numerator * &other.denominator;
        let subtrahend = &other.numerator * &self.denominator;
        let numerator = if minuend > subtrahend { minuend - subtrahend } else { UBig::ZERO };
        Self { numerator, denominator: &self.denominator * &other.denominator }
    }

    /// This divided by `other`, or `None` if `other` is zero.
    pub fn checked_div(&self, other: &Self) -> Option<Self> {
        (!other.is_zero()).then(|| self / other)
    }

    /// The nearest `f64`, to within one unit in the last place.
    pub fn to_f64(&self) -> f64 {
        if self.numerator.is_zero() {
            return 0.0;
        }
        if self.denominator.is_zero() {
            return f64::INFINITY;
        }
        let shift = 80 + self.denominator.bit_len() as i64 - self.numerator.bit_len() as i64;
        let quotient = if shift >= 0 {
            (&self.numerator << shift as usize) / &self.denominator
        } else {
            &self.numerator / (&self.denominator << (-shift) as usize)
        };
        scale_by_power_of_two(quotient.to_f64().value(), -shift)
    }

    /// Whether this ratio is proved to be at most e^epsilon.
    pub fn is_at_most_exp(&self, epsilon: Epsilon) -> bool {
        self.is_at_most(&ExpLowerBound::of(epsilon))
    }

    /// Whether this ratio is at most the given lower bound of e^epsilon.
    pub fn is_at_most(&self, bound: &ExpLowerBound) -> bool {
        (&self.numerator << FRACTION_BITS) <= &bound.0 * &self.denominator
    }

    /// The smallest `f64` epsilon for which this ratio is proved to be at most e^epsilon: the natural
    /// logarithm, rounded up. Zero for ratios up to one, infinity beyond any 64-bit channel.
    pub fn log_rounded_up(&self) -> f64 {
        if self.numerator <= self.denominator {
            return 0.0;
        }
        let excess =
            Self { numerator: &self.numerator - &self.denominator, denominator: self.denominator.clone() };
        let proved = |candidate: f64| Epsilon::new(candidate).is_ok_and(|e| self.is_at_most_exp(e));
        let mut candidate = excess.to_f64().ln_1p().max(MIN_EXPONENT);
        for _ in 0..MAX_STEPS {
            if candidate >= MAX_EXPONENT {
                return f64::INFINITY;
            }
            if !proved(candidate) {
                candidate = candidate.next_up();
            } else if candidate > MIN_EXPONENT && proved(candidate.next_down()) {
                candidate = candidate.next_down();
            } else {
                return candidate;
            }
        }
        f64::INFINITY
    }
}

/// Multiplies by 2^exponent in two steps, so that the factor itself does not overflow.
fn scale_by_power_of_two(value: f64, exponent: i64) -> f64 {
    let half = (exponent / 2).clamp(-1000, 1000) as i32;
    let rest = (exponent - i64::from(half)).clamp(-1020, 1020) as i32;
    value * 2f64.powi(half) * 2f64.powi(rest)
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl<'a> Add<&'a Fraction> for &'a Fraction {
    type Output = Fraction;
    fn add(self, other: &Fraction) -> Fraction {
        Fraction {
            numerator: &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            denominator: &self.denominator * &other.denominator,
        }
    }
}

impl<'a> Mul<&'a Fraction> for &'a Fraction {
    type Output = Fraction;
    fn mul(self, other: &Fraction) -> Fraction {
        Fraction {
            numerator: &self.numerator * &other.numerator,
            denominator: &self.denominator * &other.denominator,
        }
    }
}

impl<'a> Div<&'a Fraction> for &'a Fraction {
    type Output = Fraction;

    /// Division; dividing by zero counts as infinity (see [`Fraction::checked_div`]).
    fn div(self, other: &Fraction) -> Fraction {
        Fraction {
            numerator: &self.numerator * &other.denominator,
            denominator: &self.denominator * &other.numerator,
        }
    }
}

impl fmt::Debug for Fraction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{} (about {})", self.numerator, self.denominator, self.to_f64())
    }
}

/// A number that is certainly not above e^epsilon, and misses it by less than one part in 2^200.
#[derive(Clone)]
pub struct ExpLowerBound(UBig);

impl ExpLowerBound {
    /// The bound for one epsilon.
    pub fn of(epsilon: Epsilon) -> Self {
        Self(exp_rounded_down(epsilon.get().min(MAX_EXPONENT)))
    }

    /// The ceiling of `2^64 * share / (factor * e^epsilon + rest)`, with the bound in place of e^epsilon: the
    /// smallest weight for an outcome that must not be too unlikely. At most 2^64 - 1.
    ///
    /// With one outcome of weight `2^64 - others * low` and `others` outcomes of weight `low`, the ratio is
    /// kept exactly when `low` is at least `smallest_weight(1, 1, others)`.
    pub fn smallest_weight(&self, share: u64, factor: u64, rest: u64) -> u64 {
        let divisor = &self.0 * UBig::from(factor) + (UBig::from(rest) << FRACTION_BITS);
        let dividend = UBig::from(share) << (64 + FRACTION_BITS);
        let quotient = (&dividend + &divisor - UBig::ONE) / &divisor;
        u64::try_from(&quotient).unwrap_or(u64::MAX)
    }

    /// The floor of `weight * e^epsilon`, with the bound in place of e^epsilon: the largest weight of an outcome that has
    /// `weight` under another input. At most 2^64 - 1.
    pub fn largest_weight(&self, weight: u64) -> u64 {
        let product: UBig = (&self.0 * UBig::from(weight)) >> FRACTION_BITS;
        u64::try_from(&product).unwrap_or(u64::MAX)
    }

    /// The bound as an exact fraction.
    pub fn to_fraction(&self) -> Fraction {
        Fraction { numerator: self.0.clone(), denominator: UBig::ONE << FRACTION_BITS }
    }
}

impl fmt::Debug for ExpLowerBound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ExpLowerBound(about {})", self.to_fraction().to_f64())
    }
}

/// `floor`-rounded e^x in fixed point: every operation works on non-negative numbers and rounds down, so the
/// result is not above e^x.
fn exp_rounded_down(x: f64) -> UBig {
    let (halvings, reduced) = reduce(x);
    let mut term = UBig::ONE << FRACTION_BITS;
    let mut sum = term.clone();
    let mut n = 1u32;
    while !term.is_zero() {
        term = ((term * &reduced) >> FRACTION_BITS) / n;
        sum += &term;
        n += 1;
    }
    for _ in 0..halvings {
        sum = (&sum * &sum) >> FRACTION_BITS;
    }
    sum
}

/// Writes x as `reduced * 2^halvings` with `reduced` below 2^-8, in fixed point and rounded down.
fn reduce(x: f64) -> (u32, UBig) {
    let bits = x.to_bits();
    let stored_exponent = ((bits >> 52) & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) =
        if stored_exponent == 0 { (fraction, -1074) } else { (fraction | (1 << 52), stored_exponent - 1075) };
    let halvings = (exponent + 53 + 8).max(0);
    let shift = exponent - halvings + FRACTION_BITS as i64;
    let mantissa = UBig::from(mantissa);
    let reduced = if shift >= 0 { mantissa << shift as usize } else { mantissa >> (-shift) as usize };
    (halvings as u32, reduced)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn epsilon(value: f64) -> Epsilon {
        Epsilon::new(value).unwrap()
    }

    #[test]
    fn e_to_fifty_places() {
        // e = 2.71828182845904523536028747135266249775724709369995957496696762772407663...
        let e = ExpLowerBound::of(epsilon(1.0));
        let scaled = (&e.0 * UBig::from(10u8).pow(50)) >> FRACTION_BITS;
        assert_eq!(scaled.to_string(), "271828182845904523536028747135266249775724709369995");
    }

    #[test]
    fn the_bound_is_below_and_close() {
        // e^(a+b) = e^a e^b holds for the true values; the bounds must agree to 200 bits.
        for (a, b) in [(0.125f64, 0.375f64), (1.0, 2.0), (8.0, 0.25), (40.0, 3.5)] {
            let product =
                &ExpLowerBound::of(epsilon(a)).to_fraction() * &ExpLowerBound::of(epsilon(b)).to_fraction();
            let whole = ExpLowerBound::of(epsilon(a + b)).to_fraction();
            let ratio = &product / &whole;
            let slack = Fraction { numerator: UBig::ONE, denominator: UBig::ONE << 200 };
            let above = &Fraction::whole(1) + &slack;
            assert!(ratio <= above && &Fraction::whole(1) / &above <= ratio, "{a} {b}");
        }
    }

    #[test]
    fn logarithm_rounds_up_and_is_tight() {
        let two = Fraction::whole(2);
        let log = two.log_rounded_up();
        assert!(two.is_at_most_exp(epsilon(log)));
        assert!(!two.is_at_most_exp(epsilon(log.next_down())));
        assert!((log - std::f64::consts::LN_2).abs() < 1e-15);
        assert_eq!(Fraction::whole(1).log_rounded_up(), 0.0);
    }

    #[test]
    fn the_logarithm_of_a_ratio_next_to_one_ends() {
        let almost_one = &Fraction::whole(1) + &Fraction::of_fair_bits(300);
        let log = almost_one.log_rounded_up();
        assert!(log > 0.0 && log < 1e-29 && almost_one.is_at_most_exp(epsilon(log)));
        let near_the_cap = ExpLowerBound::of(epsilon(MAX_EXPONENT.next_down())).to_fraction();
        assert!(near_the_cap.log_rounded_up() >= MAX_EXPONENT.next_down());
        assert!((&Fraction::whole(1) / &Fraction::whole(0)).reduced().to_f64().is_infinite());
    }

    #[test]
    fn huge_ratios_have_no_finite_epsilon() {
        assert_eq!(Fraction::whole(u128::MAX).pow(8).log_rounded_up(), f64::INFINITY);
    }

    #[test]
    fn fractions_convert_at_extreme_scales() {
        assert_eq!(Fraction::of_fair_bits(1000).to_f64(), 2f64.powi(-1000));
        assert_eq!(Fraction::whole(1 << 100).to_f64(), 2f64.powi(100));
        assert_eq!(Fraction::new(1, 3).unwrap().to_f64(), 1.0 / 3.0);
    }

    proptest! {
        #[test]
        fn low_weight_keeps_the_ratio(value in 1e-9f64..40.0, others in 1u64..100_000) {
            let bound = ExpLowerBound::of(epsilon(value));
            let low = bound.smallest_weight(1, 1, others);
            let high = (1u128 << 64) - u128::from(low) * u128::from(others);
            prop_assert!(Fraction::new(high, u128::from(low)).unwrap().is_at_most(&bound));
            let lower = low - 1;
            let higher = (1u128 << 64) - u128::from(lower) * u128::from(others);
            prop_assert!(lower == 0 || !Fraction::new(higher, u128::from(lower)).unwrap().is_at_most(&bound));
        }

        #[test]
        fn the_largest_weight_keeps_the_ratio_and_one_more_does_not(value in 1e-9f64..40.0, low in 1u64..) {
            let bound = ExpLowerBound::of(epsilon(value));
            let keeps = |high: u64| Fraction::new(u128::from(high), u128::from(low)).unwrap().is_at_most(&bound);
            let high = bound.largest_weight(low);
            prop_assert!(high >= low && keeps(high));
            prop_assert!(high == u64::MAX || !keeps(high + 1));
        }

        #[test]
        fn exp_agrees_with_floating_point(value in 1e-12f64..200.0) {
            let bound = ExpLowerBound::of(epsilon(value)).to_fraction().to_f64();
            prop_assert!((bound / value.exp() - 1.0).abs() < 1e-13);
        }
    }
}
