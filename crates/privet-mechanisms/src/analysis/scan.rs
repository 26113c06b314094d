//! Worst and average errors over all values.
//!
//! Between two nodes a value is rounded to one of them, and the share of the upper one grows in a straight line; a row's
//! expected loss is piecewise a polynomial of the value. Cut at the values where a piece ends, the error is a polynomial of
//! degree three at most, so its largest value and its integral are found exactly rather than on a grid.

use super::decoder::{Decoder, Moments, Progression};
use super::numeric::{AnyNumeric, Space};
use super::row::Row;
use super::{Analysis, AverageError, ErrorReport, Loss, Prior};
use crate::lattice::{Placement, Run};

/// Values between which the share of the upper row changes in a straight line, in units of the domain.
pub(super) struct Stretch<R> {
    pub from: f64,
    pub to: f64,
    /// The share of the upper row at both ends.
    pub shares: [f64; 2],
    pub nodes: [u32; 2],
    pub rows: [R; 2],
}

impl<R> Stretch<R> {
    /// The share of the upper row.
    pub(super) fn share(&self, input: f64) -> f64 {
        let along = ((input - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        self.shares[0] + along * (self.shares[1] - self.shares[0])
    }
}

impl Stretch<Row> {
    /// The moments around an input times the row total, in units of the domain.
    fn moments(&self, decoder: &Decoder, input: f64) -> Moments {
        let upper = self.share(input);
        let mut sum = Moments::default();
        for (share, row) in [1.0 - upper, upper].into_iter().zip(&self.rows) {
            if share > 0.0 {
                sum.add(share, row.moments(decoder, input));
            }
        }
        sum
    }

    /// The expected loss times the row total, in units of the domain.
    fn loss(&self, decoder: &Decoder, loss: Loss, input: f64) -> f64 {
        let moments = self.moments(decoder, input);
        if loss == Loss::Absolute { moments.absolute } else { moments.second }
    }
}

/// Walks over all values of the domain, in order.
pub(super) fn for_each_stretch<R: Default>(
    channel: &dyn AnyNumeric,
    prepare: &dyn Fn(Vec<Run>) -> R,
    mut visit: impl FnMut(&Stretch<R>),
) {
    let space = channel.space();
    let nodes = channel.nodes();
    let unit = |node: u32| space.to_unit(channel.node_value(node));
    let gaps = if space.is_ring() { nodes } else { nodes - 1 };
    let row = |node: u32| prepare(channel.runs(node));
    let mut upper = row(0);
    let lead = if space.is_ring() { 0.0 } else { unit(0) };
    if lead > GAP {
        constant_stretches(channel, &row, [0.0, lead], &mut visit);
    }
    for node in 0..gaps {
        let next = channel.next_node(node);
        let from = unit(node);
        let to = if next > node { unit(next) } else { unit(next) + 1.0 };
        let lower = std::mem::replace(&mut upper, row(next));
        if is_linear(channel, node, [from, to]) {
            let rows = [lower, std::mem::take(&mut upper)];
            let stretch = Stretch { from, to, shares: [0.0, 1.0], nodes: [node, next], rows };
            visit(&stretch);
            let [_, last] = stretch.rows;
            upper = last;
        } else {
            constant_stretches(channel, &row, [from, to], &mut visit);
        }
    }
    let end = unit(nodes - 1);
    if !space.is_ring() && end < 1.0 - GAP {
        constant_stretches(channel, &row, [end, 1.0], &mut visit);
    }
}

/// Stretches shorter than this are rounding errors.
const GAP: f64 = 1e-12;

fn placed(channel: &dyn AnyNumeric, fraction: f64) -> Placement {
    let space = channel.space();
    let inside = if space.is_ring() { fraction - fraction.floor() } else { fraction.clamp(0.0, 1.0) };
    channel.place(space.from_unit(inside))
}

fn up_share(placement: Placement) -> f64 {
    placement.up as f64 / 2f64.powi(64)
}

/// Whether values between the nodes are rounded at random in proportion to their distance.
fn is_linear(channel: &dyn AnyNumeric, node: u32, ends: [f64; 2]) -> bool {
    let [from, to] = ends;
    let at = |quarter: f64| placed(channel, from + quarter / 4.0 * (to - from));
    let (low, high) = (at(1.0), at(3.0));
    low.node == node && high.node == node && (up_share(high) - up_share(low) - 0.5).abs() < 0.01
}

/// Values that all go to the same row, up to one jump on the way.
fn constant_stretches<R>(
    channel: &dyn AnyNumeric,
    row: &impl Fn(u32) -> R,
    ends: [f64; 2],
    visit: &mut impl FnMut(&Stretch<R>),
) {
    let [from, to] = ends;
    let margin = (to - from) * 1e-9;
    let (low, high) = (placed(channel, from + margin), placed(channel, to - margin));
    let mut stretch = |from: f64, to: f64, at: Placement| {
        let next = channel.next_node(at.node.min(channel.nodes() - 1));
        let share = up_share(at);
        let rows = [row(at.node), row(next)];
        visit(&Stretch { from, to, shares: [share; 2], nodes: [at.node, next], rows });
    };
    if low == high {
        return stretch(from, to, low);
    }
    let (mut left, mut right) = (from + margin, to - margin);
    for _ in 0..60 {
        let middle = f64::midpoint(left, right);
        if placed(channel, middle) == low { left = middle } else { right = middle }
    }
    stretch(from, left, low);
    stretch(right, to, high);
}

/// The values at which the loss of a row has a bend: reports (absolute loss) and their antipodes (circles).
fn bends(decoder: &Decoder, space: Space, loss: Loss) -> Vec<f64> {
    let mut bends = Vec::new();
    let distinct = |part: &Progression| if part.step > 0.0 { part.count } else { 1 };
    for part in decoder.progressions() {
        for value in (0..distinct(part)).map(|index| part.at(index)) {
            if !space.is_ring() {
                if loss == Loss::Absolute {
                    bends.push(value);
                }
                continue;
            }
            let turns: &[f64] = if loss == Loss::Absolute { &[0.0, 0.5] } else { &[0.5] };
            for turn in turns {
                let wrapped = (value + turn).rem_euclid(1.0);
                bends.extend([wrapped, wrapped + 1.0]);
            }
        }
    }
    bends.sort_unstable_by(f64::total_cmp);
    bends
}

/// The parts of a stretch between cuts, which are sorted.
fn parts<'a>(from: f64, to: f64, cuts: &'a [f64]) -> impl Iterator<Item = [f64; 2]> + 'a {
    let first = cuts.partition_point(|cut| *cut <= from);
    let last = cuts.partition_point(|cut| *cut < to).max(first);
    let inner = cuts[first..last].iter().copied();
    let starts = std::iter::once(from).chain(inner.clone());
    starts.zip(inner.chain([to])).map(|(from, to)| [from, to]).filter(|[from, to]| to > from)
}

/// Where a polynomial of degree three, known at four equally spaced places from 0 to 1, has its bends.
fn stationary(values: [f64; 4]) -> impl Iterator<Item = f64> {
    let [a, b, c, d] = values;
    let cubic = (d - a + 3.0 * (b - c)) * 4.5;
    let square = (a * 2.0 - 5.0 * b + 4.0 * c - d) * 4.5;
    let slope = (-11.0 * a + 18.0 * b - 9.0 * c + 2.0 * d) / 2.0;
    // The derivative is 3 cubic t^2 + 2 square t + slope; the stable form of its roots.
    let root = (square * square - 3.0 * cubic * slope).max(0.0).sqrt();
    let sum = -(square + root.copysign(square));
    [sum / (3.0 * cubic), slope / sum].into_iter().filter(|place| (0.0..=1.0).contains(place))
}

impl Analysis<'_> {
    /// The largest expected loss over all values, and where it is.
    pub fn worst(&self, loss: Loss) -> ErrorReport {
        let prepare = |runs: Vec<Run>| Row::new(&self.decoder, runs);
        let mut best = (f64::NEG_INFINITY, 0.0);
        let mut consider = |error: f64, input: f64| {
            // A relative margin keeps the first of equally bad values, whatever their last digits.
            if error > best.0 + best.0.abs() * 1e-13 || best.0 == f64::NEG_INFINITY {
                best = (error, input);
            }
            best.0
        };
        let mut bounds = Vec::new();
        let slope = self.steepest(loss) * self.channel.row_total() as f64;
        for_each_stretch(self.channel, &prepare, |stretch| {
            let [from, to] = [stretch.from, stretch.to];
            let ends = [from, to].map(|input| stretch.loss(&self.decoder, loss, input));
            consider(ends[0], from);
            consider(ends[1], to);
            bounds.push(ends[0].max(ends[1]) + slope * (to - from));
        });
        let cuts = bends(&self.decoder, self.space, loss);
        let mut bounds = bounds.into_iter();
        let mut floor = consider(f64::NEG_INFINITY, 0.0);
        for_each_stretch(self.channel, &prepare, |stretch| {
            if bounds.next().is_some_and(|bound| bound <= floor) {
                return;
            }
            for [from, to] in parts(stretch.from, stretch.to, &cuts) {
                let at = |place: f64| stretch.loss(&self.decoder, loss, from + place * (to - from));
                let values = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(at);
                let places = [0.0, 1.0].into_iter().chain(stationary(values));
                for place in places {
                    floor = consider(at(place), from + place * (to - from));
                }
            }
        });
        self.report(loss, best)
    }

    /// The loss changes by at most this for each unit that the value moves.
    fn steepest(&self, loss: Loss) -> f64 {
        let far = |part: &Progression| {
            [part.start, part.at(part.count - 1)]
                .into_iter()
                .map(|value| value.abs().max((1.0 - value).abs()))
                .fold(0.0, f64::max)
        };
        match loss {
            Loss::Absolute => 1.0,
            Loss::Squared if self.space.is_ring() => 1.0,
            Loss::Squared => 2.0 * self.decoder.progressions().iter().map(far).fold(1.0, f64::max),
        }
    }

    fn report(&self, loss: Loss, best: (f64, f64)) -> ErrorReport {
        let (error, unit) = best;
        let inside = if self.space.is_ring() { unit - unit.floor() } else { unit };
        let input = self.space.from_unit(inside);
        let input = if self.space.holds(input) { input } else { self.space.low() };
        let error = error / self.channel.row_total() as f64 * loss.scale(self.space.width());
        ErrorReport { error, ..self.law_of(input).error(loss) }
    }

    /// The expected loss of a value that is drawn from the prior.
    pub fn average(&self, loss: Loss, prior: &Prior) -> f64 {
        let mut sum = 0.0;
        self.for_each_part(loss, prior, |stretch, [from, to], density| {
            // Two places are enough for a polynomial of degree three (Gauss).
            let (middle, away) = (f64::midpoint(from, to), (to - from) / 12f64.sqrt());
            let at = |input: f64| stretch.loss(&self.decoder, loss, input);
            sum += density * (to - from) / 2.0 * (at(middle - away) + at(middle + away));
        });
        sum / self.channel.row_total() as f64 * loss.scale(self.space.width())
    }

    /// As [`Analysis::average`], with the mean bias and the mean variance over all values.
    pub fn average_error(&self, loss: Loss, prior: &Prior) -> AverageError {
        let total = self.channel.row_total() as f64;
        let [mut error, mut bias, mut variance] = [0.0; 3];
        self.for_each_part(loss, prior, |stretch, [from, to], density| {
            // A bias is of degree two at most, so its square needs three places (Gauss).
            let (middle, away) = (f64::midpoint(from, to), (to - from) / 2.0 * 0.6f64.sqrt());
            for (place, weight) in [(middle - away, 5.0), (middle, 8.0), (middle + away, 5.0)] {
                let share = density * (to - from) * weight / 18.0;
                let moments = stretch.moments(&self.decoder, place);
                let [first, second] = [moments.first / total, moments.second / total];
                error += share * if loss == Loss::Absolute { moments.absolute / total } else { second };
                bias += share * first;
                variance += share * (second - first * first).max(0.0);
            }
        });
        let width = self.space.width();
        AverageError {
            error: error * loss.scale(width),
            bias: bias * width,
            variance: variance * width * width,
        }
    }

    /// Walks over parts of the domain on which the loss is a polynomial and the prior has one density, above zero.
    fn for_each_part(&self, loss: Loss, prior: &Prior, mut visit: impl FnMut(&Stretch<Row>, [f64; 2], f64)) {
        let bins = prior.shares().len() as f64;
        let mut cuts = bends(&self.decoder, self.space, loss);
        cuts.extend((0..=2 * prior.shares().len()).map(|edge| edge as f64 / bins));
        cuts.sort_unstable_by(f64::total_cmp);
        let prepare = |runs: Vec<Run>| Row::new(&self.decoder, runs);
        for_each_stretch(self.channel, &prepare, |stretch| {
            for [from, to] in parts(stretch.from, stretch.to, &cuts) {
                let bin = (f64::midpoint(from, to).fract() * bins) as usize;
                let density = prior.shares()[bin.min(prior.shares().len() - 1)] * bins;
                if density > 0.0 {
                    visit(stretch, [from, to], density);
                }
            }
        });
    }
}
