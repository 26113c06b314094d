//! Gaussian noise in every coordinate.

use super::ClipSet;
use super::gaussian_noise::{GaussianMechanism, GaussianRule};
use privet_core::{Delta, Dimension, Epsilon, MechanismInfo, Numerics, ParameterError};

/// The rule of [`GaussianVector`].
#[derive(Debug, Clone, Copy)]
pub struct RoundBall;

/// Gaussian mechanism on the L2 ball, analytically calibrated (AGM).
///
/// # What it protects
/// A vector no longer than a public radius, for example an embedding or a gradient.
/// # Formula
/// y = x + noise, normal in each coordinate with the smallest standard deviation s for which, with r = s / (2 R), Phi(1/(2r) - epsilon
/// r) - e^epsilon Phi(-1/(2r) - epsilon r) <= delta. Unbiased on the ball; squared error d s^2 for every vector. At epsilon 1,
/// delta 1e-5: s = 7.461 R.
/// # Domain
/// `vector:D`. Vectors outside the ball are shortened to its border.
/// # Guarantee
/// (epsilon, delta) in the standard sense, tight between opposite vectors. There is no default delta, and none below 1e-30: the
/// sampler's tails end. Above epsilon 100 no more is spent.
/// # Cost
/// 4 bytes and about one random word per coordinate.
/// # Numerics
/// The vector is rounded to whole steps towards zero, at least 2^26 of them to a standard deviation, and noise that is rounded to whole
/// steps by itself is added. The sum is what rounding the sum of both would give, so the guarantee is that of the Gaussian mechanism on
/// whole vectors, followed by rounding; the noise never meets the vector's last digits. Stated for real arithmetic only in that the
/// normal numbers are made from 53 random bits each. The deviation is solved with room for the rounding of both
/// tails (1e-12 of the larger one) and raised by 1e-12. Rounding moves the
/// mean by less than one step; reports beyond 2^31 steps, at least 16 deviations outside the ball, are moved there.
/// # When not to use it
/// Where a pure guarantee is wanted: [`super::PrivUnit`] gives one, with a smaller error at every delta below about 1e-3.
/// # Reference
/// B. Balle, Y.-X. Wang, "Improving the Gaussian mechanism for differential privacy: analytical calibration and optimal denoising",
/// ICML 2018.
/// # Example
/// ```
/// use privet_core::{Delta, Dimension, Epsilon};
/// use privet_vector::mechanism::{GaussianVector, VectorMechanism};
/// let delta = Some(Delta::new(1e-5)?);
/// let mechanism = GaussianVector::new(Dimension::new(64)?, 1.0, Epsilon::new(1.0)?, delta)?;
/// assert!((mechanism.deviation() - 7.461).abs() < 1e-3);
/// assert!(GaussianVector::new(Dimension::new(64)?, 1.0, Epsilon::new(1.0)?, None).is_err());
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "AGM")]
pub type GaussianVector = GaussianMechanism<RoundBall>;

impl GaussianRule for RoundBall {
    const INFO: MechanismInfo = MechanismInfo {
        id: "gaussian-vector",
        synonyms: &["agm"],
        title: "Gaussian mechanism on vectors",
        domain: "vector",
        goal: "mean",
        guarantee: "approximate",
        numerics: Numerics::RealArithmetic,
        slack: "1e-12 of the deviation; capped at epsilon 100",
        reference: "Balle, Wang 2018",
        status: "stable",
    };
}

impl GaussianVector {
    /// Vectors no longer than `radius`.
    ///
    /// # Errors
    /// When the radius is not usable, there is no delta above zero, or epsilon is too small.
    pub fn new(
        dimension: Dimension,
        radius: f64,
        epsilon: Epsilon,
        delta: Option<Delta>,
    ) -> Result<Self, ParameterError> {
        let axes = [vec![0.0; dimension.get()], vec![radius; dimension.get()]];
        Self::on(ClipSet::l2_ball(dimension, radius)?, axes, epsilon, delta)
    }
}
