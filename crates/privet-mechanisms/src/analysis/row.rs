//! A row whose moments are wanted around many values.

use super::decoder::{Decoder, MANY, Moments, ORIGIN, Sums};
use crate::lattice::Run;

/// The runs of a row. Rows with many runs also keep running sums, so that moments around a value need one search instead of a
/// pass over all runs.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub runs: Vec<Run>,
    /// The sums over the runs before each; empty for short rows.
    before: Vec<Sums>,
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
