//! Factorials of large numbers, and the two pieces from which point masses are built without cancellation.

use std::f64::consts::TAU;

use super::count::BinomialCount;

/// The largest n whose factorial fits a `u64`.
const LARGEST_EXACT_FACTORIAL: u64 = 20;

/// What Stirling's formula `ln(2 pi n) / 2 + n ln n - n` misses of ln n! for n below 16; zero at n = 0,
/// where the formula has no value and no caller needs one.
const SMALL_STIRLING_ERRORS: [f64; 16] = [
    0.0,
    0.08106146679532726,
    0.0413406959554093,
    0.02767792568499834,
    0.020790672103765093,
    0.016644691189821193,
    0.013876128823070748,
    0.01189670994589177,
    0.010411265261972096,
    0.009255462182712733,
    0.00833056343336287,
    0.007573675487951841,
    0.00694284010720953,
    0.006408994188004207,
    0.0059513701127588475,
    0.005554733551962801,
];

/// Below this relative distance of two means the deviance is summed as a series: the closed form would
/// subtract nearly equal numbers there.
const SERIES_LIMIT: f64 = 0.3;

/// The natural logarithm of n!, within about 4e-16 relative.
pub fn ln_factorial(n: u64) -> f64 {
    if n <= LARGEST_EXACT_FACTORIAL {
        return ((1..=n).product::<u64>() as f64).ln();
    }
    let x = n as f64;
    (x + 0.5) * x.ln() - x + 0.5 * TAU.ln() + stirling_error(n)
}

/// The natural logarithm of the number of ways to choose which trials succeed, within about 1e-15 relative.
///
/// This is not a difference of three factorials: at n = 1e12 that would leave four digits of a small result.
pub fn ln_binomial_coefficient(count: BinomialCount) -> f64 {
    let few = count.successes().min(count.failures());
    match few {
        0 => 0.0,
        1 => (count.trials() as f64).ln(),
        _ => ln_large_coefficient(few, count.trials()),
    }
}

/// Entropy form of the coefficient; every large part is positive, so that nothing cancels.
fn ln_large_coefficient(few: u64, trials: u64) -> f64 {
    let (few_real, rest, total) = (few as f64, (trials - few) as f64, trials as f64);
    let entropy = few_real * (total / few_real).ln() - rest * (-few_real / total).ln_1p();
    let spread = 0.5 * (total / few_real / (TAU * rest)).ln();
    entropy + spread + stirling_error(trials) - stirling_error(few) - stirling_error(trials - few)
}

/// What Stirling's formula misses of ln n!.
pub(super) fn stirling_error(n: u64) -> f64 {
    let small = usize::try_from(n).ok().and_then(|index| SMALL_STIRLING_ERRORS.get(index));
    small.copied().unwrap_or_else(|| stirling_series(n as f64))
}

/// What Stirling's formula misses of ln gamma(x + 1) for x of at least 16, where the first dropped term is
/// below 1e-18.
pub(super) fn stirling_series(x: f64) -> f64 {
    let inverse_square = 1.0 / (x * x);
    let tail = 1.0 / 1188.0 - inverse_square * (691.0 / 360_360.0 - inverse_square / 156.0);
    let middle = 1.0 / 1260.0 - inverse_square * (1.0 / 1680.0 - inverse_square * tail);
    (1.0 / 12.0 - inverse_square * (1.0 / 360.0 - inverse_square * middle)) / x
}

/// An observed amount next to the expected one, with the difference computed where it was still exact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deviation {
    /// What was observed; above zero.
    pub(super) observed: f64,
    /// What was expected; above zero.
    pub(super) expected: f64,
    /// Observed less expected.
    pub(super) difference: f64,
}

impl Deviation {
    /// `observed ln(observed / expected) - difference`, never negative, within about 32 roundings relative.
    pub(super) fn deviance(self) -> f64 {
        let ratio = self.difference / (2.0 * self.observed - self.difference);
        if ratio.abs() < SERIES_LIMIT { self.near_deviance(ratio) } else { self.far_deviance() }
    }

    /// The series of the logarithm in `ratio`, the difference over the sum of observed and expected.
    fn near_deviance(self, ratio: f64) -> f64 {
        let square = ratio * ratio;
        let mut sum = self.difference * ratio;
        let mut power = 2.0 * self.observed * ratio;
        let mut odd = 3.0;
        loop {
            power *= square;
            let next = sum + power / odd;
            if next == sum {
                return sum;
            }
            sum = next;
            odd += 2.0;
        }
    }

    fn far_deviance(self) -> f64 {
        let quotient = self.observed / self.expected;
        // An expectation near the smallest float overflows the quotient; logarithms that large may be
        // subtracted without harm.
        let ln_quotient =
            if quotient.is_finite() { quotient.ln() } else { self.observed.ln() - self.expected.ln() };
        self.observed * ln_quotient - self.difference
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::relative_error;
    use super::*;

    // Both tables: lngamma in 400-bit MPFR (gmpy2), rounded to the nearest float; scipy.special.gammaln of
    // scipy 1.17 agrees.
    const LN_FACTORIALS: [(u64, f64); 10] = [
        (2, std::f64::consts::LN_2),
        (10, 15.104412573075516),
        (20, 42.335616460753485),
        (21, 45.38013889847691),
        (100, 363.73937555556347),
        (171, 711.71472580229),
        (1_000_000, 12815518.384658169),
        (1_000_000_000, 19723265848.226982),
        (1_000_000_000_000, 26631021115943.28),
        (u64::MAX, 7.998770092192604e+20),
    ];

    /// Chosen, from, logarithm.
    const LN_COEFFICIENTS: [(u64, u64, f64); 10] = [
        (1, 2, std::f64::consts::LN_2),
        (5, 10, 5.529429087511423),
        (15, 30, 18.85969358114838),
        (52, 104, 69.53691616690246),
        (3, 10_000_000, 46.56252718364688),
        (9_999_997, 10_000_000, 46.56252718364688),
        (7, 1_000_000_000_000, 184.8919864504134),
        (500_000_000_000, 1_000_000_000_000, 693147180545.904),
        (123_456_789, 1_000_000_000_000, 1234513264.806118),
        (1 << 63, u64::MAX, 1.2786308645202655e+19),
    ];

    #[test]
    fn factorials_agree_with_references() {
        for (n, wanted) in LN_FACTORIALS {
            let error = relative_error(ln_factorial(n), wanted);
            assert!(error < 1e-15, "ln {n}!: relative error {error:e}");
        }
        assert_eq!((ln_factorial(0), ln_factorial(1)), (0.0, 0.0));
    }

    #[test]
    fn coefficients_agree_with_references() {
        for (few, trials, wanted) in LN_COEFFICIENTS {
            let count = BinomialCount::new(few, trials).unwrap();
            let error = relative_error(ln_binomial_coefficient(count), wanted);
            assert!(error < 1e-15, "{count:?}: relative error {error:e}");
        }
    }

    #[test]
    fn one_way_to_choose_none_or_all() {
        for trials in [0, 1, 1_000_000_000_000] {
            let none = BinomialCount::new(0, trials).unwrap();
            assert_eq!(ln_binomial_coefficient(none), 0.0);
            assert_eq!(ln_binomial_coefficient(none.mirrored()), 0.0);
        }
    }

    #[test]
    fn stirling_table_and_series_meet() {
        let error = relative_error(stirling_series(15.0), stirling_error(15));
        assert!(error < 1e-13, "relative error {error:e}");
    }

    #[test]
    fn near_and_far_deviance_meet() {
        // Observed over expected is 13/7 or 7/13 exactly where the two forms change over.
        for (observed, expected) in [(13.0, 7.0), (7.0, 13.0)] {
            let deviation = Deviation { observed, expected, difference: observed - expected };
            let ratio = deviation.difference / (observed + expected);
            let error = relative_error(deviation.near_deviance(ratio), deviation.far_deviance());
            assert!(error < 1e-14, "relative error {error:e}");
        }
    }
}
