//! A public sample of vectors, from which clip sets are chosen.

use privet_core::{Dimension, ParameterError, Probability, Vectors};

/// Vectors that are not private. Clip radii, centres and scales may be fitted to them; nothing may be fitted to private ones.
#[derive(Debug, Clone)]
pub struct PublicSample {
    dimension: Dimension,
    coordinates: Vec<f64>,
}

impl PublicSample {
    /// Takes vectors of this many coordinates, one after the other.
    ///
    /// # Errors
    /// When there is none, the last is not complete, or a coordinate is not a finite number.
    pub fn new(dimension: u32, coordinates: &[f64]) -> Result<Self, ParameterError> {
        let dimension = Dimension::new(dimension)?;
        let domain = Vectors::new(dimension);
        let is_sound = !coordinates.is_empty()
            && coordinates.chunks(dimension.get()).all(|vector| domain.check(vector).is_ok());
        if !is_sound {
            return Err(ParameterError::Incompatible {
                reason: format!(
                    "a public sample must hold at least one vector of {dimension} finite coordinates each"
                ),
            });
        }
        Ok(Self { dimension, coordinates: coordinates.to_vec() })
    }

    /// How many coordinates each vector has.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// The vectors.
    pub fn vectors(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.coordinates.chunks_exact(self.dimension.get())
    }

    /// The mean vector.
    pub fn mean(&self) -> Vec<f64> {
        self.average(|_, x| x)
    }

    /// The standard deviation of each coordinate around a centre.
    pub fn deviations(&self, centre: &[f64]) -> Vec<f64> {
        let squares = self.average(|index, x| (x - centre[index]).powi(2));
        squares.into_iter().map(f64::sqrt).collect()
    }

    /// The smallest number that this share of the vectors do not exceed, at least one of them.
    pub fn quantile(&self, share: Probability, measure: impl Fn(&[f64]) -> f64) -> f64 {
        quantile(self.vectors().map(measure).collect(), share.get())
    }

    /// The quantile of each absolute coordinate.
    pub fn coordinate_quantiles(&self, share: Probability) -> Vec<f64> {
        (0..self.dimension.get()).map(|index| self.quantile(share, |vector| vector[index].abs())).collect()
    }

    /// The medians of the coordinates after a public rotation, rotated back.
    ///
    /// The rotation changes some signs and applies a Hadamard transform, on as many coordinates as the next power of two. The signs are
    /// those of a fixed sequence: they are public anyway, and everybody must come to the same centre.
    pub fn rotated_median(&self) -> Vec<f64> {
        let size = self.dimension.get().next_power_of_two();
        let rotate = |vector: &[f64]| {
            let mut rotated: Vec<f64> = vector.iter().enumerate().map(|(index, x)| sign(index) * x).collect();
            rotated.resize(size, 0.0);
            hadamard(&mut rotated);
            rotated
        };
        let rotated: Vec<Vec<f64>> = self.vectors().map(rotate).collect();
        let mut medians: Vec<f64> = (0..size)
            .map(|index| quantile(rotated.iter().map(|vector| vector[index]).collect(), 0.5))
            .collect();
        hadamard(&mut medians);
        medians.truncate(self.dimension.get());
        medians.iter().enumerate().map(|(index, x)| sign(index) * x).collect()
    }

    fn average(&self, term: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.dimension.get()];
        for vector in self.vectors() {
            sums.iter_mut().zip(vector).enumerate().for_each(|(index, (sum, x))| *sum += term(index, *x));
        }
        let count = self.vectors().len() as f64;
        sums.into_iter().map(|sum| sum / count).collect()
    }
}

fn quantile(mut numbers: Vec<f64>, share: f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let rank = (share * numbers.len() as f64).ceil() as usize;
    numbers.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// A balanced sequence of signs without a pattern that a Hadamard transform knows.
fn sign(index: usize) -> f64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    if (mixed ^ (mixed >> 29)).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// The orthonormal Hadamard transform of a power of two of numbers. It is its own inverse.
fn hadamard(numbers: &mut [f64]) {
    let mut width = 1;
    while width < numbers.len() {
        for block in numbers.chunks_mut(2 * width) {
            let (left, right) = block.split_at_mut(width);
            for (x, y) in left.iter_mut().zip(right) {
                (*x, *y) = (*x + *y, *x - *y);
            }
        }
        width *= 2;
    }
    let scale = 1.0 / (numbers.len() as f64).sqrt();
    numbers.iter_mut().for_each(|number| *number *= scale);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_reached_by_some_vector() {
        let sample = PublicSample::new(1, &[3.0, 1.0, 2.0, 4.0]).unwrap();
        for (share, wanted) in [(0.0, 1.0), (0.25, 1.0), (0.26, 2.0), (0.9, 4.0), (1.0, 4.0)] {
            assert_eq!(
                sample.quantile(Probability::new(share).unwrap(), |vector| vector[0]),
                wanted,
                "{share}"
            );
        }
        assert_eq!(sample.mean(), [2.5]);
        assert_eq!(sample.deviations(&[2.5]), [1.25f64.sqrt()]);
    }

    #[test]
    fn rotating_twice_changes_nothing_and_one_vector_is_its_own_median() {
        let vector = [1.0, -2.0, 3.0];
        let centre = PublicSample::new(3, &vector).unwrap().rotated_median();
        assert!(centre.iter().zip(&vector).all(|(x, y)| (x - y).abs() < 1e-12), "{centre:?}");
    }

    #[test]
    fn an_outlier_does_not_move_the_median_far() {
        let mut coordinates: Vec<f64> = (0..99).flat_map(|index| [5.0, -1.0, f64::from(index % 3)]).collect();
        coordinates.extend([1e6, 1e6, 1e6]);
        let centre = PublicSample::new(3, &coordinates).unwrap().rotated_median();
        assert!((centre[0] - 5.0).abs() < 1.0 && (centre[1] + 1.0).abs() < 1.0, "{centre:?}");
    }

    #[test]
    fn incomplete_samples_are_refused() {
        for bad in [&[][..], &[1.0], &[1.0, 2.0, 3.0], &[1.0, f64::NAN]] {
            assert!(PublicSample::new(2, bad).is_err());
        }
    }
}
