//! One affine map: logistic regression, linear support vector machines, linear heads.

use crate::ModelError;
use crate::error::{check_finite, check_length};
use nalgebra::{DMatrix, DVector};

/// Scores that are affine in the row: weights times row, plus intercepts.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    weights: DMatrix<f64>,
    intercepts: DVector<f64>,
    gives_values: bool,
}

impl Linear {
    /// A map with these weights (one line for each score) and intercepts.
    ///
    /// # Errors
    ///
    /// When there is no score or no input, the sizes differ, or a number is not finite.
    pub fn new(weights: DMatrix<f64>, intercepts: DVector<f64>) -> Result<Self, ModelError> {
        if weights.is_empty() {
            return Err(ModelError::structure("a linear model needs at least one score and one input"));
        }
        check_length("intercepts", weights.nrows(), intercepts.len())?;
        check_finite("weights", weights.as_slice())?;
        check_finite("intercepts", intercepts.as_slice())?;
        Ok(Self { weights, intercepts, gives_values: false })
    }

    /// The same map as a regression: its scores are values, and no labels are made of them.
    pub fn of_values(self) -> Self {
        Self { gives_values: true, ..self }
    }

    /// Whether the scores are values of a regression.
    pub fn gives_values(&self) -> bool {
        self.gives_values
    }

    /// The weights: one line for each score, one column for each input.
    pub fn weights(&self) -> &DMatrix<f64> {
        &self.weights
    }

    /// What is added to each score.
    pub fn intercepts(&self) -> &DVector<f64> {
        &self.intercepts
    }

    /// How many numbers a row has.
    pub fn inputs(&self) -> usize {
        self.weights.ncols()
    }

    /// How many scores there are.
    pub fn outputs(&self) -> usize {
        self.weights.nrows()
    }

    /// The scores of a row.
    ///
    /// # Errors
    ///
    /// When the row or the room for the scores has the wrong length, or the row is not finite.
    pub fn scores(&self, row: &[f64], scores: &mut [f64]) -> Result<(), ModelError> {
        check_length("numbers in the row", self.inputs(), row.len())?;
        check_length("room for scores", self.outputs(), scores.len())?;
        check_finite("the row's values", row)?;
        scores.copy_from_slice(self.intercepts.as_slice());
        for (column, value) in self.weights.column_iter().zip(row) {
            for (score, weight) in scores.iter_mut().zip(column.iter()) {
                *score += weight * value;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_weights_times_row_plus_intercepts() {
        let weights = DMatrix::from_row_slice(2, 3, &[1.0, 2.0, 3.0, -1.0, 0.5, 0.0]);
        let model = Linear::new(weights, DVector::from_vec(vec![10.0, 20.0])).unwrap();
        let mut scores = [0.0; 2];
        model.scores(&[1.0, 2.0, -1.0], &mut scores).unwrap();
        assert_eq!(scores, [12.0, 20.0]);
    }

    #[test]
    fn wrong_sizes_and_numbers_are_refused() {
        let one = || DMatrix::from_element(1, 2, 1.0);
        assert_eq!(Linear::new(one(), DVector::zeros(2)).unwrap_err().code(), "model-length");
        assert_eq!(Linear::new(one() * f64::NAN, DVector::zeros(1)).unwrap_err().code(), "model-not-finite");
        assert_eq!(
            Linear::new(DMatrix::zeros(0, 2), DVector::zeros(0)).unwrap_err().code(),
            "model-structure"
        );
        let model = Linear::new(one(), DVector::zeros(1)).unwrap();
        assert_eq!(model.scores(&[1.0], &mut [0.0]).unwrap_err().code(), "model-length");
        assert_eq!(model.scores(&[1.0, f64::NAN], &mut [0.0]).unwrap_err().code(), "model-not-finite");
    }
}
