//! The numbers that reports stand for, as few arithmetic progressions: sums over a run then take constant time.

use super::numeric::AnyNumeric;
use crate::lattice::Run;

/// Cells that stand for equally spaced numbers, in units of the domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Progression {
    pub start: f64,
    pub step: f64,
    pub count: u32,
}

impl Progression {
    /// The number with this index.
    pub(super) fn at(&self, index: u32) -> f64 {
        self.start + f64::from(index) * self.step
    }

    /// How many of the numbers are below `limit`.
    pub(super) fn below(&self, limit: f64) -> u32 {
        if self.step <= 0.0 {
            return if self.start < limit { self.count } else { 0 };
        }
        let index = ((limit - self.start) / self.step).ceil();
        index.clamp(0.0, f64::from(self.count)) as u32
    }

    /// How many of the numbers are at most `limit`.
    pub(super) fn at_most(&self, limit: f64) -> u32 {
        if self.step <= 0.0 {
            return if self.start <= limit { self.count } else { 0 };
        }
        let index = ((limit - self.start) / self.step).floor() + 1.0;
        index.clamp(0.0, f64::from(self.count)) as u32
    }

    fn skip(&self, index: u32) -> Self {
        Self { start: self.at(index), step: self.step, count: self.count - index }
    }

    fn take(&self, count: u32) -> Self {
        Self { count, ..*self }
    }

    /// The sums of the distances to `origin` and of their squares, without cancellation.
    fn sums(&self, origin: f64) -> (f64, f64) {
        let n = f64::from(self.count);
        let middle = self.start + (n - 1.0) / 2.0 * self.step - origin;
        (n * middle, n * middle * middle + self.step * self.step * n * (n * n - 1.0) / 12.0)
    }
}

/// Sums over reports of the signed distance to a value, its square and its size.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Moments {
    pub first: f64,
    pub second: f64,
    pub absolute: f64,
}

impl Moments {
    pub(super) fn add(&mut self, weight: f64, other: Self) {
        self.first += weight * other.first;
        self.second += weight * other.second;
        self.absolute += weight * other.absolute;
    }
}

/// Fewer parts than this are added up directly.
pub(super) const MANY: usize = 24;

/// Where the numbers of the running sums are counted from: the middle of the domain, where they are small.
pub(super) const ORIGIN: f64 = 0.5;

/// The weight of reports and the weighted sums of their numbers and squares.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    weight: f64,
    first: f64,
    second: f64,
}

impl Sums {
    pub(super) fn add(&mut self, weight: f64, count: u32, moments: Moments) {
        self.weight += weight * f64::from(count);
        self.first += weight * moments.first;
        self.second += weight * moments.second;
    }

    fn add_part(&mut self, part: Progression) {
        let (first, second) = part.sums(ORIGIN);
        self.add(1.0, part.count, Moments { first, second, absolute: 0.0 });
    }

    pub(super) fn less(self, other: Self) -> Self {
        Self {
            weight: self.weight - other.weight,
            first: self.first - other.first,
            second: self.second - other.second,
        }
    }

    /// The sums of the signed distances to `value` and of their squares.
    pub(super) fn around(self, value: f64) -> (f64, f64) {
        let shift = value - ORIGIN;
        let first = self.first - shift * self.weight;
        (first, self.second - 2.0 * shift * self.first + shift * shift * self.weight)
    }
}

/// What every cell stands for.
#[derive(Debug)]
pub(super) struct Decoder {
    /// The first cell of each progression.
    firsts: Vec<u32>,
    progressions: Vec<Progression>,
    /// The sums over the progressions before each, where there are many and their numbers rise along a line.
    before: Vec<Sums>,
    ring: bool,
}

/// Numbers that are off their straight line by less than this part of the domain are on it: the formula that makes them
/// rounds by about as much.
const STRAIGHT: f64 = 1e-13;

impl Decoder {
    pub(super) fn of(channel: &dyn AnyNumeric) -> Self {
        let space = channel.space();
        let cells = channel.output_cells();
        let value = |cell: u32| space.to_unit(channel.output_value(cell));
        let size = value(0).abs().max(value(cells - 1).abs()).max(space.low().abs() / space.width()).max(1.0);
        let mut decoder =
            Self { firsts: Vec::new(), progressions: Vec::new(), before: Vec::new(), ring: space.is_ring() };
        let mut first = 0;
        while first < cells {
            let count = longest_line(first, cells - first, STRAIGHT * size, &value);
            let step = match count {
                1 => 0.0,
                _ => (value(first + count - 1) - value(first)) / f64::from(count - 1),
            };
            decoder.firsts.push(first);
            decoder.progressions.push(Progression { start: value(first), step, count });
            first += count;
        }
        if decoder.progressions.len() >= MANY && !decoder.ring && decoder.is_rising() {
            decoder.before = running_sums(&decoder.progressions);
        }
        decoder
    }

    /// The sums over all cells before this one, from the running sums.
    fn sums_before(&self, cell: u32) -> Sums {
        let index = self.firsts.partition_point(|first| *first <= cell).saturating_sub(1);
        let mut sum = self.before[index];
        sum.add_part(self.progressions[index].take(cell - self.firsts[index]));
        sum
    }

    /// The sums over a run, from the running sums.
    fn sums_of(&self, first: u32, end: u32) -> Sums {
        self.sums_before(end).less(self.sums_before(first))
    }

    /// The progressions that make up a run, in order.
    pub(super) fn of_run(&self, run: Run) -> impl Iterator<Item = Progression> + '_ {
        let end = run.first + run.count;
        let index = self.firsts.partition_point(|first| *first <= run.first).saturating_sub(1);
        let parts = self.firsts[index..].iter().zip(&self.progressions[index..]);
        parts.take_while(move |(first, _)| **first < end).map(move |(first, progression)| {
            let from = run.first.max(*first) - first;
            let to = (end - first).min(progression.count);
            progression.skip(from).take(to - from)
        })
    }

    /// The progressions of all cells.
    pub(super) fn progressions(&self) -> &[Progression] {
        &self.progressions
    }

    pub(super) fn is_ring(&self) -> bool {
        self.ring
    }

    /// Whether the numbers never fall as the cell grows.
    pub(super) fn is_rising(&self) -> bool {
        let last = |part: &Progression| part.at(part.count - 1);
        self.progressions.windows(2).all(|pair| last(&pair[0]) <= pair[1].start)
    }

    /// The numbers of the first and the last cell.
    pub(super) fn ends(&self) -> [f64; 2] {
        let first = self.progressions.first().map_or(0.0, |part| part.start);
        [first, self.progressions.last().map_or(0.0, |part| part.at(part.count - 1))]
    }

    /// How many cells stand for numbers below `limit`, where the numbers never fall.
    pub(super) fn cells_below(&self, limit: f64) -> u32 {
        let index = self.progressions.partition_point(|part| part.start < limit).saturating_sub(1);
        match (self.firsts.get(index), self.progressions.get(index)) {
            (Some(first), Some(part)) => first + part.below(limit),
            _ => 0,
        }
    }

    /// As [`Decoder::moments`], along the line even on a circle, and without sizes.
    pub(super) fn moments_along(&self, run: Run, origin: f64) -> Moments {
        if !self.before.is_empty() {
            let (first, second) = self.sums_of(run.first, run.first + run.count).around(origin);
            return Moments { first, second, absolute: 0.0 };
        }
        let mut sum = Moments::default();
        self.of_run(run).for_each(|part| one_sided(part, origin, &mut sum));
        sum
    }

    /// The moments around `input` of all reports of a run, each counted once.
    pub(super) fn moments(&self, run: Run, input: f64) -> Moments {
        if !self.before.is_empty() {
            let end = run.first + run.count;
            let split = self.cells_below(input).clamp(run.first, end);
            let below = self.sums_of(run.first, split).around(input);
            let above = self.sums_of(split, end).around(input);
            return Moments {
                first: below.0 + above.0,
                second: below.1 + above.1,
                absolute: above.0 - below.0,
            };
        }
        let mut sum = Moments::default();
        for progression in self.of_run(run) {
            if self.ring { around(progression, input, &mut sum) } else { along(progression, input, &mut sum) }
        }
        sum
    }
}

fn running_sums(progressions: &[Progression]) -> Vec<Sums> {
    let mut sum = Sums::default();
    let mut before = Vec::with_capacity(progressions.len());
    for part in progressions {
        before.push(sum);
        sum.add_part(*part);
    }
    before
}

fn one_sided(part: Progression, origin: f64, sum: &mut Moments) {
    let (first, second) = part.sums(origin);
    sum.first += first;
    sum.second += second;
    sum.absolute += first.abs();
}

fn along(progression: Progression, input: f64, sum: &mut Moments) {
    let below = progression.below(input);
    one_sided(progression.take(below), input, sum);
    one_sided(progression.skip(below), input, sum);
}

/// Cuts at every half turn from the input: in between, the shorter way around has one direction.
fn around(progression: Progression, input: f64, sum: &mut Moments) {
    let mut rest = progression;
    let mut half = (2.0 * (rest.start - input)).floor();
    while rest.count > 0 {
        let below = rest.below(input + (half + 1.0) / 2.0);
        // Even halves are counted from their lower end, odd ones from their upper.
        one_sided(rest.take(below), input + (half / 2.0).ceil(), sum);
        rest = rest.skip(below);
        half += 1.0;
    }
}

/// How many cells from `first` on, at most `limit`, stand for equally spaced numbers.
fn longest_line(first: u32, limit: u32, tolerance: f64, value: &impl Fn(u32) -> f64) -> u32 {
    let straight = |count: u32| {
        let (start, end) = (value(first), value(first + count - 1));
        let step = (end - start) / f64::from(count - 1);
        let on = |index: u32| (start + f64::from(index) * step - value(first + index)).abs() <= tolerance;
        // Falling numbers occur only where a circle begins anew.
        end >= start && (0..count).all(on)
    };
    if limit == 1 || !straight(2) {
        return 1;
    }
    let mut good = 2;
    while good < limit && straight((2 * good).min(limit)) {
        good = (2 * good).min(limit);
    }
    let mut bad = (2 * good).min(limit + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if straight(middle) { good = middle } else { bad = middle }
    }
    good
}
