//! Eigenvalues of matrices that are sums of squares.

use super::ReshapeError;
use nalgebra::{DMatrix, SymmetricEigen};

/// Enough for any matrix: a few steps find each eigenvalue.
const STEPS_PER_DIMENSION: usize = 1000;

/// Eigenvalues from the largest down, none below zero, and their directions as columns.
pub(super) struct Spectrum {
    pub(super) values: Vec<f64>,
    pub(super) vectors: DMatrix<f64>,
}

impl Spectrum {
    /// Of a symmetric matrix without negative eigenvalues other than by rounding.
    pub(super) fn of(what: &'static str, matrix: DMatrix<f64>) -> Result<Self, ReshapeError> {
        let unusable = ReshapeError::NotFinite { what };
        ReshapeError::check_finite(what, matrix.as_slice())?;
        let steps = STEPS_PER_DIMENSION * matrix.nrows();
        let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, steps).ok_or(unusable)?;
        let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        Ok(Self {
            values: order.iter().map(|&index| eigen.eigenvalues[index].max(0.0)).collect(),
            vectors: eigen.eigenvectors.select_columns(&order),
        })
    }

    /// How many eigenvalues are above a share of the largest.
    pub(super) fn rank(&self, share: f64) -> usize {
        let least = self.values.first().map_or(0.0, |largest| largest * share);
        self.values.iter().filter(|&&value| value > least).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_come_largest_first() {
        let matrix = DMatrix::from_row_slice(3, 3, &[1.0, 0.0, 0.0, 0.0, 5.0, 4.0, 0.0, 4.0, 5.0]);
        let spectrum = Spectrum::of("a matrix", matrix).unwrap();
        for (got, expected) in spectrum.values.iter().zip([9.0, 1.0, 1.0]) {
            assert!((got - expected).abs() < 1e-12);
        }
        assert!((spectrum.vectors[(1, 0)].abs() - 0.5f64.sqrt()).abs() < 1e-12);
        assert_eq!((spectrum.rank(0.2), spectrum.rank(0.01)), (1, 3));
        assert_eq!(Spectrum::of("a matrix", DMatrix::zeros(2, 2)).unwrap().rank(0.01), 0);
        let wrong = DMatrix::from_element(1, 1, f64::NAN);
        assert_eq!(Spectrum::of("a matrix", wrong).err().unwrap().code(), "reshape-not-finite");
    }
}
