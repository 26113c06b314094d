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

/// A Newton step below this fraction of the logarithm ends the search; it ends before that where the target
/// is already within the rounding errors of the tail.
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
/// bound. Up to 1e9 trials they are within 1e-11 of it, relative, unless it is below 1e-300, and take at most
/// a few milliseconds; beyond 1e10 trials they may lie further out.
///
/// Without trials, and for an `alpha` that is not strictly between 0 and 1, the interval is [0, 1].
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
    // The upper bound of successes is one less the lower bound of failures; a chance keeps both.
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
    let mut probe = Probe::at(count, ln_typical_success(count));
    for _ in 0..MAX_NEWTON_STEPS {
        if probe.tail.low <= target && target <= probe.tail.high {
            break;
        }
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

/// The logarithm of `successes / (trials + 1)`, from the smaller of the two counts: it stays below zero
/// even where no float tells successes and trials apart.
fn ln_typical_success(count: BinomialCount) -> f64 {
    let total = count.trials() as f64 + 1.0;
    if count.successes() <= count.failures() {
        (count.successes() as f64 / total).ln()
    } else {
        (-(count.failures() as f64 + 1.0) / total).ln_1p()
    }
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

#[cfg(test)]
mod tests {
    use super::super::binomial::{binomial_lower_tail, binomial_upper_tail};
    use super::super::testing::relative_error;
    use super::*;

    // Both tables: Newton's method on binomial tails added in 400-bit MPFR (gmpy2), with alpha at the exact
    // value of its float, rounded to the nearest float. scipy.stats.beta (ppf, isf) of scipy 1.17 agrees
    // within 1e-9 everywhere but at the upper bound of 1 in 1e9, where it is off by 2e-9; mpmath with
    // 50 digits confirms that one and both bounds of 3 in 1e7.

    /// Successes, trials, two-sided alpha, lower bound, upper bound.
    const TWO_SIDED: [(u64, u64, f64, f64, f64); 18] = [
        (0, 10, 0.05, 0.0, 0.30849710781876083),
        (1, 10, 0.05, 0.0025285785444617848, 0.44501611702819543),
        (5, 10, 0.05, 0.18708602844739852, 0.8129139715526015),
        (10, 10, 0.05, 0.6915028921812392, 1.0),
        (9, 10, 0.01, 0.45571294310031313, 0.9994988714245354),
        (1, 1, 0.05, 0.025, 1.0),
        (0, 1, 0.5, 0.0, 0.75),
        (3, 10_000_000, 1e-12, 1.442301719247912e-11, 3.748523139786226e-06),
        (0, 10_000_000, 1e-12, 0.0, 2.832412818360088e-06),
        (10_000_000, 10_000_000, 1e-12, 0.9999971675871816, 1.0),
        (9_999_997, 10_000_000, 1e-12, 0.9999962514768602, 0.999999999985577),
        (5_000_000, 10_000_000, 1e-12, 0.4988725193358554, 0.5011274806641446),
        (123_456, 1_000_000, 0.001, 0.12237589525913871, 0.12454179558467951),
        (1, 1_000_000_000, 1e-06, 5.000001250000415e-16, 1.7422214869475033e-08),
        (999_999_999, 1_000_000_000, 1e-06, 0.9999999825777851, 0.9999999999999994),
        (314_159_265, 1_000_000_000, 0.05, 0.31413049538217946, 0.31418803569360526),
        (17, 40, 1e-300, 4.911664555684981e-19, 0.9999999999999707),
        (50, 100, 0.9999, 0.495010448772132, 0.5049895512278679),
    ];

    /// Successes, trials, one-sided alpha, lower bound, upper bound.
    const ONE_SIDED: [(u64, u64, f64, f64, f64); 6] = [
        (1, 1000, 0.05, 5.129197890901781e-05, 0.004734993575499778),
        (1, 1000, 0.999999, 0.013720514368761167, 1.415587630991652e-06),
        (700, 1000, 0.99, 0.7323946995221096, 0.6660641973492041),
        (2, 10_000_000, 1e-200, 1.4142136330837786e-107, 4.7213157127894995e-05),
        (9_999_999, 10_000_000, 0.5, 0.9999998321653067, 0.9999999306852844),
        (1_000_000, 1_000_000, 0.999999999, 0.999999999999999, 1.0),
    ];

    fn count(successes: u64, trials: u64) -> BinomialCount {
        BinomialCount::new(successes, trials).unwrap()
    }

    /// Outward means below and above the nearest float as well, because a bound is itself a float.
    fn assert_close_and_outward(case: &str, got: ClopperPearson, wanted: ClopperPearson) {
        assert!(got.lower <= wanted.lower, "{case}: lower bound {} above {}", got.lower, wanted.lower);
        assert!(got.upper >= wanted.upper, "{case}: upper bound {} below {}", got.upper, wanted.upper);
        assert!(relative_error(got.lower, wanted.lower) < 1e-11, "{case}: lower bound {}", got.lower);
        assert!(relative_error(got.upper, wanted.upper) < 1e-11, "{case}: upper bound {}", got.upper);
    }

    /// At each bound, counts at least as extreme have at most the probability `alpha`.
    fn assert_holds_error_rate(count: BinomialCount, interval: ClopperPearson, alpha: f64) {
        let allowed = alpha * (1.0 + 1e-13);
        let above = binomial_upper_tail(count, interval.lower);
        let below = binomial_lower_tail(count, interval.upper);
        assert!(count.successes() == 0 || above <= allowed, "{count:?}: {above}");
        assert!(count.failures() == 0 || below <= allowed, "{count:?}: {below}");
    }

    #[test]
    fn two_sided_bounds_are_close_and_rounded_outwards() {
        for (successes, trials, alpha, lower, upper) in TWO_SIDED {
            let got = clopper_pearson(count(successes, trials), alpha);
            let case = format!("{successes} of {trials} at {alpha:e}");
            assert_close_and_outward(&case, got, ClopperPearson { lower, upper });
        }
    }

    #[test]
    fn one_sided_bounds_are_close_and_rounded_outwards() {
        for (successes, trials, alpha, lower, upper) in ONE_SIDED {
            let count = count(successes, trials);
            let got = ClopperPearson {
                lower: clopper_pearson_lower(count, alpha),
                upper: clopper_pearson_upper(count, alpha),
            };
            let case = format!("{successes} of {trials} at {alpha:e}");
            assert_close_and_outward(&case, got, ClopperPearson { lower, upper });
        }
    }

    #[test]
    fn closed_forms_at_the_ends() {
        for trials in [1, 7, 1000, 1_000_000_000_000] {
            for alpha in [1e-300, 1e-12, 0.05, 0.5, 0.999999999999] {
                let ln_miss = f64::ln(alpha) / trials as f64;
                let upper = clopper_pearson_upper(count(0, trials), alpha);
                let lower = clopper_pearson_lower(count(trials, trials), alpha);
                assert!(relative_error(upper, -ln_miss.exp_m1()) < 1e-11, "0 of {trials} at {alpha:e}");
                assert!(relative_error(lower, ln_miss.exp()) < 1e-11, "all of {trials} at {alpha:e}");
            }
        }
    }

    #[test]
    fn nothing_seen_means_nothing_known() {
        let everything = [0.0, 1.0];
        assert_eq!(<[f64; 2]>::from(clopper_pearson(count(0, 0), 0.05)), everything);
        for alpha in [0.0, -0.1, 1.0, 2.0, f64::NAN, f64::INFINITY] {
            assert_eq!(<[f64; 2]>::from(clopper_pearson(count(4, 9), alpha)), everything, "alpha {alpha}");
        }
    }

    #[test]
    fn bounds_below_the_smallest_float_fall_to_zero() {
        let smallest = 5e-324;
        assert_eq!(clopper_pearson(count(1, 10), smallest), ClopperPearson { lower: 0.0, upper: 1.0 });
        assert!(clopper_pearson_lower(count(1, 10), smallest) <= smallest / 10.0);
    }

    #[test]
    fn bounds_hold_their_error_rate_and_rise_with_the_count() {
        for trials in [1, 2, 3, 10, 41] {
            let mut previous = ClopperPearson { lower: -1.0, upper: 0.0 };
            for successes in 0..=trials {
                let interval = clopper_pearson(count(successes, trials), 0.1);
                assert!(interval.lower > previous.lower && interval.upper > previous.upper);
                assert_holds_error_rate(count(successes, trials), interval, 0.05);
                previous = interval;
            }
        }
    }

    #[test]
    fn counts_beyond_every_float_still_have_bounds() {
        for successes in [0, 1, 1 << 63, u64::MAX - 1, u64::MAX] {
            let interval = clopper_pearson(count(successes, u64::MAX), 0.05);
            let share = successes as f64 / u64::MAX as f64;
            assert!(interval.lower <= share && share <= interval.upper, "{successes}: {interval:?}");
            assert!(interval.upper - interval.lower < 1e-9, "{successes}: {interval:?}");
        }
    }
}
