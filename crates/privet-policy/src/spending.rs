//! What reports cost, in whole billionths of epsilon: sums are exact, and a budget is reached exactly or not at all.

use privet_core::{Epsilon, Guarantee, ParameterError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// An epsilon with at most nine digits after the point, counted in billionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DecimalEpsilon(u64);

const BILLIONTHS: u64 = 1_000_000_000;

/// No promise is left at such an epsilon, and sums of a lifetime of days stay far below 2^64.
const LARGEST: u64 = 1000 * BILLIONTHS;

impl DecimalEpsilon {
    /// What is allowed, for messages.
    pub(crate) const ALLOWED: &str =
        "greater than 0 and at most 1000, with at most nine digits after the point";

    /// The decimal number that is written so, if it is above zero, at most 1000, and has at most nine digits after the point.
    pub fn new(number: f64) -> Option<Self> {
        let billionths = (number * BILLIONTHS as f64).round();
        // The nearest decimal number must be the one that was written.
        let is_decimal = billionths / BILLIONTHS as f64 == number;
        (is_decimal && (1.0..=LARGEST as f64).contains(&billionths)).then_some(Self(billionths as u64))
    }

    /// This many billionths, if it is at least one and at most 1000 in all.
    pub(crate) fn of_billionths(billionths: u64) -> Option<Self> {
        (1..=LARGEST).contains(&billionths).then_some(Self(billionths))
    }

    pub(crate) fn billionths(self) -> u64 {
        self.0
    }

    /// The largest floating-point epsilon that is not above the decimal number: what mechanisms are asked to keep.
    ///
    /// # Errors
    /// Never: the number is above zero.
    pub fn epsilon(self) -> Result<Epsilon, ParameterError> {
        let nearest = self.to_f64();
        Epsilon::new(if self.is_below(nearest) { nearest.next_down() } else { nearest })
    }

    /// Whether the decimal number is below a floating-point one near it, in integers.
    fn is_below(self, number: f64) -> bool {
        let bits = number.to_bits();
        let mantissa = u128::from(bits & ((1 << 52) - 1) | (1 << 52));
        let exponent = ((bits >> 52) & 0x7ff) as i32 - 1075;
        // Between a billionth and 1000 the exponent lies between -82 and -43, so neither side reaches 2^128.
        let shift = u32::try_from(-exponent).unwrap_or(0);
        u128::from(self.0) << shift.min(84) < mantissa * u128::from(BILLIONTHS)
    }

    /// The nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / BILLIONTHS as f64
    }
}

impl fmt::Display for DecimalEpsilon {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_f64().fmt(formatter)
    }
}

impl Serialize for DecimalEpsilon {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_f64())
    }
}

impl<'de> Deserialize<'de> for DecimalEpsilon {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Self::new(number).ok_or_else(|| {
            serde::de::Error::custom(format!("epsilon must be {}: got {number}", Self::ALLOWED))
        })
    }
}

/// What some reports of one person cost together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spending {
    billionths: u64,
    delta: f64,
}

impl Spending {
    /// Nothing.
    pub const NONE: Self = Self { billionths: 0, delta: 0.0 };

    /// An epsilon and a delta.
    pub fn new(epsilon: DecimalEpsilon, delta: f64) -> Self {
        Self { billionths: epsilon.0, delta }
    }

    /// Both together, by one person. Deltas add up, rounded up; those of a probabilistic guarantee may be a little less.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let delta = self.delta + other.delta;
        let is_exact = self.delta == 0.0 || other.delta == 0.0;
        Self {
            billionths: self.billionths.saturating_add(other.billionths),
            delta: if is_exact { delta } else { delta.next_up() },
        }
    }

    /// The same several times over.
    #[must_use]
    pub fn times(self, times: u32) -> Self {
        let delta = self.delta * f64::from(times);
        Self {
            billionths: self.billionths.saturating_mul(u64::from(times)),
            delta: if delta == 0.0 || times == 1 { delta } else { delta.next_up() },
        }
    }

    /// The larger of both numbers: what is spent at most if one of two things happens.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { billionths: self.billionths.max(other.billionths), delta: self.delta.max(other.delta) }
    }

    /// Whether both numbers are at most those of a limit.
    pub fn fits(self, limit: Self) -> bool {
        self.billionths <= limit.billionths && self.delta <= limit.delta
    }

    /// The epsilon, exactly as a decimal number; this is the nearest floating-point one.
    pub fn epsilon(self) -> f64 {
        self.billionths as f64 / BILLIONTHS as f64
    }

    /// The delta.
    pub fn delta(self) -> f64 {
        self.delta
    }

    pub(crate) fn billionths(self) -> u64 {
        self.billionths
    }

    pub(crate) fn of_parts(billionths: u64, delta: f64) -> Option<Self> {
        (0.0..=1.0).contains(&delta).then_some(Self { billionths, delta })
    }
}

/// Whether a guarantee is at most this epsilon and delta, and of a kind that adds up.
pub(crate) fn is_covered(guarantee: &Guarantee, asked: Epsilon, delta: f64) -> bool {
    guarantee.epsilon() <= asked && guarantee.delta() <= delta && guarantee.kind() != "average"
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_of_decimals_are_exact() {
        let tenth = Spending::new(DecimalEpsilon::new(0.1).unwrap(), 0.0);
        assert!(tenth.times(7).fits(Spending::new(DecimalEpsilon::new(0.7).unwrap(), 0.0)));
        assert!(!tenth.times(8).fits(Spending::new(DecimalEpsilon::new(0.7).unwrap(), 0.0)));
        assert_eq!(tenth.times(3).epsilon(), 0.3);
        assert_eq!(tenth.and(tenth).or(tenth).epsilon(), 0.2);
    }

    #[test]
    fn mechanisms_are_asked_for_no_more_than_the_decimal() {
        // 0.1 as a floating-point number is above a tenth, 0.3 is below three tenths, and a half is a half.
        let asked = |number: f64| DecimalEpsilon::new(number).unwrap().epsilon().unwrap().get();
        assert_eq!(asked(0.1), 0.1f64.next_down());
        assert_eq!(asked(0.3), 0.3);
        assert_eq!(asked(0.5), 0.5);
        assert_eq!(asked(1000.0), 1000.0);
    }

    #[test]
    fn odd_numbers_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-10, 1000.1, 0.1234567891, 1.0 / 3.0] {
            assert_eq!(DecimalEpsilon::new(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_asked_is_the_next_number_below(billionths in 1u64..=LARGEST) {
            let decimal = DecimalEpsilon(billionths);
            prop_assert_eq!(DecimalEpsilon::new(decimal.to_f64()), Some(decimal));
            let asked = decimal.epsilon().unwrap().get();
            prop_assert!(!decimal.is_below(asked) && decimal.is_below(asked.next_up()));
        }
    }
}
