//! Laplace noise along a circle.

use crate::lattice::{CalibratedRule, Calibration, LatticeMechanism, LatticeRule, RingNoiseRows, step_back};
use privet_core::{Circle, MechanismInfo, Numerics, ParameterError};

/// The rule of [`Purkayastha`].
#[derive(Debug, Clone, Copy)]
pub struct GeodesicLaplace;

/// Purkayastha mechanism: noise that falls off exponentially along the circle.
///
/// # What it protects
/// One direction or time on a public circle: a heading, a time of day.
/// # Formula
/// Density proportional to e^(-k d), d the distance along the circle, k = 2 epsilon / T. Absolute error: (T / (2
/// epsilon)) (1 - (1 + epsilon) e^(-epsilon)) / (1 - e^(-epsilon)).
/// # Domain
/// `circle:PERIOD` with any finite period; values from 0 up to, but not including, the period.
/// # Guarantee
/// Pure epsilon, tight between opposite points.
/// # Cost
/// 12 bits per report; two random words and one look-up per draw; about 100 kilobytes of memory.
/// # Numerics
/// Integer-exact on 4096 points of the circle; a value between two is rounded to one of them at random. The rate
/// steps back from k until the worst ratio of the rounded integers is at most e^epsilon.
/// # When not to use it
/// A window is better for every loss that grows with the distance: at epsilon 2 the absolute error is 1.079 against
/// .845 of [`super::OptimalPiecewiseCircle`] on a circle of 2 pi.
/// # Reference
/// The rival of Y. Zheng's dissertation, chapter 5: a Laplace law in arc length (Purkayastha's distribution), not von Mises.
/// # Example
/// ```
/// use privet_core::{Circle, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::circle::Purkayastha;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = Purkayastha::new(Circle::new(360.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&90.0, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Purkayastha = LatticeMechanism<GeodesicLaplace>;

impl LatticeRule for GeodesicLaplace {
    const INFO: MechanismInfo = MechanismInfo {
        id: "purkayastha",
        synonyms: &["circular-laplace"],
        title: "Purkayastha mechanism",
        domain: "circle",
        goal: "point",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20; capped at epsilon 40",
        reference: "Zheng, Mishra, Hu: section 5.6",
        status: "stable",
    };
    type Domain = Circle;
    type Rows = RingNoiseRows;
}

impl CalibratedRule for GeodesicLaplace {
    fn rows(calibration: &Calibration) -> Result<RingNoiseRows, ParameterError> {
        const PARTS: u32 = 4096;
        let parts = calibration.input_cells.unwrap_or(PARTS);
        // Beyond this rate the far weights vanish against 2^64, and a larger epsilon cannot be spent.
        step_back(calibration.epsilon, 40.0, |rate| {
            let turned =
                |turn: u32| (-rate * 2.0 * f64::from(turn.min(parts - turn)) / f64::from(parts)).exp();
            RingNoiseRows::new(&(0..parts).map(turned).collect::<Vec<_>>())
        })
    }
}
