//! Where people are, under which the reports are likeliest.

use nalgebra::{DMatrix, DVector};
use privet_mechanisms::plane::PlaneReports;

/// How likely each group of reports is from the cells of a fine grid, on which densities are estimated.
#[derive(Debug)]
pub(super) struct Laws {
    /// Groups in rows, cells in columns.
    fine: DMatrix<f64>,
    fine_side: usize,
}

/// Along each side densities are estimated on about so many cells.
const FINE_CELLS: usize = 24;

/// Rounds stop when this many together make the log-likelihood of all reports larger by less than [`LEAST_GAIN`].
const GAIN_ROUNDS: usize = 10;
/// A gain that says nothing about people.
const LEAST_GAIN: f64 = 0.5;
const MAX_ROUNDS: usize = 2000;

impl Laws {
    pub(super) fn new(reports: &dyn PlaneReports, side: u32) -> Self {
        let side = side as usize;
        let fine_side = side * (FINE_CELLS / side).max(2);
        let columns = reports.cell_laws(fine_side as u32);
        let fine = DMatrix::from_fn(reports.groups(), columns.len(), |group, cell| columns[cell][group]);
        Self { fine, fine_side }
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
