//! The laws of reports from the cells of two grids.

use crate::linear::Target;
use nalgebra::{DMatrix, DVector};
use privet_mechanisms::plane::PlaneReports;

/// How likely each group of reports is from the cells of a fine grid, on which densities are estimated and biases checked, and from
/// those of one half as fine, from which linear estimates are fitted.
#[derive(Debug)]
pub(super) struct Laws {
    /// Groups in rows, cells in columns.
    pub fine: DMatrix<f64>,
    pub coarse: DMatrix<f64>,
    /// For each fine cell the first one with the same law.
    pub classes: Vec<usize>,
    fine_side: usize,
    coarse_side: usize,
}

/// Along each side linear estimates are fitted from about so many laws.
const COARSE_CELLS: usize = 12;

/// Rounds stop when this many together make the log-likelihood of all reports larger by less than [`LEAST_GAIN`].
const GAIN_ROUNDS: usize = 10;
/// A gain that says nothing about people.
const LEAST_GAIN: f64 = 0.5;
const MAX_ROUNDS: usize = 2000;

impl Laws {
    pub(super) fn new(reports: &dyn PlaneReports, side: u32) -> Self {
        let coarse_side = side as usize * (COARSE_CELLS / side as usize).max(1);
        let fine_side = 2 * coarse_side;
        let columns = reports.cell_laws(fine_side as u32);
        let fine = DMatrix::from_fn(reports.groups(), columns.len(), |group, cell| columns[cell][group]);
        let coarse = merged(&fine, fine_side, coarse_side);
        Self { classes: classes(&fine), fine, coarse, fine_side, coarse_side }
    }

    /// One inside a cell of a grid of `side` cells along each side and zero outside.
    pub(super) fn inside(&self, cell: usize, side: usize) -> Target {
        let of_grid = |grid: usize| {
            let is_inside = |index: usize| f64::from(u8::from(larger_cell(index, grid, side) == cell));
            DVector::from_iterator(grid * grid, (0..grid * grid).map(is_inside))
        };
        Target { fine: of_grid(self.fine_side), coarse: of_grid(self.coarse_side) }
    }

    /// The shares of a grid of `side` cells along each side.
    pub(super) fn in_cells(&self, density: &[f64], side: usize) -> Vec<f64> {
        let mut shares = vec![0.0; side * side];
        for (index, share) in density.iter().enumerate() {
            shares[larger_cell(index, self.fine_side, side)] += share;
        }
        shares
    }

    /// The density on the fine grid under which the counts are likeliest, up to the early stop.
    pub(super) fn likeliest(&self, counts: &[u64]) -> Vec<f64> {
        let cells = self.fine.ncols();
        let counts = DVector::from_iterator(counts.len(), counts.iter().map(|count| *count as f64));
        let total = counts.sum();
        let mut shares = DVector::from_element(cells, 1.0 / cells as f64);
        let mut before = f64::NEG_INFINITY;
        for round in 0..MAX_ROUNDS {
            let means = (&self.fine * &shares).map(|mean| mean.max(f64::MIN_POSITIVE));
            if round % GAIN_ROUNDS == 0 {
                let log = counts.dot(&means.map(f64::ln));
                if log - before < LEAST_GAIN {
                    break;
                }
                before = log;
            }
            shares.component_mul_assign(&self.fine.tr_mul(&counts.component_div(&means)));
            shares /= total;
        }
        let sum = shares.sum();
        shares.iter().map(|share| share / sum).collect()
    }
}

/// The cell of a coarser grid that holds a cell of a grid.
fn larger_cell(index: usize, grid: usize, side: usize) -> usize {
    let step = grid / side;
    (index / grid / step) * side + index % grid / step
}

/// The laws of a coarser grid: means over the cells of each.
fn merged(laws: &DMatrix<f64>, grid: usize, side: usize) -> DMatrix<f64> {
    let mut sums = DMatrix::zeros(laws.nrows(), side * side);
    for (index, law) in laws.column_iter().enumerate() {
        let mut column = sums.column_mut(larger_cell(index, grid, side));
        column += law;
    }
    sums / ((grid / side).pow(2) as f64)
}

/// For each column the first one that is the same law.
fn classes(laws: &DMatrix<f64>) -> Vec<usize> {
    let mut firsts: Vec<usize> = Vec::new();
    let is_same = |one: usize, two: usize| {
        let groups = 0..laws.nrows();
        groups
            .map(|group| (laws[(group, one)], laws[(group, two)]))
            .all(|(a, b)| (a - b).abs() <= 1e-9 * (a + b))
    };
    let mut classes = Vec::with_capacity(laws.ncols());
    for column in 0..laws.ncols() {
        let known = firsts.iter().copied().find(|first| is_same(*first, column));
        classes.push(known.unwrap_or(column));
        if known.is_none() {
            firsts.push(column);
        }
    }
    classes
}
