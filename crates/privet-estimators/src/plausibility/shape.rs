//! Whether a histogram of reports has a shape that some population can give.
//!
//! The test is a likelihood ratio with a bound that needs neither simulation nor large numbers. One half of the reports,
//! chosen at random, gives a guess q of the law of reports without regard to the channel. On the other half the likelihood
//! of q is compared with that of the likeliest law that a population can have. With the law m that the people of that half
//! really have, the expected ratio `product of q(y) / m(y)` is at most one: for people who hold different values it is the
//! product of `sum over y of p_x(y) q(y) / m(y)`, whose mean over people is one, so their geometric mean is at most one. By
//! Markov's inequality a ratio above 1 / alpha has a probability of at most alpha, for every population and every number of
//! reports.

use super::Check;
use super::hull::{Bounds, with_sums, worst_cell};
use crate::numeric::groups::Groups;
use privet_core::{Generator, Rng};
use privet_mechanisms::analysis::AnyNumeric;

/// How many cells the reports are counted in; a power of two, so that they are unions of a summary's groups.
const CELLS: u32 = 64;

/// The search for the likeliest population ends when no other is likelier by more than this factor's logarithm.
const CLOSE_ENOUGH: f64 = 0.5;
const ROUNDS: usize = 400;

/// The laws of reports in at most 64 cells that a lattice channel can have: all mixtures of its rows.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    fine: Groups,
    coarse: Groups,
    /// For each corner of the set of laws the probability of each cell.
    rows: Vec<Vec<f64>>,
    cells: Vec<Bounds>,
    sums: Vec<Bounds>,
}

impl Shape {
    pub(super) fn of(channel: &dyn AnyNumeric) -> Self {
        let coarse = Groups::at_most(channel.output_cells(), CELLS);
        let rows = corners((0..channel.nodes()).map(|node| row(channel, node, coarse)));
        let running = |row: &Vec<f64>| {
            let sums = row.iter().scan(0.0, |sum, p| {
                *sum += p;
                Some(*sum)
            });
            sums.collect()
        };
        let sums: Vec<Vec<f64>> = rows.iter().map(running).collect();
        let fine = Groups::of(channel.output_cells());
        Self { cells: bounds(&rows, coarse.count()), sums: bounds(&sums, coarse.count()), fine, coarse, rows }
    }

    /// How many of a summary's counters are groups.
    pub(super) fn groups(&self) -> usize {
        self.fine.count()
    }

    /// What the groups' counters say.
    pub(super) fn checks(&self, groups: &[u64]) -> Vec<Check> {
        let mut counts = vec![0u64; self.coarse.count()];
        for (group, count) in groups.iter().enumerate() {
            let cell = &mut counts[self.coarse.group(self.fine.start(group))];
            *cell = cell.saturating_add(*count);
        }
        let n = counts.iter().fold(0u64, |sum, count| sum.saturating_add(*count));
        let cells = with_sums(&counts, &self.cells, &self.sums);
        let part = |index: usize| match index.checked_sub(counts.len()) {
            None => format!("reports in part {} of {}", index + 1, counts.len()),
            Some(cell) => format!("reports in the first {} of {} parts", cell + 1, counts.len()),
        };
        worst_cell(&cells, n, part).into_iter().chain(self.likelihood_ratio(&counts)).collect()
    }

    /// The test above; `None` where there are too few reports for two halves.
    fn likelihood_ratio(&self, counts: &[u64]) -> Option<Check> {
        let [guessed, tested] = halves(counts);
        let n: f64 = tested.iter().sum();
        let known = guessed.iter().sum::<f64>() + 0.5 * guessed.len() as f64;
        if n < 1.0 {
            return None;
        }
        let guess: f64 = tested.iter().zip(&guessed).map(|(c, g)| c * ((g + 0.5) / known).ln()).sum();
        let log_ratio = guess - self.largest_log_likelihood(&tested, n);
        Some(Check {
            statistic: log_ratio,
            p_bound: (-log_ratio).exp().min(1.0),
            explanation: format!(
                "shape: one half of the reports is e^{log_ratio:.1} times likelier under the shares of the other half than \
                 under any population"
            ),
        })
    }

    /// A number that the log-likelihood of no population exceeds.
    ///
    /// The log-likelihood is concave: from shares at which a row's share would grow by a factor f in the next round, no
    /// population is better by more than `n (largest f - 1)`.
    fn largest_log_likelihood(&self, counts: &[f64], n: f64) -> f64 {
        let mut shares = vec![1.0 / self.rows.len() as f64; self.rows.len()];
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let mut density = vec![0.0; counts.len()];
            for (row, share) in self.rows.iter().zip(&shares) {
                density.iter_mut().zip(row).for_each(|(sum, p)| *sum += share * p);
            }
            density.iter_mut().for_each(|m| *m = m.max(f64::MIN_POSITIVE));
            let ratios: Vec<f64> = counts.iter().zip(&density).map(|(c, m)| c / n / m).collect();
            let factor = |row: &Vec<f64>| row.iter().zip(&ratios).map(|(p, ratio)| p * ratio).sum::<f64>();
            let factors: Vec<f64> = self.rows.iter().map(factor).collect();
            let log: f64 = counts.iter().zip(&density).map(|(c, m)| c * m.ln()).sum();
            let short_of = n * (factors.iter().copied().fold(1.0, f64::max) - 1.0);
            best = best.min(log + short_of);
            if short_of < CLOSE_ENOUGH {
                break;
            }
            shares.iter_mut().zip(&factors).for_each(|(share, factor)| *share *= factor);
        }
        best
    }
}

/// Rows without those that lie halfway between their neighbours: mixtures of the others give them too. A window that moves
/// inside a cell changes its row in a straight line, so that few of many thousand rows are left.
fn corners(rows: impl Iterator<Item = Vec<f64>>) -> Vec<Vec<f64>> {
    let mut kept: Vec<Vec<f64>> = Vec::new();
    let mut last_two: Option<[Vec<f64>; 2]> = None;
    let halfway = |before: &[f64], row: &[f64], after: &[f64]| {
        let mut cells = before.iter().zip(row).zip(after);
        cells.all(|((before, p), after)| (f64::midpoint(*before, *after) - p).abs() <= STRAIGHT * p)
    };
    for row in rows {
        last_two = Some(match last_two.take() {
            None => {
                kept.push(row.clone());
                [row.clone(), row]
            }
            Some([before, middle]) => {
                if !halfway(&before, &middle, &row) {
                    kept.push(middle.clone());
                }
                [middle, row]
            }
        });
    }
    kept.extend(last_two.map(|[_, last]| last));
    kept
}

/// Rounding errors of a row's cells are below this part of them.
const STRAIGHT: f64 = 1e-12;

/// The probabilities of a node's cells.
fn row(channel: &dyn AnyNumeric, node: u32, cells: Groups) -> Vec<f64> {
    let total = channel.row_total() as f64;
    let mut row = vec![0.0; cells.count()];
    for run in channel.runs(node) {
        let (mut first, end) = (run.first, run.first + run.count);
        while first < end {
            let cell = cells.group(first);
            let until = end.min(cells.start(cell + 1));
            row[cell] += f64::from(until - first) * (run.weight as f64 / total);
            first = until;
        }
    }
    row
}

fn bounds(rows: &[Vec<f64>], cells: usize) -> Vec<Bounds> {
    let of_cell = |cell: usize| {
        let values = rows.iter().map(|row| row[cell]);
        values.fold([1.0, 0.0], |[low, high]: Bounds, p| [low.min(p), high.max(p)])
    };
    (0..cells).map(of_cell).collect()
}

/// Each report goes to one of two halves by a fair coin. The coins are public, so the same counts give the same answer.
fn halves(counts: &[u64]) -> [Vec<f64>; 2] {
    let mut rng = Generator::from_insecure_seed(0);
    let mut first = Vec::with_capacity(counts.len());
    for count in counts {
        let words = (0..count / 64).map(|_| u64::from(rng.next_u64().count_ones())).sum::<u64>();
        let rest = rng.next_u64() & ((1u64 << (count % 64)) - 1);
        first.push((words + u64::from(rest.count_ones())) as f64);
    }
    let second = counts.iter().zip(&first).map(|(count, first)| *count as f64 - first).collect();
    [first, second]
}
