//! Exact confidence bounds for a proportion.
//!
//! The bounds are found by Newton steps on the logarithm of the binomial tail and then moved outwards until
//! the tail, with all rounding errors counted against us, is certainly on the right side of the error rate.
//! Only that last check decides what is returned, so a poor guess costs time and never validity.

use super::binomial::{Chance, LnTail, ln_mass, upper_tail};
use super::count::BinomialCount;

/// Newton needs about ten steps, and about forty where the error rate is next to one.
const MAX_NEWTON_STEPS: u32 = 100;

/// Doublings of the outward move before the trivial bound is returned; enough to get from one rounding to
/// the end of the range.
const MAX_DOUBLINGS: u32 = 80;

/// A Newton step below this fraction of the logarithm ends the search.
const NEWTON_TOLERANCE: f64 = 1e-14;

/// A confidence interval for the success probability of a binomial count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClopperPearson {
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
}

impl From<ClopperPearson> for [f64; 2] {
    fn from(interval: ClopperPearson) -> Self {
        [interval.lower, interval.upper]
    }
}

/// The two-sided Clopper-Pearson interval that misses the truth with probability at most `alpha`, half of it
/// on each side.
///
/// Both bounds are rounded outwards: the lower one is never above and the upper one never below the exact
/// bound. Without trials, and for an `alpha` that is not strictly between 0 and 1, the interval is [0, 1].
pub fn clopper_pearson(count: BinomialCount, alpha: f64) -> ClopperPearson {
    if !is_error_rate(alpha) {
        return ClopperPearson { lower: 0.0, upper: 1.0 };
    }
    ClopperPearson {
        lower: clopper_pearson_lower(count, alpha / 2.0),
        upper: clopper_pearson_upper(count, alpha / 2.0),
    }
}

/// The one-sided bound that exceeds the true success probability with probability at most `alpha`.
///
/// It is rounded down. Without successes, and for an `alpha` that is not strictly between 0 and 1, it is 0.
pub fn clopper_pearson_lower(count: BinomialCount, alpha: f64) -> f64 {
    chance_certainly_below(count, alpha).success_rounded_down()
}

/// The one-sided bound that stays below the true success probability with probability at most `alpha`.
///
/// It is rounded up. Without failures, and for an `alpha` that is not strictly between 0 and 1, it is 1.
pub fn clopper_pearson_upper(count: BinomialCount, alpha: f64) -> f64 {
    // The upper bound of successes is one less the lower bound of failures, and a chance keeps both exactly.
    chance_certainly_below(count.mirrored(), alpha).failure_rounded_up()
}

fn is_error_rate(alpha: f64) -> bool {
    alpha > 0.0 && alpha < 1.0
}

/// A chance at which at least that many successes have probability at most `alpha`, and hardly a smaller one
/// than the largest such chance.
fn chance_certainly_below(count: BinomialCount, alpha: f64) -> Chance {
    if count.successes() == 0 || !is_error_rate(alpha) {
        return Chance::IMPOSSIBLE;
    }
    let target = alpha.ln();
    let guess = newton_guess(count, target);
    moved_outwards(count, target, guess)
}

/// The tail at one chance, and how fast it changes.
#[derive(Debug, Clone, Copy)]
struct Probe {
    ln_success: f64,
    tail: LnTail,
    /// The derivative of the logarithm of the tail in the logarithm of the success probability.
    slope: f64,
}

impl Probe {
    fn at(count: BinomialCount, ln_success: f64) -> Self {
        let chance = Chance::from_ln_success(ln_success);
        let tail = upper_tail(count, chance);
        let share = (ln_mass(count, chance).value - tail.best).exp();
        Self { ln_success, tail, slope: count.successes() as f64 * share }
    }
}

/// Solves for the target on a log-log scale, where the tail is concave: from any start the first step lands
/// at or below the root, and all later ones climb to it without passing it.
fn newton_guess(count: BinomialCount, target: f64) -> Probe {
    let smallest = f64::MIN_POSITIVE.ln();
    let start = (count.successes() as f64 / (count.trials() as f64 + 1.0)).ln();
    let mut probe = Probe::at(count, start);
    for _ in 0..MAX_NEWTON_STEPS {
        let step = (target - probe.tail.best) / probe.slope;
        if !step.is_finite() {
            break;
        }
        let next = (probe.ln_success + step).clamp(smallest, 0.0);
        let moved = (next - probe.ln_success).abs();
        probe = Probe::at(count, next);
        if moved <= NEWTON_TOLERANCE * next.abs() {
            break;
        }
    }
    probe
}

/// Moves below the guess until the tail is certainly at most the target.
fn moved_outwards(count: BinomialCount, target: f64, guess: Probe) -> Chance {
    let ceiling = target - 2.0 * f64::EPSILON * target.abs();
    let needed = (guess.tail.high - ceiling) / guess.slope;
    let smallest_move = 4.0 * f64::EPSILON * guess.ln_success.abs();
    // `max` ignores a NaN, which a slope of zero can make.
    let mut outwards = smallest_move.max(1.5 * needed).max(f64::MIN_POSITIVE);
    for _ in 0..MAX_DOUBLINGS {
        let chance = Chance::from_ln_success(guess.ln_success - outwards);
        if upper_tail(count, chance).high <= ceiling {
            return chance;
        }
        outwards *= 2.0;
    }
    Chance::IMPOSSIBLE
}
