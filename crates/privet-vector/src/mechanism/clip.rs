//! Where vectors are moved before they are randomised.

use super::sums::dot;
use nalgebra::{DMatrix, DVector};
use privet_core::{Dimension, FingerprintBuilder, ParameterError};
use std::borrow::Cow;

/// A public set of vectors, and the way into it. Every radius is finite and above zero.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ClipSet {
    /// The absolute coordinates add up to at most the radius; longer vectors are shortened.
    L1Ball {
        /// How many coordinates.
        dimension: Dimension,
        /// The largest sum.
        radius: f64,
    },
    /// The Euclidean length is at most the radius; longer vectors are shortened.
    L2Ball {
        /// How many coordinates.
        dimension: Dimension,
        /// The largest length.
        radius: f64,
    },
    /// The Euclidean length *is* the radius: only the direction of a vector is kept. A zero vector has none and stays zero
    /// here; the mechanisms give it a uniform one.
    Sphere {
        /// How many coordinates.
        dimension: Dimension,
        /// The length.
        radius: f64,
    },
    /// Each coordinate lies between minus and plus its own radius.
    Box {
        /// The radii.
        radii: Vec<f64>,
    },
    /// The coordinates, less a centre and each divided by its own radius, have a Euclidean length of at most one; vectors
    /// outside are moved towards the centre.
    Ellipsoid {
        /// The public centre.
        centre: Vec<f64>,
        /// The half axes.
        radii: Vec<f64>,
    },
    /// The image of the vector, less a centre, under a public matrix has a Euclidean length of at most the radius; vectors outside are
    /// moved towards the centre.
    Image {
        /// The public centre.
        centre: DVector<f64>,
        /// The public matrix.
        matrix: DMatrix<f64>,
        /// The largest length of the image.
        radius: f64,
    },
}

/// How far two vectors of a clip set can be apart, in the norm that its mechanisms calibrate to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sensitivity {
    /// In the sum of absolute differences.
    L1(f64),
    /// In the Euclidean distance.
    L2(f64),
    /// In the Euclidean distance after division by the half axes, or of the images.
    ScaledL2(f64),
}

impl ClipSet {
    /// The vectors whose absolute coordinates add up to at most `radius`.
    ///
    /// # Errors
    /// When the radius is not a finite number above zero.
    pub fn l1_ball(dimension: Dimension, radius: f64) -> Result<Self, ParameterError> {
        check_radius(radius)?;
        Ok(Self::L1Ball { dimension, radius })
    }

    /// The vectors no longer than `radius`.
    ///
    /// # Errors
    /// When the radius is not a finite number above zero.
    pub fn l2_ball(dimension: Dimension, radius: f64) -> Result<Self, ParameterError> {
        check_radius(radius)?;
        Ok(Self::L2Ball { dimension, radius })
    }

    /// The vectors as long as `radius`.
    ///
    /// # Errors
    /// When the radius is not a finite number above zero.
    pub fn sphere(dimension: Dimension, radius: f64) -> Result<Self, ParameterError> {
        check_radius(radius)?;
        Ok(Self::Sphere { dimension, radius })
    }

    /// The vectors with each coordinate between minus and plus its radius.
    ///
    /// # Errors
    /// When there is no radius, or one is not a finite number above zero.
    pub fn box_of(radii: Vec<f64>) -> Result<Self, ParameterError> {
        check_radii(&radii)?;
        Ok(Self::Box { radii })
    }

    /// The vectors in an ellipsoid along the coordinates.
    ///
    /// # Errors
    /// When centre and radii are not equally many, or a number is not finite, or a radius is not above zero.
    pub fn ellipsoid(centre: Vec<f64>, radii: Vec<f64>) -> Result<Self, ParameterError> {
        check_radii(&radii)?;
        if centre.len() != radii.len() || centre.iter().any(|coordinate| !coordinate.is_finite()) {
            return Err(ParameterError::Incompatible {
                reason: format!("a centre must have {} finite coordinates", radii.len()),
            });
        }
        Ok(Self::Ellipsoid { centre, radii })
    }

    /// The vectors whose image, less a centre, is no longer than `radius`.
    ///
    /// # Errors
    /// When centre and matrix do not fit, a number is not finite, or the radius is not a finite number above zero.
    pub fn image(centre: DVector<f64>, matrix: DMatrix<f64>, radius: f64) -> Result<Self, ParameterError> {
        check_radius(radius)?;
        Dimension::of(centre.as_slice())?;
        if matrix.ncols() != centre.len() || centre.iter().chain(&matrix).any(|number| !number.is_finite()) {
            return Err(ParameterError::Incompatible {
                reason: format!("a matrix for {} coordinates must have as many finite columns", centre.len()),
            });
        }
        Ok(Self::Image { centre, matrix, radius })
    }

    /// The same set, so many times as large around its centre.
    ///
    /// # Errors
    /// When a radius is then too large or too small.
    pub fn scaled(&self, factor: f64) -> Result<Self, ParameterError> {
        let all = |radii: &[f64]| radii.iter().map(|radius| radius * factor).collect::<Vec<_>>();
        match self {
            Self::L1Ball { dimension, radius } => Self::l1_ball(*dimension, radius * factor),
            Self::L2Ball { dimension, radius } => Self::l2_ball(*dimension, radius * factor),
            Self::Sphere { dimension, radius } => Self::sphere(*dimension, radius * factor),
            Self::Box { radii } => Self::box_of(all(radii)),
            Self::Ellipsoid { centre, radii } => Self::ellipsoid(centre.clone(), all(radii)),
            Self::Image { centre, matrix, radius } => {
                Self::image(centre.clone(), matrix.clone(), radius * factor)
            }
        }
    }

    /// How many coordinates the vectors have.
    pub fn dimension(&self) -> Dimension {
        match self {
            Self::L1Ball { dimension, .. }
            | Self::L2Ball { dimension, .. }
            | Self::Sphere { dimension, .. } => *dimension,
            Self::Box { radii } | Self::Ellipsoid { radii, .. } => dimension_of(radii),
            Self::Image { centre, .. } => dimension_of(centre.as_slice()),
        }
    }

    /// Between which numbers a coordinate of the vectors lies; infinite where the set does not bound it.
    pub fn range(&self, coordinate: usize) -> [f64; 2] {
        match self {
            Self::L1Ball { radius, .. } | Self::L2Ball { radius, .. } | Self::Sphere { radius, .. } => {
                [-radius, *radius]
            }
            Self::Box { radii } => [-radii[coordinate], radii[coordinate]],
            Self::Ellipsoid { centre, radii } => {
                [-1.0, 1.0].map(|side| centre[coordinate] + side * radii[coordinate])
            }
            Self::Image { .. } => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// How far two vectors of the set can be apart.
    pub fn sensitivity(&self) -> Sensitivity {
        match self {
            Self::L1Ball { radius, .. } => Sensitivity::L1(2.0 * radius),
            Self::L2Ball { radius, .. } | Self::Sphere { radius, .. } => Sensitivity::L2(2.0 * radius),
            Self::Box { radii } => Sensitivity::L1(2.0 * radii.iter().sum::<f64>()),
            Self::Ellipsoid { .. } => Sensitivity::ScaledL2(2.0),
            Self::Image { radius, .. } => Sensitivity::ScaledL2(2.0 * radius),
        }
    }

    /// Moves a vector of this dimension into the set, up to rounding. Coordinates beyond 1e150 count as 1e150.
    pub fn apply(&self, vector: &mut [f64]) {
        match self {
            Self::L1Ball { radius, .. } => {
                tame(vector);
                shorten(vector, l1_norm(vector), *radius);
            }
            Self::L2Ball { radius, .. } => {
                tame(vector);
                shorten(vector, l2_norm(vector), *radius);
            }
            Self::Sphere { radius, .. } => {
                tame(vector);
                let norm = l2_norm(vector);
                if norm > 0.0 {
                    vector.iter_mut().for_each(|coordinate| *coordinate = *coordinate / norm * radius);
                }
            }
            Self::Box { radii } => {
                let coordinates = vector.iter_mut().zip(radii);
                coordinates.for_each(|(coordinate, radius)| *coordinate = coordinate.clamp(-radius, *radius));
            }
            Self::Ellipsoid { centre, radii } => {
                let axes = || centre.iter().zip(radii);
                vector.iter_mut().zip(axes()).for_each(|(x, (middle, radius))| *x = (*x - middle) / radius);
                tame(vector);
                shorten(vector, l2_norm(vector), 1.0);
                vector.iter_mut().zip(axes()).for_each(|(x, (middle, radius))| *x = middle + *x * radius);
            }
            Self::Image { centre, matrix, radius } => {
                tame(vector);
                let off = DVector::from_column_slice(vector) - centre;
                // Scaled down first, so that the image of a huge vector is finite.
                let size = off.amax().max(1.0);
                let length = (matrix * (&off / size)).norm();
                let share = if length * size > *radius { radius / length / size } else { 1.0 };
                vector.copy_from_slice((centre + off * share).as_slice());
            }
        }
    }

    /// Adds everything that distinguishes this set to a fingerprint.
    pub fn identify(&self, builder: &mut FingerprintBuilder) {
        let name = match self {
            Self::L1Ball { .. } => "l1-ball",
            Self::L2Ball { .. } => "l2-ball",
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Image { .. } => "image",
        };
        builder.text(name).number(self.dimension().get() as u64);
        match self {
            Self::L1Ball { radius, .. } | Self::L2Ball { radius, .. } | Self::Sphere { radius, .. } => {
                builder.number(radius.to_bits());
            }
            Self::Box { radii } => identify_all(radii, builder),
            Self::Ellipsoid { centre, radii } => {
                identify_all(centre, builder);
                identify_all(radii, builder);
            }
            Self::Image { centre, matrix, radius } => {
                identify_all(centre.as_slice(), builder);
                identify_all(matrix.as_slice(), builder);
                builder.number(radius.to_bits());
            }
        }
    }
}

fn identify_all(numbers: &[f64], builder: &mut FingerprintBuilder) {
    numbers.iter().for_each(|number| {
        builder.number(number.to_bits());
    });
}

fn dimension_of(radii: &[f64]) -> Dimension {
    // Constructors have checked it; a set that was made by hand without any radius has no smaller one.
    Dimension::of(radii).unwrap_or(Dimension::ONE)
}

fn check_radius(radius: f64) -> Result<(), ParameterError> {
    // Squares of lengths and of noise must stay finite numbers above zero.
    const RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;
    if RANGE.contains(&radius) {
        return Ok(());
    }
    Err(ParameterError::Incompatible {
        reason: format!("a clip radius must be between 1e-100 and 1e100: got {radius}"),
    })
}

fn check_radii(radii: &[f64]) -> Result<(), ParameterError> {
    Dimension::of(radii)?;
    radii.iter().try_for_each(|radius| check_radius(*radius))
}

/// Keeps sums of squares finite.
fn tame(vector: &mut [f64]) {
    const FURTHEST: f64 = 1e150;
    vector.iter_mut().for_each(|coordinate| *coordinate = coordinate.clamp(-FURTHEST, FURTHEST));
}

fn shorten(vector: &mut [f64], norm: f64, radius: f64) {
    if norm > radius {
        vector.iter_mut().for_each(|coordinate| *coordinate = *coordinate / norm * radius);
    }
}

/// The sum of the absolute coordinates.
pub(crate) fn l1_norm(vector: &[f64]) -> f64 {
    vector.iter().map(|coordinate| coordinate.abs()).sum()
}

/// The Euclidean length of a vector whose squares are finite.
pub(crate) fn l2_norm(vector: &[f64]) -> f64 {
    let squares = dot(vector, vector);
    if squares > 1e-200 {
        return squares.sqrt();
    }
    // The squares of tiny coordinates vanish, but their direction is still one.
    let largest = vector.iter().fold(0.0f64, |largest, coordinate| largest.max(coordinate.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let scaled: f64 = vector.iter().map(|coordinate| (coordinate / largest).powi(2)).sum();
    largest * scaled.sqrt()
}

/// The vector itself, or one of length one with the same direction where its squares would leave the range of numbers.
pub(crate) fn in_number_range(vector: &[f64]) -> Cow<'_, [f64]> {
    let squares = dot(vector, vector);
    if (1e-200..1e200).contains(&squares) {
        return Cow::Borrowed(vector);
    }
    let mut direction = vector.to_vec();
    tame(&mut direction);
    let norm = l2_norm(&direction);
    if norm > 0.0 {
        direction.iter_mut().for_each(|coordinate| *coordinate /= norm);
    }
    Cow::Owned(direction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clipped(set: &ClipSet, vector: &[f64]) -> Vec<f64> {
        let mut vector = vector.to_vec();
        set.apply(&mut vector);
        vector
    }

    fn plane() -> Dimension {
        Dimension::new(2).unwrap()
    }

    #[test]
    fn vectors_outside_are_shortened_and_others_stay() {
        let l1 = ClipSet::l1_ball(plane(), 2.0).unwrap();
        assert_eq!(clipped(&l1, &[3.0, -1.0]), [1.5, -0.5]);
        assert_eq!(clipped(&l1, &[1.5, -0.25]), [1.5, -0.25]);
        let l2 = ClipSet::l2_ball(plane(), 1.0).unwrap();
        assert_eq!(clipped(&l2, &[3.0, -4.0]), [0.6, -0.8]);
        assert_eq!(clipped(&l2, &[0.3, -0.4]), [0.3, -0.4]);
        let sphere = ClipSet::sphere(plane(), 5.0).unwrap();
        assert_eq!(clipped(&sphere, &[0.3, -0.4]), [3.0, -4.0]);
        assert_eq!(clipped(&sphere, &[0.0, 0.0]), [0.0, 0.0]);
        let corner = ClipSet::box_of(vec![1.0, 2.0]).unwrap();
        assert_eq!(clipped(&corner, &[-9.0, 1.5]), [-1.0, 1.5]);
        let ellipsoid = ClipSet::ellipsoid(vec![1.0, 0.0], vec![2.0, 1.0]).unwrap();
        assert_eq!(clipped(&ellipsoid, &[9.0, 0.0]), [3.0, 0.0]);
        assert_eq!(clipped(&ellipsoid, &[2.0, 0.5]), [2.0, 0.5]);
    }

    #[test]
    fn extreme_vectors_stay_finite_and_inside() {
        let sets = [
            ClipSet::l1_ball(plane(), 1e100).unwrap(),
            ClipSet::l2_ball(plane(), 1e-100).unwrap(),
            ClipSet::sphere(plane(), 1.0).unwrap(),
            ClipSet::ellipsoid(vec![1e100, 0.0], vec![1e-100, 1e100]).unwrap(),
        ];
        for set in &sets {
            for vector in [[f64::MAX, -f64::MAX], [5e-324, 0.0], [1e-300, 1e-301], [0.0, f64::MAX]] {
                let inside = clipped(set, &vector);
                assert!(inside.iter().all(|coordinate| coordinate.is_finite()), "{set:?}");
            }
        }
        let direction = clipped(&sets[2], &[3e-300, -4e-300]);
        assert!((direction[0] - 0.6).abs() < 1e-12 && (direction[1] + 0.8).abs() < 1e-12);
    }

    #[test]
    fn radii_must_be_usable() {
        for radius in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-200, 1e200] {
            assert!(ClipSet::l1_ball(plane(), radius).is_err(), "{radius}");
            assert!(ClipSet::l2_ball(plane(), radius).is_err(), "{radius}");
            assert!(ClipSet::sphere(plane(), radius).is_err(), "{radius}");
            assert!(ClipSet::box_of(vec![1.0, radius]).is_err(), "{radius}");
        }
        assert!(ClipSet::box_of(Vec::new()).is_err());
        assert!(ClipSet::ellipsoid(vec![0.0], vec![1.0, 1.0]).is_err());
        assert!(ClipSet::ellipsoid(vec![f64::NAN], vec![1.0]).is_err());
    }
}
