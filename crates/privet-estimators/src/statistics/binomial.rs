//! Tails of the binomial distribution, with a bound on their rounding errors.

use std::f64::consts::{LN_2, TAU};

use super::count::BinomialCount;
use super::factorial::{Deviation, stirling_error};

/// The most terms of a tail that are added one by one. A tail of 1e9 trials needs at most 140 000; one of
/// more than about 5e10 can reach the limit, and its remainder is then bounded by a geometric series.
const MAX_TERMS: u32 = 1 << 20;

/// The probability of at least `count.successes()` successes in `count.trials()` trials that succeed with
/// probability `success` each. NaN where `success` is not in [0, 1].
///
/// The relative error is below 1e-11 up to 1e9 trials. Tails below 1e-308 lose digits and then vanish: see
/// [`ln_binomial_upper_tail`].
pub fn binomial_upper_tail(count: BinomialCount, success: f64) -> f64 {
    ln_binomial_upper_tail(count, success).exp()
}

/// The probability of at most `count.successes()` successes; see [`binomial_upper_tail`].
pub fn binomial_lower_tail(count: BinomialCount, success: f64) -> f64 {
    ln_binomial_lower_tail(count, success).exp()
}

/// The natural logarithm of [`binomial_upper_tail`], also where the tail itself is too small for a float.
pub fn ln_binomial_upper_tail(count: BinomialCount, success: f64) -> f64 {
    Chance::new(success).map_or(f64::NAN, |chance| upper_tail(count, chance).best)
}

/// The natural logarithm of [`binomial_lower_tail`], also where the tail itself is too small for a float.
pub fn ln_binomial_lower_tail(count: BinomialCount, success: f64) -> f64 {
    Chance::new(success).map_or(f64::NAN, |chance| upper_tail(count.mirrored(), chance.mirrored()).best)
}

/// A success probability together with its complement.
///
/// The smaller of the two is the exact one and defines the chance; the larger is its complement rounded.
/// Keeping only the success probability would lose every digit of a failure probability below 1e-16.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chance {
    success: f64,
    failure: f64,
}

impl Chance {
    /// A trial that never succeeds.
    pub(super) const IMPOSSIBLE: Self = Self { success: 0.0, failure: 1.0 };

    /// The chance with this success probability, or `None` outside [0, 1].
    pub(super) fn new(success: f64) -> Option<Self> {
        (0.0..=1.0).contains(&success).then_some(Self { success, failure: 1.0 - success })
    }

    /// The chance whose success probability has this logarithm, which is at most zero.
    pub(super) fn from_ln_success(ln_success: f64) -> Self {
        if ln_success < -LN_2 {
            let success = ln_success.exp();
            return Self { success, failure: 1.0 - success };
        }
        let failure = -ln_success.exp_m1();
        Self { success: 1.0 - failure, failure }
    }

    fn mirrored(self) -> Self {
        Self { success: self.failure, failure: self.success }
    }

    fn ln_success(self) -> f64 {
        if self.success <= self.failure { self.success.ln() } else { (-self.failure).ln_1p() }
    }

    /// The largest float that is certainly not above the success probability.
    pub(super) fn success_rounded_down(self) -> f64 {
        if self.success <= self.failure { self.success } else { self.success.next_down() }
    }

    /// The smallest float that is certainly not below the failure probability.
    pub(super) fn failure_rounded_up(self) -> f64 {
        if self.failure <= self.success { self.failure } else { self.failure.next_up().min(1.0) }
    }
}

/// The logarithm of a tail between two bounds that allow for rounding and for terms left off.
#[derive(Debug, Clone, Copy)]
pub(super) struct LnTail {
    /// Certainly not above the truth.
    pub(super) low: f64,
    /// The best guess.
    pub(super) best: f64,
    /// Certainly not below the truth.
    pub(super) high: f64,
}

impl LnTail {
    const CERTAIN: Self = Self { low: 0.0, best: 0.0, high: 0.0 };
    const IMPOSSIBLE: Self =
        Self { low: f64::NEG_INFINITY, best: f64::NEG_INFINITY, high: f64::NEG_INFINITY };

    /// The logarithm of one less this probability.
    fn complement(self) -> Self {
        let low = ln_one_minus_exp(self.high);
        let high = ln_one_minus_exp(self.low);
        let best = ln_one_minus_exp(self.best);
        // The functions used are good to about one rounding; four leave room on every platform. Infinite
        // bounds stay as they are.
        let widen = 1.0 + 4.0 * f64::EPSILON;
        Self { low: low * widen, best, high: high / widen }
    }
}

/// `ln(1 - exp(x))` for x of at most zero, accurate relative to the result at both ends.
fn ln_one_minus_exp(x: f64) -> f64 {
    if x > -LN_2 { (-x.exp_m1()).ln() } else { (-x.exp()).ln_1p() }
}

/// A logarithm and how far it may be from the truth.
#[derive(Debug, Clone, Copy)]
pub(super) struct LnMass {
    /// The best guess.
    pub(super) value: f64,
    slack: f64,
}

/// The logarithm of the probability of at least `count.successes()` successes.
pub(super) fn upper_tail(count: BinomialCount, chance: Chance) -> LnTail {
    if count.successes() == 0 || chance.failure == 0.0 {
        return LnTail::CERTAIN;
    }
    if chance.success == 0.0 {
        return LnTail::IMPOSSIBLE;
    }
    if starts_in_the_tail(count, chance) {
        return summed_tail(count, chance);
    }
    let fewer = count.with_one_success_fewer();
    summed_tail(fewer.mirrored(), chance.mirrored()).complement()
}

/// Whether the count lies at or above the most likely one, so that its upper tail is the one of falling
/// terms.
fn starts_in_the_tail(count: BinomialCount, chance: Chance) -> bool {
    count.failures() == 0 || count.successes() as f64 >= (count.trials() as f64 + 1.0) * chance.success
}

/// The upper tail as its first term times the sum of all terms relative to it.
fn summed_tail(count: BinomialCount, chance: Chance) -> LnTail {
    let first = ln_mass(count, chance);
    let sum = relative_sum(count, chance);
    let ln_sum = sum.added.ln();
    let rounding = f64::EPSILON * (2.0 * (first.value.abs() + ln_sum) + 4.0 * f64::from(sum.terms));
    let slack = first.slack + rounding;
    let left_off = sum.left_off / sum.added;
    let best = first.value + ln_sum;
    LnTail {
        low: (best - slack).min(0.0),
        best: (best + (0.5 * left_off).min(1.0).ln_1p()).min(0.0),
        high: (best + left_off.ln_1p() + slack).min(0.0),
    }
}

/// The terms of a tail relative to its first.
#[derive(Debug, Clone, Copy)]
struct RelativeSum {
    added: f64,
    /// The most that the terms which were not added can amount to.
    left_off: f64,
    /// How many terms were added to the first.
    terms: u32,
}

/// Adds falling terms until those left off, bounded by a geometric series, are below the rounding error.
fn relative_sum(count: BinomialCount, chance: Chance) -> RelativeSum {
    let mut sum = RelativeSum { added: 1.0, left_off: 0.0, terms: 0 };
    if count.failures() == 0 {
        return sum;
    }
    let odds = chance.success / chance.failure;
    let (mut failures, mut successes) = (count.failures() as f64, count.successes() as f64);
    let mut term = 1.0;
    loop {
        successes += 1.0;
        let ratio = failures / successes * odds;
        let next = term * ratio;
        // Later ratios are smaller still. The comparison avoids a second division per term.
        let negligible = next <= 0.25 * f64::EPSILON * sum.added * (1.0 - ratio);
        if negligible || sum.terms == MAX_TERMS {
            sum.left_off = if ratio < 1.0 { next / (1.0 - ratio) } else { f64::INFINITY };
            return sum;
        }
        term = next;
        sum.added += term;
        sum.terms += 1;
        failures -= 1.0;
    }
}

/// The logarithm of the probability of exactly `count.successes()` successes, for a chance strictly between
/// zero and one.
///
/// The saddle-point form keeps the rounding error near that of the result; a binomial coefficient times
/// powers would lose nine digits at 1e9 trials.
pub(super) fn ln_mass(count: BinomialCount, chance: Chance) -> LnMass {
    if count.successes() == 0 {
        return ln_mass_of_all(count.mirrored(), chance.mirrored());
    }
    if count.failures() == 0 {
        return ln_mass_of_all(count, chance);
    }
    let (trials, successes, failures) =
        (count.trials() as f64, count.successes() as f64, count.failures() as f64);
    let difference = excess(count, chance);
    let deviance = Deviation { observed: successes, expected: trials * chance.success, difference }
        .deviance()
        + Deviation { observed: failures, expected: trials * chance.failure, difference: -difference }
            .deviance();
    let spread = 0.5 * (trials / successes / (TAU * failures)).ln();
    let correction =
        stirling_error(count.trials()) - stirling_error(count.successes()) - stirling_error(count.failures());
    // Sixteen for the far form of the deviance at its worst, four times the difference for counts above
    // 2^53 that no float holds.
    let roundings = 16.0 * deviance + spread.abs() + 8.0 + 4.0 * difference.abs();
    LnMass { value: spread + correction - deviance, slack: f64::EPSILON * roundings }
}

/// The mass of a run without any failure.
fn ln_mass_of_all(count: BinomialCount, chance: Chance) -> LnMass {
    let value = count.trials() as f64 * chance.ln_success();
    LnMass { value, slack: 4.0 * f64::EPSILON * value.abs() }
}

/// Successes less expected successes, rounded once, from whichever probability is the exact one.
fn excess(count: BinomialCount, chance: Chance) -> f64 {
    let trials = count.trials() as f64;
    if chance.success <= chance.failure {
        chance.success.mul_add(-trials, count.successes() as f64)
    } else {
        -chance.failure.mul_add(-trials, count.failures() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::relative_error;
    use super::*;

    // Both tables: the same tails added in 400-bit MPFR (gmpy2) at the exact value of each float, rounded to
    // the nearest float; scipy.stats.binom (sf, cdf) of scipy 1.17 agrees within 1e-9 on the first.

    /// Successes, trials, success probability, upper tail, lower tail.
    const TAILS: [(u64, u64, f64, f64, f64); 16] = [
        (0, 0, 0.5, 1.0, 1.0),
        (3, 10, 0.5, 0.9453125, 0.171875),
        (7, 10, 0.25, 0.003505706787109375, 0.9995841979980469),
        (10, 10, 0.1, 1.0000000000000006e-10, 1.0),
        (1, 10, 1e-18, 1e-17, 1.0),
        (60, 100, 0.5, 0.028443966820490395, 0.9823998998911476),
        (500_000, 1_000_000, 0.5, 0.5003989421806658, 0.5003989421806658),
        (502_000, 1_000_000, 0.5, 3.1804668750412444e-05, 0.9999684629880654),
        (10, 10_000_000, 1e-07, 1.1142507282845655e-07, 0.9999999899522792),
        (4, 10_000_000, 1e-07, 0.018988150744829686, 0.9963401554719026),
        (3, 10_000_000, 1e-05, 1.0, 6.386881327937973e-39),
        (500_000_000, 1_000_000_000, 0.5, 0.5000126156626069, 0.5000126156626069),
        (500_100_000, 1_000_000_000, 0.5, 1.2700741798772834e-10, 0.9999999998730446),
        (300_090_000, 1_000_000_000, 0.3, 2.642785600412666e-10, 0.9999999997358374),
        (999_999_990, 1_000_000_000, 0.999999999, 0.9999999899522369, 1.114254456120415e-07),
        (20, 1_000_000_000, 1e-09, 1.5875273288950432e-19, 1.0),
    ];

    /// Successes, trials, success probability, logarithm of the upper tail.
    const LN_UPPER_TAILS: [(u64, u64, f64, f64); 5] = [
        (1000, 1000, 0.001, -6907.755278982137),
        (500_000, 1_000_000, 0.001, -2761237.841643296),
        (999, 1000, 1e-300, -690077.8446150365),
        (900_000_000, 1_000_000_000, 0.5, -368064217.12731266),
        (5, 1_000_000_000, 1e-320, -3585.3073670229196),
    ];

    fn count(successes: u64, trials: u64) -> BinomialCount {
        BinomialCount::new(successes, trials).unwrap()
    }

    #[test]
    fn tails_agree_with_references() {
        for (successes, trials, success, upper, lower) in TAILS {
            let count = count(successes, trials);
            let upper_error = relative_error(binomial_upper_tail(count, success), upper);
            let lower_error = relative_error(binomial_lower_tail(count, success), lower);
            assert!(upper_error < 1e-11, "upper tail of {count:?}: relative error {upper_error:e}");
            assert!(lower_error < 1e-11, "lower tail of {count:?}: relative error {lower_error:e}");
        }
    }

    #[test]
    fn logarithms_go_on_where_tails_vanish() {
        for (successes, trials, success, wanted) in LN_UPPER_TAILS {
            let count = count(successes, trials);
            let error = relative_error(ln_binomial_upper_tail(count, success), wanted);
            assert!(error < 1e-14, "{count:?}: relative error {error:e}");
        }
    }

    #[test]
    fn bounds_enclose_the_references() {
        for (successes, trials, success, wanted) in LN_UPPER_TAILS {
            let tail = upper_tail(count(successes, trials), Chance::new(success).unwrap());
            assert!(tail.low <= wanted && wanted <= tail.high, "{tail:?} and {wanted}");
        }
    }

    #[test]
    fn sure_and_impossible_events() {
        assert_eq!(binomial_upper_tail(count(0, 5), 0.3), 1.0);
        assert_eq!(binomial_lower_tail(count(5, 5), 0.3), 1.0);
        assert_eq!(binomial_upper_tail(count(1, 5), 0.0), 0.0);
        assert_eq!(binomial_upper_tail(count(5, 5), 1.0), 1.0);
        assert_eq!(binomial_lower_tail(count(4, 5), 1.0), 0.0);
        assert_eq!(binomial_lower_tail(count(0, 5), 0.0), 1.0);
    }

    #[test]
    fn what_is_no_probability_has_no_tail() {
        for success in [-1e-300, 1.0 + f64::EPSILON, f64::NAN] {
            assert!(binomial_upper_tail(count(1, 2), success).is_nan());
            assert!(binomial_lower_tail(count(1, 2), success).is_nan());
        }
    }

    #[test]
    fn neighbouring_tails_add_up_to_one() {
        for success in [0.001, 0.2, 0.5, 0.77, 0.9999] {
            for successes in 1..=40 {
                let at_least = binomial_upper_tail(count(successes, 40), success);
                let below = binomial_lower_tail(count(successes - 1, 40), success);
                assert!((at_least + below - 1.0).abs() < 1e-14, "{successes} of 40 at {success}");
            }
        }
    }

    #[test]
    fn counts_that_reach_the_term_limit_stay_enclosed() {
        // By symmetry the upper tail of the middle is one half and half of the middle mass, which is
        // 2.6e-10 here.
        let middle = count(1 << 62, 1 << 63);
        let tail = upper_tail(middle, Chance::new(0.5).unwrap());
        let wanted = -LN_2 + (2.6e-10_f64).ln_1p();
        assert!(tail.low < wanted && wanted < tail.high, "{tail:?}");
    }
}
