//! What can be wrong with a plan or a table.

use privet_core::ParameterError;
use thiserror::Error;

/// A parameter of joint perturbation that cannot be used. Everything named here is public.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum JointError {
    /// The probability of a truthful report says nothing, or hides nothing.
    #[error("the probability p of a truthful report must be above {above} and below 1: got {got}")]
    Truthfulness {
        /// What p must exceed: the probability of guessing right.
        above: f64,
        /// What was received.
        got: f64,
    },
    /// No table has this correlation.
    #[error("the correlation rho must be between {lowest} and {highest} at p = {p}: got {got}")]
    Correlation {
        /// The truthfulness.
        p: f64,
        /// The smallest correlation that keeps all probabilities at zero or more.
        lowest: f64,
        /// The largest correlation.
        highest: f64,
        /// What was received.
        got: f64,
    },
    /// Nobody to be paired with.
    #[error("joint perturbation needs at least two participants: got {got}")]
    TooFewUsers {
        /// What was received.
        got: u64,
    },
    /// More people than the sums are made for.
    #[error("at most {max} participants are supported here: got {got}")]
    TooManyUsers {
        /// The largest number.
        max: u64,
        /// What was received.
        got: u64,
    },
    /// Everybody colludes, so nobody is left to protect.
    #[error("the colluders must be fewer than the {users} participants: got {got}")]
    TooManyColluders {
        /// How many participants there are.
        users: u64,
        /// What was received.
        got: u64,
    },
    /// More ones than people.
    #[error("at most all {users} participants can hold the value: got {got}")]
    TooManyHolders {
        /// How many participants there are.
        users: u64,
        /// What was received.
        got: u64,
    },
    /// The two people of a pair, or a mechanism and its table, do not fit.
    #[error("{reason}")]
    Incompatible {
        /// What does not fit.
        reason: &'static str,
    },
    /// A parameter of the mechanism underneath.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}
