//! Noise whose density falls in steps.

use super::{MAX_RATE, noise_lattice, shares};
use crate::lattice::{
    CalibratedRule, Calibration, LatticeMechanism, LatticeRule, NoiseLattice, NoiseRows, step_back,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`Staircase`].
#[derive(Debug, Clone, Copy)]
pub struct Stairs;

/// Staircase mechanism with the step that is best for absolute error.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// y = x + noise whose density falls by the factor e^(-epsilon) at the distances g, 1 + g, 2 + g, ... widths, g = 1
/// / (1 + e^(epsilon/2)), and is constant in between. Unbiased; absolute error e^(epsilon/2) / (e^epsilon - 1)
/// widths for every value, the smallest of any additive noise.
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports reach far beyond it.
/// # Guarantee
/// Pure epsilon, tight: a shift by at most one width is at most one step.
/// # Cost
/// About 17 bits per report at epsilon 1; two random words and one look-up per draw; about 3 megabytes of memory.
/// # Numerics
/// Integer-exact. The noise is one row of integer weights with the total 2^64 on a lattice of
/// about 2048 parts of the domain (at epsilon 1); a value between two nodes is rounded to one of them at random with its
/// mean kept. Reports beyond public ends (about 16 / epsilon widths outside the domain) are moved to them, which is
/// post-processing; it biases the mean by less than 1e-5 widths at epsilon from 0.01 to 8. The rate steps back
/// until the exact worst ratio of the integers, the two end reports included, is at most e^epsilon. A step is a
/// whole number of cells, so g is rounded to half a cell; at its best value the error does not notice.
/// # When not to use it
/// For squared error another g is a little better (up to 11 percent at epsilon 4). [`super::Hybrid`] has the
/// smaller variance at small epsilon.
/// # Reference
/// Q. Geng, P. Kairouz, S. Oh, P. Viswanath, "The staircase mechanism in differential privacy", IEEE JSTSP 2015.
/// Deviation: on a lattice, with public ends.
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::Staircase;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = Staircase::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Staircase = LatticeMechanism<Stairs>;

impl LatticeRule for Stairs {
    const INFO: MechanismInfo = MechanismInfo {
        id: "staircase",
        synonyms: &["staircase-noise"],
        title: "Staircase mechanism",
        domain: "interval",
        goal: "mean",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-5 at epsilon from 0.01 to 8; capped at epsilon 20",
        reference: "Geng, Kairouz, Oh, Viswanath 2015",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = NoiseRows;
}

impl CalibratedRule for Stairs {
    fn rows(calibration: &Calibration) -> Result<NoiseRows, ParameterError> {
        let share = shares::absolute_error(calibration.epsilon);
        let lattice = aligned_lattice(calibration, share)?;
        let parts = f64::from(lattice.input_cells);
        // The first step ends half a cell beyond this cell.
        let first = (share * parts - 0.5).round().max(0.0);
        step_back(calibration.epsilon, MAX_RATE, |rate| {
            NoiseRows::new(lattice, |distance| (-rate * ((distance - first) / parts).ceil().max(0.0)).exp())
        })
    }
}

/// A lattice on which the first step ends close to the end of a cell, so that rounding it does not matter.
fn aligned_lattice(calibration: &Calibration, share: f64) -> Result<NoiseLattice, ParameterError> {
    /// About as many cells as the first step has, which is the shortest.
    const SHORTEST: f64 = 800.0;
    let finest = SHORTEST / share;
    let lattice = noise_lattice(calibration, finest)?;
    if calibration.input_cells.is_some() {
        return Ok(lattice);
    }
    let misfit = |parts: &u32| ((share * f64::from(*parts)).fract() - 0.5).abs();
    let longer = (1.0 / share).ceil() as u32;
    let candidates = lattice.input_cells..=lattice.input_cells + longer.min(lattice.input_cells / 8);
    let parts = candidates.min_by(|one, other| misfit(one).total_cmp(&misfit(other)));
    noise_lattice(&Calibration { input_cells: parts, ..*calibration }, finest)
}
