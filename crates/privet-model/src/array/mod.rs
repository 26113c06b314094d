//! Arrays of numbers, and the files that NumPy writes them to: `.npy` for one, `.npz` for several.

mod element;
mod npy;

pub use npy::{Precision, read_npy, read_npz, write_npy};

pub(crate) use element::{Element, decode};

use crate::ModelError;
use crate::error::check_length;

/// Numbers in rows of rows: the last index runs fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    shape: Vec<usize>,
    values: Vec<f64>,
}

impl Array {
    /// An array of this shape.
    ///
    /// # Errors
    ///
    /// When the shape has another number of places than there are values.
    pub fn new(shape: Vec<usize>, values: Vec<f64>) -> Result<Self, ModelError> {
        let places = places(&shape).ok_or_else(|| ModelError::format("array", "its shape is too large"))?;
        check_length("values of an array", places, values.len())?;
        Ok(Self { shape, values })
    }

    /// How long it is in each direction.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// All values, the last index running fastest.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, without a copy.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }
}

/// How many values an array of a shape has, unless there are too many to count.
pub(crate) fn places(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |product, side| product.checked_mul(*side))
}
