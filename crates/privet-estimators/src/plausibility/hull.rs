//! Counts that lie outside what any population can lead to.
//!
//! Reports are independent. If each falls into a cell with a probability between `low` and `high`, whoever made it, then the
//! number that do is stochastically between two binomial numbers, so their tails bound how likely the count is under
//! *every* population. Many cells are tested at once with Bonferroni's bound.

use super::Check;
use crate::statistics::{BinomialCount, binomial_lower_tail, binomial_upper_tail};

/// The smallest and the largest probability of a cell over all values.
pub(super) type Bounds = [f64; 2];

/// A count that is to be looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) count: u64,
    pub(super) bounds: Bounds,
}

/// The cell that fits worst, and how likely anything like it is under any population.
pub(super) fn worst_cell(cells: &[Cell], n: u64, name: impl Fn(usize) -> String) -> Option<Check> {
    let tails = cells.iter().map(|cell| tail(*cell, n));
    let (index, tail) = tails.enumerate().min_by(|one, two| one.1.total_cmp(&two.1))?;
    let Cell { count, bounds: [low, high] } = cells[index];
    let share = count as f64 / n as f64;
    Some(Check {
        statistic: share,
        p_bound: (tail * 2.0 * cells.len() as f64).min(1.0),
        explanation: format!(
            "{}: seen in a share {share:.6} of the reports; whoever the people are it is expected in {low:.6} to {high:.6}",
            name(index)
        ),
    })
}

/// A bound on the probability of a count as far outside, on its side.
fn tail(cell: Cell, n: u64) -> f64 {
    let Some(count) = BinomialCount::new(cell.count, n) else { return 0.0 };
    let share = cell.count as f64 / n as f64;
    let [low, high] = cell.bounds.map(|bound| bound.clamp(0.0, 1.0));
    if share > high {
        binomial_upper_tail(count, high)
    } else if share < low {
        binomial_lower_tail(count, low)
    } else {
        1.0
    }
}

/// Cells and, after them, the sums of the first one, two, three and so on: a shift shows in those.
pub(super) fn with_sums(counts: &[u64], cells: &[Bounds], sums: &[Bounds]) -> Vec<Cell> {
    let single = counts.iter().zip(cells).map(|(count, bounds)| Cell { count: *count, bounds: *bounds });
    let running = counts.iter().scan(0u64, |sum, count| {
        *sum = sum.saturating_add(*count);
        Some(*sum)
    });
    let summed = running.zip(sums).map(|(count, bounds)| Cell { count, bounds: *bounds });
    // All cells together are all reports.
    let last = counts.len().saturating_sub(1);
    single.chain(summed.take(last)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_the_binomial_tails() {
        let check = |count| {
            let cells = [Cell { count, bounds: [0.2, 0.3] }, Cell { count: 25, bounds: [0.2, 0.3] }];
            worst_cell(&cells, 100, |cell| format!("cell {cell}")).unwrap()
        };
        // Sums of binomial terms in exact fractions, times four.
        assert!((check(45).p_bound / 4.342_984_258_741_748e-3 - 1.0).abs() < 1e-9, "{:e}", check(45).p_bound);
        assert!((check(5).p_bound / 7.472_026_520_129_688e-5 - 1.0).abs() < 1e-9, "{:e}", check(5).p_bound);
        assert_eq!(check(30).p_bound, 1.0);
        assert!(check(45).explanation.starts_with("cell 0: seen in a share 0.450000"));
    }

    #[test]
    fn sums_leave_out_the_certain_one() {
        let cells = with_sums(&[1, 2, 3], &[[0.1, 0.2]; 3], &[[0.3, 0.4]; 3]);
        assert_eq!(cells.iter().map(|cell| cell.count).collect::<Vec<_>>(), [1, 2, 3, 1, 3]);
    }
}
