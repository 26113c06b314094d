//! What is learned, with everything that a reader needs to judge it.
//!
//! Frequencies and means are computed from the stored counters whenever these have changed. Distributions, places and cross-tables take
//! longer: they come from a cache, say how many reports they rest on, and are computed again in the background when there are more.
//! Everything stays typed until it is sent.

mod cache;
mod cross;
mod judged;
mod table;

pub(crate) use cache::Age;
pub(crate) use cross::{CrossDocument, CrossQuestion, cross_table};
pub(crate) use judged::{Judged, JudgedDocument, Trust};
pub(crate) use table::{Of, Question, answer, only_the_mean, quick};

use crate::store::StoreError;
use cache::{Cache, Worker};
use cross::Crossed;
use privet_core::{EstimateError, ParameterError};
use privet_policy::AttributeEstimate;
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

/// Everything that takes long, with one thread for what is not urgent.
#[derive(Debug)]
pub(crate) struct Caches {
    /// Distributions and places.
    slow: Cache<Judged>,
    /// Frequencies and means, of the whole and of its parts.
    quick: Cache<AttributeEstimate>,
    cross_tables: Cache<Crossed>,
    /// The mechanism that is best for a domain.
    pub(crate) advice: Cache<Option<String>>,
    /// What no mechanism can be better than.
    pub(crate) limits: Cache<Option<f64>>,
}

impl Caches {
    /// Starts the thread. It ends with the caches.
    pub(crate) fn start() -> std::io::Result<Self> {
        let worker = Worker::start()?;
        Ok(Self {
            slow: Cache::new(&worker),
            quick: Cache::new(&worker),
            cross_tables: Cache::new(&worker),
            advice: Cache::new(&worker),
            limits: Cache::new(&worker),
        })
    }
}
