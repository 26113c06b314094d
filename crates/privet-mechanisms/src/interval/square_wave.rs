//! The square wave mechanism.

use super::shares;
use crate::lattice::{
    CalibratedRule, Calibration, Decoding, LatticeMechanism, LatticeRule, WindowGeometry, WindowRows,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`SquareWave`].
#[derive(Debug, Clone, Copy)]
pub struct CentredWave;

/// Square wave mechanism (SW).
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// On [0, 1], with b = (epsilon E - E + 1) / (2 E (E - 1 - epsilon)): reports in [-b, 1 + b], density E / (2 b E +
/// 1) in the window [x - b, x + b], e^epsilon times less outside.
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports reach beyond it by b widths on both sides.
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
/// For a single value: reports are biased and may lie outside the domain. It is made for distributions, estimated
/// by EM.
/// # Reference
/// Z. Li et al., "Estimating numerical distributions under local differential privacy", SIGMOD 2020.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::SquareWave;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = SquareWave::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "SW")]
pub type SquareWave = LatticeMechanism<CentredWave>;

impl LatticeRule for CentredWave {
    const INFO: MechanismInfo = MechanismInfo {
        id: "square-wave",
        synonyms: &["sw"],
        title: "Square wave mechanism",
        domain: "interval",
        goal: "distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Li et al. 2020",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = WindowRows;
}

impl CalibratedRule for CentredWave {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        WindowRows::new(
            WindowGeometry::travelling(shares::square_wave(calibration.epsilon), Decoding::Centred),
            calibration,
        )
    }
}
