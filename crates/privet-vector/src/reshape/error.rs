//! What can go wrong with reshaping.

use crate::VectorError;
use privet_core::{InputError, ParameterError};
use privet_model::ModelError;
use thiserror::Error;

/// Numbers of a map are not larger, and larger coordinates of a private vector count as this: sums of squares of their products
/// are finite.
pub(super) const LARGEST: f64 = 1e60;

/// Why there is no reshaping, or why it cannot be used. Nothing in it says what a private vector is.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ReshapeError {
    /// A mechanism or a private vector does not fit.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// The model gives no answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Numbers that should be as many as others.
    #[error("{what}: expected {expected}, got {got}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// Public numbers that are not finite, or so large that their squares are not.
    #[error("{what} must be finite numbers with finite squares")]
    NotFinite {
        /// What the numbers are.
        what: &'static str,
    },
    /// The model's answer does not depend on its input, as far as the Jacobians say.
    #[error("all Jacobians are zero: the model does not react to its input, so there is no task space")]
    NoReaction,
    /// The model reacts only to directions in which the public vectors are all the same.
    #[error("the public vectors do not vary in any direction that the model reacts to: the rank is zero")]
    NoVariation,
    /// Fewer rows of Jacobians than dimensions: most of the null space would be what was not looked at.
    #[error(
        "{rows} rows of Jacobians say nothing about {dimension} dimensions: at least {dimension} rows are needed"
    )]
    TooFewJacobians {
        /// How many rows there are.
        rows: usize,
        /// The dimension of the vectors.
        dimension: usize,
    },
    /// Fewer public vectors than it takes to know how they vary.
    #[error("a fit needs at least {needed} public vectors: got {got}")]
    TooFewVectors {
        /// How many it takes.
        needed: usize,
        /// How many there are.
        got: usize,
    },
    /// A rank that the task does not have.
    #[error("the rank must be from 1 to {most}: got {got}")]
    Rank {
        /// The number of coordinates that there are.
        most: usize,
        /// The rank asked for.
        got: usize,
    },
    /// A setting is outside of what it may be.
    #[error("{what} must be {allowed}")]
    Setting {
        /// The setting.
        what: &'static str,
        /// What it may be.
        allowed: &'static str,
    },
    /// A file is not what it should be.
    #[error("this is not a sound reshape file: {reason}")]
    File {
        /// What is wrong with it.
        reason: String,
    },
}

impl ReshapeError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Vector(error) => error.code(),
            Self::Model(error) => error.code(),
            Self::Count { .. } => "reshape-count",
            Self::NotFinite { .. } => "reshape-not-finite",
            Self::NoReaction => "reshape-no-reaction",
            Self::NoVariation => "reshape-no-variation",
            Self::TooFewJacobians { .. } => "reshape-too-few-jacobians",
            Self::TooFewVectors { .. } => "reshape-too-few-vectors",
            Self::Rank { .. } => "reshape-rank",
            Self::Setting { .. } => "reshape-setting",
            Self::File { .. } => "reshape-file",
        }
    }

    /// What to do about it, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoReaction => Some("a model of constant pieces, such as trees, has no useful Jacobian"),
            Self::NoVariation => Some("use public vectors like those that people will have"),
            Self::TooFewJacobians { .. } => Some("take Jacobians at more public points"),
            _ => None,
        }
    }

    pub(super) fn check_count(what: &'static str, expected: usize, got: usize) -> Result<(), Self> {
        if expected == got { Ok(()) } else { Err(Self::Count { what, expected, got }) }
    }

    pub(super) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), Self> {
        if values.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Self::NotFinite { what }) }
    }

    /// Refuses numbers that could leave the range of numbers when they meet those of a vector.
    pub(super) fn check_moderate(what: &'static str, values: &[f64]) -> Result<(), Self> {
        let is_moderate = |value: &f64| value.abs() <= LARGEST;
        if values.iter().all(is_moderate) { Ok(()) } else { Err(Self::NotFinite { what }) }
    }
}

impl From<InputError> for ReshapeError {
    fn from(error: InputError) -> Self {
        Self::Vector(error.into())
    }
}

impl From<ParameterError> for ReshapeError {
    fn from(error: ParameterError) -> Self {
        Self::Vector(error.into())
    }
}
