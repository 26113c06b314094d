//! How vectors become reports.
//!
//! A mechanism on vectors has a public *clip set*: it first moves a vector into that set, then randomises it. What a report
//! promises holds between any two vectors whatsoever, because clipping happens before anything is drawn.
//!
//! A report is a fixed number of 32-bit integers, its *codes*; `decode` turns them into a vector again. Nothing but these
//! integers leaves the device, so neither the length of a vector nor which of its coordinates are zero shows.

mod axis;
mod cap;
mod clip;
mod coordinate_laplace;
mod gaussian_noise;
mod gaussian_vector;
mod heights;
mod instance_optimal;
mod laplace_noise;
mod laplace_vector;
mod lattice;
mod plan;
mod privunit;
mod privunit_g;
mod sampled_coordinates;
mod sums;
mod task_aware_linear;

pub use clip::{ClipSet, Sensitivity};
pub use coordinate_laplace::{CoordinateLaplace, SharedBudget};
pub use gaussian_noise::{GaussianMechanism, GaussianRule};
pub use gaussian_vector::{GaussianVector, RoundBall};
pub use instance_optimal::{InstanceOptimal, ShiftedBall};
pub use laplace_noise::{LaplaceMechanism, LaplaceRule};
pub use laplace_vector::{DiamondBall, LaplaceVector};
pub use plan::{KnownDeviations, Plan};
pub use privunit::PrivUnit;
pub use privunit_g::PrivUnitG;
pub use sampled_coordinates::SampledCoordinates;
pub use task_aware_linear::{LinearTask, TaskAwareLinear};

use crate::VectorError;
use privet_core::{
    CryptoRng, Dimension, Fingerprint, Fraction, Guarantee, InputError, MechanismInfo, Piece, ReportError,
    Values, Vectors,
};
use privet_estimators::CoordinateNoise;
use std::fmt::Debug;

/// A mechanism on vectors of one dimension, with its public clip set.
pub trait VectorMechanism: Debug + Send + Sync {
    /// What is said about it.
    fn info(&self) -> MechanismInfo;

    /// Where vectors are moved before they are randomised.
    fn clip(&self) -> &ClipSet;

    /// What one report promises between any two vectors.
    fn guarantee(&self) -> Guarantee;

    /// The mechanism with all its parameters, in short.
    fn fingerprint(&self) -> Fingerprint;

    /// Whether the mean report is the clipped vector, up to the rounding that the mechanism's page bounds.
    fn is_unbiased(&self) -> bool;

    /// The largest expected squared distance between a report and the clipped vector, over the clip set.
    fn mean_squared_error(&self) -> f64;

    /// The variance of each coordinate of a report, where it depends on the vector averaged over all directions (sphere) or
    /// the worst (box). They add up to the mean squared error of an unbiased mechanism.
    fn coordinate_variances(&self) -> Vec<f64>;

    /// No coordinate of a report is further from zero than this.
    fn report_bound(&self) -> f64;

    /// How each coordinate of a report varies around its mean, whatever the vector, for intervals.
    fn coordinate_noise(&self) -> Vec<CoordinateNoise>;

    /// How many integers a report has.
    fn code_count(&self) -> usize;

    /// Clips a vector and draws its report. The vector must be one of [`Vectors`] of this dimension and `codes` must have room
    /// for [`VectorMechanism::code_count`] integers; callers without that certainty use [`VectorMechanism::randomize`].
    fn draw(&self, vector: &[f64], codes: &mut [i32], rng: &mut dyn CryptoRng);

    /// The vector that a report stands for.
    ///
    /// # Errors
    /// When the integers are none that this mechanism writes.
    fn decode(&self, codes: &[i32], report: &mut [f64]) -> Result<(), ReportError>;

    /// The logarithm of how much likelier a report is under the first vector than under the second, for audits.
    ///
    /// # Errors
    /// When a vector or the report is none of this mechanism's.
    fn log_ratio(&self, vectors: [&[f64]; 2], codes: &[i32]) -> Result<f64, VectorError>;

    /// Two vectors between which the largest ratio occurs.
    fn worst_vectors(&self) -> [Vec<f64>; 2];

    /// The law of a report in a few numbers, for `describe`: of its height along the truth, or of the noise in one coordinate.
    fn pieces(&self) -> Vec<Piece>;

    /// The name that programs use.
    fn id(&self) -> &'static str {
        self.info().id
    }

    /// How many coordinates vectors and reports have.
    fn dimension(&self) -> Dimension {
        self.clip().dimension()
    }

    /// The vector that a report stands for, in a place of its own.
    ///
    /// # Errors
    /// When the integers are none that this mechanism writes.
    fn read(&self, codes: &[i32]) -> Result<Vec<f64>, ReportError> {
        let mut report = vec![0.0; self.dimension().get()];
        self.decode(codes, &mut report)?;
        Ok(report)
    }

    /// The coordinates of a column of vectors of this dimension, all finite.
    ///
    /// # Errors
    /// When the column holds anything else; the error names the position of a vector that is not finite.
    fn column<'a>(&self, vectors: &'a Values) -> Result<&'a [f64], VectorError> {
        let dimension = self.dimension();
        match vectors {
            Values::Vectors { dimension: theirs, coordinates } if *theirs == dimension => {
                check_batch(dimension, coordinates)?;
                Ok(coordinates)
            }
            _ => {
                let domain = Vectors::new(dimension).to_string();
                Err(VectorError::Input(InputError::WrongKind { domain }))
            }
        }
    }

    /// How many bytes an encoded report has.
    fn report_bytes(&self) -> usize {
        4 * self.code_count()
    }

    /// Clips a vector and draws its report, as a vector.
    ///
    /// # Errors
    /// When the vector or the room for the report has another dimension, or a coordinate is not a finite number. Nothing is
    /// drawn then.
    fn randomize(
        &self,
        vector: &[f64],
        report: &mut [f64],
        rng: &mut dyn CryptoRng,
    ) -> Result<(), VectorError> {
        checked(self.dimension(), vector)?;
        self.randomize_batch(vector, report, rng)
    }

    /// As [`VectorMechanism::randomize`], for vectors one after the other.
    ///
    /// # Errors
    /// As for [`VectorMechanism::randomize`]; the error names the position.
    fn randomize_batch(
        &self,
        vectors: &[f64],
        reports: &mut [f64],
        rng: &mut dyn CryptoRng,
    ) -> Result<(), VectorError> {
        let dimension = self.dimension().get();
        check_batch(self.dimension(), vectors)?;
        if reports.len() != vectors.len() {
            return Err(VectorError::Room { expected: vectors.len(), got: reports.len() });
        }
        let mut codes = vec![0; self.code_count()];
        for (vector, report) in vectors.chunks_exact(dimension).zip(reports.chunks_exact_mut(dimension)) {
            self.draw(vector, &mut codes, rng);
            self.decode(&codes, report)?;
        }
        Ok(())
    }
}

/// Refuses a batch in which a vector is not complete or not finite.
fn check_batch(dimension: Dimension, vectors: &[f64]) -> Result<(), VectorError> {
    let domain = Vectors::new(dimension);
    for (position, vector) in (1u64..).zip(vectors.chunks(dimension.get())) {
        domain.check(vector).map_err(|error| VectorError::Input(error).at(position))?;
    }
    Ok(())
}

/// The vector, if it is one of this dimension.
fn checked(dimension: Dimension, vector: &[f64]) -> Result<&[f64], VectorError> {
    Vectors::new(dimension).check(vector)?;
    Ok(vector)
}

/// The coordinate of a report along a vector, or `None` for a zero vector.
fn height_of(dimension: Dimension, vector: &[f64], report: &[f64]) -> Result<Option<f64>, VectorError> {
    let vector = clip::in_number_range(checked(dimension, vector)?);
    let length = clip::l2_norm(&vector);
    let product: f64 = vector.iter().zip(report).map(|(x, y)| x / length * y).sum();
    Ok((length > 0.0).then_some(product))
}

/// Plus and minus the first axis, as far out as the radius.
fn opposite_vectors(dimension: Dimension, radius: f64) -> [Vec<f64>; 2] {
    [radius, -radius].map(|first| {
        let mut vector = vec![0.0; dimension.get()];
        vector[0] = first;
        vector
    })
}

/// How a coordinate varies to which symmetric noise is added: the fourth central moment of the noise is so many times its squared
/// variance, and the mean lies in a range.
fn added_noise(variance: f64, kurtosis: f64, means: [f64; 2]) -> CoordinateNoise {
    // The fourth power of the largest noise that there may be is beyond all numbers.
    let unit = CoordinateNoise::of_moments([[1.0, 0.0, kurtosis]], [0.0; 2]);
    CoordinateNoise { means, ..unit.scaled(variance.sqrt()) }
}

/// The law of noise in a few numbers: within one scale, and beyond on both sides out to `reach` scales, each with probability `beyond`.
fn noise_pieces(scale: f64, reach: f64, beyond: f64) -> Vec<Piece> {
    let side = Fraction::of_weight((beyond * 2f64.powi(64)) as u64);
    let within = Fraction::whole(1).minus(&(&side + &side));
    vec![
        Piece::range(-reach * scale, -scale, &side),
        Piece::range(-scale, scale, &within),
        Piece::range(scale, reach * scale, &side),
    ]
}
