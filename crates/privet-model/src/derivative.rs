//! Derivatives of anything that gives scores.

use crate::ModelError;
use nalgebra::DMatrix;

/// The Jacobian (scores by inputs) from central differences: for each input, the scores a `step` above and below. Two
/// evaluations for each input.
///
/// # Errors
///
/// When `step` is not a positive number, or what the scores say.
pub fn central_differences(
    mut scores: impl FnMut(&[f64], &mut [f64]) -> Result<(), ModelError>,
    outputs: usize,
    row: &[f64],
    step: f64,
) -> Result<DMatrix<f64>, ModelError> {
    if !(step > 0.0 && step.is_finite()) {
        return Err(ModelError::Setting { what: "the step", allowed: "a positive number" });
    }
    let mut jacobian = DMatrix::zeros(outputs, row.len());
    let mut moved = row.to_vec();
    let (mut above, mut below) = (vec![0.0; outputs], vec![0.0; outputs]);
    for (input, value) in row.iter().enumerate() {
        let (high, low) = (value + step, value - step);
        moved[input] = high;
        scores(&moved, &mut above)?;
        moved[input] = low;
        scores(&moved, &mut below)?;
        moved[input] = *value;
        for (output, (above, below)) in above.iter().zip(&below).enumerate() {
            jacobian[(output, input)] = (above - below) / (high - low);
        }
    }
    Ok(jacobian)
}
