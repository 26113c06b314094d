//! Vectors one after the other.

use super::ReshapeError;
use nalgebra::{DMatrix, DVector};
use privet_core::{CryptoRng, sampling::uniform_below};
use std::fmt;
use std::num::NonZeroU64;

/// Vectors of one dimension, one after the other; all numbers are finite.
#[derive(Clone, PartialEq)]
pub struct Rows {
    dimension: usize,
    values: Vec<f64>,
}

impl Rows {
    /// Vectors of this dimension, from their coordinates one after the other.
    ///
    /// # Errors
    /// When there is no whole number of vectors, none at all, or a coordinate is not finite.
    pub fn new(dimension: usize, values: Vec<f64>) -> Result<Self, ReshapeError> {
        if dimension == 0 || values.is_empty() || !values.len().is_multiple_of(dimension) {
            let whole = values.len().div_ceil(dimension.max(1)).max(1) * dimension.max(1);
            return Err(ReshapeError::Count {
                what: "coordinates of vectors",
                expected: whole,
                got: values.len(),
            });
        }
        ReshapeError::check_finite("coordinates of vectors", &values)?;
        Ok(Self { dimension, values })
    }

    /// How many coordinates each vector has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many vectors there are.
    pub fn count(&self) -> usize {
        self.values.len() / self.dimension
    }

    /// One vector, if there is one at this place.
    pub fn get(&self, index: usize) -> Option<&[f64]> {
        (index < self.count()).then(|| self.row(index))
    }

    /// One vector. There must be one at this place.
    pub(super) fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.dimension..(index + 1) * self.dimension]
    }

    /// One vector, each with the same probability.
    pub(super) fn any(&self, rng: &mut dyn CryptoRng) -> &[f64] {
        let index = NonZeroU64::new(self.count() as u64).map_or(0, |count| uniform_below(count, rng));
        self.row(index as usize)
    }

    /// All vectors in order.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.dimension)
    }

    /// Three parts of about equal size, dealt at random in blocks of `block` vectors: vectors that belong together stay together.
    pub(super) fn thirds(&self, block: usize, rng: &mut dyn CryptoRng) -> Result<[Self; 3], ReshapeError> {
        let mut blocks: Vec<&[f64]> = self.values.chunks(block * self.dimension).collect();
        for last in (1..blocks.len()).rev() {
            let choices = NonZeroU64::new(last as u64 + 1).unwrap_or(NonZeroU64::MIN);
            blocks.swap(last, uniform_below(choices, rng) as usize);
        }
        let part = |place| {
            let values = blocks.iter().skip(place).step_by(3).copied().flatten().copied().collect();
            Self::new(self.dimension, values)
        };
        Ok([part(0)?, part(1)?, part(2)?])
    }

    /// The first vectors, at most this many.
    pub(super) fn first(mut self, count: usize) -> Self {
        self.values.truncate(count.max(1).saturating_mul(self.dimension));
        self
    }

    pub(super) fn mean(&self) -> DVector<f64> {
        let mut mean = DVector::zeros(self.dimension);
        for row in self.iter() {
            for (sum, value) in mean.iter_mut().zip(row) {
                *sum += value;
            }
        }
        mean / self.count() as f64
    }

    /// How the vectors vary around their mean.
    pub(super) fn covariance(&self) -> Result<DMatrix<f64>, ReshapeError> {
        let mean = self.mean();
        let mut centred = DMatrix::from_column_slice(self.dimension, self.count(), &self.values);
        for mut column in centred.column_iter_mut() {
            column -= &mean;
        }
        let covariance = &centred * centred.transpose() / self.count() as f64;
        ReshapeError::check_finite("public vectors", covariance.as_slice())?;
        Ok(covariance)
    }
}

/// Says how many vectors there are, not what they are: they may be private.
impl fmt::Debug for Rows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Rows({} x {})", self.count(), self.dimension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Generator;

    #[test]
    fn only_whole_finite_vectors_are_taken() {
        let rows = Rows::new(2, vec![1.0, 2.0, 3.0, 6.0]).unwrap();
        assert_eq!((rows.count(), rows.get(1), rows.get(2)), (2, Some([3.0, 6.0].as_slice()), None));
        assert_eq!(rows.mean().as_slice(), [2.0, 4.0]);
        assert_eq!(rows.covariance().unwrap().as_slice(), [1.0, 2.0, 2.0, 4.0]);
        assert_eq!(format!("{rows:?}"), "Rows(2 x 2)");
        for (dimension, values) in [(0, vec![1.0]), (2, vec![]), (2, vec![1.0])] {
            assert_eq!(Rows::new(dimension, values).unwrap_err().code(), "reshape-count");
        }
        assert_eq!(Rows::new(1, vec![f64::NAN]).unwrap_err().code(), "reshape-not-finite");
        let huge = Rows::new(1, vec![1e300, -1e300]).unwrap();
        assert_eq!(huge.covariance().unwrap_err().code(), "reshape-not-finite");
    }

    #[test]
    fn thirds_are_dealt_in_blocks() {
        let rows = Rows::new(1, (0..18).map(f64::from).collect()).unwrap();
        let mut rng = Generator::from_insecure_seed(1);
        let thirds = rows.thirds(2, &mut rng).unwrap();
        let mut all = Vec::new();
        for third in thirds {
            assert!(third.values.chunks(2).all(|pair| pair[0] % 2.0 == 0.0 && pair[1] == pair[0] + 1.0));
            assert_eq!(third.clone().first(2).count(), 2);
            all.extend(third.values);
        }
        assert_ne!(all, rows.values);
        all.sort_by(f64::total_cmp);
        assert_eq!(all, rows.values);
    }
}
