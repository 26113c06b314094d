//! Gaussian noise that follows public standard deviations.

use super::ClipSet;
use super::gaussian_noise::{GaussianMechanism, GaussianRule};
use crate::PublicSample;
use privet_core::{Delta, Epsilon, MechanismInfo, Numerics, ParameterError, Probability};

/// The rule of [`Plan`].
#[derive(Debug, Clone, Copy)]
pub struct KnownDeviations;

/// PLAN: more noise where the data vary more, by public standard deviations.
///
/// # What it protects
/// A vector whose coordinates vary by different, publicly known amounts around a public centre.
/// # Formula
/// Coordinate i, less the centre, is divided by w_i, the square root of its public standard deviation; the result is clipped to the L2
/// ball of radius R, gets the noise of [`super::GaussianVector`], and is multiplied by w_i again. The squared error is s^2 (w_1^2 + .. +
/// w_d^2), with s the deviation for radius R. A typical vector has the scaled length sqrt(sum v_i^2 / w_i^2) for standard deviations v_i,
/// and (sum w_i^2)(sum v_i^2 / w_i^2) is smallest for w_i^2 = v_i. Unbiased inside the ellipsoid.
/// # Domain
/// `vector:D`. Vectors outside the ellipsoid with the half axes w_i R are moved towards its centre.
/// # Guarantee
/// (epsilon, delta) as for [`super::GaussianVector`]: centre and deviations are public, the scaling is the same for everybody.
/// # Cost
/// 4 bytes and about one random word per coordinate.
/// # Numerics
/// As for [`super::GaussianVector`], in units of the half axes.
/// # When not to use it
/// Without a public sample that resembles the private data: wrong deviations cost accuracy, not privacy.
/// # Reference
/// M. Aumueller, C. Lebeda, B. Nelson, R. Pagh, "PLAN: variance-aware private mean estimation", PoPETs 2024. Deviations: for one vector
/// at a time, with the analytic calibration, and centre, deviations and radius from a public sample.
/// # Example
/// ```
/// use privet_core::{Delta, Epsilon, Probability};
/// use privet_vector::PublicSample;
/// use privet_vector::mechanism::{Plan, VectorMechanism};
/// let sample = PublicSample::new(2, &[4.0, 1.0, -4.0, 1.1, 3.0, 0.9, -3.0, 1.0])?;
/// let (epsilon, delta) = (Epsilon::new(1.0)?, Delta::new(1e-5)?);
/// let mechanism = Plan::fit(&sample, Probability::new(0.9)?, epsilon, Some(delta))?;
/// let variances = mechanism.coordinate_variances();
/// assert!(variances[0] > variances[1]);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "PLAN")]
pub type Plan = GaussianMechanism<KnownDeviations>;

impl GaussianRule for KnownDeviations {
    const INFO: MechanismInfo = MechanismInfo {
        id: "plan",
        synonyms: &["variance-aware"],
        title: "PLAN",
        domain: "vector",
        goal: "mean",
        guarantee: "approximate",
        numerics: Numerics::RealArithmetic,
        slack: "1e-12 of the deviation; capped at epsilon 100",
        reference: "Aumueller, Lebeda, Nelson, Pagh 2024",
        status: "stable",
    };
}

impl Plan {
    /// Vectors in an ellipsoid with this public centre and these half axes.
    ///
    /// # Errors
    /// When the ellipsoid is none, there is no delta above zero, or epsilon is too small.
    pub fn new(
        centre: Vec<f64>,
        radii: Vec<f64>,
        epsilon: Epsilon,
        delta: Option<Delta>,
    ) -> Result<Self, ParameterError> {
        let clip = ClipSet::ellipsoid(centre.clone(), radii.clone())?;
        Self::on(clip, [centre, radii], epsilon, delta)
    }

    /// The mechanism on the ellipsoid of the page.
    ///
    /// # Errors
    /// As for [`Plan::new`], and when the sample does not vary.
    pub fn fit(
        sample: &PublicSample,
        share: Probability,
        epsilon: Epsilon,
        delta: Option<Delta>,
    ) -> Result<Self, ParameterError> {
        let (centre, radii) = fitted(sample, share);
        Self::new(centre, radii, epsilon, delta)
    }

    /// The ellipsoid of the page, with the radius that this share of a public sample lies within.
    ///
    /// # Errors
    /// When the sample does not vary.
    pub fn ellipsoid_of(sample: &PublicSample, share: Probability) -> Result<ClipSet, ParameterError> {
        let (centre, radii) = fitted(sample, share);
        ClipSet::ellipsoid(centre, radii)
    }
}

/// Centre and half axes.
fn fitted(sample: &PublicSample, share: Probability) -> (Vec<f64>, Vec<f64>) {
    let centre = sample.mean();
    // A coordinate that never varies still needs an axis: a thousandth of the largest.
    let deviations = sample.deviations(&centre);
    let floor = (1e-3 * deviations.iter().copied().fold(0.0, f64::max)).max(f64::MIN_POSITIVE);
    let weights: Vec<f64> = deviations.iter().map(|deviation| deviation.max(floor).sqrt()).collect();
    let radius = sample.quantile(share, |vector| {
        let axes = vector.iter().zip(&centre).zip(&weights);
        axes.map(|((x, middle), weight)| ((x - middle) / weight).powi(2)).sum::<f64>().sqrt()
    });
    let radii = weights.iter().map(|weight| weight * radius).collect();
    (centre, radii)
}
