//! Normal numbers, more often from the half space around the truth.

use super::axis::Axis;
use super::cap::Cap;
use super::lattice::FixedPoint;
use super::privunit::refuse_single;
use super::{ClipSet, VectorMechanism, clip, height_of, heights, opposite_vectors};
use crate::VectorError;
use crate::sampling::{HeightSampler, normal_beyond, normal_within};
use crate::special::{
    SphereLaw, mean_inverse_length, normal_above, normal_moments_above, normalized_moments_above,
    square_above,
};
use privet_core::{
    CryptoRng, Dimension, Epsilon, Fingerprint, FingerprintBuilder, Guarantee, MechanismInfo, Numerics,
    ParameterError, Piece, ReportError,
};
use privet_estimators::CoordinateNoise;
use privet_estimators::statistics::chi_square_upper_tail;

/// Two ways to draw a normal number above a threshold are exact; below this one, drawing any and dropping the sign keeps more
/// proposals. It is where a threshold is twice the density there.
const LOW_THRESHOLD: f64 = 0.647;

/// PrivUnitG: the direction of a vector, inside normal noise.
///
/// # What it protects
/// The direction of a vector, for example an embedding or a gradient. Its length is replaced by a public one.
/// # Formula
/// Let u be the direction and Q the tail of the normal law, phi its density. With probability p = E Q(g) / (E Q(g) + 1 - Q(g)) the
/// height h is a normal number above g, otherwise one below; the point is h u and independent normal numbers at a right angle to
/// it. The mean height is A(g) = (E - 1) phi(g) / (E Q(g) + 1 - Q(g)); the threshold g solves A(g) = g: .39746, 1.85064, 3.26006 at
/// epsilon 1, 5, 10 in every dimension.
///
/// [`PrivUnitG::new`] reports (R / A) times the point: unbiased on the sphere of radius R, squared error R^2 ((d - 1 + S)/A^2 - 1)
/// with S the mean square of h. [`PrivUnitG::normalized`] divides the point by its length first and reports (R / A') times the
/// result, with A' the mean height after the division: also unbiased, squared error R^2 (1/A'^2 - 1), which is smaller. At d = 64:
/// A' = .04981, .2261, .3781 at epsilon 1, 5, 10.
/// # Domain
/// `vector:D` from 2 to 65 536 coordinates. Any vector is moved to the sphere; a zero vector gets a uniform direction.
/// # Guarantee
/// Pure epsilon, tight: the density has two values against that of normal numbers, whose ratio is e^epsilon. Above epsilon 40 no more
/// is spent.
/// # Cost
/// 4 bytes per coordinate; about one random word per coordinate. The threshold does not depend on the dimension.
/// # Numerics
/// Stated for real arithmetic, as for [`super::PrivUnit`]. Reports of [`PrivUnitG::new`] are multiples of a power of two between 2^-30
/// and 2^-29 of 16 + g standard deviations, and coordinates further out (probability below 1e-56) are moved there.
/// # When not to use it
/// Almost always: [`super::PrivUnit`] has the smaller error in every dimension, most of all in few dimensions.
/// # Reference
/// H. Asi, V. Feldman, K. Talwar, "Optimal algorithms for mean estimation under local differential privacy", ICML 2022.
/// # Example
/// ```
/// use privet_core::{Dimension, Epsilon};
/// use privet_vector::mechanism::{PrivUnitG, VectorMechanism};
/// let dimension = Dimension::new(64)?;
/// let plain = PrivUnitG::new(dimension, 1.0, Epsilon::new(5.0)?)?;
/// let normalized = PrivUnitG::normalized(dimension, 1.0, Epsilon::new(5.0)?)?;
/// assert!((plain.threshold() - 1.85064).abs() < 1e-5);
/// assert!(normalized.mean_squared_error() < plain.mean_squared_error());
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivUnitG {
    clip: ClipSet,
    radius: f64,
    cap: Cap,
    /// The law of heights on the sphere, for the length at a right angle to a direction that a zero vector does not have.
    heights: HeightSampler,
    is_normalized: bool,
    /// What the point is multiplied by.
    scale: f64,
    mean_squared_error: f64,
    lattice: FixedPoint,
}

impl PrivUnitG {
    /// The facts of the page.
    pub const INFO: MechanismInfo = MechanismInfo {
        id: "privunit-g",
        synonyms: &["privunitg"],
        title: "PrivUnitG",
        domain: "vector",
        goal: "mean",
        guarantee: "pure",
        numerics: Numerics::RealArithmetic,
        slack: "1e-12; capped at epsilon 40",
        reference: "Asi, Feldman, Talwar 2022",
        status: "stable",
    };

    /// The facts of the variant that divides by the length.
    pub const NORMALIZED_INFO: MechanismInfo = MechanismInfo {
        id: "privunit-g-normalized",
        synonyms: &["privunitg-normalized"],
        title: "PrivUnitG, normalised",
        ..Self::INFO
    };

    /// Directions in a dimension, on the sphere of a public radius.
    ///
    /// # Errors
    /// When there is only one coordinate, or the radius is not usable.
    pub fn new(dimension: Dimension, radius: f64, epsilon: Epsilon) -> Result<Self, ParameterError> {
        refuse_single(&Self::INFO, dimension)?;
        let (clip, cap) = (ClipSet::sphere(dimension, radius)?, solve(epsilon)?);
        let scale = radius / cap.mean;
        let squares = dimension.as_f64() - 1.0 + cap.mean_of(square_above(cap.threshold), 1.0);
        // A coordinate is a share of the height and normal noise; 16 deviations have probability 1e-57.
        let reach = scale * (cap.threshold + 16.0);
        Ok(Self {
            clip,
            radius,
            cap,
            heights: HeightSampler::new(dimension, 0.0),
            is_normalized: false,
            scale,
            mean_squared_error: scale * scale * squares - radius * radius,
            lattice: FixedPoint::reaching(reach),
        })
    }

    /// As [`PrivUnitG::new`], with reports of one length.
    ///
    /// # Errors
    /// As for [`PrivUnitG::new`].
    pub fn normalized(dimension: Dimension, radius: f64, epsilon: Epsilon) -> Result<Self, ParameterError> {
        refuse_single(&Self::NORMALIZED_INFO, dimension)?;
        let (clip, cap) = (ClipSet::sphere(dimension, radius)?, solve(epsilon)?);
        // Against the mean height before the division: both are means over the same heights above the threshold.
        let mean = cap.mean * mean_inverse_length(dimension, cap.threshold);
        let scale = radius / mean;
        Ok(Self {
            clip,
            radius,
            cap,
            heights: HeightSampler::new(dimension, 0.0),
            is_normalized: true,
            scale,
            mean_squared_error: (scale - radius) * (scale + radius),
            lattice: FixedPoint::reaching(scale),
        })
    }

    /// The height at which the half space begins.
    pub fn threshold(&self) -> f64 {
        self.cap.threshold
    }

    /// The mean height of a report of length one along the truth; before the division by its length for [`PrivUnitG::new`].
    pub fn mean_height(&self) -> f64 {
        self.radius / self.scale
    }

    /// The logarithm of the density of a point, against that of normal numbers (of a uniform direction where the length is lost):
    /// at a height along the truth, or for a zero vector.
    fn log_density(&self, height: Option<f64>, length: f64) -> f64 {
        let threshold = self.cap.threshold;
        match (height, self.is_normalized) {
            (Some(height), false) => self.cap.log_density(height),
            (Some(height), true) if height <= 0.0 => self.cap.log_mixture(0.0),
            // The length that was lost is chi-square, and must have been at least this much.
            (Some(height), true) => {
                let degrees = self.dimension().get() as u64;
                self.cap.log_mixture(chi_square_upper_tail((threshold / height).powi(2), degrees))
            }
            // Over all directions that the zero vector may have been given.
            (None, false) if length <= threshold => self.cap.log_mixture(0.0),
            (None, false) => {
                let law = SphereLaw::new(self.dimension());
                self.cap.log_mixture(law.above(threshold / length).mass)
            }
            (None, true) => 0.0,
        }
    }

    fn draw_height(&self, rng: &mut dyn CryptoRng) -> f64 {
        let threshold = self.cap.threshold;
        if !self.cap.choose(rng) {
            return normal_within(|x| x < threshold, rng);
        }
        if threshold < LOW_THRESHOLD {
            normal_within(|x| x.abs() >= threshold, rng).abs()
        } else {
            normal_beyond(threshold, rng)
        }
    }
}

fn solve(epsilon: Epsilon) -> Result<Cap, ParameterError> {
    Cap::solve(epsilon, f64::MAX, normal_above)
}

impl VectorMechanism for PrivUnitG {
    fn info(&self) -> MechanismInfo {
        if self.is_normalized { Self::NORMALIZED_INFO } else { Self::INFO }
    }

    fn clip(&self) -> &ClipSet {
        &self.clip
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Pure { epsilon: self.cap.epsilon }
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(self.id());
        self.clip.identify(&mut builder);
        builder.number(self.cap.epsilon.get().to_bits());
        builder.finish()
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn mean_squared_error(&self) -> f64 {
        self.mean_squared_error
    }

    fn coordinate_variances(&self) -> Vec<f64> {
        let dimension = self.dimension();
        vec![self.mean_squared_error / dimension.as_f64(); dimension.get()]
    }

    fn report_bound(&self) -> f64 {
        self.lattice.bound()
    }

    fn coordinate_noise(&self) -> Vec<CoordinateNoise> {
        let (dimension, threshold) = (self.dimension(), self.cap.threshold);
        let above = |height: f64| match self.is_normalized {
            true => normalized_moments_above(dimension, height),
            false => normal_moments_above(height),
        };
        let moments = self.cap.moments(above(threshold), above(0.0).both_sides());
        let reports = [-self.report_bound(), self.report_bound()];
        let noise =
            CoordinateNoise { reports, ..heights::coordinate_noise(&moments, &self.clip, self.scale) };
        vec![noise; self.dimension().get()]
    }

    fn code_count(&self) -> usize {
        self.dimension().get()
    }

    fn draw(&self, vector: &[f64], codes: &mut [i32], rng: &mut dyn CryptoRng) {
        let height = self.draw_height(rng);
        // Drawn for every vector, so that a zero vector takes no other words than the rest.
        let share = self.heights.anywhere(rng).across;
        let vector = clip::in_number_range(vector);
        let axis = Axis::draw(&vector, rng);
        let across = if axis.per_length.is_some() { axis.across } else { axis.across * share };
        let length = height.hypot(across);
        let scale = if self.is_normalized { self.scale / length } else { self.scale };
        let (ahead, beside) = match axis.per_length {
            Some(per_length) => (scale * (height - axis.along) * per_length, scale),
            // All directions alike, and the length that any vector's report has.
            None => (0.0, scale * length / axis.across),
        };
        for ((code, coordinate), normal) in codes.iter_mut().zip(vector.iter()).zip(&axis.normals) {
            *code = self.lattice.round(ahead * coordinate + beside * normal);
        }
    }

    fn decode(&self, codes: &[i32], report: &mut [f64]) -> Result<(), ReportError> {
        self.lattice.decode(codes, report)
    }

    fn log_ratio(&self, vectors: [&[f64]; 2], codes: &[i32]) -> Result<f64, VectorError> {
        let report = self.read(codes)?;
        let log_density = |vector: &[f64]| -> Result<f64, VectorError> {
            let height = height_of(self.dimension(), vector, &report)?;
            Ok(self
                .log_density(height.map(|height| height / self.scale), clip::l2_norm(&report) / self.scale))
        };
        Ok(log_density(vectors[0])? - log_density(vectors[1])?)
    }

    fn worst_vectors(&self) -> [Vec<f64>; 2] {
        opposite_vectors(self.dimension(), self.radius)
    }

    fn pieces(&self) -> Vec<Piece> {
        let reach = 16.0 + self.cap.threshold;
        self.cap.pieces([-reach, reach])
    }
}
