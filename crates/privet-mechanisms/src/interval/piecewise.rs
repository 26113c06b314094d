//! The original piecewise mechanism.

use super::shares;
use crate::lattice::{
    CalibratedRule, Calibration, Decoding, LatticeMechanism, LatticeRule, WindowGeometry, WindowRows,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`Piecewise`].
#[derive(Debug, Clone, Copy)]
pub struct TravellingWindow;

/// Piecewise mechanism (PM) on any interval.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// On [-1, 1] with E = e^epsilon, h = e^(epsilon/2), C = (h + 1) / (h - 1), t the value: reports in [-C, C], density (E - h) / (2
/// h + 2) in the window from (C + 1) t / 2 - (C - 1) / 2 of length C - 1, e^epsilon times less outside; then moved
/// to the domain. Unbiased; variance on [0, 1]: (t^2 / (h - 1) + (h + 3) / (3 (h - 1)^2)) / 4, largest at the ends.
/// Worst absolute error: h / (E - 1).
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
/// At epsilon below about 0.6 [`super::Duchi`] has the smaller worst variance, and [`super::Hybrid`] is never worse
/// than both. The best unbiased channel has a worst variance that is 24 to 47 percent lower. For a single value,
/// reports inside the domain are better: [`super::OptimalPiecewise`].
/// # Reference
/// N. Wang et al., "Collecting and analyzing multidimensional data with local differential privacy", ICDE 2019.
/// Zheng's Definition 24 gives this name to the mechanism of Theorem 7.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::Piecewise;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = Piecewise::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "PM")]
pub type Piecewise = LatticeMechanism<TravellingWindow>;

impl LatticeRule for TravellingWindow {
    const INFO: MechanismInfo = MechanismInfo {
        id: "piecewise",
        synonyms: &["pm"],
        title: "Piecewise mechanism",
        domain: "interval",
        goal: "mean, distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Wang et al. 2019",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = WindowRows;
}

impl CalibratedRule for TravellingWindow {
    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        WindowRows::new(
            WindowGeometry::travelling(shares::absolute_error(calibration.epsilon), Decoding::Unbiased),
            calibration,
        )
    }
}
