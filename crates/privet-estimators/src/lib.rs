//! The collector's mathematics: summaries that merge, estimators with intervals, and named consistency steps.
//!
//! ```
//! use privet_core::{Categories, Epsilon, Estimator, Generator, Mechanism, ReportBuffer};
//! use privet_estimators::HasEstimator;
//! use privet_mechanisms::categorical::OptimizedUnaryEncoding;
//!
//! let mechanism = OptimizedUnaryEncoding::new(Categories::new(3)?, Epsilon::new(1.0)?)?;
//! let mut reports = ReportBuffer::new(mechanism.report_bytes());
//! let mut rng = Generator::from_insecure_seed(1);
//! mechanism.randomize_batch(&vec![1; 10_000], &mut rng, &mut reports)?;
//!
//! let estimator = mechanism.estimator();
//! let mut summary = estimator.empty_summary();
//! estimator.accumulate(&mut summary, &reports)?;
//! let frequencies = estimator.estimate(&summary)?;
//! assert!((frequencies.rows[1].estimate.value - 1.0).abs() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
pub mod attack;
// Devices do not audit, and have no exact ratios to do it with.
#[cfg(not(target_family = "wasm"))]
pub mod audit;
mod bloom;
mod bounds;
mod consistency;
mod cross_table;
mod frequency;
mod heavy_hitters;
mod influence;
mod inversion;
pub mod numeric;
mod plane;
mod plausibility;
mod reading;
pub mod registry;
mod robust;
mod sketch;
pub mod statistics;
mod summary;
#[cfg(test)]
mod testing;
mod vector;

pub use answer::{Answer, PlaceShares, Populations, Request};
pub use bloom::RapporEstimator;
pub use consistency::Consistency;
pub use cross_table::{CrossCell, CrossSide, CrossSummary, CrossTable, CrossTableEstimator};
pub use frequency::{Frequencies, Frequency, FrequencyEstimator};
pub use heavy_hitters::HeavyHitters;
pub use influence::Influence;
pub use inversion::InversionEstimator;
pub use numeric::NumberEstimator;
pub use plane::{PathQuestion, PathShares, PlaneEstimator};
pub use plausibility::{Plausibility, PlausibilitySummary, Verdict, Watch};
pub use reading::{PlacesReading, Reading, TableReading};
pub use robust::{Robust, RobustRow};
pub use sketch::SketchEstimator;
pub use summary::CountSummary;
pub use vector::{CoordinateNoise, FixedPointScale, MeanVector, VectorSummary};

use privet_core::{EstimateError, Estimator};

/// An estimator of how often categories or words are held.
pub trait FrequencyEstimation: Estimator<Summary = CountSummary, Estimate = Frequencies> {
    /// Estimates for the people whom a request is about, then makes the estimates consistent with each other in the way that it
    /// names.
    ///
    /// # Errors
    /// When there are too few reports, the summary is another mechanism's, or the step does not fit.
    fn frequencies(&self, summary: &CountSummary, request: &Request) -> Result<Frequencies, EstimateError>;

    /// How its reports are read one by one.
    fn reading(&self) -> Reading<'_>;
}

/// A mechanism that knows how its reports are to be read.
pub trait HasEstimator {
    /// The estimator.
    type Estimator: Estimator<Summary = CountSummary> + 'static;

    /// The estimator with the parameters that make the reports.
    fn estimator(&self) -> Self::Estimator;
}
