//! The exponential mechanism on a grid of points.

use super::grid_parts;
use crate::lattice::{
    CalibratedRule, Calibration, LatticeMechanism, LatticeRule, Rounding, TableRows, step_back,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`GridExponential`].
#[derive(Debug, Clone, Copy)]
pub struct ExponentialOnPoints;

/// Exponential mechanism on a grid.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// The domain has k + 1 points, k parts apart (100 parts unless a number of bins is given); P(y given x)
/// proportional to e^(-epsilon |x - y| / width).
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. A value is rounded to the nearest point, from the middle down; reports
/// are points.
/// # Guarantee
/// Pure epsilon, tight between the two ends.
/// # Cost
/// 7 bits per report at 100 parts; one random word and one look-up per draw; 24 k^2 bytes of memory.
/// # Numerics
/// Integer-exact. The rate steps back from epsilon until the worst ratio of the rounded integers is at most
/// e^epsilon.
/// # When not to use it
/// For a mean: rounding and the ends bias it. [`super::LaplaceBounded`] is its limit for many points.
/// # Reference
/// F. McSherry, K. Talwar, "Mechanism design via differential privacy", FOCS 2007; Y. Zheng's dissertation, chapter 7.
/// Deviation: the paper halves the rate, which spends exactly half of epsilon.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::GridExponential;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = GridExponential::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type GridExponential = LatticeMechanism<ExponentialOnPoints>;

impl LatticeRule for ExponentialOnPoints {
    const INFO: MechanismInfo = MechanismInfo {
        id: "grid-exponential",
        synonyms: &["grid-em"],
        title: "Exponential mechanism on a grid",
        domain: "interval",
        goal: "point",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.01 to 20; capped at epsilon 40",
        reference: "McSherry, Talwar 2007; Zheng (dissertation), chapter 7",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = TableRows;
}

impl CalibratedRule for ExponentialOnPoints {
    const TAKES_BINS: bool = true;

    fn rows(calibration: &Calibration) -> Result<TableRows, ParameterError> {
        let parts = grid_parts(calibration)?;
        // Beyond this rate the far weights vanish against 2^64, and a larger epsilon cannot be spent.
        step_back(calibration.epsilon, 40.0, |rate| TableRows::new(rate, parts, law, Rounding::Nearest))
    }
}

fn law(rate: f64, from: u32, to: u32, parts: u32) -> f64 {
    (-rate * f64::from(from.abs_diff(to)) / f64::from(parts)).exp()
}
