//! The best window on a circle for squared error.

use crate::interval::shares;
use crate::lattice::{
    CalibratedRule, Calibration, LatticeMechanism, LatticeRule, WindowGeometry, WindowRows,
};
use privet_core::{Circle, MechanismInfo, Numerics, ParameterError};

/// The rule of [`OptimalPiecewiseCircleSquared`].
#[derive(Debug, Clone, Copy)]
pub struct SquaredErrorAround;

/// Optimal piecewise mechanism on the circle for squared error.
///
/// # What it protects
/// One direction or time on a public circle: a heading, a time of day.
/// # Formula
/// Density p / T in the arc of length s T centred on x, e^epsilon times less outside; s is the positive root of 2
/// (E - 1) s^3 + 3 s^2 = 1, p = E / (1 + s (E - 1)). Squared error: (T/2)^2 p (s^3 (1 - 1/E) + 1/E) / 3.
/// # Domain
/// `circle:PERIOD` with any finite period; values from 0 up to, but not including, the period.
/// # Guarantee
/// Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.
/// # Cost
/// 16 bits per report; two random words per draw; a few numbers of memory.
/// # Numerics
/// Integer-exact. The circle is cut into 65536 parts; a value between two nodes is rounded to one of them at random
/// with its mean kept. Every row is the same two integer weights, turned.
/// # When not to use it
/// For absolute error: [`super::OptimalPiecewiseCircle`].
/// # Reference
/// Y. Zheng's dissertation, chapter 5, Theorem 8. Deviation: the theorem prints p = e^(epsilon/2) for squared error too
/// (1.36069 against 1.29405 at epsilon 2).
/// # Example
/// ```
/// use privet_core::{Circle, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::circle::OptimalPiecewiseCircleSquared;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = OptimalPiecewiseCircleSquared::new(Circle::new(360.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&90.0, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "OGPM")]
pub type OptimalPiecewiseCircleSquared = LatticeMechanism<SquaredErrorAround>;

impl LatticeRule for SquaredErrorAround {
    const INFO: MechanismInfo = MechanismInfo {
        id: "optimal-piecewise-circle-squared",
        synonyms: &["ogpm-circle-squared"],
        title: "Optimal piecewise mechanism on the circle for squared error",
        domain: "circle",
        goal: "point, distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Zheng, Mishra, Hu: Theorem 8, corrected",
        status: "stable",
    };
    type Domain = Circle;
    type Rows = WindowRows;
}

impl CalibratedRule for SquaredErrorAround {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        WindowRows::new(WindowGeometry::ring(shares::squared_error(calibration.epsilon)), calibration)
    }
}
