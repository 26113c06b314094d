//! Angles and times of day.

use super::{Domain, DomainSpec, Values};
use crate::error::{InputError, ParameterError};
use crate::fingerprint::FingerprintBuilder;
use std::fmt;

/// The numbers from 0 up to, but not including, a period, with the ends joined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circle {
    period: f64,
}

impl Circle {
    /// Checks the period.
    ///
    /// # Errors
    /// When the period is not finite or not above zero.
    pub fn new(period: f64) -> Result<Self, ParameterError> {
        if period.is_finite() && period > 0.0 {
            Ok(Self { period })
        } else {
            Err(ParameterError::Period { got: period })
        }
    }

    /// The length of one turn.
    pub fn period(&self) -> f64 {
        self.period
    }
}

impl Domain for Circle {
    type Value = f64;
    const KIND: &'static str = "circle";

    fn contains(&self, value: &f64) -> bool {
        (0.0..self.period).contains(value)
    }

    /// The same point of the circle, less whole turns.
    fn nearest(&self, value: f64) -> f64 {
        let wrapped = value.rem_euclid(self.period);
        // The remainder of a tiny negative number rounds up to the period itself.
        if wrapped == self.period { 0.0 } else { wrapped }
    }

    fn parse(&self, text: &str) -> Result<f64, InputError> {
        text.trim().parse().map_err(|_| self.outside())
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        builder.number(self.period.to_bits());
    }

    fn from_spec(spec: &DomainSpec) -> Option<&Self> {
        match spec {
            DomainSpec::Circle(circle) => Some(circle),
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

impl fmt::Display for Circle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "circle:{}", self.period)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_taken_off() {
        let day = Circle::new(24.0).unwrap();
        assert_eq!(day.nearest(25.0), 1.0);
        assert_eq!(day.nearest(-1.0), 23.0);
        assert!(day.contains(&day.nearest(-1e-300)));
        assert!(!day.contains(&24.0));
        assert!(!day.contains(&day.nearest(f64::INFINITY)));
    }
}
