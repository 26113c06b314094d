//! Randomised response on a grid of points.

use super::grid_parts;
use crate::lattice::{
    CalibratedRule, Calibration, Decoding, LatticeMechanism, LatticeRule, Rounding, WindowGeometry,
    WindowRows,
};
use privet_core::{Interval, MechanismInfo, Numerics, ParameterError};

/// The rule of [`GridRandomizedResponse`].
#[derive(Debug, Clone, Copy)]
pub struct ResponseOnPoints;

/// Randomised response on a grid.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// The domain has k + 1 points, k parts apart (100 parts unless a number of bins is given); the nearest one with
/// probability E / (k + E), each other one with 1 / (k + E).
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. A value is rounded to the nearest point, from the middle down; reports
/// are points.
/// # Guarantee
/// Pure epsilon, tight.
/// # Cost
/// 7 bits per report at 100 parts; one random word per draw.
/// # Numerics
/// Integer-exact: one high and k equal low weights.
/// # When not to use it
/// Where distance matters: a wrong report is anywhere. [`super::OptimalPiecewise`], or [`super::GridExponential`]
/// on the same points.
/// # Reference
/// Y. Zheng's dissertation, chapter 7, which calls 101 points "100 bins".
/// # Example
/// ```
/// use privet_core::{Interval, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::interval::GridRandomizedResponse;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = GridRandomizedResponse::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&0.25, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type GridRandomizedResponse = LatticeMechanism<ResponseOnPoints>;

impl LatticeRule for ResponseOnPoints {
    const INFO: MechanismInfo = MechanismInfo {
        id: "grid-randomized-response",
        synonyms: &["grid-rr"],
        title: "Randomised response on a grid",
        domain: "interval",
        goal: "point, distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Zheng (dissertation), chapter 7",
        status: "stable",
    };
    type Domain = Interval;
    type Rows = WindowRows;
}

impl CalibratedRule for ResponseOnPoints {
    const TAKES_BINS: bool = true;

    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        let parts = grid_parts(calibration)?;
        let geometry = WindowGeometry {
            rounding: Rounding::Nearest,
            ..WindowGeometry::points(parts, Decoding::Centred)
        };
        WindowRows::new(geometry, &Calibration { input_cells: None, ..*calibration })
    }
}
