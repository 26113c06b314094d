//! The piecewise mechanism with its outputs compressed onto the domain.

use super::shares;
use crate::lattice::{
    CalibratedRule, Calibration, Decoding, LatticeMechanism, LatticeRule, WindowGeometry, WindowRows,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`PiecewiseCompressed`].
#[derive(Debug, Clone, Copy)]
pub struct CompressedPiecewise;

/// Compressed piecewise mechanism (PM-C).
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// The piecewise mechanism, its outputs compressed linearly onto the domain: density e^(epsilon/2) in the window
/// from x (1 - s) of length s = 1 / (e^(epsilon/2) + 1).
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval.
/// # Guarantee
/// Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.
/// # Cost
/// At most 22 bits per report; two random words per draw; a few numbers of memory.
/// # Numerics
/// Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
/// with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
/// weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
/// vanishes, so that epsilons above about 20 are private but no longer best.
/// # When not to use it
/// Its worst errors are exactly those of [`super::OptimalPiecewise`], which is better between the ends and the
/// middle.
/// # Reference
/// The rival PM-C of Y. Zheng's dissertation, chapter 5; N. Wang et al., "Collecting and analyzing multidimensional data with
/// local differential privacy", ICDE 2019.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::PiecewiseCompressed;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = PiecewiseCompressed::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "PM-C")]
pub type PiecewiseCompressed = LatticeMechanism<CompressedPiecewise>;

impl LatticeRule for CompressedPiecewise {
    const INFO: MechanismInfo = MechanismInfo {
        id: "piecewise-compressed",
        synonyms: &["pm-c"],
        title: "Compressed piecewise mechanism",
        domain: "interval",
        goal: "point, distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Zheng, Mishra, Hu: section 5.6",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = WindowRows;
}

impl CalibratedRule for CompressedPiecewise {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        WindowRows::new(
            WindowGeometry::travelling(shares::absolute_error(calibration.epsilon), Decoding::Compressed),
            calibration,
        )
    }
}
