//! How a run can fail, and whether it may be tried again.

use super::ledger::LedgerError;
use crate::wire::WireError;
use thiserror::Error;

/// Why a run failed. No variant holds a share, a label or a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RunFailure {
    /// The link failed, or carried a message that does not belong here.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The run is spent, or nobody can tell.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Both ends have the same role.
    #[error("the two ends must have different roles: both have the same")]
    SameRole,
    /// The ends would draw from different tables.
    #[error("the two ends must use the same table: their p or rho differ")]
    OtherTable,
    /// A message that nobody who follows the protocol sends.
    #[error("the partner does not follow the protocol: {what}")]
    Deviation {
        /// What was wrong.
        what: &'static str,
    },
}

/// A run that gave no truthfulness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{failure}{}", ending(*failure, *is_final))]
pub struct RunError {
    pub(super) failure: RunFailure,
    pub(super) is_final: bool,
}

fn ending(failure: RunFailure, is_final: bool) -> &'static str {
    match failure {
        // It says so itself.
        RunFailure::Ledger(LedgerError::Spent) => "",
        _ if is_final => "; the run of this collection is spent",
        _ => "",
    }
}

impl RunError {
    /// Why the run failed.
    pub fn failure(&self) -> RunFailure {
        self.failure
    }

    /// Whether the person's run of this collection is spent: they take part without a partner, or not at all.
    pub fn is_final(&self) -> bool {
        self.is_final
    }

    /// Whether the same two people may try again: nothing from which an output could follow has left this end, and the
    /// failure is one that another attempt may not have.
    pub fn is_retryable(&self) -> bool {
        !self.is_final && matches!(self.failure, RunFailure::Wire(_) | RunFailure::Deviation { .. })
    }
}
