//! Gaussian noise whose log-ratio is bounded with high probability.

use super::gaussian_rows::{Meaning, rows};
use crate::lattice::{CalibratedRule, Calibration, LatticeMechanism, LatticeRule, NoiseRows};
use privet_core::{Delta, Epsilon, Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`GaussianProbabilistic`].
#[derive(Debug, Clone, Copy)]
pub struct ProbabilisticGaussianNoise;

/// Gaussian mechanism with a probabilistic guarantee.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// y = x + noise, normal with s = (z + sqrt(z^2 + 2 epsilon)) / (2 epsilon) widths, z the upper delta quantile of
/// the normal law: then the log-ratio of the drawn report is above epsilon with probability delta. At epsilon 1,
/// delta .052: s = 1.890. Theorem 18 prints (sqrt(L + epsilon) + sqrt(L)) / (epsilon sqrt 2) with L = ln(2 /
/// delta), see [`theorem_18_deviation`]: 2.876, correct but loose (its true probability is .0035).
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports reach far beyond it.
/// # Guarantee
/// Probabilistic: the log-ratio of a report between any two values is at most epsilon except with probability
/// delta, the delta of the sampler that runs. It implies the standard guarantee with the same numbers. It is not
/// kept by post-processing; the standard one is.
/// # Cost
/// About 15 bits per report; one random word and one look-up per draw; about a megabyte of memory.
/// # Numerics
/// Integer-exact. The noise is one row of integer weights with the total 2^64 on a lattice with up to 512 parts of
/// the domain; reports more than 7.3 standard deviations outside the domain are moved to public ends. The standard
/// deviation is searched on the lattice and raised until the delta of the integers is at most the one asked for:
/// the formula for real numbers alone is not enough (at epsilon 1 its delta on a lattice is .0520008 where .052 was
/// asked for). Epsilon is capped at 20. A value is rounded to the nearest node: a mixture of two rows may be
/// exposed where neither row is. That biases a report by up to half a part.
/// # When not to use it
/// Where the standard guarantee will do: [`super::Gaussian`] needs less noise (1.319 against 1.890).
/// # Reference
/// Y. Zheng's dissertation, chapter 7, Theorem 18 ("PAC LDP"). Deviation: the exact calibration instead of the printed bound.
/// # Example
/// ```
/// use privet_core::{BuildOptions, Delta, Epsilon, Interval, Mechanism};
/// use privet_mechanisms::interval::GaussianProbabilistic;
/// use privet_mechanisms::lattice::Calibration;
/// let options = BuildOptions { delta: Some(Delta::new(0.052)?), ..BuildOptions::default() };
/// let calibration = Calibration { options, ..Calibration::new(Epsilon::new(1.0)?) };
/// let mechanism = GaussianProbabilistic::calibrate(Interval::new(0.0, 1.0)?, &calibration)?;
/// assert!(mechanism.guarantee().delta() <= 0.052);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "PAC LDP")]
pub type GaussianProbabilistic = LatticeMechanism<ProbabilisticGaussianNoise>;

impl LatticeRule for ProbabilisticGaussianNoise {
    const INFO: MechanismInfo = MechanismInfo {
        id: "gaussian-probabilistic",
        synonyms: &["pac-gaussian"],
        title: "Gaussian mechanism with a probabilistic guarantee",
        domain: "interval",
        goal: "mean",
        guarantee: "probabilistic",
        numerics: Numerics::IntegerExact,
        slack: "the stated delta is that of the integers; epsilon capped at 20",
        reference: "Zheng (dissertation), chapter 7, Theorem 18, made exact",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = NoiseRows;
}

impl CalibratedRule for ProbabilisticGaussianNoise {
    const TAKES_DELTA: bool = true;

    fn rows(calibration: &Calibration) -> Result<NoiseRows, ParameterError> {
        rows(calibration, Meaning::Probabilistic)
    }
}

/// The standard deviation, in widths of the domain, that Theorem 18 prints: correct but loose.
pub fn theorem_18_deviation(epsilon: Epsilon, delta: Delta) -> f64 {
    let log = (2.0 / delta.get()).ln();
    ((log + epsilon.get()).sqrt() + log.sqrt()) / (epsilon.get() * 2f64.sqrt())
}
