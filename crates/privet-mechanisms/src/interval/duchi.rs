//! Two reports whose mean is the value.

use crate::lattice::{
    CalibratedRule, Calibration, Decoding, LatticeMechanism, LatticeRule, WindowGeometry, WindowRows,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`Duchi`].
#[derive(Debug, Clone, Copy)]
pub struct TwoPoints;

/// Duchi's mechanism: one bit whose mean is the value.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// Two reports, 1/2 - c/2 and 1/2 + c/2 on [0, 1], c = (E + 1) / (E - 1); the upper one with probability 1/2 + t (E
/// - 1) / (2 (E + 1)), t = 2 x - 1. Unbiased; variance (c^2 - t^2) / 4, largest in the middle.
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. The two reports lie outside it.
/// # Guarantee
/// Pure epsilon, tight between both ends of the domain.
/// # Cost
/// One bit per report; two random words per draw.
/// # Numerics
/// Integer-exact: the value is rounded at random to one of the two ends with its mean kept, and the end goes
/// through two integer weights. The reports' values are computed from the weights: the bias is below 2^-40 of the
/// width.
/// # When not to use it
/// For anything but a mean. At epsilon above about 0.6, [`super::Hybrid`] has the smaller worst variance; at large
/// epsilon the variance does not vanish.
/// # Reference
/// J. Duchi, M. Jordan, M. Wainwright, "Minimax optimal procedures for locally private estimation", JASA 2018.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::Duchi;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = Duchi::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Duchi = LatticeMechanism<TwoPoints>;

impl LatticeRule for TwoPoints {
    const INFO: MechanismInfo = MechanismInfo {
        id: "duchi",
        synonyms: &["duchi-mean"],
        title: "Duchi's mechanism",
        domain: "interval",
        goal: "mean",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Duchi, Jordan, Wainwright 2018",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = WindowRows;
}

impl CalibratedRule for TwoPoints {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        // The two ends are the whole lattice: a finer one would change nothing.
        let calibration = Calibration { input_cells: None, ..*calibration };
        WindowRows::new(WindowGeometry::points(1, Decoding::Unbiased), &calibration)
    }
}
