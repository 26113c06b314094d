//! Networks: layers one after the other.

mod activation;
mod bounds;
mod layer;
mod relaxation;
mod rounded;
#[cfg(test)]
mod tests;
mod window;

pub use activation::Activation;
pub use bounds::OnBox;
pub use layer::{AveragePool, Convolution, Layer};
pub use window::{Image, Sliding, Window};

use crate::ModelError;
use crate::error::{check_finite, check_length};
use nalgebra::DMatrix;

/// A chain of layers.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    layers: Vec<Layer>,
    /// How many values there are before each layer, and after the last.
    widths: Vec<usize>,
}

impl Network {
    /// A network of these layers for rows of `inputs` numbers.
    ///
    /// # Errors
    ///
    /// When a layer takes another number of values than the one before gives, there is no layer or no input, or a
    /// weight is not finite.
    pub fn from_layers(inputs: usize, layers: Vec<Layer>) -> Result<Self, ModelError> {
        if inputs == 0 || layers.is_empty() {
            return Err(ModelError::structure("a network needs at least one input and one layer"));
        }
        let mut widths = vec![inputs];
        let mut width = inputs;
        for layer in &layers {
            width = layer.outputs(width)?;
            widths.push(width);
        }
        Ok(Self { layers, widths })
    }

    /// The layers.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// How many numbers a row has.
    pub fn inputs(&self) -> usize {
        self.widths[0]
    }

    /// How many scores there are.
    pub fn outputs(&self) -> usize {
        self.widths[self.layers.len()]
    }

    /// The weights of the first layer, if it is affine.
    pub fn first_affine(&self) -> Option<&DMatrix<f64>> {
        match self.layers.first() {
            Some(Layer::Affine { weights, .. }) => Some(weights),
            _ => None,
        }
    }

    /// The scores of a row.
    ///
    /// # Errors
    ///
    /// When the row or the room for the scores has the wrong length, or the row is not finite.
    pub fn scores(&self, row: &[f64], scores: &mut [f64]) -> Result<(), ModelError> {
        self.check_row(row)?;
        check_length("room for scores", self.outputs(), scores.len())?;
        let mut values = row.to_vec();
        let mut outgoing = Vec::new();
        for (layer, outputs) in self.layers.iter().zip(&self.widths[1..]) {
            layer.forward(&values, &mut outgoing, *outputs);
            std::mem::swap(&mut values, &mut outgoing);
        }
        scores.copy_from_slice(&values);
        Ok(())
    }

    /// The derivatives of the scores (lines) with respect to the inputs (columns). Where a ReLU is at its corner its
    /// derivative is 0, and of equal values under a maximum the first one counts.
    ///
    /// # Errors
    ///
    /// When the row has the wrong length or is not finite.
    pub fn jacobian(&self, row: &[f64]) -> Result<DMatrix<f64>, ModelError> {
        self.check_row(row)?;
        let mut trace = vec![row.to_vec()];
        for (layer, outputs) in self.layers.iter().zip(&self.widths[1..]) {
            let mut outgoing = Vec::with_capacity(*outputs);
            layer.forward(&trace[trace.len() - 1], &mut outgoing, *outputs);
            trace.push(outgoing);
        }
        let mut jacobian = DMatrix::zeros(self.outputs(), self.inputs());
        let mut incoming = Vec::new();
        for score in 0..self.outputs() {
            let mut derivatives = vec![0.0; self.outputs()];
            derivatives[score] = 1.0;
            for (layer, values) in self.layers.iter().zip(&trace).rev() {
                layer.backward(values, &derivatives, &mut incoming);
                std::mem::swap(&mut derivatives, &mut incoming);
            }
            jacobian.row_mut(score).copy_from_slice(&derivatives);
        }
        Ok(jacobian)
    }

    fn check_row(&self, row: &[f64]) -> Result<(), ModelError> {
        check_length("numbers in the row", self.inputs(), row.len())?;
        check_finite("the row's values", row)
    }
}
