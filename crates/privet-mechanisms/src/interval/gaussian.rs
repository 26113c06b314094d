//! Gaussian noise with the analytic calibration.

use super::gaussian_rows::{Meaning, rows};
use crate::lattice::{CalibratedRule, Calibration, LatticeMechanism, LatticeRule, NoiseRows};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`Gaussian`].
#[derive(Debug, Clone, Copy)]
pub struct GaussianNoise;

/// Gaussian mechanism, analytically calibrated.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// y = x + noise, normal with the smallest standard deviation s (in widths of the domain) for which Phi(1/(2 s) -
/// epsilon s) - e^epsilon Phi(-1/(2 s) - epsilon s) <= delta. Unbiased; absolute error s sqrt(2 / pi), squared
/// error s^2. At epsilon 1, delta .052: s = 1.319.
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports reach far beyond it.
/// # Guarantee
/// (epsilon, delta) in the standard sense, with the delta of the sampler that runs, which is at most the one asked
/// for. There is no default delta.
/// # Cost
/// About 15 bits per report; two random words and one look-up per draw; about a megabyte of memory.
/// # Numerics
/// Integer-exact. The noise is one row of integer weights with the total 2^64 on a lattice with up to 512 parts of
/// the domain; reports more than 7.3 standard deviations outside the domain are moved to public ends. The standard
/// deviation is searched on the lattice and raised until the delta of the integers is at most the one asked for:
/// the formula for real numbers alone is not enough (at epsilon 1 its delta on a lattice is .0520008 where .052 was
/// asked for). Epsilon is capped at 20. A value between two nodes is rounded to one of them at random, which keeps
/// the standard guarantee.
/// # When not to use it
/// For one number: pure mechanisms such as [`super::Hybrid`] have less noise at practical deltas and promise more.
/// With public ends close to the domain it would be pure as well, but then it is no longer Gaussian.
/// # Reference
/// B. Balle, Y.-X. Wang, "Improving the Gaussian mechanism for differential privacy: analytical calibration and
/// optimal denoising", ICML 2018. Deviation: on a lattice, calibrated there.
/// # Example
/// ```
/// use privet_core::{BuildOptions, Delta, Epsilon, Interval, Mechanism};
/// use privet_mechanisms::interval::Gaussian;
/// use privet_mechanisms::lattice::Calibration;
/// let options = BuildOptions { delta: Some(Delta::new(0.052)?), ..BuildOptions::default() };
/// let calibration = Calibration { options, ..Calibration::new(Epsilon::new(1.0)?) };
/// let mechanism = Gaussian::calibrate(Interval::new(0.0, 1.0)?, &calibration)?;
/// assert!(mechanism.guarantee().delta() <= 0.052);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
pub type Gaussian = LatticeMechanism<GaussianNoise>;

impl LatticeRule for GaussianNoise {
    const INFO: MechanismInfo = MechanismInfo {
        id: "gaussian",
        synonyms: &["analytic-gaussian"],
        title: "Gaussian mechanism",
        domain: "interval",
        goal: "mean",
        guarantee: "approximate",
        numerics: Numerics::IntegerExact,
        slack: "the stated delta is that of the integers; epsilon capped at 20",
        reference: "Balle, Wang 2018",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = NoiseRows;
}

impl CalibratedRule for GaussianNoise {
    const TAKES_DELTA: bool = true;

    fn rows(calibration: &Calibration) -> Result<NoiseRows, ParameterError> {
        rows(calibration, Meaning::Approximate)
    }
}
