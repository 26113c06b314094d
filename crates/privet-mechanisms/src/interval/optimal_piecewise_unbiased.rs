//! The unbiased mechanism of Theorem 10.

use super::shares;
use crate::lattice::{
    CalibratedRule, Calibration, Decoding, LatticeMechanism, LatticeRule, Movement, WindowGeometry,
    WindowRows,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`OptimalPiecewiseUnbiased`].
#[derive(Debug, Clone, Copy)]
pub struct UnbiasedInside;

/// Unbiased optimal piecewise mechanism, as the paper defines it.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// On [0, 1] with h = e^(epsilon/2) and C = (h + 1) / (h - 1): reports in [-C, C + 1], p = h / (2 C + 1), window
/// from (C + 1) x / 2 - (3 C + 1)(C - 1) / (4 C), length (2 C + 1)(C - 1) / (2 C).
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports reach beyond it on both sides.
/// # Guarantee
/// Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.
/// # Cost
/// At most 22 bits per report; two random words per draw; a few numbers of memory.
/// # Numerics
/// Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
/// with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
/// weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
/// vanishes, so that epsilons above about 20 are private but no longer best. Reports are decoded by the affine
/// function for which the mean is the value, computed from the integers: the bias is below 2^-40 of the width for
/// epsilon from 0.01, up to the resolution of a 64-bit number at the interval's ends.
/// # When not to use it
/// Practically always: its variance is three to four times that of [`super::Piecewise`] (epsilon 1: 5.02 against 1.31),
/// which is unbiased and has three pieces too. It is the same channel with the window travelling h / (3 h + 1) of the
/// outputs instead of h / (h + 1), so its reports are blown up. It is here to reproduce the paper's figures.
/// # Reference
/// Y. Zheng's dissertation, chapter 5, Theorem 10 (OGPM-U).
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::OptimalPiecewiseUnbiased;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = OptimalPiecewiseUnbiased::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "OGPM-U")]
pub type OptimalPiecewiseUnbiased = LatticeMechanism<UnbiasedInside>;

impl LatticeRule for UnbiasedInside {
    const INFO: MechanismInfo = MechanismInfo {
        id: "optimal-piecewise-unbiased",
        synonyms: &["ogpm-u"],
        title: "Unbiased optimal piecewise mechanism",
        domain: "interval",
        goal: "mean",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Zheng, Mishra, Hu: Theorem 10",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = WindowRows;
}

impl CalibratedRule for UnbiasedInside {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        let share = shares::absolute_error(calibration.epsilon);
        // With h = e^(epsilon/2) the window travels h / (3 h + 1) of all outputs, and the share is 1 / (h + 1).
        let movement = Movement::Inside { travel: (1.0 - share) / (3.0 - 2.0 * share) };
        let geometry = WindowGeometry { movement, ..WindowGeometry::travelling(share, Decoding::Unbiased) };
        WindowRows::new(geometry, calibration)
    }
}
