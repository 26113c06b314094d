//! The estimate of one cell.

use crate::bounds::{Bracketed, Tail};
use crate::frequency::Frequency;
use privet_core::{Estimate, Target};

/// What the estimates of all cells of a grid have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells {
    pub(super) count: usize,
    pub(super) n: u64,
    pub(super) method: &'static str,
    pub(super) target: Target,
}

/// Shares lie between these.
const LIMITS: [f64; 2] = [0.0, 1.0];

impl Cells {
    /// What the reports say about a cell. The value is the likeliest one, or where nobody looked for it the middle of what the
    /// weights say; it lies in the interval, and that in the simultaneous one.
    pub(super) fn estimate(&self, cell: usize, found: &Bracketed, likeliest: Option<f64>) -> Frequency {
        let limited = |ends: [f64; 2]| ends.map(|end| end.clamp(LIMITS[0], LIMITS[1]));
        let interval = limited(found.interval(Tail::ONE));
        let [low, high] = found.range();
        let value = likeliest.unwrap_or(f64::midpoint(low, high)).clamp(interval[0], interval[1]);
        let [low, high] = limited([low, high]);
        // The middle moves with the weights. A likelihood chooses from all that they leave open, and may choose otherwise each time.
        let standard_error =
            if likeliest.is_some() { found.deviation_within(LIMITS) } else { found.standard_error() };
        let estimate = Estimate {
            value,
            standard_error,
            bias_bound: (value - low).max(high - value).max(0.0),
            interval,
            n: self.n,
            method: self.method,
            target: self.target,
        };
        // By chance the ends of one pass each other, and those of the other do not.
        let [low, high] = limited(found.interval(Tail::of_many(self.count)));
        let simultaneous_interval = [low.min(interval[0]), high.max(interval[1])];
        Frequency { label: cell.to_string(), estimate, simultaneous_interval }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{Bracket, MeanOverReports, Side};

    const CELLS: Cells = Cells { count: 64, n: 100, method: "none", target: Target::Reported };

    /// What means with a standard error of .01 on both sides say.
    fn between([low, high]: [f64; 2]) -> Bracketed {
        let side = || Side::of_means(vec![0.0], <[f64]>::to_vec, 0.0);
        let mean = |mean: f64| MeanOverReports { mean, variance: 0.01, skew: 0.0, n: 100.0 };
        Bracket::new(side(), side(), true).between(mean(high), mean(-low))
    }

    /// The ends of the single interval pass each other, and those of the simultaneous one are not as far beyond.
    #[test]
    fn the_simultaneous_interval_holds_the_single_one() {
        for range in [[0.2, 0.6], [0.6, 0.2], [0.45, 0.4]] {
            let row = CELLS.estimate(3, &between(range), None);
            let ([low, high], [least, most]) = (row.estimate.interval, row.simultaneous_interval);
            assert!(least <= low && low <= high && high <= most, "{row:?}");
        }
    }

    #[test]
    fn standard_errors_are_those_of_what_chose_the_value() {
        let found = between([0.2, 0.6]);
        let middle = CELLS.estimate(0, &found, None).estimate;
        assert!((middle.value - 0.4).abs() < 1e-12 && (middle.standard_error - 0.01).abs() < 1e-12);
        for likeliest in [0.0, 0.3, 1.0] {
            let Estimate { value, standard_error, bias_bound, interval, .. } =
                CELLS.estimate(0, &found, Some(likeliest)).estimate;
            assert_eq!(value, likeliest.clamp(interval[0], interval[1]));
            // One deviation of a hundred reports, widened as Student's is, and half of what is open.
            assert!((standard_error - 0.01 * 1.005 - 0.2).abs() < 1e-12, "{standard_error}");
            assert!((bias_bound - (value - 0.2).max(0.6 - value)).abs() < 1e-12);
        }
    }
}
