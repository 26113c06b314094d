//! The best window for the worst absolute error.

use super::shares;
use crate::lattice::{
    CalibratedRule, Calibration, LatticeMechanism, LatticeRule, WindowGeometry, WindowRows,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`OptimalPiecewise`].
#[derive(Debug, Clone, Copy)]
pub struct AbsoluteError;

/// Optimal piecewise mechanism: the window that minimises the worst absolute error.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// On [0, 1], with E = e^epsilon, density p inside a window of length s and p / E outside: p = e^(epsilon/2), s = 1
/// / (e^(epsilon/2) + 1); the window is centred on x, shifted to stay inside [0, 1]. Worst absolute error (at both
/// ends): 1 / (1 + e^(epsilon/2)).
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval.
/// # Guarantee
/// Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.
/// # Cost
/// 16 bits per report; two random words per draw; a few numbers of memory.
/// # Numerics
/// Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
/// with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
/// weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
/// vanishes, so that epsilons above about 20 are private but no longer best.
/// # When not to use it
/// For squared error, where [`super::OptimalPiecewiseSquared`] is better. "Optimal" means: among window mechanisms
/// with three pieces. The best of all channels has a worst absolute error that is 16, 25 and 35 percent lower at
/// epsilon 1, 2 and 4, and even [`super::PiecewiseTruncated`] or [`super::SquareWaveTruncated`] is better at some
/// epsilons. Reports are biased towards the middle; for a mean, invert the channel or use [`super::Hybrid`].
/// # Reference
/// Y. Zheng's dissertation, chapter 5, Theorem 7 (OGPM). Deviation: the printed closed form is claimed for squared error too;
/// it minimises the worst absolute error only.
/// # Example
/// ```
/// use privet_core::{Channel, Epsilon, Interval};
/// use privet_mechanisms::interval::OptimalPiecewise;
/// let mechanism = OptimalPiecewise::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let window = mechanism.pieces(Some(&0.0))[0].extent.ok_or("a range")?;
/// assert!((window.to - 0.3775).abs() < 1e-4 && (window.density - 1.6487).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "OGPM")]
pub type OptimalPiecewise = LatticeMechanism<AbsoluteError>;

impl LatticeRule for AbsoluteError {
    const INFO: MechanismInfo = MechanismInfo {
        id: "optimal-piecewise",
        synonyms: &["ogpm"],
        title: "Optimal piecewise mechanism",
        domain: "interval",
        goal: "point, distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Zheng, Mishra, Hu: Theorem 7",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = WindowRows;
}

impl CalibratedRule for AbsoluteError {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        WindowRows::new(WindowGeometry::shifted(shares::absolute_error(calibration.epsilon)), calibration)
    }
}
