//! What can go wrong with locations.

use privet_core::{EstimateError, InputError, ParameterError};
use thiserror::Error;

/// Why there is no report, no metric or no estimate. Nothing in it says where a place is.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// The parameters do not fit.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A place is outside the space.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The method does not work in this kind of space.
    #[error("{method} works in {expected}: got {got}")]
    WrongSpace {
        /// The method's id.
        method: &'static str,
        /// The kinds of space that it takes.
        expected: &'static str,
        /// The space received.
        got: String,
    },
    /// More places were reported than the budget was divided for.
    #[error("the budget was divided for {planned} places of one path: one more was given")]
    PathTooLong {
        /// For how many places it was divided.
        planned: u64,
    },
    /// The times of a path are not those of its places, in order.
    #[error("time number {position} {problem}")]
    Times {
        /// Which one, counted from 1.
        position: u64,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Reports that can be read, but not with intervals that hold for every population.
    #[error("reports of {method} cannot have intervals: {why}; {instead}")]
    NoIntervals {
        /// The method's id.
        method: &'static str,
        /// Why not.
        why: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// One path does not show how paths differ.
    #[error("intervals need at least {needed} paths with reports, because paths are random: got {got}")]
    TooFewPaths {
        /// The smallest number that suffices.
        needed: u64,
        /// How many there are.
        got: u64,
    },
    /// There is too little to estimate from.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// A path without times was to be published with times, or read with them.
    #[error("the path needs times: got none")]
    NoTimes,
}

impl TrajectoryError {
    /// The same error, said of one place of a path or of a table; `position` counts from 1.
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
            Self::WrongSpace { .. } => "trajectory-wrong-space",
            Self::PathTooLong { .. } => "trajectory-path-too-long",
            Self::Times { .. } => "trajectory-times",
            Self::NoIntervals { .. } => "trajectory-no-intervals",
            Self::TooFewPaths { .. } => "trajectory-too-few-paths",
            Self::Estimate(error) => error.code(),
            Self::NoTimes => "trajectory-no-times",
        }
    }

    pub(crate) fn incompatible(reason: impl Into<String>) -> Self {
        Self::Parameter(ParameterError::Incompatible { reason: reason.into() })
    }
}
