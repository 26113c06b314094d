//! Laplace noise with reports moved into the domain.

use crate::lattice::{CalibratedRule, Calibration, LatticeMechanism, LatticeRule, NoiseRows};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`LaplaceTruncated`].
#[derive(Debug, Clone, Copy)]
pub struct TruncatedLaplaceNoise;

/// Truncated Laplace mechanism.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// The report of [`super::Laplace`], moved to the nearest end of the domain where it lies outside. Worst absolute
/// error (in the middle): (1 - e^(-epsilon/2)) / epsilon widths.
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval, with a mass at each end.
/// # Guarantee
/// Pure epsilon: truncation happens after the report is drawn. Tight.
/// # Cost
/// About 15 bits per report at epsilon 1; two random words and one look-up per draw; about a megabyte of memory.
/// # Numerics
/// Integer-exact. The noise is one row of integer weights with the total 2^64 on a lattice with a power of two of
/// parts of the domain (512 at epsilon 1); a value between two nodes is rounded to one of them at random with its
/// mean kept. Reports beyond public ends (about 16 / epsilon widths outside the domain) are moved to them, which is
/// post-processing; it biases the mean by less than 1e-5 widths at epsilon from 0.01 to 8. The rate steps back
/// until the exact worst ratio of the integers, the two end reports included, is at most e^epsilon. The report is
/// the cell before truncation; what it stands for is truncated.
/// # When not to use it
/// For a mean, since truncation biases it.
/// # Reference
/// The rival T-Laplace of Y. Zheng's dissertation, chapter 5; C. Dwork, F. McSherry, K. Nissim, A. Smith, TCC 2006.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::LaplaceTruncated;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = LaplaceTruncated::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "T-Laplace")]
pub type LaplaceTruncated = LatticeMechanism<TruncatedLaplaceNoise>;

impl LatticeRule for TruncatedLaplaceNoise {
    const INFO: MechanismInfo = MechanismInfo {
        id: "laplace-truncated",
        synonyms: &["t-laplace"],
        title: "Truncated Laplace mechanism",
        domain: "interval",
        goal: "point",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-6 at epsilon from 0.01 to 8; capped at epsilon 20",
        reference: "Dwork, McSherry, Nissim, Smith 2006",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = NoiseRows;
}

impl CalibratedRule for TruncatedLaplaceNoise {
    fn rows(calibration: &Calibration) -> Result<NoiseRows, ParameterError> {
        Ok(super::laplace::rows(calibration)?.truncated())
    }
}
