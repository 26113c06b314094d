//! The distribution under which the reports are most likely.

use super::operator::Operator;
use super::smoothing::Smoothing;

/// Counts of reports per group, and how a distribution explains them.
#[derive(Debug)]
pub(super) struct Likelihood<'a> {
    pub operator: &'a Operator,
    pub counts: &'a [f64],
    n: f64,
}

/// One round of the search with the likelihood of what it started from.
struct Round {
    next: Vec<f64>,
    /// The logarithm of the likelihood of the start, and how far it is below the largest at most.
    log: f64,
    short_of: f64,
}

/// What [`Likelihood::cycle`] gives.
pub(super) struct Cycle {
    pub next: Vec<f64>,
    pub log: f64,
    pub short_of: f64,
}

/// The search stops when the log-likelihood is certainly within this of the largest there is.
///
/// The certificate: the log-likelihood is concave, so no distribution is better by more than `n (largest factor - 1)`, where a
/// bin's factor is what a round multiplies its share by.
const SHORT_OF: f64 = 1.0;

/// Or when so many cycles together gain less than this: a change that says nothing about people.
const LEAST_GAIN: f64 = 0.1;
const GAIN_CYCLES: usize = 20;
const MAX_CYCLES: usize = 2000;

/// How often an extrapolation that makes the reports less likely is halved before it is given up.
const SHORTENINGS: usize = 3;

/// Where the search with smoothing starts and when it stops.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub shares: Vec<f64>,
    /// Whether the first and the last bin are neighbours.
    pub ring: bool,
    /// Rounds stop when all shares together move by less than this.
    pub least_move: f64,
}

impl Start {
    /// From equal shares to a standstill.
    pub(super) fn uniform(columns: usize, ring: bool) -> Self {
        Self { shares: vec![1.0 / columns as f64; columns], ring, least_move: 1e-6 }
    }
}

const MAX_SMOOTH_ROUNDS: usize = 4000;

impl<'a> Likelihood<'a> {
    pub(super) fn new(operator: &'a Operator, counts: &'a [f64]) -> Self {
        Self { operator, counts, n: counts.iter().sum() }
    }

    /// The log-likelihood of a distribution, up to a constant that depends on the counts alone.
    pub(super) fn log(&self, shares: &[f64]) -> f64 {
        let mut density = Vec::new();
        self.operator.forward(shares, &mut density);
        self.log_of(&density)
    }

    fn log_of(&self, density: &[f64]) -> f64 {
        self.counts
            .iter()
            .zip(density)
            .filter(|(count, _)| **count > 0.0)
            .map(|(count, m)| count * m.ln())
            .sum()
    }

    /// One step of expectation-maximisation.
    pub(super) fn step(&self, shares: &[f64]) -> Vec<f64> {
        self.round(shares, false).next
    }

    fn round(&self, shares: &[f64], with_log: bool) -> Round {
        let (mut density, mut factors) = (Vec::with_capacity(self.counts.len()), Vec::new());
        self.operator.forward(shares, &mut density);
        let log = if with_log { self.log_of(&density) } else { f64::NAN };
        for (value, count) in density.iter_mut().zip(self.counts) {
            *value = count / *value;
        }
        self.operator.backward(&mut density, &mut factors);
        let short_of = factors.iter().copied().fold(0.0, f64::max) - self.n;
        let mut next: Vec<f64> =
            shares.iter().zip(&factors).map(|(share, factor)| (share * factor / self.n).max(0.0)).collect();
        normalise(&mut next);
        Round { next, log, short_of }
    }

    /// Maximum likelihood by expectation-maximisation.
    ///
    /// Every third round starts from a point further along the last two steps (Varadhan and Roland's squared
    /// extrapolation) if that is not less likely than the start of the cycle; so the likelihood never falls. Bins that no
    /// report can tell apart keep the proportions that they start with.
    pub(super) fn maximise(&self, start: Vec<f64>) -> Vec<f64> {
        let mut shares = start;
        let mut before = f64::NEG_INFINITY;
        for index in 0..MAX_CYCLES {
            let cycle = self.cycle(&shares);
            shares = cycle.next;
            if cycle.short_of < SHORT_OF {
                break;
            }
            if index % GAIN_CYCLES == 0 {
                if cycle.log - before < LEAST_GAIN {
                    break;
                }
                before = cycle.log;
            }
        }
        shares
    }

    /// Three rounds, or a few more where the extrapolation has to be shortened. Gives where they lead, the log-likelihood of
    /// where they began, and how far that is below the largest at most.
    pub(super) fn cycle(&self, start: &[f64]) -> Cycle {
        let first = self.round(start, true);
        let second = self.round(&first.next, false);
        let (log, short_of) = (first.log, first.short_of);
        let mut length = extrapolation_length(start, &first.next, &second.next);
        for _ in 0..SHORTENINGS {
            if !(length.is_finite() && length > 1.0) {
                break;
            }
            let third = self.round(&extrapolated(start, &first.next, &second.next, length), true);
            if third.log >= log {
                return Cycle { next: third.next, log, short_of };
            }
            length = f64::midpoint(1.0, length / 2.0);
        }
        Cycle { next: second.next, log, short_of }
    }

    /// Expectation-maximisation with smoothing after every round.
    pub(super) fn smoothed(&self, smoothing: Smoothing, start: Start) -> Vec<f64> {
        if smoothing == Smoothing::NONE {
            return self.maximise(start.shares);
        }
        let mut shares = start.shares;
        for _ in 0..MAX_SMOOTH_ROUNDS {
            let mut next = self.step(&shares);
            smoothing.apply(&mut next, start.ring);
            let moved: f64 = shares.iter().zip(&next).map(|(old, new)| (old - new).abs()).sum();
            shares = next;
            if moved < start.least_move {
                break;
            }
        }
        shares
    }
}

fn normalise(shares: &mut [f64]) {
    let total: f64 = shares.iter().sum();
    if total > 0.0 {
        shares.iter_mut().for_each(|share| *share /= total);
    }
}

/// How far to go along two steps: to where they would end if each were shorter than the last by the same factor.
fn extrapolation_length(start: &[f64], first: &[f64], second: &[f64]) -> f64 {
    let points = || start.iter().zip(first).zip(second);
    let step: f64 = points().map(|((a, b), _)| (b - a).powi(2)).sum();
    let bend: f64 = points().map(|((a, b), c)| (c - 2.0 * b + a).powi(2)).sum();
    (step / bend).sqrt()
}

fn extrapolated(start: &[f64], first: &[f64], second: &[f64], length: f64) -> Vec<f64> {
    let along = |((a, b), c): ((&f64, &f64), &f64)| {
        let far = a + 2.0 * length * (b - a) + length * length * (c - 2.0 * b + a);
        // A share that becomes zero would stay zero for ever.
        far.max(c * 0.01)
    };
    let mut far: Vec<f64> = start.iter().zip(first).zip(second).map(along).collect();
    normalise(&mut far);
    far
}
