//! A report's way into the store.
//!
//! ```text
//! request -> checked reports -> queue -> one transaction with those of many requests -> answer
//!            on any thread      bytes    the writer's thread
//! ```
//!
//! Reports are checked before they are queued, on as many threads as there are. One thread writes: while a transaction is being flushed to
//! the disk the next requests gather, and all of them share the next transaction. A request is answered after its transaction is
//! committed. How many bytes wait at once is limited; who comes too much is sent away.

mod check;
mod commit;
mod writer;

pub(crate) use check::{Checked, check, opening};
pub(crate) use commit::{add_counters, commit_group, damaged};
pub(crate) use writer::{Gate, Intake, IntakeError, Pass};

use crate::collection::Collection;
use axum::body::Bytes;
use privet_policy::{ReportId, SubmissionError};
use std::sync::Arc;
use thiserror::Error;

/// Sound reports of one request, on their way to the store.
#[derive(Debug)]
pub(crate) struct Submission {
    pub(crate) collection: Arc<Collection>,
    /// Reports with their tokens, back to back.
    pub(crate) body: Bytes,
    /// Which of them are sound.
    pub(crate) sound: Vec<u32>,
}

impl Submission {
    /// A report with its token.
    fn item(&self, position: u32) -> &[u8] {
        let length = self.collection.item_bytes();
        let start = position as usize * length;
        &self.body[start..start + length]
    }
}

/// What became of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is kept and counted.
    Accepted,
    /// It was kept and counted before.
    Duplicate,
    /// It is not counted.
    Refused(Refusal),
}

/// Why a report is not counted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Refusal {
    #[error(transparent)]
    Unsound(#[from] SubmissionError),
    #[error("the report is for epoch {got}, which has not begun: the last one that has is {latest}")]
    Early { latest: u32, got: u32 },
    #[error("the collection opens on {opens}")]
    NotYetOpen { opens: String },
    #[error("the collection takes no more reports")]
    Closed,
    #[error("another report with the id {id} was accepted before")]
    Conflict { id: ReportId },
    #[error("the report {id} was withdrawn")]
    Withdrawn { id: ReportId },
    #[error("the token is not signed by the key of this collection")]
    TokenInvalid,
    #[error("the token was spent on another report")]
    TokenSpent,
    #[error("reports are written in hexadecimal digits")]
    Text,
}
