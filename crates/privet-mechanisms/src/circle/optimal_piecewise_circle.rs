//! The best window on a circle for absolute error.

use crate::interval::shares;
use crate::lattice::{
    CalibratedRule, Calibration, LatticeMechanism, LatticeRule, WindowGeometry, WindowRows,
};
use privet_core::{Circle, MechanismInfo, Numerics, ParameterError};

/// The rule of [`OptimalPiecewiseCircle`].
#[derive(Debug, Clone, Copy)]
pub struct AbsoluteErrorAround;

/// Optimal piecewise mechanism on the circle.
///
/// # What it protects
/// One direction or time on a public circle: a heading, a time of day.
/// # Formula
/// Density p / T in the arc of length s T centred on x, e^epsilon times less outside; p = e^(epsilon/2), s = 1 /
/// (e^(epsilon/2) + 1), T the period. Absolute error, the same for every value: (T/2) / (1 + e^(epsilon/2)).
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
/// For squared error: [`super::OptimalPiecewiseCircleSquared`]. On a circle nothing is better for absolute error:
/// averaging any channel over rotations shows that a window is best among all.
/// # Reference
/// Y. Zheng's dissertation, chapter 5, Theorem 8. Deviation: distance is min(|y - x|, T - |y - x|), and the printed p minimises
/// the absolute error only.
/// # Example
/// ```
/// use privet_core::{Channel, Circle, Epsilon};
/// use privet_mechanisms::circle::OptimalPiecewiseCircle;
/// let mechanism = OptimalPiecewiseCircle::new(Circle::new(360.0)?, Epsilon::new(1.0)?)?;
/// // The window of 0 degrees reaches 0.38 of a half turn to each side.
/// let window = mechanism.pieces(Some(&0.0))[0].extent.ok_or("a range")?;
/// assert!((window.to / 180.0 - 0.3775).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "OGPM")]
pub type OptimalPiecewiseCircle = LatticeMechanism<AbsoluteErrorAround>;

impl LatticeRule for AbsoluteErrorAround {
    const INFO: MechanismInfo = MechanismInfo {
        id: "optimal-piecewise-circle",
        synonyms: &["ogpm-circle"],
        title: "Optimal piecewise mechanism on the circle",
        domain: "circle",
        goal: "point, distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Zheng, Mishra, Hu: Theorem 8",
        status: "stable",
    };
    type Domain = Circle;
    type Rows = WindowRows;
}

impl CalibratedRule for AbsoluteErrorAround {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        WindowRows::new(WindowGeometry::ring(shares::absolute_error(calibration.epsilon)), calibration)
    }
}
