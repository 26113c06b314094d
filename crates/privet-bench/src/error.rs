//! What cannot be measured.

use privet::classifier::ClassifierError;
use privet::limit::LimitError;
use privet::model::ModelError;
use privet::policy::{ClientError, PolicyError};
use privet::trajectory::TrajectoryError;
use privet::vector::VectorError;
use privet::{EstimateError, InputError, ParameterError, ReportError};
use privet_collector::ServeError;
use std::path::PathBuf;

/// A task that cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The mechanism does not take the parameters.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The mechanism does not take the made-up values.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The collector cannot estimate.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// The collector does not take the reports.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The method does not take the made-up places.
    #[error(transparent)]
    Trajectory(#[from] TrajectoryError),
    /// The mechanism does not take the made-up vectors.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// The made-up model does not hold together.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The made-up record does not fit the model.
    #[error(transparent)]
    Classifier(#[from] ClassifierError),
    /// The solver finds nothing.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The policy of the made-up people does not hold together.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The made-up people cannot answer.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The collector does not run.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The collector answers something else than it should.
    #[error("the collector answered {status:?} to the benchmark's request")]
    Answer {
        /// The first line of its answer.
        status: String,
    },
    /// The store without the collector does not work.
    #[error("the store that is measured beside the collector failed: {0}")]
    Store(#[from] rusqlite::Error),
    /// Files or connections of the benchmark fail.
    #[error("a file or a connection of the benchmark failed: {0}")]
    Io(#[from] std::io::Error),
    /// The interpreter cannot be started.
    #[error("cannot run {}: {source}", python.display())]
    Python {
        /// The interpreter.
        python: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The interpreter ran, but the other packages were not measured.
    #[error("{} did not measure the other packages: {reason}", python.display())]
    Peers {
        /// The interpreter.
        python: PathBuf,
        /// The last line that it wrote, or what is wrong with its answer.
        reason: String,
    },
}
