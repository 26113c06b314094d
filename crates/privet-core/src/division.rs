//! Epsilons in parts and in sums. What is divided is rounded down and what is added up is rounded up, exactly once each: rounding
//! must never make a promise stronger, and parts that were made here never add up to more than their whole.

use crate::error::ParameterError;
use crate::parameter::Epsilon;

impl Epsilon {
    /// The largest epsilon of which this many are not above this one.
    ///
    /// # Errors
    /// When there is no part, or it is no longer above zero.
    pub fn divided(self, parts: u32) -> Result<Self, ParameterError> {
        let parts = f64::from(parts);
        let quotient = self.get() / parts;
        // A fused product is exact before its one rounding, so its sign says whether the quotient was rounded up.
        let is_above = quotient.mul_add(parts, -self.get()) > 0.0;
        Self::new(if is_above { quotient.next_down() } else { quotient })
    }

    /// The smallest epsilon that is not below this many of this one.
    ///
    /// # Errors
    /// When that is none of it, or too much to be a number.
    pub fn times(self, times: u32) -> Result<Self, ParameterError> {
        let times = f64::from(times);
        let product = self.get() * times;
        let is_below = self.get().mul_add(times, -product) > 0.0;
        Self::new(if is_below { product.next_up() } else { product })
    }

    /// The smallest epsilon that is not below the sum.
    ///
    /// # Errors
    /// When the sum is too much to be a number.
    pub fn plus(self, other: Self) -> Result<Self, ParameterError> {
        let (one, two) = (self.get(), other.get());
        let total = one + two;
        // What rounding took away, exactly (Knuth).
        let seen = total - one;
        let lost = (one - (total - seen)) + (two - seen);
        Self::new(if lost > 0.0 { total.next_up() } else { total })
    }

    /// Parts in these proportions, to within rounding. Added up one after the other, each time rounded up, they are not above this
    /// one.
    ///
    /// # Errors
    /// When there is no weight, one is not a finite number above zero, or a part is no longer above zero.
    pub fn shared(self, weights: &[f64]) -> Result<Vec<Self>, ParameterError> {
        let total: f64 = weights.iter().sum();
        if weights.is_empty() || !total.is_finite() || weights.iter().any(|weight| *weight <= 0.0) {
            let reason = "weights must be finite and greater than 0, and there must be one".to_owned();
            return Err(ParameterError::Incompatible { reason });
        }
        // As little less as is enough.
        let mut less = 0.0;
        loop {
            let part = |weight: &f64| Self::new(self.get() * (weight / total) * (1.0 - less));
            let parts: Vec<Self> = weights.iter().map(part).collect::<Result<_, _>>()?;
            let sum = parts[1..].iter().try_fold(parts[0], |sum, part| sum.plus(*part))?;
            if sum <= self {
                return Ok(parts);
            }
            less = f64::EPSILON.max(2.0 * less);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fraction::Fraction;
    use proptest::prelude::*;

    fn epsilon(value: f64) -> Epsilon {
        Epsilon::new(value).unwrap()
    }

    /// The number as an exact fraction.
    fn exact(epsilon: Epsilon) -> Fraction {
        let bits = epsilon.get().to_bits();
        let (exponent, fraction) = ((bits >> 52) as i32, u128::from(bits & ((1 << 52) - 1)));
        let (mantissa, power) =
            if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let scale = Fraction::whole(2).pow(power.unsigned_abs());
        let mantissa = Fraction::whole(mantissa);
        if power < 0 { &mantissa / &scale } else { &mantissa * &scale }
    }

    fn many(count: u32) -> Fraction {
        Fraction::whole(u128::from(count))
    }

    #[test]
    fn a_division_to_the_nearest_would_exceed_the_whole() {
        for (whole, parts) in [(7.7, 3), (12.7, 5), (13.9, 5)] {
            let nearest = epsilon(whole / f64::from(parts));
            assert!(&exact(nearest) * &many(parts) > exact(epsilon(whole)), "{whole} {parts}");
            assert_eq!(epsilon(whole).divided(parts).unwrap().get(), nearest.get().next_down());
        }
    }

    #[test]
    fn what_cannot_be_divided_or_added_up_is_refused() {
        assert!(epsilon(1.0).divided(0).is_err());
        assert!(epsilon(f64::from_bits(1)).divided(2).is_err());
        assert!(epsilon(1.0).times(0).is_err());
        assert!(epsilon(f64::MAX).times(2).is_err());
        assert!(epsilon(f64::MAX).plus(epsilon(f64::MAX)).is_err());
        for weights in [&[][..], &[1.0, 0.0], &[1.0, -1.0], &[f64::NAN], &[f64::INFINITY], &[f64::MAX; 2]] {
            assert!(epsilon(1.0).shared(weights).is_err(), "{weights:?}");
        }
    }

    proptest! {
        #[test]
        fn parts_never_exceed_the_whole_and_are_the_largest_that_do_not(
            bits in 1..f64::MAX.to_bits(), usual in 1e-9f64..1000.0, is_usual in any::<bool>(), parts in any::<u32>(),
            few in 1u32..100,
        ) {
            let whole = epsilon(if is_usual { usual } else { f64::from_bits(bits) });
            for parts in [parts, few] {
                let Ok(part) = whole.divided(parts) else { continue };
                prop_assert!(&exact(part) * &many(parts) <= exact(whole));
                prop_assert!(&exact(epsilon(part.get().next_up())) * &many(parts) > exact(whole));
                // Repeated, they are back at the whole or below.
                prop_assert!(part.times(parts).unwrap() <= whole);
            }
        }

        #[test]
        fn multiples_and_sums_are_the_smallest_that_are_enough(
            one in 1e-9f64..1000.0, two in 1e-9f64..1000.0, times in 1u32..1_000_000,
        ) {
            let (one, two) = (epsilon(one), epsilon(two));
            let (product, sum) = (&exact(one) * &many(times), &exact(one) + &exact(two));
            for (found, wanted) in [(one.times(times).unwrap(), product), (one.plus(two).unwrap(), sum)] {
                prop_assert!(exact(found) >= wanted);
                prop_assert!(exact(epsilon(found.get().next_down())) < wanted);
            }
        }

        #[test]
        fn shares_never_exceed_the_whole(
            whole in 1e-6f64..1000.0, weights in prop::collection::vec(1e-3f64..1e3, 1..40),
        ) {
            let parts = epsilon(whole).shared(&weights).unwrap();
            let sum = parts.iter().map(|part| exact(*part)).fold(Fraction::whole(0), |sum, part| &sum + &part);
            prop_assert!(sum <= exact(epsilon(whole)));
            let total: f64 = weights.iter().sum();
            for (part, weight) in parts.iter().zip(&weights) {
                prop_assert!((part.get() / (whole * weight / total) - 1.0).abs() < 1e-13);
            }
        }
    }
}
