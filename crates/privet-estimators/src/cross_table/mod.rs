//! How two attributes of the same people go together.

mod side;
#[cfg(test)]
mod tests;

pub use side::CrossSide;
pub(crate) use side::{Column, Side};

use crate::consistency::Consistency;
use crate::frequency::CONFIDENCE;
use crate::statistics::normal_quantile;
use crate::summary::CountSummary;
use nalgebra::DMatrix;
use privet_core::{
    Estimate, EstimateError, Fingerprint, FingerprintBuilder, ParameterError, ReportBuffer, ReportError,
    Summary,
};

/// Counters of pairs of reports: for each group of the first attribute and each of the second how many people's reports count in
/// both, and the same with "any" in place of one or both groups. Merged, stored and sent like any other summary. Its fingerprint is that of the
/// pair.
pub type CrossSummary = CountSummary;

/// Estimates the share of people in each cell of a table from pairs of reports, drawn independently for each attribute.
///
/// **The value** of a cell is that of the table under which the counters are likeliest, by expectation-maximisation over the
/// product of both channels. Where a report counts in several groups the likelihood is that of independent counts, an
/// approximation.
///
/// **The interval** is that of a linear estimate from the same counters, the mean over people of the product of both
/// attributes' linear estimates: for categories that is unbiased, because the two reports of a person are independent given what
/// the person holds. For bins of numbers it is not, and the interval is widened by the bias that the estimated table allows, as
/// those of [`crate::NumberEstimator`] are. Intervals are normal ones: they need some ten people in a cell. They need
/// not lie around the value.
///
/// Error: the noise of both attributes multiplies, so a cell needs about as many people as the *product* of what its two
/// attributes need.
#[derive(Debug, Clone)]
pub struct CrossTableEstimator<'a> {
    sides: [CrossSide<'a>; 2],
    labels: [Vec<String>; 2],
    fingerprint: Fingerprint,
}

/// The share of people in each cell.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossTable {
    /// The names of the first attribute's categories or bins.
    pub rows: Vec<String>,
    /// The names of the second's.
    pub columns: Vec<String>,
    /// For each row its cells.
    pub cells: Vec<Vec<CrossCell>>,
    /// How many people it rests on.
    pub n: u64,
}

/// One cell of a cross-table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrossCell {
    /// The share of people in it. The interval covers the truth of this cell in 95 of 100 repetitions.
    pub share: Estimate,
    /// These intervals cover the truths of *all* cells at once in 95 of 100 repetitions or more (Bonferroni).
    pub simultaneous_interval: [f64; 2],
}

/// More cells say nothing with any number of people that there are.
const MOST_CELLS: usize = 4096;

const METHOD: &str = "expectation-maximisation over the product channel, interval by linear estimate";

impl<'a> CrossTableEstimator<'a> {
    /// The estimator for two attributes.
    ///
    /// # Errors
    /// When an attribute is not about categories, numbers or angles, or there would be more than 4096 cells.
    pub fn new(first: CrossSide<'a>, second: CrossSide<'a>) -> Result<Self, ParameterError> {
        let labels = [first.labels()?, second.labels()?];
        let cells = labels[0].len().saturating_mul(labels[1].len());
        if cells > MOST_CELLS {
            let reason = format!("a cross-table has at most {MOST_CELLS} cells: got {cells}");
            return Err(ParameterError::Incompatible { reason });
        }
        let mut builder = FingerprintBuilder::new("cross-table");
        for side in [first, second] {
            builder.number(u64::from_le_bytes(side.fingerprint().to_bytes()));
        }
        Ok(Self { sides: [first, second], labels, fingerprint: builder.finish() })
    }

    /// A summary of nobody. It does not depend on the number of bins.
    pub fn empty_summary(&self) -> CrossSummary {
        CountSummary::empty(self.fingerprint, self.width(0) * self.width(1))
    }

    /// How many counters a side has: its groups, and all reports.
    fn width(&self, side: usize) -> usize {
        self.sides[side].groups() + 1
    }

    /// Adds the two encoded reports of each person; an error leaves the summary as it was.
    ///
    /// # Errors
    /// When there are not as many of one kind as of the other, a report cannot have been made by its mechanism, or the summary
    /// is another pair's.
    pub fn accumulate(
        &self,
        summary: &mut CrossSummary,
        first: &ReportBuffer,
        second: &ReportBuffer,
    ) -> Result<(), ReportError> {
        if first.len() != second.len() {
            return Err(ReportError::Impossible { reason: "a person has one report of each attribute" });
        }
        let [rows, columns] = [0, 1].map(|side| self.width(side));
        let mut counts = vec![0; rows * columns];
        let (mut above, mut beside) = (Vec::new(), Vec::new());
        for (one, two) in first.iter().zip(second.iter()) {
            self.sides[0].read(one, &mut above)?;
            self.sides[1].read(two, &mut beside)?;
            above.push(rows - 1);
            beside.push(columns - 1);
            for row in &above {
                beside.iter().for_each(|column| counts[row * columns + column] += 1);
            }
        }
        summary.add(self.fingerprint, first, &counts)
    }

    /// Estimates the table.
    ///
    /// # Errors
    /// When there are no people, or the summary is another pair's or damaged.
    pub fn estimate(&self, summary: &CrossSummary) -> Result<CrossTable, EstimateError> {
        let [rows, columns] = [0, 1].map(|side| self.width(side));
        let counters = summary.of_mechanism(self.fingerprint, rows * columns)?;
        let n = summary.count();
        if counters.last() != Some(&n) {
            return Err(EstimateError::Damaged { reason: "the counter of all people is not their number" });
        }
        let counts = DMatrix::from_row_iterator(rows, columns, counters.iter().map(|count| *count as f64));
        let total = |side: usize| -> Vec<f64> {
            let line = if side == 0 {
                counts.column(columns - 1).into_owned()
            } else {
                counts.row(rows - 1).transpose()
            };
            line.iter().copied().take(line.len() - 1).collect()
        };
        let sides = [0, 1].map(|side| self.sides[side].side(&total(side)));
        let pair = Pair { sides: &sides, counts: &counts, n: n as f64 };
        let linear = pair.linear();
        let shares = pair.likeliest(&linear);
        let cells = pair.cells(&linear, &shares, n);
        let [rows, columns] = self.labels.clone();
        Ok(CrossTable { rows, columns, cells, n })
    }
}

/// Both sides and the counters.
struct Pair<'a> {
    sides: &'a [Side; 2],
    /// With all reports as the last row and column.
    counts: &'a DMatrix<f64>,
    n: f64,
}

/// Expectation-maximisation stops when the log-likelihood is within this of the largest there is, or after so many rounds.
const SHORT_OF: f64 = 0.5;
const MAX_ROUNDS: usize = 2000;

impl Pair<'_> {
    /// The mean over people of the product of both linear estimates.
    fn linear(&self) -> DMatrix<f64> {
        let [first, second] = self.sides.each_ref().map(|side| {
            let width = side.expected.nrows() + 1;
            // The last entry meets the counter of all reports.
            let entry = |column: usize, group: usize| {
                let Column { weights, shift, .. } = &side.columns[column];
                weights.get(group).copied().unwrap_or(*shift)
            };
            DMatrix::from_fn(side.columns.len(), width, entry)
        });
        first * self.counts * second.transpose() / self.n
    }

    /// The table under which the counters are likeliest. The search starts near the linear estimate.
    fn likeliest(&self, linear: &DMatrix<f64>) -> DMatrix<f64> {
        let normalised = |side: &Side| {
            let mut law = side.expected.clone();
            law.column_iter_mut().for_each(|mut column| column /= column.sum());
            law
        };
        let [first, second] = self.sides.each_ref().map(normalised);
        let observed = self.counts.view((0, 0), (first.nrows(), second.nrows()));
        let total = observed.sum();
        let mut start = linear.as_slice().to_vec();
        Consistency::Simplex.project(&mut start);
        let even = 1.0 / start.len() as f64;
        // A share of zero would stay zero for ever.
        let mut shares = DMatrix::from_column_slice(linear.nrows(), linear.ncols(), &start);
        shares.iter_mut().for_each(|share| *share = 0.9 * *share + 0.1 * even);
        for _ in 0..MAX_ROUNDS {
            let means = &first * &shares * second.transpose();
            let ratios = observed.zip_map(&means, |count, mean| count / total / mean.max(f64::MIN_POSITIVE));
            let factors = first.transpose() * ratios * &second;
            if self.n * (factors.max() - 1.0) < SHORT_OF {
                break;
            }
            shares.component_mul_assign(&factors);
        }
        shares
    }

    fn cells(&self, linear: &DMatrix<f64>, shares: &DMatrix<f64>, n: u64) -> Vec<Vec<CrossCell>> {
        let people = self.people(shares);
        let [squares, means] = [true, false].map(|of_square| {
            let [first, second] = self.sides.each_ref().map(|side| {
                let row = |column: &Column| -> Vec<f64> {
                    if of_square {
                        column.squares.clone()
                    } else {
                        column.means.iter().map(|mean| mean * mean).collect()
                    }
                };
                let rows: Vec<f64> = side.columns.iter().flat_map(row).collect();
                DMatrix::from_row_slice(side.columns.len(), rows.len() / side.columns.len().max(1), &rows)
            });
            first * &people * second.transpose()
        });
        let alpha = 1.0 - CONFIDENCE;
        let all = (shares.len() as f64).max(1.0);
        let reaches = [alpha, alpha / all].map(|alpha| normal_quantile(1.0 - alpha / 2.0));
        let cell = |i: usize, j: usize| {
            let standard_error = ((squares[(i, j)] - means[(i, j)]).max(0.0) / self.n).sqrt();
            let bias = self.bias(&people, i, j);
            let [interval, simultaneous_interval] = reaches.map(|reach| {
                let reach = reach * standard_error + bias;
                [linear[(i, j)] - reach, linear[(i, j)] + reach].map(|end| end.clamp(0.0, 1.0))
            });
            let share = Estimate { value: shares[(i, j)], standard_error, interval, n, method: METHOD };
            CrossCell { share, simultaneous_interval }
        };
        (0..shares.nrows()).map(|i| (0..shares.ncols()).map(|j| cell(i, j)).collect()).collect()
    }

    /// The estimated share of people at each pair of places.
    fn people(&self, shares: &DMatrix<f64>) -> DMatrix<f64> {
        let [first, second] = self.sides.each_ref().map(|side| {
            let places = side.columns.first().map_or(0, |column| column.people.len());
            DMatrix::from_fn(side.columns.len(), places, |column, place| side.columns[column].people[place])
        });
        first.transpose() * shares * second
    }

    /// The largest bias of a cell's linear estimate that the estimated people allow.
    fn bias(&self, people: &DMatrix<f64>, i: usize, j: usize) -> f64 {
        let (row, column) = (&self.sides[0].columns[i], &self.sides[1].columns[j]);
        let active = |column: &Column| -> Vec<usize> {
            let is_active = |place: &usize| column.means[*place] != 0.0 || column.truths[*place][1] != 0.0;
            (0..column.means.len()).filter(is_active).collect()
        };
        let (rows, columns) = (active(row), active(column));
        let mut bias = 0.0;
        for x in &rows {
            for y in &columns {
                let mean = row.means[*x] * column.means[*y];
                let error = |end: usize| (mean - row.truths[*x][end] * column.truths[*y][end]).abs();
                bias += people[(*x, *y)] * error(0).max(error(1));
            }
        }
        bias
    }
}
