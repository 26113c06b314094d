//! What can go wrong with vectors.

use privet_core::{InputError, ParameterError, ReportError};
use thiserror::Error;

/// Why there is no report or no mechanism. Nothing in it says what a private vector is.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum VectorError {
    /// The parameters do not fit.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A private vector of another dimension, or with a coordinate that is not a finite number.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A report that the mechanism cannot have written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A place for reports that does not fit the vectors.
    #[error("the reports need room for {expected} numbers: got room for {got}")]
    Room {
        /// As many as the vectors have.
        expected: usize,
        /// The room.
        got: usize,
    },
}

impl VectorError {
    /// The same error, said of one vector of a batch; `position` counts from 1.
    pub fn at(self, position: u64) -> Self {
        match self {
            Self::Input(error) => Self::Input(error.at(position)),
            other => other,
        }
    }

    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Parameter(error) => error.code(),
            Self::Input(error) => error.code(),
            Self::Report(error) => error.code(),
            Self::Room { .. } => "vector-room",
        }
    }
}
