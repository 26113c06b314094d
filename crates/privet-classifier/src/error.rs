//! What can go wrong when a classifier is questioned.

use crate::{Disagreement, Moved};
use privet_core::{InputError, ParameterError};
use privet_model::ModelError;
use thiserror::Error;

/// Why there is no answer about a classifier. Nothing in it says what a record holds.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClassifierError {
    /// The parameters do not fit.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A value lies outside the domain of a mechanism.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A record of another length than the classifier reads.
    #[error("the classifier reads {expected} features: the record has {got}")]
    Arity {
        /// How many features the classifier reads.
        expected: usize,
        /// How many the record has.
        got: usize,
    },
    /// There is no such feature.
    #[error("a sensitive feature is a number from 0 to {}: got {got}", inputs.saturating_sub(1))]
    NoSuchFeature {
        /// How many features the classifier reads.
        inputs: usize,
        /// What was asked for.
        got: usize,
    },
    /// A feature was named twice, or none was named.
    #[error("sensitive features must be named, each of them once: got {got:?}")]
    Features {
        /// What was asked for.
        got: Vec<usize>,
    },
    /// A sensitive feature outside the unit interval.
    #[error("feature {feature} lies outside [0, 1]; allowed are values inside, or an explicit clamp")]
    OutsideUnit {
        /// Which feature.
        feature: usize,
    },
    /// A sensitive feature of which clamping would leave little.
    #[error(
        "{} of {} values of feature {} lie outside [0, 1]: with more than half of them moved to the ends, little of it would be left",
        .0.values, .0.records, .0.feature
    )]
    OtherScale(Moved),
    /// What was read from a classifier is not what it computes.
    #[error("{0}: nothing can be proved from it")]
    Reading(Disagreement),
    /// A feature that is not sensitive, but no number either.
    #[error("feature {feature} is not a finite number")]
    NotFinite {
        /// Which feature.
        feature: usize,
    },
    /// Two answers to one question.
    #[error(
        "the classifier gave different labels for the same rows: only deterministic ones that look at each row by itself can be questioned"
    )]
    NotDeterministic,
    /// Too many or too few labels.
    #[error("the classifier was given {expected} rows and gave {got} labels")]
    LabelCount {
        /// How many rows it was given.
        expected: usize,
        /// How many labels it gave.
        got: usize,
    },
    /// A command that does not answer as it should.
    #[error("the command {command:?} {reason}")]
    Command {
        /// The program.
        command: String,
        /// What it did.
        reason: String,
    },
    /// A method that does not work for this classifier.
    #[error("the method {method} needs {needs}")]
    Method {
        /// The method's name.
        method: &'static str,
        /// What it needs.
        needs: &'static str,
    },
    /// An option outside its range.
    #[error("{option} must be {allowed}: got {got}")]
    Option {
        /// Which one.
        option: &'static str,
        /// What is allowed.
        allowed: &'static str,
        /// What was given.
        got: f64,
    },
}

impl ClassifierError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Parameter(error) => error.code(),
            Self::Input(error) => error.code(),
            Self::Model(_) => "classifier-model",
            Self::Arity { .. } => "classifier-arity",
            Self::NoSuchFeature { .. } => "classifier-no-such-feature",
            Self::Features { .. } => "classifier-features",
            Self::OutsideUnit { .. } => "classifier-outside-unit",
            Self::OtherScale(_) => "classifier-other-scale",
            Self::Reading(_) => "classifier-reading",
            Self::NotFinite { .. } => "classifier-not-finite",
            Self::NotDeterministic => "classifier-not-deterministic",
            Self::LabelCount { .. } => "classifier-label-count",
            Self::Command { .. } => "classifier-command",
            Self::Method { .. } => "classifier-method",
            Self::Option { .. } => "classifier-option",
        }
    }
}
