//! Weights and Jacobians from arrays.

use crate::failure::Failure;
use crate::table::{Problem, read_array};
use nalgebra::{DMatrix, DVector};
use privet::CryptoRng;
use privet::model::{Linear, Model};
use privet::vector::reshape::{MechanismChoice, Reading, Reshape, Reshaped, Rows};
use std::path::Path;

/// A linear model without intercepts.
pub(super) fn read_weights(path: &Path) -> Result<Model, Failure> {
    let array = read_array(path)?;
    let (rows, columns) = match *array.shape() {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        _ => return Err(shape(path, "a row for each score")),
    };
    let weights = DMatrix::from_row_slice(rows, columns, array.values());
    let linear = Linear::new(weights, DVector::zeros(rows));
    linear.map(Model::Linear).map_err(|source| Failure::Model { path: path.to_owned(), source })
}

/// Jacobians of a model at several points.
pub(super) struct Jacobians {
    pub(super) stacked: DMatrix<f64>,
    pub(super) outputs: usize,
}

impl Jacobians {
    /// An array of points, scores and inputs, or one with the Jacobians below each other and `outputs` rows for each.
    pub(super) fn read(path: &Path, outputs: Option<usize>) -> Result<Self, Failure> {
        let array = read_array(path)?;
        let (rows, columns, outputs) = match (array.shape(), outputs) {
            (&[points, outputs, inputs], given) if given.is_none_or(|given| given == outputs) => {
                (points * outputs, inputs, outputs)
            }
            (&[rows, columns], Some(outputs)) => (rows, columns, outputs),
            (&[_, _], None) => {
                let reason = "how many scores does the model have?".to_owned();
                let hint = Some("say it with --outputs, or give an array of points, scores and inputs");
                return Err(Failure::Usage { message: reason, hint });
            }
            _ => return Err(shape(path, "points, scores and inputs")),
        };
        Ok(Self { stacked: DMatrix::from_row_slice(rows, columns, array.values()), outputs })
    }

    /// How much the scores change when a vector becomes its report, to first order: the root of the mean squared change, with
    /// its standard error over vectors and noise. Each vector meets one of the points.
    pub(super) fn change(
        &self,
        reshape: Reshape,
        choice: &MechanismChoice,
        reading: Reading,
        sample: &Rows,
        rng: &mut dyn CryptoRng,
    ) -> Result<(f64, f64), Failure> {
        let reshaped = Reshaped::new(reshape, choice)?;
        let points = self.stacked.nrows() / self.outputs;
        let mut report = vec![0.0; reshaped.report_len()];
        let mut restored = vec![0.0; sample.dimension()];
        let mut squares = Vec::with_capacity(sample.count());
        for (index, vector) in sample.iter().enumerate() {
            reshaped.randomize(vector, &mut report, rng)?;
            reshaped.restore(&report, &mut restored)?;
            let moved = restored.iter().zip(vector).map(|(y, x)| y - x);
            let moved = DVector::from_iterator(vector.len(), moved);
            let mut scores = self.stacked.rows(index % points * self.outputs, self.outputs) * moved;
            if reading == Reading::Class && self.outputs > 1 {
                // What all scores have in common changes no class.
                scores.add_scalar_mut(-scores.mean());
            }
            squares.push(scores.norm_squared());
        }
        let (mean, error) = crate::command::evaluation::mean_of(&squares);
        let root = mean.sqrt();
        Ok((root, if root > 0.0 { error / (2.0 * root) } else { 0.0 }))
    }
}

fn shape(path: &Path, expected: &'static str) -> Failure {
    Failure::Source { path: path.to_owned(), row: None, problem: Problem::Shape { expected } }
}
