//! Local differential privacy: each person's value is randomised on their own device, only the randomised report leaves
//! it, and the collector still learns the statistics.
//!
//! ```
//! use privet::{Categories, Epsilon, Estimator, HasEstimator, Mechanism, ReportBuffer};
//! use privet::categorical::OptimizedUnaryEncoding;
//!
//! // On each device.
//! let transport = Categories::with_labels(["walk", "bicycle", "bus", "train", "car"])?;
//! let mechanism = OptimizedUnaryEncoding::new(transport, Epsilon::new(1.0)?)?;
//! let mut rng = privet::generator()?;
//! let report = mechanism.randomize(&3, &mut rng)?;
//!
//! // At the collector, from many devices.
//! let mut reports = ReportBuffer::new(mechanism.report_bytes());
//! mechanism.randomize_batch(&vec![3; 20_000], &mut rng, &mut reports)?;
//! let estimator = mechanism.estimator();
//! let mut summary = estimator.empty_summary();
//! estimator.accumulate(&mut summary, &reports)?;
//! let train = &estimator.estimate(&summary)?.rows[3];
//! assert!((train.estimate.value - 1.0).abs() < 0.2);
//! # let _ = report;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `http` there is also `client`, which talks to a collector.

pub use privet_core::*;
pub use privet_estimators::{
    Answer, Consistency, CountSummary, Frequencies, Frequency, FrequencyEstimation, HasEstimator, MeanVector,
    NumberEstimator, PlaceShares, PlaneEstimator, Populations, Request, VectorSummary, Verdict, attack,
    audit, numeric, statistics,
};
pub use privet_mechanisms::registry::{AnyMechanism, WorstInput};
pub use privet_mechanisms::{analysis, categorical, circle, interval, lattice, plane, polar, wrapper};

/// What a classifier is still worth when its input is a report.
pub use privet_classifier as classifier;
/// Correlated perturbation for pairs of people.
pub use privet_joint as joint;
/// The best channels there can be, and the proofs.
pub use privet_limit as limit;
/// Models that are fed with reports.
pub use privet_model as model;
/// The contract between a collector and its people.
pub use privet_policy as policy;
/// Locations and paths.
pub use privet_trajectory as trajectory;
/// Vectors, and noise where the model does not look.
pub use privet_vector as vector;

pub use privet_policy::{advisor, document, registry};

#[cfg(feature = "http")]
pub mod client;

/// The operating system gave no randomness. There is no fallback: without it nothing can be protected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gave no randomness: {0}")]
pub struct NoEntropy(String);

/// A generator with 256 bits of entropy from the operating system.
///
/// # Errors
/// When the operating system gives none.
pub fn generator() -> Result<Generator, NoEntropy> {
    let mut entropy = [0; 32];
    getrandom::fill(&mut entropy).map_err(|error| NoEntropy(error.to_string()))?;
    Ok(Generator::from_entropy(entropy))
}
