//! Randomised response on sectors of a circle.

use crate::lattice::{
    CalibratedRule, Calibration, LatticeMechanism, LatticeRule, Movement, Rounding, WindowGeometry,
    WindowRows,
};
use privet_core::{Circle, MechanismInfo, Numerics, ParameterError};

const DEFAULT_SECTORS: u32 = 6;
const MOST_SECTORS: u32 = 1 << 12;

/// The rule of [`SectorRandomizedResponse`].
#[derive(Debug, Clone, Copy)]
pub struct Sectors;

/// Randomised response on sectors, uniform inside.
///
/// # What it protects
/// One direction or time on a public circle: a heading, a time of day.
/// # Formula
/// k equal sectors (6 unless a number of bins is given); the own one with probability E / (k - 1 + E), each other
/// one with 1 / (k - 1 + E); uniform inside the sector.
/// # Domain
/// `circle:PERIOD` with any finite period; values from 0 up to, but not including, the period.
/// # Guarantee
/// Pure epsilon, tight.
/// # Cost
/// 16 bits per report; one random word per draw.
/// # Numerics
/// Integer-exact: each sector has 65536 / k cells (rounded down); all cells of the own sector have the same high
/// weight. Values are rounded down to the start of their sector.
/// # When not to use it
/// Where the distance matters: values at the edge of a sector are moved further than those in its middle.
/// [`super::OptimalPiecewiseCircle`] has no edges.
/// # Reference
/// The strawman of Y. Zheng's dissertation, chapter 6, with the correct probability of lying, (k - 1) / (k - 1 + E).
/// # Example
/// ```
/// use privet_core::{Circle, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::circle::SectorRandomizedResponse;
/// use privet_mechanisms::lattice::LatticeChannel;
/// let mechanism = SectorRandomizedResponse::new(Circle::new(360.0)?, Epsilon::new(1.0)?)?;
/// let mut rng = Generator::from_insecure_seed(1);
/// let report = mechanism.randomize(&90.0, &mut rng)?;
/// assert!(mechanism.output_value(report.0).is_finite());
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type SectorRandomizedResponse = LatticeMechanism<Sectors>;

impl LatticeRule for Sectors {
    const INFO: MechanismInfo = MechanismInfo {
        id: "sector-randomized-response",
        synonyms: &["sector-rr"],
        title: "Randomised response on sectors",
        domain: "circle",
        goal: "point, distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Zheng (dissertation), chapter 6, the strawman",
        status: "stable",
    };
    type Domain = Circle;
    type Rows = WindowRows;
}

impl CalibratedRule for Sectors {
    const TAKES_BINS: bool = true;

    fn rows(calibration: &Calibration) -> Result<WindowRows, ParameterError> {
        let sectors = calibration.options.bins.unwrap_or(DEFAULT_SECTORS);
        if !(2..=MOST_SECTORS).contains(&sectors) {
            return Err(ParameterError::Incompatible {
                reason: format!("the number of sectors must be between 2 and {MOST_SECTORS}: got {sectors}"),
            });
        }
        let geometry = WindowGeometry {
            movement: Movement::Blocks,
            rounding: Rounding::Down,
            input_cells: sectors,
            step: calibration.input_cells.unwrap_or(WindowGeometry::INPUT_CELLS / sectors),
            ..WindowGeometry::ring(0.0)
        };
        WindowRows::new(geometry, &Calibration { input_cells: None, ..*calibration })
    }
}
