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
