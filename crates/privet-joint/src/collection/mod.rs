//! A whole collection over TCP: people who are paired, perturb together and report, and a collector who counts.
//!
//! Nothing on the way stops the collection. Whoever cannot be paired, or whose partner leaves before anything was decided,
//! perturbs alone, with the same probabilities. Whoever loses the partner after that is left out: the run is spent.
//!
//! A report is one bit on a connection of its own; it names neither mailbox nor partner. Two people who have just perturbed
//! together would send theirs at the same moment, which the collector could see. So everybody waits a random time first.

mod collector;
mod person;

pub use collector::{Collector, Tally};
pub use person::{Outcome, Perturbed, Reason, Setting, perturb, take_part};

use crate::two_party::{LedgerError, RunError};
use crate::wire::WireError;
use thiserror::Error;

/// Why a person's report did not reach the collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CollectionError {
    /// The person took part before, or nobody can tell.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The partner was lost when the run was spent.
    #[error("left out: {0}")]
    LeftOut(RunError),
    /// The collector did not take the report.
    #[error("the collector did not take the report: {0}")]
    Collector(WireError),
}
