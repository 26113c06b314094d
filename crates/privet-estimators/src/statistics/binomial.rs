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
    const IMPOSSIBLE: Self = Self { low: f64::NEG_INFINITY, best: f64::NEG_INFINITY, high: f64::NEG_INFINITY };

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
    terms: u32,
}

/// Adds falling terms until those left off, bounded by a geometric series, are below the rounding error.
fn relative_sum(count: BinomialCount, chance: Chance) -> RelativeSum {
    let mut sum = RelativeSum { added: 1.0, left_off: 0.0, terms: 1 };
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
    let deviance = Deviation { observed: successes, expected: trials * chance.success, difference }.deviance()
        + Deviation { observed: failures, expected: trials * chance.failure, difference: -difference }
            .deviance();
    let spread = 0.5 * (trials / successes / (TAU * failures)).ln();
    let correction = stirling_error(count.trials())
        - stirling_error(count.successes())
        - stirling_error(count.failures());
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
