//! Sums of products that are known from below and from above, whatever rounding did.

/// Half of this is the largest relative error of one rounded operation.
const STEP: f64 = f64::EPSILON;

/// A sum of products, and how far rounding can have moved it.
///
/// With n terms every product and its way through the additions is rounded at most n + 1 times, so the sum misses the
/// real one by at most g / (1 - g) times the sum of the sizes of the terms, where g = (n + 1) `STEP` / 2. The sizes are
/// added up with the same relative error. For n below 2^32 both together stay under (n + 2) `STEP` times the computed
/// size: twice what is needed, and that covers the rounding of the radius itself. Products that vanish below the
/// smallest number lose less than `MIN_POSITIVE` each, which is added. What overflows becomes infinite or no number at
/// all, and then nothing is claimed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    value: f64,
    size: f64,
    terms: f64,
}

impl Sum {
    pub(super) fn of(value: f64) -> Self {
        Self { value, size: value.abs(), terms: 1.0 }
    }

    #[inline]
    pub(super) fn add(&mut self, weight: f64, value: f64) {
        let product = weight * value;
        self.value += product;
        self.size += product.abs();
        self.terms += 1.0;
    }

    /// How far the real sum can be from the computed one.
    pub(super) fn radius(&self) -> f64 {
        (self.terms + 2.0) * (STEP * self.size + f64::MIN_POSITIVE)
    }

    /// Whether nothing was added.
    pub(super) fn is_empty(&self) -> bool {
        self.terms == 0.0
    }

    /// The computed sum.
    pub(super) fn value(&self) -> f64 {
        self.value
    }

    /// Not above the real sum.
    pub(super) fn low(&self) -> f64 {
        or_else((self.value - self.radius()).next_down(), f64::NEG_INFINITY)
    }

    /// Not below the real sum.
    pub(super) fn high(&self) -> f64 {
        or_else((self.value + self.radius()).next_up(), f64::INFINITY)
    }
}

/// The value, unless it is not a number.
pub(super) fn or_else(value: f64, otherwise: f64) -> f64 {
    if value.is_nan() { otherwise } else { value }
}

/// A number that is known to lie between two others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Range {
    /// The largest size of a number in it.
    pub(super) fn size(&self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// The end at which a multiple of the number is smallest.
    #[inline]
    pub(super) fn lowest(&self, weight: f64) -> f64 {
        if weight > 0.0 { self.low } else { self.high }
    }

    /// The end at which a multiple of the number is largest.
    #[inline]
    pub(super) fn highest(&self, weight: f64) -> f64 {
        if weight > 0.0 { self.high } else { self.low }
    }

    /// The numbers that are in both.
    pub(super) fn within(&self, other: &Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_terms_that_rounding_swallows_are_covered() {
        let half_step = STEP / 2.0;
        let mut sum = Sum::of(1.0);
        (0..1000).for_each(|_| sum.add(half_step, 1.0));
        assert_eq!(sum.value(), 1.0);
        assert!(sum.high() >= 1.0 + 1000.0 * half_step);
        assert!(sum.low() <= 1.0);
    }

    #[test]
    fn what_is_no_number_claims_nothing() {
        let mut sum = Sum::of(f64::INFINITY);
        sum.add(-1.0, f64::INFINITY);
        assert_eq!((sum.low(), sum.high()), (f64::NEG_INFINITY, f64::INFINITY));
    }
}
