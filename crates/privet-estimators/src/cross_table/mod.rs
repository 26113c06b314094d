//! How two attributes of the same people go together.

mod side;
#[cfg(test)]
mod tests;

pub use side::CrossSide;
pub(crate) use side::{Column, Side};

use crate::bounds::{
    MeanOverReports, Purpose, RoughMean, Sampling, Spread, Tail, squared_means_of_indicator,
};
use crate::consistency::Consistency;
use crate::frequency::of_a_share;
use crate::summary::CountSummary;
use nalgebra::DMatrix;
use privet_core::{
    Estimate, EstimateError, Fingerprint, FingerprintBuilder, ParameterError, ReportBuffer, ReportError,
    Summary, Target,
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
/// **The interval** is that of linear estimates from the same counters: means over people of products of both attributes' weights,
/// which are independent given what the person holds. For categories they are unbiased. For bins of numbers weights bracket
/// the bin (`bounds`): the product of two upper ones is above the cell, and what is left of a lower one after the upper one
/// times the rest, `l - u (1 - l')`, is below it. So intervals hold for all people.
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

const METHOD: &str = "likeliest table, interval by products of weights";

impl<'a> CrossTableEstimator<'a> {
    /// The estimator for two attributes.
    ///
    /// # Errors
    /// When an attribute is not about categories, numbers or angles, or there would be more than 4096 cells.
    pub fn new(first: CrossSide<'a>, second: CrossSide<'a>) -> Result<Self, ParameterError> {
        let cells = first.columns().saturating_mul(second.columns());
        if cells > MOST_CELLS {
            let reason = format!("a cross-table has at most {MOST_CELLS} cells: got {cells}");
            return Err(ParameterError::Incompatible { reason });
        }
        let labels = [first.labels()?, second.labels()?];
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
    pub fn estimate(&self, summary: &CrossSummary, target: Target) -> Result<CrossTable, EstimateError> {
        let [rows, columns] = [0, 1].map(|side| self.width(side));
        let counters = summary.of_mechanism(self.fingerprint, rows * columns)?;
        let n = summary.count();
        if counters.last() != Some(&n) {
            return Err(EstimateError::Damaged { reason: "the counter of all people is not their number" });
        }
        let counts = DMatrix::from_row_iterator(rows, columns, counters.iter().map(|count| *count as f64));
        let sampling = Sampling::new(target, n, None);
        let purpose = Purpose::new(n as f64, sampling.share());
        let sides = [0, 1].map(|side| self.sides[side].side(purpose));
        let pair = Pair { sides: &sides, counts: &counts, n: n as f64 };
        let products = pair.products();
        let shares = pair.likeliest(&products);
        let about = About { n, target, sampling };
        let cell = |i: usize, j: usize| pair.cell([i, j], &products, shares[(i, j)], &about);
        let cells = (0..shares.nrows()).map(|i| (0..shares.ncols()).map(|j| cell(i, j)).collect()).collect();
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

/// Means over people, for all cells: of the upper product, of the lower one, and of the squares of both.
struct Products {
    upper: DMatrix<f64>,
    upper_squares: DMatrix<f64>,
    lower: DMatrix<f64>,
    lower_squares: DMatrix<f64>,
}

/// Whom a table is about.
struct About {
    n: u64,
    target: Target,
    sampling: Sampling,
}

impl Pair<'_> {
    /// A function of what a report shows about a column, for each column of a side: columns in rows, groups in columns.
    fn functions(&self, side: usize, of: impl Fn(f64, f64) -> f64) -> DMatrix<f64> {
        let columns = &self.sides[side].columns;
        let function = |column: &Column| {
            column.linear(
                column.upper.iter().zip(&column.lower).map(|(upper, lower)| of(*upper, *lower)).collect(),
            )
        };
        let rows: Vec<f64> = columns.iter().flat_map(function).collect();
        DMatrix::from_row_slice(columns.len(), rows.len() / columns.len().max(1), &rows)
    }

    fn products(&self) -> Products {
        let mean =
            |first: DMatrix<f64>, second: DMatrix<f64>| first * self.counts * second.transpose() / self.n;
        let (first, second) = (0, 1);
        let one = || self.functions(second, |_, _| 1.0);
        let upper = |side: usize| self.functions(side, |upper, _| upper);
        let lower = |side: usize| self.functions(side, |_, lower| lower);
        let upper_squares = |side: usize| self.functions(side, |upper, _| upper * upper);
        // The lower product is `gap + u l'` with the gap `l - u`.
        let gap = self.functions(first, |upper, lower| lower - upper);
        let gap_squares = self.functions(first, |upper, lower| (lower - upper).powi(2));
        let mixed = self.functions(first, |upper, lower| 2.0 * (lower - upper) * upper);
        let lower_of_second = self.functions(second, |_, lower| lower * lower);
        Products {
            upper: mean(upper(first), upper(second)),
            upper_squares: mean(upper_squares(first), upper_squares(second)),
            lower: mean(gap, one()) + mean(upper(first), lower(second)),
            lower_squares: mean(gap_squares, one())
                + mean(mixed, lower(second))
                + mean(upper_squares(first), lower_of_second),
        }
    }

    /// The largest sizes of the upper and of the lower product.
    fn largest(&self, [i, j]: [usize; 2]) -> [f64; 2] {
        let size = |weights: &[f64]| weights.iter().fold(0.0f64, |largest, weight| largest.max(weight.abs()));
        let (row, column) = (&self.sides[0].columns[i], &self.sides[1].columns[j]);
        let upper = size(&row.upper) * size(&column.upper);
        let gap: Vec<f64> = row.upper.iter().zip(&row.lower).map(|(upper, lower)| upper - lower).collect();
        [upper, size(&gap) + size(&row.upper) * size(&column.lower)]
    }

    fn cell(&self, at: [usize; 2], products: &Products, share: f64, about: &About) -> CrossCell {
        let index = (at[0], at[1]);
        let means = [products.upper[index], products.lower[index]];
        let squares = [products.upper_squares[index], products.lower_squares[index]];
        let of_people = |side: usize| (squares[side] - means[side].powi(2)).max(0.0);
        let rough = |side: usize, sign: f64| RoughMean {
            mean: sign * means[side],
            error: (of_people(side) / self.n).sqrt(),
        };
        let squared_means = squared_means_of_indicator(rough(0, 1.0), rough(1, -1.0));
        let largest = self.largest(at);
        let side = |side: usize, sign: f64| {
            let of_people = of_people(side);
            let of_draws = (squares[side] - squared_means[side]).clamp(0.0, of_people);
            let variance = about.sampling.variance(Spread { of_draws, of_people });
            MeanOverReports { mean: sign * means[side], variance, skew: largest[side], n: self.n }
        };
        let (upper, lower) = (side(0, 1.0), side(1, -1.0));
        let [interval, simultaneous_interval] = [Tail::ONE, Tail::of_many(products.upper.len())]
            .map(|tail| of_a_share([-lower.upper(tail), upper.upper(tail)], share));
        let [low, high] = [means[1].min(means[0]), means[0].max(means[1])];
        let open = high.clamp(0.0, 1.0) - low.clamp(0.0, 1.0);
        let share = Estimate {
            value: share,
            standard_error: upper.standard_error().max(lower.standard_error()) + open / 2.0,
            // The likeliest table is not the linear one, also where that has no bias.
            bias_bound: (share - low).max(high - share).min(1.0),
            interval,
            n: about.n,
            method: METHOD,
            target: about.target,
        };
        CrossCell { share, simultaneous_interval }
    }

    /// The table under which the counters are likeliest. The search starts near the linear estimate.
    fn likeliest(&self, products: &Products) -> DMatrix<f64> {
        let linear = (&products.upper + &products.lower) * 0.5;
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
}
