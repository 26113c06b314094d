//! How likely reports are from the cells of a grid, on average over each cell: windows end somewhere inside of cells.

use super::kernels::Kernels;
use crate::method::LocationMethod;
use crate::rounding::{Grid, Rounding};
use crate::{Place, TrajectoryError};
use privet_core::parallel;
use privet_mechanisms::plane::CrossingMasses;

/// Where in the cells likelihoods are looked up.
pub(super) struct Samples<'a> {
    method: &'a dyn LocationMethod,
    columns: usize,
    /// Places in each cell, the same number in all; `None` for cells whose middle is outside the space.
    of_cells: Vec<Option<Vec<Place>>>,
    /// The same number of evenly spaced lines through each cell, in inner coordinates.
    lines: [Vec<f64>; 2],
}

/// How many lines go through a cell in each coordinate.
const LINES: u32 = 4;

impl<'a> Samples<'a> {
    pub(super) fn new(method: &'a dyn LocationMethod, grid: &Grid) -> Self {
        // Single places cost far more than lines: where cells are small, their middle must do.
        let count = grid.shape().map(|side| (32 / side).clamp(1, LINES));
        let samples = |cell: usize| {
            let middle = grid.inner_centre(cell);
            belongs_to_space(grid, middle).then(|| {
                let sample = |index: u32| {
                    let at = [index / count[1], index % count[1]];
                    let inner = std::array::from_fn(|axis| {
                        middle[axis] + offset(at[axis], count[axis]) * grid.cell_widths()[axis]
                    });
                    grid.space().publish(inner)
                };
                (0..count[0] * count[1]).map(sample).collect()
            })
        };
        let first = grid.inner_centre(0);
        let lines = std::array::from_fn(|axis| {
            let line = |index: u32| {
                let cells = f64::from(index / LINES) + offset(index % LINES, LINES);
                first[axis] + cells * grid.cell_widths()[axis]
            };
            (0..grid.shape()[axis] * LINES).map(line).collect()
        });
        let of_cells = (0..grid.count()).map(samples).collect();
        Self { method, columns: grid.shape()[1] as usize, of_cells, lines }
    }

    /// Which cells belong to the space.
    pub(super) fn is_inside(&self) -> Vec<bool> {
        self.of_cells.iter().map(Option::is_some).collect()
    }

    /// The kernels of reports, each given behind its reference, found on all processors.
    ///
    /// # Errors
    /// When the method does not say how likely its reports are, or none of the cells can have sent one.
    pub(super) fn kernels(&self, reports: &[[Place; 2]]) -> Result<Kernels, TrajectoryError> {
        let chunks: Vec<_> = reports.chunks(reports.len().div_ceil(parallel::cores()).max(1)).collect();
        let parts = parallel::map(&chunks, |chunk| self.kernels_of_part(chunk));
        let parts = parts.into_iter().collect::<Result<Vec<Kernels>, _>>()?;
        let mut all = Kernels::new(self.columns);
        parts.iter().for_each(|part| all.append(part));
        Ok(all)
    }

    fn kernels_of_part(&self, reports: &[[Place; 2]]) -> Result<Kernels, TrajectoryError> {
        let mut kernels = Kernels::new(self.columns);
        for report in reports {
            let likelihoods = self.likelihoods(report).ok_or_else(|| TrajectoryError::WrongSpace {
                method: "the estimate of a density",
                expected: "a method that says how likely its reports are, in a space without a region",
                got: format!("{} in {}", self.method.id(), self.method.space()),
            })?;
            if !kernels.push(&likelihoods) {
                return Err(TrajectoryError::incompatible(
                    "no cell of the grid can have sent one of the reports",
                ));
            }
        }
        Ok(kernels)
    }

    /// How likely a report is from each cell, up to a common factor; `None` where the method does not say.
    fn likelihoods(&self, [reference, report]: &[Place; 2]) -> Option<Vec<f64>> {
        let lines = [&self.lines[0][..], &self.lines[1][..]];
        if let Some(crossings) = self.method.crossing_likelihood(lines, report) {
            return Some(self.sums(&crossings));
        }
        let of_cell = |places: &Option<Vec<Place>>| match places {
            None => Some(0.0),
            Some(places) => places.iter().map(|place| self.method.likelihood(place, reference, report)).sum(),
        };
        self.of_cells.iter().map(of_cell).collect()
    }

    /// The sum over the crossings in each cell. The sum of a product over all pairs is the product of the sums.
    fn sums(&self, crossings: &CrossingMasses) -> Vec<f64> {
        let [first, second] = [0, 1].map(|axis: usize| -> Vec<f64> {
            crossings.factors[axis].chunks_exact(LINES as usize).map(|lines| lines.iter().sum()).collect()
        });
        let base = crossings.base * f64::from(LINES * LINES);
        let sums = first.iter().flat_map(|one| second.iter().map(move |two| base + one * two));
        sums.zip(&self.of_cells).map(|(sum, places)| if places.is_some() { sum } else { 0.0 }).collect()
    }
}

/// Where the index-th of `count` evenly spaced points lies, from the middle of a cell, in widths of a cell.
fn offset(index: u32, count: u32) -> f64 {
    (f64::from(index) + 0.5) / f64::from(count) - 0.5
}

/// Whether a point in inner coordinates is a place of the space.
fn belongs_to_space(grid: &Grid, inner: [f64; 2]) -> bool {
    let [first, second] = grid.cell_widths();
    let back = grid.space().to_inner(grid.space().publish(inner));
    (back[0] - inner[0]).abs() + (back[1] - inner[1]).abs() <= 1e-6 * (first + second)
}
