//! Gaussian noise around a robust public centre.

use super::ClipSet;
use super::gaussian_noise::{GaussianMechanism, GaussianRule};
use crate::PublicSample;
use privet_core::{Delta, Epsilon, MechanismInfo, Numerics, ParameterError, Probability};

/// The rule of [`InstanceOptimal`].
#[derive(Debug, Clone, Copy)]
pub struct ShiftedBall;

/// Instance-optimal mean estimation: rotate, shift by the median, clip, Gaussian noise, and back.
///
/// # What it protects
/// A vector near a public centre.
/// # Formula
/// After a random public rotation (signs, then a Hadamard transform) each coordinate is shifted by the median of a public sample; the
/// result is clipped to the L2 ball of radius R, gets the noise of [`super::GaussianVector`], and is shifted and rotated back.
///
/// The noise and the ball look the same from every side, so that the rotation matters for one thing only: the medians are taken in
/// rotated coordinates, where outliers of one coordinate are spread over all. Rotated back, they are a centre c. A report is therefore
/// the vector, moved into the ball of radius R around c, plus noise: the same law, without a rotation on the device.
/// # Domain
/// `vector:D`. Vectors outside the ball around the centre are moved towards it.
/// # Guarantee
/// (epsilon, delta) as for [`super::GaussianVector`]: the centre and the radius are public.
/// # Cost
/// 4 bytes and about one random word per coordinate.
/// # Numerics
/// As for [`super::GaussianVector`].
/// # When not to use it
/// Without a public sample that resembles the private data: a wrong centre costs accuracy, not privacy.
/// # Reference
/// Z. Huang, Y. Liang, K. Yi, "Instance-optimal mean estimation under differential privacy", NeurIPS 2021. Deviations: for one vector at a
/// time; medians and radius from a public sample instead of the private one.
/// # Example
/// ```
/// use privet_core::{Delta, Epsilon, Probability};
/// use privet_vector::PublicSample;
/// use privet_vector::mechanism::{InstanceOptimal, VectorMechanism};
/// let sample = PublicSample::new(2, &[7.0, 1.0, 7.5, 1.1, 6.5, 0.9, 7.0, 1.2, 6.9, 1.0])?;
/// let (epsilon, delta) = (Epsilon::new(1.0)?, Delta::new(1e-5)?);
/// let mechanism = InstanceOptimal::fit(&sample, Probability::new(0.9)?, epsilon, Some(delta))?;
/// assert!(mechanism.mean_squared_error() < 70.0);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
pub type InstanceOptimal = GaussianMechanism<ShiftedBall>;

impl GaussianRule for ShiftedBall {
    const INFO: MechanismInfo = MechanismInfo {
        id: "instance-optimal",
        synonyms: &["iome"],
        title: "Instance-optimal mean estimation",
        domain: "vector",
        goal: "mean",
        guarantee: "approximate",
        numerics: Numerics::RealArithmetic,
        slack: "1e-12 of the deviation; capped at epsilon 100",
        reference: "Huang, Liang, Yi 2021",
        status: "stable",
    };
}

impl InstanceOptimal {
    /// Vectors no further than `radius` from a public centre.
    ///
    /// # Errors
    /// When the ball is none, there is no delta above zero, or epsilon is too small.
    pub fn new(
        centre: Vec<f64>,
        radius: f64,
        epsilon: Epsilon,
        delta: Option<Delta>,
    ) -> Result<Self, ParameterError> {
        let radii = vec![radius; centre.len()];
        let clip = ClipSet::ellipsoid(centre.clone(), radii.clone())?;
        Self::on(clip, [centre, radii], epsilon, delta)
    }

    /// The mechanism on the ball of the page.
    ///
    /// # Errors
    /// As for [`InstanceOptimal::new`], and when the sample does not vary.
    pub fn fit(
        sample: &PublicSample,
        share: Probability,
        epsilon: Epsilon,
        delta: Option<Delta>,
    ) -> Result<Self, ParameterError> {
        let (centre, radius) = fitted(sample, share);
        Self::new(centre, radius, epsilon, delta)
    }

    /// The ball of the page: around the rotated medians of a public sample, with the radius that this share of it lies within.
    ///
    /// # Errors
    /// When the sample does not vary.
    pub fn ball_of(sample: &PublicSample, share: Probability) -> Result<ClipSet, ParameterError> {
        let (centre, radius) = fitted(sample, share);
        let radii = vec![radius; centre.len()];
        ClipSet::ellipsoid(centre, radii)
    }
}

/// Centre and radius.
fn fitted(sample: &PublicSample, share: Probability) -> (Vec<f64>, f64) {
    let centre = sample.rotated_median();
    let radius = sample.quantile(share, |vector| {
        vector.iter().zip(&centre).map(|(x, middle)| (x - middle).powi(2)).sum::<f64>().sqrt()
    });
    (centre, radius)
}
