//! The Laplace density cut off at the ends of the domain.

use crate::lattice::{
    CalibratedRule, Calibration, LatticeMechanism, LatticeRule, Rounding, TableRows, step_back,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`LaplaceBounded`].
#[derive(Debug, Clone, Copy)]
pub struct InsideOnly;

/// Bounded Laplace mechanism, normalised for each value.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// On [0, 1], density (epsilon / 2) e^(-epsilon |y - x|) / C(x) with C(x) = 1 - (e^(-epsilon x) + e^(-epsilon (1 -
/// x))) / 2.
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval.
/// # Guarantee
/// Pure epsilon, tight: the two ends have the same normaliser, and the ratio between them at an end is e^epsilon.
/// # Cost
/// 9 bits per report; two random words and one look-up per draw; about 6 megabytes of memory, since each of the 501
/// rows has its own table.
/// # Numerics
/// Integer-exact on 501 points; a value between two is rounded to one of them at random with its mean kept. The two
/// end points have half of the weight of the others, as in the trapezoid rule. The rate steps back from epsilon
/// until the worst ratio of the rounded integers is at most e^epsilon.
/// # When not to use it
/// [`super::OptimalPiecewise`] has the smaller worst error at every epsilon. For a mean: it is biased.
/// # Reference
/// The rival B-Laplace of Y. Zheng's dissertation, chapter 5. Deviation: the paper normalises every value like an end; the
/// density at .5 then has mass 1.46 at epsilon 2.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::LaplaceBounded;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = LaplaceBounded::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "B-Laplace")]
pub type LaplaceBounded = LatticeMechanism<InsideOnly>;

impl LatticeRule for InsideOnly {
    const INFO: MechanismInfo = MechanismInfo {
        id: "laplace-bounded",
        synonyms: &["b-laplace"],
        title: "Bounded Laplace mechanism",
        domain: "interval",
        goal: "point",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.01 to 20; capped at epsilon 40",
        reference: "Zheng, Mishra, Hu: section 5.6, corrected",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = TableRows;
}

impl CalibratedRule for InsideOnly {
    fn rows(calibration: &Calibration) -> Result<TableRows, ParameterError> {
        const PARTS: u32 = 500;
        let parts = calibration.input_cells.unwrap_or(PARTS);
        // Beyond this rate the far weights vanish against 2^64, and a larger epsilon cannot be spent.
        step_back(calibration.epsilon, 40.0, |rate| TableRows::new(rate, parts, law, Rounding::Stochastic))
    }
}

fn law(rate: f64, from: u32, to: u32, parts: u32) -> f64 {
    let weight = if to == 0 || to == parts { 0.5 } else { 1.0 };
    weight * (-rate * f64::from(from.abs_diff(to)) / f64::from(parts)).exp()
}
