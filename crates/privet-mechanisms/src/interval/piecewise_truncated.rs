//! The piecewise mechanism with reports moved into the domain.

use super::shares;
use crate::lattice::{
    CalibratedRule, Calibration, Decoding, LatticeMechanism, LatticeRule, WindowGeometry, WindowRows,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`PiecewiseTruncated`].
#[derive(Debug, Clone, Copy)]
pub struct TruncatedPiecewise;

/// Truncated piecewise mechanism (T-PM).
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// The report of [`super::Piecewise`], moved to the nearest end of the domain where it lies outside.
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval, with a mass at each end.
/// # Guarantee
/// Pure epsilon: truncation happens after the report is drawn. Tight.
/// # Cost
/// At most 22 bits per report; two random words per draw; a few numbers of memory.
/// # Numerics
/// Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
/// with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
/// weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
/// vanishes, so that epsilons above about 20 are private but no longer best. The report is the cell before
/// truncation; what it stands for is truncated.
/// # When not to use it
/// For a mean, since truncation biases it. Its worst absolute error (.39905, .24895, .10962 at epsilon 1, 2, 4) is
/// found between the ends for epsilon above about 1.43.
/// # Reference
/// The rival T-PM of Y. Zheng's dissertation, chapter 5; N. Wang et al., "Collecting and analyzing multidimensional data with
/// local differential privacy", ICDE 2019.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::PiecewiseTruncated;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = PiecewiseTruncated::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "T-PM")]
pub type PiecewiseTruncated = LatticeMechanism<TruncatedPiecewise>;

impl LatticeRule for TruncatedPiecewise {
    const INFO: MechanismInfo = MechanismInfo {
        id: "piecewise-truncated",
        synonyms: &["t-pm"],
        title: "Truncated piecewise mechanism",
        domain: "interval",
        goal: "point",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Zheng, Mishra, Hu: section 5.6",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = WindowRows;
}

impl CalibratedRule for TruncatedPiecewise {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        let share = shares::absolute_error(calibration.epsilon);
        WindowRows::new(WindowGeometry::travelling(share, Decoding::Unbiased).truncated(), calibration)
    }
}
