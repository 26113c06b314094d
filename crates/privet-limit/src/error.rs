//! What can go wrong when a channel is looked for, read or checked.

use privet_core::ParameterError;
use thiserror::Error;

/// Why there is no channel or no proof.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LimitError {
    /// No channel satisfies the constraints.
    #[error("no channel satisfies these constraints")]
    Infeasible,
    /// The loss can be made as small as one likes.
    #[error("the loss has no lower limit under these constraints")]
    Unbounded,
    /// The solver gave up without a usable answer.
    #[error("the solver found no usable answer: {reason}")]
    Solver {
        /// What it said.
        reason: String,
    },
    /// A loss matrix is not what it should be.
    #[error("these losses cannot be used: {reason}")]
    Losses {
        /// What is wrong with them.
        reason: String,
    },
    /// The programme would not fit into memory.
    #[error("a programme of this size needs about {megabytes} MB; {allowed} MB are allowed")]
    TooLarge {
        /// What it would take.
        megabytes: u64,
        /// What it may take.
        allowed: u64,
    },
    /// The parameters do not fit together.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A file is not what it should be.
    #[error("this is not a sound mechanism file: {reason}")]
    File {
        /// What is wrong with it.
        reason: String,
    },
    /// A certificate does not prove what it claims.
    #[error("the certificate does not prove its bound: it claims {claimed}, the check finds {proved}")]
    Unproved {
        /// What it claims.
        claimed: f64,
        /// What can be proved from its numbers.
        proved: f64,
    },
}

/// Refuses programmes that would not fit into memory.
pub(crate) struct TooLarge;

impl TooLarge {
    /// What a programme may take.
    const ALLOWED_MEGABYTES: u64 = 4096;

    pub(crate) fn refuse_above(bytes: usize) -> Result<(), LimitError> {
        let megabytes = bytes as u64 >> 20;
        if megabytes > Self::ALLOWED_MEGABYTES {
            return Err(LimitError::TooLarge { megabytes, allowed: Self::ALLOWED_MEGABYTES });
        }
        Ok(())
    }
}
