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

pub use privet_core::*;
pub use privet_estimators::{
    Answer, Consistency, CountSummary, Frequencies, Frequency, FrequencyEstimation, HasEstimator,
    NumberEstimator, Request, numeric, statistics,
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
/// Locations and paths.
pub use privet_trajectory as trajectory;
/// Vectors, and noise where the model does not look.
pub use privet_vector as vector;

/// The mechanisms and estimators by name, for programs that learn the name at run time.
pub mod registry {
    pub use privet_estimators::registry::{AnyEstimator, Row as EstimatorRow};
    pub use privet_mechanisms::registry::Row as MechanismRow;

    use privet_core::ParameterError;
    use privet_estimators::registry as estimators;
    use privet_limit::registry as solved;
    use privet_mechanisms::registry as ready;

    /// Every mechanism, in the order of the documentation.
    pub fn mechanisms() -> impl Iterator<Item = &'static MechanismRow> {
        ready::ROWS.iter().chain(solved::MECHANISMS)
    }

    /// Those that are made at once. The others have to be solved for, which takes seconds.
    pub fn ready_mechanisms() -> &'static [MechanismRow] {
        ready::ROWS
    }

    /// Whether a mechanism has to be solved for.
    pub fn is_solved(row: &MechanismRow) -> bool {
        solved::MECHANISMS.iter().any(|solved| solved.info.id == row.info.id)
    }

    /// The mechanism with this id or synonym.
    ///
    /// # Errors
    /// When there is none.
    pub fn find_mechanism(name: &str) -> Result<&'static MechanismRow, ParameterError> {
        mechanisms()
            .find(|row| row.info.id == name || row.info.synonyms.contains(&name))
            .ok_or_else(|| ParameterError::UnknownMechanism { got: name.to_owned() })
    }

    /// The estimator of the mechanism with this id or synonym.
    ///
    /// # Errors
    /// When there is none, as for mechanisms on places.
    pub fn find_estimator(name: &str) -> Result<&'static EstimatorRow, ParameterError> {
        let id = find_mechanism(name)?.info.id;
        estimators::ROWS
            .iter()
            .chain(solved::ESTIMATORS)
            .find(|row| row.id == id)
            .ok_or_else(estimators::no_estimator)
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::collections::HashSet;

        #[test]
        fn names_are_unique_and_every_mechanism_has_its_estimator() {
            let mut names = HashSet::new();
            for row in mechanisms() {
                for name in std::iter::once(&row.info.id).chain(row.info.synonyms) {
                    assert!(names.insert(*name), "{name}");
                    match row.info.domain {
                        "rectangle" => assert!(find_estimator(name).is_err()),
                        _ => assert_eq!(find_estimator(name).unwrap().id, row.info.id),
                    }
                }
            }
            assert!(find_estimator("nonsense").is_err());
        }

        #[test]
        fn those_that_have_to_be_solved_for_are_told_apart() {
            let solved: Vec<&str> =
                mechanisms().filter(|row| is_solved(row)).map(|row| row.info.id).collect();
            assert_eq!(solved, ["minimax-absolute", "minimax-squared", "minimax-unbiased"]);
            assert!(!ready_mechanisms().iter().any(is_solved));
        }
    }
}

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
