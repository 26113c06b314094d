//! A row whose moments are wanted around many values.

use super::decoder::{Decoder, Moments};
use crate::lattice::Run;

/// The runs of a row. Rows with many runs also keep running sums, so that moments around a value need one search instead of a
/// pass over all runs.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub runs: Vec<Run>,
    /// The sums over the runs before each; empty for short rows.
    before: Vec<Sums>,
}

/// Rows with fewer runs than this are added up directly.
const MANY: usize = 24;

/// Where the numbers of the running sums are counted from: the middle of the domain, where they are small.
const ORIGIN: f64 = 0.5;

/// The weight of reports and the weighted sums of their numbers and squares.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    weight: f64,
    first: f64,
    second: f64,
}

impl Sums {
    fn add(&mut self, weight: f64, count: u32, moments: Moments) {
        self.weight += weight * f64::from(count);
        self.first += weight * moments.first;
        self.second += weight * moments.second;
    }

    fn less(self, other: Self) -> Self {
        Self {
            weight: self.weight - other.weight,
            first: self.first - other.first,
            second: self.second - other.second,
        }
    }

    /// The sums of the signed distances to `value` and of their squares.
    fn around(self, value: f64) -> (f64, f64) {
        let shift = value - ORIGIN;
        let first = self.first - shift * self.weight;
        (first, self.second - 2.0 * shift * self.first + shift * shift * self.weight)
    }
}

impl Row {
    pub(super) fn new(decoder: &Decoder, runs: Vec<Run>) -> Self {
        if runs.len() < MANY || !decoder.is_rising() {
            return Self { runs, before: Vec::new() };
        }
        let mut sum = Sums::default();
        let mut before = Vec::with_capacity(runs.len() + 1);
        for run in &runs {
            before.push(sum);
            sum.add(run.weight as f64, run.count, decoder.moments_along(*run, ORIGIN));
        }
        before.push(sum);
        Self { runs, before }
    }

    /// The moments around an input, in units of the domain and of the row total.
    pub(super) fn moments(&self, decoder: &Decoder, input: f64) -> Moments {
        let Some(all) = self.before.last() else {
            let mut sum = Moments::default();
            for run in &self.runs {
                sum.add(run.weight as f64, decoder.moments(*run, input));
            }
            return sum;
        };
        if decoder.is_ring() {
            return self.around(decoder, input);
        }
        let (first, second) = all.around(input);
        let (below, _) = self.below(decoder, input).around(input);
        Moments { first, second, absolute: first - 2.0 * below }
    }

    /// The sums over reports below a number.
    fn below(&self, decoder: &Decoder, limit: f64) -> Sums {
        let cell = decoder.cells_below(limit);
        let index = self.runs.partition_point(|run| run.first + run.count <= cell);
        let mut sum = self.before.get(index).copied().unwrap_or_default();
        if let Some(run) = self.runs.get(index)
            && run.first < cell
        {
            let part = Run { count: cell - run.first, ..*run };
            sum.add(run.weight as f64, part.count, decoder.moments_along(part, ORIGIN));
        }
        sum
    }

    /// Half turn by half turn, as the decoder does for a run.
    fn around(&self, decoder: &Decoder, input: f64) -> Moments {
        let [lowest, highest] = decoder.ends();
        let mut half = (2.0 * (lowest - input)).floor();
        let mut sum = Moments::default();
        let mut before = Sums::default();
        while input + half / 2.0 <= highest {
            let upto = self.below(decoder, input + (half + 1.0) / 2.0);
            let (first, second) = upto.less(before).around(input + (half / 2.0).ceil());
            sum.add(1.0, Moments { first, second, absolute: first.abs() });
            before = upto;
            half += 1.0;
        }
        sum
    }
}
