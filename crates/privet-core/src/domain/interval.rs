//! A bounded interval of numbers.

use super::{Domain, DomainSpec, Values};
use crate::error::{InputError, ParameterError};
use crate::fingerprint::FingerprintBuilder;
use std::fmt;

/// The numbers from `low` to `high`, both included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    /// Checks the ends.
    ///
    /// # Errors
    /// When an end or the width is not finite, or `low` is not below `high`.
    pub fn new(low: f64, high: f64) -> Result<Self, ParameterError> {
        if low < high && (high - low).is_finite() {
            Ok(Self { low, high })
        } else {
            Err(ParameterError::Interval { low, high })
        }
    }

    /// The lower end.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The upper end.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// The distance between the ends.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }
}

impl Domain for Interval {
    type Value = f64;
    const KIND: &'static str = "interval";

    fn contains(&self, value: &f64) -> bool {
        (self.low..=self.high).contains(value)
    }

    fn nearest(&self, value: f64) -> f64 {
        if value.is_nan() { value } else { value.clamp(self.low, self.high) }
    }

    fn parse(&self, text: &str) -> Result<f64, InputError> {
        text.trim().parse().map_err(|_| self.outside())
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        builder.number(self.low.to_bits()).number(self.high.to_bits());
    }

    fn from_spec(spec: &DomainSpec) -> Option<&Self> {
        match spec {
            DomainSpec::Interval(interval) => Some(interval),
            _ => None,
        }
    }

    fn select(values: &Values) -> Option<&[f64]> {
        match values {
            Values::Numbers(values) => Some(values),
            _ => None,
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "interval:{},{}", self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_must_be_finite_and_in_order() {
        for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-1e308, 1e308)] {
            assert!(Interval::new(low, high).is_err(), "{low} {high}");
        }
    }

    #[test]
    fn not_a_number_is_outside_and_stays_outside() {
        let unit = Interval::new(0.0, 1.0).unwrap();
        assert!(unit.check(&f64::NAN).is_err());
        assert!(unit.check(&unit.nearest(f64::NAN)).is_err());
        assert_eq!(unit.nearest(f64::INFINITY), 1.0);
    }
}
