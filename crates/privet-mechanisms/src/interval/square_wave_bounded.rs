//! The square wave redesigned for reports inside the domain.

use super::shares;
use crate::lattice::{
    CalibratedRule, Calibration, LatticeMechanism, LatticeRule, WindowGeometry, WindowRows,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`SquareWaveBounded`].
#[derive(Debug, Clone, Copy)]
pub struct BoundedWave;

/// Square wave mechanism with reports inside the domain.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// On [0, 1], with E = e^epsilon, density p inside a window of length s and p / E outside: p = (E - 1) / epsilon, s
/// = (epsilon E - E + 1) / (E - 1)^2; the window is centred on x, shifted to stay inside [0, 1].
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
/// For the smallest worst error: [`super::OptimalPiecewise`]. For a mean: it is biased.
/// # Reference
/// Y. Zheng's dissertation, Definitions 22 and 25; Z. Li et al., "Estimating numerical distributions under local differential
/// privacy", SIGMOD 2020. Deviation: Definition 22 prints its conditions on the report; they are on the value.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::SquareWaveBounded;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = SquareWaveBounded::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "SW")]
pub type SquareWaveBounded = LatticeMechanism<BoundedWave>;

impl LatticeRule for BoundedWave {
    const INFO: MechanismInfo = MechanismInfo {
        id: "square-wave-bounded",
        synonyms: &["sw-b"],
        title: "Square wave mechanism inside the domain",
        domain: "interval",
        goal: "point, distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Li et al. 2020; Zheng (dissertation), Definitions 22 and 25",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = WindowRows;
}

impl CalibratedRule for BoundedWave {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        WindowRows::new(WindowGeometry::shifted(shares::square_wave(calibration.epsilon)), calibration)
    }
}
