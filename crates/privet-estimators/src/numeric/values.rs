//! Every value of a domain, as far as reports go.

use super::groups::Groups;
use super::operator::Operator;
use crate::Populations;
use crate::bounds::Side;
use nalgebra::DMatrix;
use privet_mechanisms::analysis::{AnyNumeric, ValueStretch, value_stretches};

/// The laws of finitely many values such that every other value has the law of one of them or a mixture of two neighbours'.
///
/// Those are the nodes of the lattice; nodes whose law is a mixture of their neighbours' are left out, which of a window that
/// moves at a constant speed are nearly all. What holds at these values for a function that is linear or constant between
/// them holds for all values, and so for all populations.
#[derive(Debug)]
pub(super) struct Values {
    laws: Operator,
    groups: Groups,
    is_ring: bool,
    /// For each law the values that have it, as fractions of the domain: one, or a stretch.
    reaches: Vec<[f64; 2]>,
    /// Whether values between a law's and the next one's have a mixture of both.
    is_linked: Vec<bool>,
    /// Whether a law is that of people who are spread evenly over its stretch.
    is_spread: bool,
    /// How far the law of a value that was left out can be from the mixture of its neighbours': half of the sum of the differences.
    rest: f64,
}

/// What is asked about the value of each person.
#[derive(Clone, Copy)]
pub(super) enum Function<'a> {
    /// Whether it lies in a range of fractions of the domain. On a circle the range may pass zero.
    Inside([f64; 2]),
    /// A function of the value as a fraction of the domain, and the largest second derivative of it.
    Smooth(&'a dyn Fn(f64) -> f64, f64),
    /// A number for each of the values, straight between neighbours.
    Known(&'a [f64]),
}

/// Which side of a function weights are on: they majorise the function, or its negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Upper,
    Lower,
}

/// About so many values are looked at if their laws change smoothly, so that the others are mixtures up to so much.
const MOST_VALUES: usize = 600;
const LARGEST_REST: f64 = 1e-4;

/// Laws whose probabilities differ by so much in all are told apart by a few reports.
const TOLD_APART: f64 = 0.4;

/// Fractions of the domain that differ by less are the same: both come from divisions.
const SAME: f64 = 1e-12;

impl Values {
    /// The values of a channel whose reports are counted in groups, for the populations in question.
    pub(super) fn new(channel: &dyn AnyNumeric, groups: Groups, populations: Populations) -> Self {
        let is_ring = channel.space().is_ring();
        if let Populations::Smooth { bins } = populations {
            let bin = |index: u32| [index, index + 1].map(|edge| f64::from(edge) / f64::from(bins));
            return Self {
                laws: Operator::of_bins(channel, groups, bins as usize),
                groups,
                is_ring,
                reaches: (0..bins).map(bin).collect(),
                is_linked: vec![false; bins as usize],
                is_spread: true,
                rest: 0.0,
            };
        }
        let (rows, reaches, is_linked) = linked(&value_stretches(channel));
        let laws = Operator::of_rows(channel, groups, &rows);
        let all = Self { laws, groups, is_ring, reaches, is_linked, is_spread: false, rest: 0.0 };
        all.without_straight_ones().thinned()
    }

    fn select(&self, kept: &[usize], rest: f64) -> Self {
        Self {
            laws: self.laws.select(kept),
            groups: self.groups,
            is_ring: self.is_ring,
            reaches: kept.iter().map(|index| self.reaches[*index]).collect(),
            is_linked: kept.iter().map(|index| self.is_linked[*index]).collect(),
            is_spread: self.is_spread,
            rest,
        }
    }

    /// Only values whose laws are not mixtures of their neighbours'.
    fn without_straight_ones(&self) -> Self {
        let count = self.reaches.len();
        let is_kept = |index: &usize| {
            let (Some(before), true) = (index.checked_sub(1), index + 1 < count) else { return true };
            if !(self.is_linked[before] && self.is_linked[*index]) {
                return true;
            }
            !self.laws.is_between([before, *index, index + 1], self.share_between(before, *index, index + 1))
        };
        self.select(&(0..count).filter(is_kept).collect::<Vec<_>>(), self.rest)
    }

    /// Where a value lies between two others.
    fn share_between(&self, before: usize, index: usize, after: usize) -> f64 {
        let at = |index: usize| self.reaches[index][0];
        (at(index) - at(before)) / (at(after) - at(before))
    }

    /// Fewer values, if there are very many that are all mixed with their neighbours: laws that change smoothly are nearly mixtures.
    fn thinned(self) -> Self {
        let count = self.reaches.len();
        let step = count.div_ceil(MOST_VALUES);
        if step == 1 || !self.is_linked[..count - 1].iter().all(|is_linked| *is_linked) {
            return self;
        }
        let kept: Vec<usize> = (0..count).filter(|index| index % step == 0 || index + 1 == count).collect();
        let mut rest = self.rest;
        for pair in kept.windows(2) {
            let ends = self.laws.select(pair).dense(self.groups);
            let between: Vec<usize> = (pair[0] + 1..pair[1]).collect();
            let laws = self.laws.select(&between).dense(self.groups);
            for (row, index) in laws.row_iter().zip(&between) {
                let share = self.share_between(pair[0], *index, pair[1]);
                let mixture = ends.row(0) * (1.0 - share) + ends.row(1) * share;
                rest = rest.max((row - mixture).abs().sum() / 2.0);
            }
        }
        if rest < LARGEST_REST { self.select(&kept, rest) } else { self }
    }

    /// The same for reports that are counted in fewer groups, each of which is a union of these.
    pub(super) fn coarsened(&self, groups: Groups) -> Self {
        let laws = self.laws.coarsened(self.groups, groups);
        let (reaches, is_linked) = (self.reaches.clone(), self.is_linked.clone());
        Self { laws, groups, reaches, is_linked, ..*self }.without_straight_ones()
    }

    /// Whether the ends of the domain are joined.
    pub(super) fn is_ring(&self) -> bool {
        self.is_ring
    }

    /// Whether each law is that of people who are spread evenly over a stretch.
    pub(super) fn is_spread(&self) -> bool {
        self.is_spread
    }

    /// How the groups of reports are cut.
    pub(super) fn groups(&self) -> Groups {
        self.groups
    }

    /// Values to design weights at: all of these, or evenly chosen ones if they are more than `most`.
    pub(super) fn points(&self, most: usize) -> Points {
        let step = self.reaches.len().div_ceil(most);
        let last = self.reaches.len() - 1;
        let chosen: Vec<usize> = (0..=last).filter(|index| index % step == 0 || *index == last).collect();
        let laws = self.laws.select(&chosen).dense(self.groups);
        Points { laws, reaches: chosen.iter().map(|index| self.reaches[*index]).collect() }
    }

    /// The laws of values between two neighbours; none of those that have no mixture of laws.
    pub(super) fn laws_at(&self, values: &[f64]) -> Vec<(f64, Vec<f64>)> {
        let law = |value: &f64| {
            let Neighbours { before, next, share } = self.neighbours(*value).filter(|_| !self.is_spread)?;
            let pair = self.laws.select(&[before, next]).dense(self.groups);
            let mixed = pair.row(0) * (1.0 - share) + pair.row(1) * share;
            Some((*value, mixed.iter().copied().collect()))
        };
        values.iter().filter_map(law).collect()
    }

    /// The groups in which nearly all of the change of the law around a value happens. Its neighbours may have the same law, so one
    /// looks as far as the first that are told apart.
    pub(super) fn groups_that_change(&self, value: f64) -> std::ops::Range<usize> {
        let last = self.reaches.len() - 1;
        let at = self.reaches.partition_point(|reach| reach[0] <= value).min(last);
        let mut step = 1;
        loop {
            let pair = self.laws.select(&[at.saturating_sub(step), (at + step).min(last)]).dense(self.groups);
            let change = (pair.row(1) - pair.row(0)).abs();
            if change.sum() > TOLD_APART || step > last {
                return middle_of(change.iter().copied());
            }
            step *= 2;
        }
    }

    /// The largest number that the function, or its negative, takes for people of a stretch. The ends of a range count for both
    /// sides: reports cannot tell them from what is next to them.
    pub(super) fn largest(&self, function: Function<'_>, direction: Direction, reach: [f64; 2]) -> f64 {
        let sign = if direction == Direction::Upper { 1.0 } else { -1.0 };
        match function {
            Function::Known(_) => f64::NAN,
            Function::Smooth(of, bend) if self.is_spread => {
                sign * of(f64::midpoint(reach[0], reach[1])) + bend * (reach[1] - reach[0]).powi(2) / 24.0
            }
            Function::Smooth(of, bend) => {
                let ends = reach.map(|value| sign * of(value));
                ends[0].max(ends[1]) + bend * (reach[1] - reach[0]).powi(2) / 8.0
            }
            Function::Inside(range) if self.is_spread => sign * overlap(range, reach, self.is_ring),
            Function::Inside(range) => match direction {
                Direction::Upper => f64::from(u8::from(touches(range, reach, self.is_ring))),
                Direction::Lower => -f64::from(u8::from(holds(range, reach, self.is_ring))),
            },
        }
    }

    /// Moves weights by a constant so that their mean under every value is at least what is wanted, and no more than needed.
    pub(super) fn repair(&self, mut weights: Vec<f64>, function: Function<'_>, direction: Direction) -> Side {
        let means = self.means(&weights);
        let sign = if direction == Direction::Upper { 1.0 } else { -1.0 };
        let wanted = |index: usize| match function {
            Function::Known(values) => sign * values[index],
            _ => self.largest(function, direction, self.reaches[index]),
        };
        let at_values = (0..means.len()).map(|index| wanted(index) - means[index]);
        let at_ends = self.ends(function).into_iter().filter_map(|end| {
            Some(self.largest(function, direction, [end; 2]) - self.interpolated(&means, end)?)
        });
        let [low, high] = ends_of(&weights);
        let off = self.rest * (high - low);
        let shift = at_values.chain(at_ends).fold(f64::NEG_INFINITY, f64::max) + self.bending(function) + off;
        weights.iter_mut().for_each(|weight| *weight += shift);
        Side::of_means(weights, |numbers| self.means(numbers), self.coin(&means)).up_to(off)
    }

    /// Where a function jumps.
    fn ends(&self, function: Function<'_>) -> Vec<f64> {
        match function {
            Function::Inside(range) if !self.is_spread => range.to_vec(),
            _ => Vec::new(),
        }
    }

    /// How far a function can be beyond the straight line between two neighbours.
    fn bending(&self, function: Function<'_>) -> f64 {
        match function {
            Function::Smooth(_, bend) => {
                bend / 8.0 * self.links().map(|(.., gap)| gap * gap).fold(0.0, f64::max)
            }
            Function::Inside(_) | Function::Known(_) => 0.0,
        }
    }

    /// The largest variance of a coin between the means of two neighbours.
    fn coin(&self, means: &[f64]) -> f64 {
        self.links().map(|(one, two, _)| (means[one] - means[two]).powi(2) / 4.0).fold(0.0, f64::max)
    }

    /// Neighbours between which laws are mixed, with the distance between them.
    fn links(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let count = self.reaches.len();
        (0..count).filter(|index| self.is_linked[*index]).map(move |index| {
            let next = (index + 1) % count;
            let gap = self.reaches[next][0] - self.reaches[index][1];
            (index, next, if gap < 0.0 { gap + 1.0 } else { gap })
        })
    }

    /// The mean under a value between two neighbours; none where that is not one of a mixture.
    fn interpolated(&self, means: &[f64], value: f64) -> Option<f64> {
        let Neighbours { before, next, share } = self.neighbours(value)?;
        Some(means[before] + share * (means[next] - means[before]))
    }

    /// The neighbours of which a value has a mixture of laws, if it has one.
    fn neighbours(&self, value: f64) -> Option<Neighbours> {
        if !self.is_ring && !(0.0..=1.0).contains(&value) {
            return None;
        }
        let value = if self.is_ring { value.rem_euclid(1.0) } else { value };
        let count = self.reaches.len();
        let after = self.reaches.partition_point(|reach| reach[0] <= value);
        let before = (after + count - 1) % count;
        if !self.is_linked[before] {
            return None;
        }
        let next = (before + 1) % count;
        let from = self.reaches[before][1];
        let gap = self.reaches[next][0] - from;
        let (along, gap) =
            if gap <= 0.0 { ((value - from).rem_euclid(1.0), gap + 1.0) } else { (value - from, gap) };
        Some(Neighbours { before, next, share: (along / gap).clamp(0.0, 1.0) })
    }

    /// For each value the mean of a number for each group.
    pub(super) fn means(&self, of_groups: &[f64]) -> Vec<f64> {
        let value = |(group, number): (usize, &f64)| number * f64::from(self.groups.size(group));
        let mut values: Vec<f64> = of_groups.iter().enumerate().map(value).collect();
        let mut means = Vec::new();
        self.laws.backward(&mut values, &mut means);
        means
    }

    /// The squares of the means of weights at all values, less what the straight line between two neighbours is above them.
    pub(super) fn squared_means(&self, weights: &[f64]) -> Vec<f64> {
        let means = self.means(weights);
        let coin = self.coin(&means);
        means.iter().map(|mean| mean * mean - coin).collect()
    }
}

/// Values at which weights are designed.
#[derive(Debug)]
pub(super) struct Points {
    /// Their laws, in rows.
    pub(super) laws: DMatrix<f64>,
    /// What they stand for.
    pub(super) reaches: Vec<[f64; 2]>,
}

/// Two neighbours and the share of the second one in a mixture.
#[derive(Debug, Clone, Copy)]
struct Neighbours {
    before: usize,
    next: usize,
    share: f64,
}

/// Values with their rows, their reaches, and whether they are linked to the next one.
type Linked = (Vec<Vec<(u32, f64)>>, Vec<[f64; 2]>, Vec<bool>);

fn linked(stretches: &[ValueStretch]) -> Linked {
    let (mut rows, mut reaches, mut is_linked): Linked = Default::default();
    let mixture = |nodes: [u32; 2], share: f64| -> Vec<(u32, f64)> {
        [(nodes[0], 1.0 - share), (nodes[1], share)].into_iter().filter(|(_, share)| *share > 0.0).collect()
    };
    let mut last: Option<u32> = None;
    for ValueStretch { ends, nodes, shares } in stretches.iter().copied() {
        let is_constant = (shares[0] - shares[1]).abs() < SAME;
        if is_constant {
            rows.push(mixture(nodes, shares[0]));
            reaches.push(ends);
            is_linked.push(false);
            last = None;
            continue;
        }
        if last != Some(nodes[0]) {
            rows.push(mixture(nodes, shares[0]));
            reaches.push([ends[0]; 2]);
            is_linked.push(false);
        }
        if let Some(link) = is_linked.last_mut() {
            *link = true;
        }
        // The end of a circle is its beginning.
        if ends[1] < 1.0 + SAME && !(nodes[1] == 0 && stretches.len() > 1) {
            rows.push(mixture(nodes, shares[1]));
            reaches.push([ends[1]; 2]);
            is_linked.push(false);
            last = Some(nodes[1]);
        }
    }
    (rows, reaches, is_linked)
}

/// Where the middle four fifths of some masses are.
fn middle_of(masses: impl Iterator<Item = f64> + Clone) -> std::ops::Range<usize> {
    let total: f64 = masses.clone().sum();
    let (mut sum, mut first, mut end) = (0.0, None, 0);
    for (index, mass) in masses.enumerate() {
        if sum < 0.9 * total && mass > 0.0 {
            end = index + 1;
        }
        sum += mass;
        if sum > 0.1 * total {
            first = first.or(Some(index));
        }
    }
    first.unwrap_or(0)..end
}

/// The smallest and the largest number.
fn ends_of(numbers: &[f64]) -> [f64; 2] {
    numbers.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(*x), high.max(*x)])
}

/// How far a range goes around a circle.
fn turn([from, to]: [f64; 2]) -> f64 {
    if to > from { to - from } else { to - from + 1.0 }
}

/// Whether a range and a stretch have something in common, ends included.
fn touches(range: [f64; 2], [low, high]: [f64; 2], is_ring: bool) -> bool {
    if !is_ring {
        return high >= range[0] - SAME && low <= range[1] + SAME;
    }
    let begin = (low - range[0]).rem_euclid(1.0);
    begin <= turn(range) + SAME || begin + (high - low) >= 1.0 - SAME
}

/// Whether a stretch lies inside a range, without the range's ends. The ends of a line belong to the ranges that reach them.
fn holds(range: [f64; 2], [low, high]: [f64; 2], is_ring: bool) -> bool {
    if !is_ring {
        return (low > range[0] + SAME || range[0] <= 0.0) && (high < range[1] - SAME || range[1] >= 1.0);
    }
    let begin = (low - range[0]).rem_euclid(1.0);
    turn(range) >= 1.0 || (begin > SAME && begin + (high - low) < turn(range) - SAME)
}

/// The share of a stretch that lies in a range.
fn overlap(range: [f64; 2], [low, high]: [f64; 2], is_ring: bool) -> f64 {
    let common = |from: f64, to: f64| (to.min(high) - from.max(low)).max(0.0);
    let inside = match is_ring && range[0] > range[1] {
        true => common(range[0], 1.0) + common(0.0, range[1]),
        false => common(range[0], range[1]),
    };
    (inside / (high - low)).min(1.0)
}
