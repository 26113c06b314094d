//! What reports say about numbers and angles, with the values that lie in it.

use super::answer::{Quantile, RangeShare};
use super::brackets::{Brackets, Question};
use super::distribution::Distribution;
use crate::bounds::{Bracketed, Counted, Tail};
use crate::statistics::normal_upper_tail;
use privet_core::{Estimate, Target};
use privet_mechanisms::analysis::Space;
use std::f64::consts::TAU;
use std::sync::Arc;

/// The reports of one summary, and the brackets to read them with.
#[derive(Debug)]
pub(super) struct Measure<'a> {
    pub(super) brackets: Arc<Brackets>,
    pub(super) counted: Counted<'a>,
    pub(super) space: Space,
    pub(super) n: u64,
    pub(super) target: Target,
}

/// What the estimates of shares are called.
const SHARE: &str = "likeliest distribution, interval by bracketing weights";
const MEAN: &str = "bracketing weights";
const QUANTILE: &str = "inverse of the distribution, interval by bracketing weights";

/// More bins than these have the intervals of wider bins around them: no channel tells so many apart.
const MOST_BINS: usize = 128;
/// How many wider bins there are.
const WIDER_BINS: usize = 64;

/// Quantiles are looked for at about so many values.
const MOST_EDGES: usize = 100;

impl Measure<'_> {
    pub(super) fn bracketed(&self, question: Question) -> Bracketed {
        self.brackets.bracket(question).measure(&self.counted)
    }

    /// The mean. What the reports leave open is decided by the likeliest distribution.
    pub(super) fn mean(&self, likeliest: impl FnOnce() -> f64) -> Estimate {
        let found = self.bracketed(Question::Value);
        let [low, high] = found.range();
        let is_open = high - low > 0.05 * found.standard_error();
        let value = if is_open { likeliest().clamp(low, high) } else { f64::midpoint(low, high) };
        let deviation = if is_open { found.deviation_within([0.0, 1.0]) } else { found.standard_error() };
        let unit = Estimate { standard_error: deviation, ..self.estimate(&found, value, MEAN) };
        let open = (value - low).max(high - value);
        let bias_bound =
            unit.bias_bound.max(open + bias_of_limits(unit.interval, found.standard_error())).min(1.0);
        let place = |value: f64| self.space.from_unit(value);
        Estimate {
            value: place(unit.value),
            standard_error: unit.standard_error * self.space.width(),
            bias_bound: bias_bound * self.space.width(),
            interval: unit.interval.map(place),
            ..unit
        }
    }

    /// An estimate of something between 0 and 1, with a value that a likelihood chose; the value lies in its interval.
    fn estimate(&self, found: &Bracketed, value: f64, method: &'static str) -> Estimate {
        const LIMITS: [f64; 2] = [0.0, 1.0];
        let interval = within(found.interval(Tail::ONE), LIMITS);
        let value = value.clamp(interval[0], interval[1]);
        // What is cut off at a limit still moves the value.
        let [low, high] = found.range();
        Estimate {
            value,
            standard_error: found.deviation_within(LIMITS),
            bias_bound: (value - low).max(high - value).min(1.0),
            interval,
            n: self.n,
            method,
            target: self.target,
        }
    }

    /// The share of a range of fractions of the domain.
    pub(super) fn share(&self, range: [f64; 2], value: f64) -> Estimate {
        self.estimate(&self.bracketed(Question::inside(range)), value, SHARE)
    }

    /// The shares of all bins of a distribution.
    pub(super) fn bins(&self, distribution: &Distribution) -> Vec<RangeShare> {
        let bins = distribution.shares().len();
        let cut = if bins > MOST_BINS { WIDER_BINS } else { bins };
        self.brackets.prepare((0..cut).map(|bin| Question::inside(edges(bin, cut))));
        let share = |(bin, value): (usize, &f64)| {
            let [from, to] = distribution.bin(bin);
            RangeShare { from, to, share: self.bin(bin, bins, *value) }
        };
        distribution.shares().iter().enumerate().map(share).collect()
    }

    fn bin(&self, bin: usize, bins: usize, value: f64) -> Estimate {
        if bins <= MOST_BINS {
            return self.share(edges(bin, bins), value);
        }
        // The bin is a part of one wider bin, or of two: its share is at least nothing and at most theirs.
        let [first, last] = [bin * WIDER_BINS / bins, ((bin + 1) * WIDER_BINS - 1) / bins];
        let range = [edges(first, WIDER_BINS)[0], edges(last, WIDER_BINS)[1]];
        let wider = self.share(range, value);
        let interval = [0.0, wider.interval[1]];
        let value = value.clamp(0.0, interval[1]);
        Estimate { value, interval, bias_bound: wider.bias_bound.max(interval[1] - value), ..wider }
    }

    /// Quantiles by inverting tests. A value can be the quantile of a level if the share of people up to it can be at least the
    /// level and the share of people below it at most the level. Only some values are tested; the interval ends at the tested value
    /// before the first one that passes, and at the one after the last.
    pub(super) fn quantiles(&self, distribution: &Distribution, levels: &[f64]) -> Vec<Quantile> {
        if levels.is_empty() {
            return Vec::new();
        }
        let edges = self.brackets.edges(MOST_EDGES);
        let inner = edges.iter().filter(|edge| **edge < 1.0);
        self.brackets.prepare(inner.map(|edge| Question::inside([0.0, *edge])));
        let up_to = |edge: &f64| match *edge >= 1.0 {
            true => ShareUpTo { edge: *edge, surely: [1.0; 2], expected: [1.0; 2] },
            false => {
                let found = self.bracketed(Question::inside([0.0, *edge]));
                let [surely, expected] =
                    [found.ends(Tail::ONE), found.range()].map(|band| within(band, [0.0, 1.0]));
                ShareUpTo { edge: *edge, surely, expected }
            }
        };
        let bands: Vec<ShareUpTo> = edges.iter().map(up_to).collect();
        levels.iter().map(|level| self.quantile(*level, distribution, &bands)).collect()
    }

    fn quantile(&self, level: f64, distribution: &Distribution, bands: &[ShareUpTo]) -> Quantile {
        let place = |ends: [f64; 2]| ends.map(|unit| self.space.from_unit(unit));
        let interval = place(where_quantile_is(level, bands, |band| band.surely));
        let [low, high] = place(where_quantile_is(level, bands, |band| band.expected));
        let value = distribution.quantile(level).clamp(interval[0], interval[1]);
        // What noise adds at an end of the interval is a multiple of its deviation; the domain cuts it off at one end only. What is
        // open without noise may be used up by the value.
        let open = (high - low).min(interval[1] - interval[0]);
        let noise = (low - interval[0]).max(interval[1] - high).max(0.0) / Tail::ONE.quantile();
        let value = Estimate {
            value,
            standard_error: noise + open / 2.0,
            // A quantile is no mean over reports: what its expectation is depends on where the truth lies in the interval.
            bias_bound: (value - interval[0]).max(interval[1] - value),
            interval,
            n: self.n,
            method: QUANTILE,
            target: self.target,
        };
        Quantile { level, value }
    }
}

/// What is known about the share of people up to a value.
#[derive(Debug, Clone, Copy)]
struct ShareUpTo {
    edge: f64,
    /// With the reach of noise.
    surely: [f64; 2],
    /// As the reports show it.
    expected: [f64; 2],
}

/// The tested values between which the quantile of a level lies, by one of two bands.
fn where_quantile_is(level: f64, bands: &[ShareUpTo], band: impl Fn(&ShareUpTo) -> [f64; 2]) -> [f64; 2] {
    let last = bands.len() - 1;
    let first = bands.iter().position(|one| band(one)[1] >= level).unwrap_or(last);
    // Nobody is below the lowest value.
    let beyond = bands.iter().skip(1).rposition(|one| band(one)[0] <= level).map_or(0, |index| index + 1);
    let low = if first == 0 { 0.0 } else { bands[first - 1].edge };
    [low, bands.get(beyond + 1).map_or(1.0, |one| one.edge).max(low)]
}

/// How much moving values into [0, 1] can bias their mean, if they are spread by a deviation around a truth in an interval.
///
/// Values around t are lowered by the limit of one by `sd G((1 - t)/sd)` on average, where `G(d) = E max(N - d, 0)` is the density of
/// the normal law at d less d times its tail. The limit of zero raises them in the same way. Each is largest at the end of the interval
/// that is nearest to it, and the other one works against it.
fn bias_of_limits([low, high]: [f64; 2], deviation: f64) -> f64 {
    if deviation <= 0.0 {
        return 0.0;
    }
    let distance = low.min(1.0 - high).max(0.0) / deviation;
    let density = (-distance * distance / 2.0).exp() / TAU.sqrt();
    deviation * (density - distance * normal_upper_tail(distance)).max(0.0)
}

/// The ends of a bin, as fractions of the domain.
fn edges(bin: usize, bins: usize) -> [f64; 2] {
    [bin, bin + 1].map(|edge| edge as f64 / bins as f64)
}

/// The part of an interval between limits. An interval beyond a limit becomes that limit: the truth is there or was missed.
pub(super) fn within(interval: [f64; 2], limits: [f64; 2]) -> [f64; 2] {
    // A zero is written without a sign.
    interval.map(|end| end.clamp(limits[0], limits[1]) + 0.0)
}
