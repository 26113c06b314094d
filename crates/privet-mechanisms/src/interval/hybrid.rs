//! The piecewise mechanism mixed with two points.

use super::HybridRows;
use crate::lattice::{CalibratedRule, Calibration, LatticeMechanism, LatticeRule};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`Hybrid`].
#[derive(Debug, Clone, Copy)]
pub struct WindowAndPoints;

/// Hybrid mechanism (HM): the unbiased mechanism whose worst variance is smallest among these.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// With probability a = 1 - e^(-epsilon/2) the report of [`super::Piecewise`], otherwise that of [`super::Duchi`],
/// both at the whole epsilon; for epsilon up to 0.6094 a = 0. Unbiased. Above it the variance on [0, 1] is the same
/// for every value: (a (h + 3) / (3 (h - 1)^2) + (1 - a) c^2) / 4 with h = e^(epsilon/2), c = (E + 1) / (E - 1).
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports reach beyond it on both sides.
/// # Guarantee
/// Pure epsilon, tight: a mixture with public shares of two mechanisms that keep epsilon, whose reports can be told
/// apart.
/// # Cost
/// At most 22 bits per report (one at epsilon up to 0.6094); two random words per draw.
/// # Numerics
/// Integer-exact: the two points and the window share the words of one row, so one word decides both which
/// mechanism and which report. The window moves over 65536 nodes; the weights of the points grow with the node. The
/// values of reports are computed from the integers: the bias is below 2^-40 of the width for epsilon from 0.01, up
/// to the resolution of a 64-bit number at the interval's ends.
/// # When not to use it
/// For a single value or a distribution: [`super::OptimalPiecewise`], [`super::SquareWave`].
/// # Reference
/// N. Wang et al., "Collecting and analyzing multidimensional data with local differential privacy", ICDE 2019.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::Hybrid;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = Hybrid::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "HM")]
pub type Hybrid = LatticeMechanism<WindowAndPoints>;

impl LatticeRule for WindowAndPoints {
    const INFO: MechanismInfo = MechanismInfo {
        id: "hybrid",
        synonyms: &["hm"],
        title: "Hybrid mechanism",
        domain: "interval",
        goal: "mean",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Wang et al. 2019",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = HybridRows;
}

impl CalibratedRule for WindowAndPoints {
    fn rows(calibration: &Calibration) -> Result<HybridRows, ParameterError> {
        HybridRows::new(calibration)
    }
}
