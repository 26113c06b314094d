//! Why a paper could not be reproduced.

use crate::reshape::StudyError;
use privet::classifier::ClassifierError;
use privet::joint::JointError;
use privet::limit::LimitError;
use privet::trajectory::TrajectoryError;
use privet::vector::VectorError;
use privet::{EstimateError, InputError, ParameterError, ReportError};
use std::path::PathBuf;
use thiserror::Error;

/// Why a paper could not be reproduced.
#[derive(Debug, Error)]
pub enum ReproduceError {
    /// Nobody knows a paper of this name.
    #[error("a paper is one of {known}: got {got:?}")]
    UnknownPaper {
        /// What there is.
        known: String,
        /// What was asked for.
        got: String,
    },
    /// The paper has no such figure.
    #[error("{paper} has no figure {got:?}; it has {known}")]
    UnknownFigure {
        /// The paper, or all of them.
        paper: String,
        /// What there is.
        known: String,
        /// What was asked for.
        got: String,
    },
    /// A folder that was not made by this program.
    #[error("{} exists and was not written by `privet reproduce`: nothing in it is touched", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
    },
    /// A folder with results of another request, which would be lost.
    #[error("{} holds {holds}: nothing in it is touched", path.display())]
    OtherRun {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        holds: String,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// A data set that is not what it should be.
    #[error("{}: {problem}", path.display())]
    Data {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A table of claims with a row that cannot be read, or a claim that nobody made.
    #[error("claims of {paper}: {problem}")]
    Claims {
        /// The paper.
        paper: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// A chart that cannot be drawn.
    #[error(transparent)]
    Picture(#[from] privet_plot::PictureError),
    /// A parameter is wrong.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A value is outside its domain.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A report is none.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Nothing can be estimated.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// Pairs that cannot be formed.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// A limit that is not found.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A place or a path that cannot be used.
    #[error(transparent)]
    Trajectory(#[from] TrajectoryError),
    /// A vector that cannot be randomised.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// A classifier that cannot be questioned.
    #[error(transparent)]
    Classifier(#[from] ClassifierError),
    /// A study of reshaping failed.
    #[error(transparent)]
    Study(#[from] StudyError),
}
