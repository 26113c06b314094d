//! Division by a fixed number, by multiplication.

/// A divisor with floor(2^64 / divisor), or 2^64 - 1 where that is 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reciprocal {
    divisor: u64,
    reciprocal: u64,
}

impl Reciprocal {
    /// Prepares a divisor, which must not be zero.
    pub(super) fn new(divisor: u64) -> Self {
        let reciprocal = u64::try_from((1u128 << 64) / u128::from(divisor.max(1))).unwrap_or(u64::MAX);
        Self { divisor, reciprocal }
    }

    pub(super) fn divisor(&self) -> u64 {
        self.divisor
    }

    /// The quotient, rounded down. The first estimate misses it by at most one, from below.
    #[inline]
    pub(super) fn divide(&self, dividend: u64) -> u64 {
        let estimate = ((u128::from(dividend) * u128::from(self.reciprocal)) >> 64) as u64;
        let remainder = dividend.wrapping_sub(estimate.wrapping_mul(self.divisor));
        estimate + u64::from(remainder >= self.divisor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn divides_like_the_machine(dividend in any::<u64>(), divisor in 1u64.., small in 1u64..1000) {
            for divisor in [divisor, small, 1] {
                prop_assert_eq!(Reciprocal::new(divisor).divide(dividend), dividend / divisor);
            }
        }
    }
}
