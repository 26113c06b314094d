//! A uniform point of the sphere, more often from the cap around the truth.

use super::axis::Axis;
use super::cap::Cap;
use super::lattice::FixedPoint;
use super::{ClipSet, VectorMechanism, clip, height_of, heights, opposite_vectors};
use crate::VectorError;
use crate::sampling::HeightSampler;
use crate::special::SphereLaw;
use privet_core::{
    CryptoRng, Dimension, Epsilon, Fingerprint, FingerprintBuilder, Guarantee, MechanismInfo, Numerics,
    ParameterError, Piece, ReportError,
};
use privet_estimators::CoordinateNoise;

/// PrivUnit (PrivUnit2): the direction of a vector, with the smallest error of all pure mechanisms on the sphere.
///
/// # What it protects
/// The direction of a vector, for example an embedding or a gradient. Its length is replaced by a public one.
/// # Formula
/// Let u be the direction and t the height of a point of the unit sphere along it. With probability p = E P / (E P + 1 - P)
/// the report is a uniform point with t >= g, otherwise one with t < g; P is the share of the sphere with t >= g and E =
/// e^epsilon. The mean height is A(g) = (E - 1) M / (E P + 1 - P) with M = C (1 - g^2)^((d-1)/2) / (d - 1), C = Gamma(d/2) /
/// (sqrt(pi) Gamma((d-1)/2)); the threshold g solves A(g) = g, where A is largest. The report is (R / A) times the point:
/// unbiased on the sphere of radius R, with the squared error R^2 (1/A^2 - 1) for every direction. At d = 64: g = .04985, .22913,
/// .39251 and error 401.5, 18.05, 5.491 at epsilon 1, 5, 10.
/// # Domain
/// `vector:D` from 2 to 65 536 coordinates. Any vector is moved to the sphere; a zero vector gets a uniform direction, so that
/// its report is uniform and nothing shows that it was zero.
/// # Guarantee
/// Pure epsilon, tight: the density has two values, whose ratio is e^epsilon. Above epsilon 40 no more is spent.
/// # Cost
/// 4 bytes per coordinate; about one random word per coordinate.
/// # Numerics
/// Stated for real arithmetic. The threshold is solved to about 1e-14, and e^epsilon is taken 1e-12 smaller, so that no error of
/// the masses costs privacy. The height comes from its own one-dimensional law by rejection, the rest from normal numbers; 64-bit
/// arithmetic moves a coordinate by less than 2^-40 of the report's length for up to 10 000 coordinates. The report is then rounded
/// to multiples of a power of two that is between 2^-30 and 2^-29 of the report's length, which hides those last digits except
/// where a coordinate lies within a thousandth of a step of the middle between two. Rounding moves the mean by less than one step.
/// # When not to use it
/// Where the length of the vector matters, or an approximate guarantee is enough and d is far above epsilon squared.
/// # Reference
/// A. Bhowmick et al., "Protection against reconstruction and its applications in private federated learning", 2018; H. Asi, V.
/// Feldman, K. Talwar, "Optimal algorithms for mean estimation under local differential privacy", ICML 2022. Deviations: one choice
/// with the whole budget, and the best threshold found exactly.
/// # Example
/// ```
/// use privet_core::{Dimension, Epsilon, Generator};
/// use privet_vector::mechanism::{PrivUnit, VectorMechanism};
/// let mechanism = PrivUnit::new(Dimension::new(64)?, 1.0, Epsilon::new(5.0)?)?;
/// assert!((mechanism.mean_squared_error() - 18.05).abs() < 0.005);
/// let mut report = [0.0; 64];
/// mechanism.randomize(&[0.125; 64], &mut report, &mut Generator::from_insecure_seed(1))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "PrivUnit2")]
#[derive(Debug, Clone)]
pub struct PrivUnit {
    clip: ClipSet,
    radius: f64,
    cap: Cap,
    heights: HeightSampler,
    /// The length of every report.
    length: f64,
    lattice: FixedPoint,
}

impl PrivUnit {
    /// The facts of the page.
    pub const INFO: MechanismInfo = MechanismInfo {
        id: "privunit",
        synonyms: &["privunit2"],
        title: "PrivUnit",
        domain: "vector",
        goal: "mean",
        guarantee: "pure",
        numerics: Numerics::RealArithmetic,
        slack: "1e-12; capped at epsilon 40",
        reference: "Bhowmick et al. 2018",
        status: "stable",
    };

    /// Directions in a dimension, on the sphere of a public radius.
    ///
    /// # Errors
    /// When there is only one coordinate, or the radius is not usable.
    pub fn new(dimension: Dimension, radius: f64, epsilon: Epsilon) -> Result<Self, ParameterError> {
        refuse_single(&Self::INFO, dimension)?;
        let clip = ClipSet::sphere(dimension, radius)?;
        let law = SphereLaw::new(dimension);
        let cap = Cap::solve(epsilon, 1.0, |height| law.above(height))?;
        let length = radius / cap.mean;
        let heights = HeightSampler::new(dimension, cap.threshold);
        Ok(Self { clip, radius, cap, heights, length, lattice: FixedPoint::reaching(length) })
    }

    /// The height at which the cap begins.
    pub fn threshold(&self) -> f64 {
        self.cap.threshold
    }
}

/// A direction needs at least two coordinates.
pub(super) fn refuse_single(info: &MechanismInfo, dimension: Dimension) -> Result<(), ParameterError> {
    if dimension > Dimension::ONE {
        return Ok(());
    }
    Err(ParameterError::WrongDomain {
        mechanism: info.id,
        expected: "vectors of at least 2 coordinates",
        got: format!("vector:{dimension}"),
    })
}

impl VectorMechanism for PrivUnit {
    fn info(&self) -> MechanismInfo {
        Self::INFO
    }

    fn clip(&self) -> &ClipSet {
        &self.clip
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Pure { epsilon: self.cap.epsilon }
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(Self::INFO.id);
        self.clip.identify(&mut builder);
        builder.number(self.cap.epsilon.get().to_bits());
        builder.finish()
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn mean_squared_error(&self) -> f64 {
        (self.length - self.radius) * (self.length + self.radius)
    }

    fn coordinate_variances(&self) -> Vec<f64> {
        let dimension = self.dimension();
        vec![self.mean_squared_error() / dimension.as_f64(); dimension.get()]
    }

    fn report_bound(&self) -> f64 {
        self.lattice.bound()
    }

    fn coordinate_noise(&self) -> Vec<CoordinateNoise> {
        let law = SphereLaw::new(self.dimension());
        let moments =
            self.cap.moments(law.moments_above(self.cap.threshold), law.moments_above(0.0).both_sides());
        let reports = [-self.report_bound(), self.report_bound()];
        let noise =
            CoordinateNoise { reports, ..heights::coordinate_noise(&moments, &self.clip, self.length) };
        vec![noise; self.dimension().get()]
    }

    fn code_count(&self) -> usize {
        self.dimension().get()
    }

    fn draw(&self, vector: &[f64], codes: &mut [i32], rng: &mut dyn CryptoRng) {
        let height =
            if self.cap.choose(rng) { self.heights.in_cap(rng) } else { self.heights.below_cap(rng) };
        let vector = clip::in_number_range(vector);
        let axis = Axis::draw(&vector, rng);
        let Some(per_length) = axis.per_length else {
            // A uniform direction, then a point that treats all directions alike: a uniform point.
            let scale = self.length / axis.across;
            codes.iter_mut().zip(&axis.normals).for_each(|(code, x)| *code = self.lattice.round(scale * x));
            return;
        };
        let beside = self.length * height.across / axis.across;
        let ahead = (self.length * height.along - beside * axis.along) * per_length;
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
            Ok(height.map_or(0.0, |height| self.cap.log_density(height / self.length)))
        };
        Ok(log_density(vectors[0])? - log_density(vectors[1])?)
    }

    fn worst_vectors(&self) -> [Vec<f64>; 2] {
        opposite_vectors(self.dimension(), self.radius)
    }

    fn pieces(&self) -> Vec<Piece> {
        self.cap.pieces([-1.0, 1.0])
    }
}
