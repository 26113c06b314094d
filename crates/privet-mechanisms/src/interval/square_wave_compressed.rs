//! The square wave with its outputs compressed onto the domain.

use super::shares;
use crate::lattice::{
    CalibratedRule, Calibration, Decoding, LatticeMechanism, LatticeRule, WindowGeometry, WindowRows,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`SquareWaveCompressed`].
#[derive(Debug, Clone, Copy)]
pub struct CompressedWave;

/// Compressed square wave mechanism (SW-C).
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// The square wave, its outputs compressed linearly onto the domain: density p = (E - 1) / epsilon in the window
/// from x (1 - s) of length s = (epsilon E - E + 1) / (E - 1)^2. Worst absolute error: p (s^2 (1 - 1/E) + 1/E) / 2.
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
/// [`super::SquareWaveBounded`] has the same worst case and is better in between; [`super::OptimalPiecewise`] is
/// better at the ends.
/// # Reference
/// The rival SW-C of Y. Zheng's dissertation, chapter 5; Z. Li et al., "Estimating numerical distributions under local
/// differential privacy", SIGMOD 2020.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::SquareWaveCompressed;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = SquareWaveCompressed::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "SW-C")]
pub type SquareWaveCompressed = LatticeMechanism<CompressedWave>;

impl LatticeRule for CompressedWave {
    const INFO: MechanismInfo = MechanismInfo {
        id: "square-wave-compressed",
        synonyms: &["sw-c"],
        title: "Compressed square wave mechanism",
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

impl CalibratedRule for CompressedWave {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        WindowRows::new(
            WindowGeometry::travelling(shares::square_wave(calibration.epsilon), Decoding::Compressed),
            calibration,
        )
    }
}
