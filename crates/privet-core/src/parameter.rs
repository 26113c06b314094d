//! Numbers with a meaning. Each is checked once, when it is made.

use crate::error::ParameterError;
use std::fmt;

macro_rules! checked_number {
    ($(#[$doc:meta])* $name:ident, $error:ident, $valid:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl $name {
            /// Checks the number.
            ///
            /// # Errors
            /// When the number is outside the range that the type's page names.
            pub fn new(value: f64) -> Result<Self, ParameterError> {
                let valid: fn(f64) -> bool = $valid;
                if valid(value) { Ok(Self(value)) } else { Err(ParameterError::$error { got: value }) }
            }

            /// The number itself.
            pub fn get(self) -> f64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

checked_number!(
    /// How much one report may reveal: the largest log-ratio of report probabilities. Finite and above zero.
    Epsilon,
    Epsilon,
    |value| value.is_finite() && value > 0.0
);
checked_number!(
    /// How much probability a guarantee leaves out; its kind says in which sense. At least zero and below one.
    Delta,
    Delta,
    |value| (0.0..1.0).contains(&value)
);
checked_number!(
    /// A probability between zero and one, both included.
    Probability,
    Probability,
    |value| (0.0..=1.0).contains(&value)
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epsilon_is_finite_and_positive() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Epsilon::new(bad).is_err(), "{bad}");
        }
        assert_eq!(
            Epsilon::new(-1.0).unwrap_err().to_string(),
            "epsilon must be finite and greater than 0: got -1"
        );
        assert_eq!(Epsilon::new(0.5).unwrap().get(), 0.5);
    }

    #[test]
    fn delta_excludes_one_and_probability_includes_it() {
        assert!(Delta::new(1.0).is_err());
        assert!(Delta::new(0.0).is_ok());
        assert!(Probability::new(1.0).is_ok());
        assert!(Probability::new(f64::NAN).is_err());
    }
}
