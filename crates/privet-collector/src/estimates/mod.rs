//! What is learned, with everything that a reader needs to judge it.
//!
//! Frequencies and means are computed from the stored counters whenever they are asked for. Distributions and cross-tables take longer: they
//! come from a cache, say how many reports they rest on, and are computed again in the background when there are more.

mod cache;
mod cross;
mod table;

pub(crate) use cache::{Age, Cache};
pub(crate) use cross::{CrossQuestion, cross_table};
pub(crate) use table::{Question, answer, only_the_mean};

use crate::store::StoreError;
use privet_core::{EstimateError, ParameterError};
use thiserror::Error;

/// Why there is no estimate.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum AnswerError {
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
