//! How likely each report is from each cell of a grid, as steps.
//!
//! Private reports have few different probabilities: a window and the rest, or products of two of them. Such a function on a
//! grid is a sum of a few quadrants: it has steps at the corners of its blocks. Sums over all cells then need one product for
//! each corner and the sums of the density over quadrants, not one product for each cell.

/// Functions on the cells of a grid, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Kernels {
    columns: usize,
    /// Where the corners of each kernel begin, and where the last ones end.
    starts: Vec<usize>,
    corners: Vec<Corner>,
}

/// In the row of `cell` and below, in its column and to the right, the function is higher by `change`.
#[derive(Debug, Clone, Copy)]
struct Corner {
    cell: u32,
    change: f64,
}

/// Probabilities come from differences of larger numbers. This is more than what rounding leaves of them, and less than any
/// probability that matters.
const ROUNDING: f64 = 1e-14;

impl Kernels {
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, starts: vec![0], corners: Vec::new() }
    }

    /// Adds a kernel. It is scaled to a maximum of 1: a factor says nothing about where a person is.
    ///
    /// Returns whether it says anything: a report that no cell can have sent is not added.
    pub(super) fn push(&mut self, likelihoods: &[f64]) -> bool {
        let largest = likelihoods.iter().copied().fold(0.0, f64::max);
        if !(largest > 0.0 && largest.is_finite()) {
            return false;
        }
        let at = |cell: usize| likelihoods[cell] / largest;
        // The step from the cell to the left. Equal steps in two rows have the same bits, so their difference is zero.
        let step =
            |cell: usize| if cell.is_multiple_of(self.columns) { at(cell) } else { at(cell) - at(cell - 1) };
        for cell in 0..likelihoods.len() {
            let above = if cell < self.columns { 0.0 } else { step(cell - self.columns) };
            let change = step(cell) - above;
            if change != 0.0 {
                self.corners.push(Corner { cell: cell as u32, change });
            }
        }
        self.starts.push(self.corners.len());
        true
    }

    /// Adds the kernels of another list for the same grid.
    pub(super) fn append(&mut self, other: &Self) {
        let before = self.corners.len();
        self.corners.extend(&other.corners);
        self.starts.extend(other.starts.iter().skip(1).map(|start| before + start));
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn each(&self) -> impl Iterator<Item = &[Corner]> {
        self.starts.windows(2).map(|ends| &self.corners[ends[0]..ends[1]])
    }

    /// The kernel as a list of all cells.
    pub(super) fn expand(&self, kernel: usize, likelihoods: &mut [f64]) {
        likelihoods.fill(0.0);
        for corner in &self.corners[self.starts[kernel]..self.starts[kernel + 1]] {
            likelihoods[corner.cell as usize] = corner.change;
        }
        self.add_up(likelihoods);
    }

    /// The probability of each report under a density, up to the kernels' scale.
    pub(super) fn forward(&self, shares: &[f64], probabilities: &mut Vec<f64>) {
        // The sum over the quadrant that begins at each cell.
        let mut quadrants = shares.to_vec();
        quadrants.reverse();
        self.add_up(&mut quadrants);
        quadrants.reverse();
        let probability = |corners: &[Corner]| {
            let sum: f64 = corners.iter().map(|corner| corner.change * quadrants[corner.cell as usize]).sum();
            sum.max(ROUNDING)
        };
        probabilities.clear();
        probabilities.extend(self.each().map(probability));
    }

    /// For each cell the sum over all kernels of weight times likelihood.
    pub(super) fn backward(&self, weights: &[f64], sums: &mut Vec<f64>, cells: usize) {
        sums.clear();
        sums.resize(cells, 0.0);
        for (corners, weight) in self.each().zip(weights) {
            for corner in corners {
                sums[corner.cell as usize] += weight * corner.change;
            }
        }
        self.add_up(sums);
    }

    /// Replaces each value by the sum over all rows up to its own and all columns up to its own. What rounding leaves below
    /// zero becomes zero.
    fn add_up(&self, values: &mut [f64]) {
        let mut above = vec![0.0; self.columns];
        for row in values.chunks_exact_mut(self.columns) {
            let mut so_far = 0.0;
            for (value, above) in row.iter_mut().zip(&mut above) {
                so_far += *value;
                *above += so_far;
                *value = f64::max(*above, 0.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COLUMNS: usize = 4;
    const CELLS: usize = 12;

    proptest! {
        #[test]
        fn sums_are_those_of_the_dense_table(
            table in prop::collection::vec(prop::collection::vec(0u8..4, CELLS), 1..6),
            shares in prop::collection::vec(0.0..1.0, CELLS),
            weights in prop::collection::vec(0.0..1.0, 6),
        ) {
            let mut kernels = Kernels::new(COLUMNS);
            let mut dense: Vec<Vec<f64>> = Vec::new();
            for row in &table {
                let row: Vec<f64> = row.iter().map(|value| f64::from(*value)).collect();
                let largest = row.iter().copied().fold(0.0, f64::max);
                prop_assert_eq!(kernels.push(&row), largest > 0.0);
                if largest > 0.0 {
                    dense.push(row.iter().map(|value| value / largest).collect());
                }
            }
            prop_assert_eq!(kernels.count(), dense.len());
            let mut joined = Kernels::new(COLUMNS);
            joined.append(&kernels);
            joined.append(&kernels);
            prop_assert_eq!(joined.count(), 2 * dense.len());
            let (mut forward, mut backward, mut expanded) = (vec![], vec![], vec![f64::NAN; CELLS]);
            kernels.forward(&shares, &mut forward);
            kernels.backward(&weights[..dense.len()], &mut backward, CELLS);
            for (index, row) in dense.iter().enumerate() {
                let sum: f64 = row.iter().zip(&shares).map(|(a, b)| a * b).sum();
                prop_assert!((forward[index] - sum).abs() < 1e-12);
                kernels.expand(index, &mut expanded);
                prop_assert!(row.iter().zip(&expanded).all(|(a, b)| (a - b).abs() < 1e-12));
                joined.expand(dense.len() + index, &mut expanded);
                prop_assert!(row.iter().zip(&expanded).all(|(a, b)| (a - b).abs() < 1e-12));
            }
            for (cell, got) in backward.iter().enumerate() {
                let sum: f64 = dense.iter().zip(&weights).map(|(row, weight)| weight * row[cell]).sum();
                prop_assert!((got - sum).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_window_has_four_corners_and_one_for_the_rest() {
        let inside = |cell: usize| (2..5).contains(&(cell / 8)) && (3..6).contains(&(cell % 8));
        let window: Vec<f64> = (0..64).map(|cell| if inside(cell) { 1.0 } else { 0.018 }).collect();
        let mut kernels = Kernels::new(8);
        assert!(kernels.push(&window));
        assert_eq!(kernels.corners.len(), 5);
    }

    #[test]
    fn impossible_reports_are_not_added() {
        let mut kernels = Kernels::new(2);
        assert!(!kernels.push(&[0.0, 0.0]) && !kernels.push(&[f64::INFINITY, 1.0]));
        assert_eq!(kernels.count(), 0);
    }
}
