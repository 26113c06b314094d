//! What can go wrong while people are paired.

use super::{MAX_HELPERS, MAX_PARTICIPANTS};
use crate::wire::WireError;
use thiserror::Error;

/// A pairing that did not come about. No variant holds a token, a share or a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PairingError {
    /// Two helpers that know all permutations between them, or so many that the rounds become too many.
    #[error("there must be 3 to {MAX_HELPERS} helpers: got {got}")]
    HelperCount {
        /// What was received.
        got: usize,
    },
    /// The oblivious sort works on shares of which any two of three tell the value.
    #[error("the oblivious sort needs exactly 3 helpers: got {got}")]
    SortHelperCount {
        /// What was received.
        got: usize,
    },
    /// A place among the helpers that does not exist.
    #[error("a helper's place must be below the number of helpers, {helpers}: got {got}")]
    HelperPlace {
        /// How many helpers there are.
        helpers: usize,
        /// What was received.
        got: usize,
    },
    /// Nobody to be paired with, or more people than a frame can carry.
    #[error("there must be 2 to {MAX_PARTICIPANTS} participants: got {got}")]
    ParticipantCount {
        /// How many took part.
        got: usize,
    },
    /// The link to one of the other helpers failed.
    #[error("helper {helper} failed: {source}")]
    Helper {
        /// Its place, from 0.
        helper: usize,
        /// What happened.
        source: WireError,
    },
    /// A helper revealed something else than it had committed to.
    #[error("helper {helper} did not keep its commitment: it deviates from the protocol")]
    BrokenCommitment {
        /// Its place, from 0.
        helper: usize,
    },
    /// Two places of the shuffled list hold the same token.
    #[error("two of the shuffled tokens are the same: a token was used twice, or a helper deviates")]
    DuplicateToken,
    /// A submission that was received before.
    #[error("a participant's shares were received twice")]
    DuplicateSubmission,
    /// Shares that came when the doors were closed.
    #[error("the time for joining this pairing is over")]
    Closed,
    /// Not all helpers have the participant's shares.
    #[error("this participant is not among the paired: not all helpers received its shares in time")]
    NotIncluded,
    /// The helpers gave up.
    #[error("the helpers could not complete the pairing")]
    Failed,
    /// The list does not hold the participant's own token exactly once.
    #[error("the published list does not hold this participant's token exactly once: a helper deviates")]
    TokenMissing,
    /// Two helpers say different things about the list.
    #[error("helper {helper} published another list than the first helper: one of them deviates")]
    ListsDiffer {
        /// Its place, from 0.
        helper: usize,
    },
    /// The helpers took longer than the participant would wait.
    #[error("the helpers did not publish the pairing in time")]
    TimedOut,
    /// A mailbox that is not one's own.
    #[error("the relay refused: the mailbox belongs to somebody else")]
    Refused,
    /// The other holder of the mailbox did not come.
    #[error("the partner did not come to the mailbox in time")]
    PartnerAbsent,
    /// A connection that failed outside the circle of helpers.
    #[error(transparent)]
    Wire(#[from] WireError),
}
