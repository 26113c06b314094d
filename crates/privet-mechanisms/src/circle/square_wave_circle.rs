//! The square wave redesigned for a circle.

use crate::interval::shares;
use crate::lattice::{
    CalibratedRule, Calibration, LatticeMechanism, LatticeRule, WindowGeometry, WindowRows,
};
use privet_core::{Circle, MechanismInfo, Numerics, ParameterError};

/// The rule of [`SquareWaveCircle`].
#[derive(Debug, Clone, Copy)]
pub struct WaveAround;

/// Square wave mechanism on the circle.
///
/// # What it protects
/// One direction or time on a public circle: a heading, a time of day.
/// # Formula
/// Density p / T in the arc of length s T centred on x, e^epsilon times less outside; p = (E - 1) / epsilon, s =
/// (epsilon E - E + 1) / (E - 1)^2.
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
/// For the smallest error of one report: [`super::OptimalPiecewiseCircle`].
/// # Reference
/// Y. Zheng's dissertation, Definition 21; Z. Li et al., "Estimating numerical distributions under local differential
/// privacy", SIGMOD 2020.
/// # Example
/// ```
/// use privet_core::{Circle, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::circle::SquareWaveCircle;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = SquareWaveCircle::new(Circle::new(360.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&90.0, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "SW")]
pub type SquareWaveCircle = LatticeMechanism<WaveAround>;

impl LatticeRule for WaveAround {
    const INFO: MechanismInfo = MechanismInfo {
        id: "square-wave-circle",
        synonyms: &["sw-circle"],
        title: "Square wave mechanism on the circle",
        domain: "circle",
        goal: "distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Li et al. 2020; Zheng (dissertation), Definition 21",
        status: "stable",
    };
    type Domain = Circle;
    type Rows = WindowRows;
}

impl CalibratedRule for WaveAround {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        WindowRows::new(WindowGeometry::ring(shares::square_wave(calibration.epsilon)), calibration)
    }
}
