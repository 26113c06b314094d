//! What can go wrong between two processes.

use super::frame::{Kind, MAX_BODY_BYTES, VERSION};
use std::io;
use thiserror::Error;

/// A frame that did not arrive, or that was refused. No variant holds a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WireError {
    /// The other end was silent for too long, or did not read.
    #[error("the other end did not answer in time")]
    TimedOut,
    /// The other end is gone, or the link failed before.
    #[error("the connection is closed")]
    Closed,
    /// The frame is of another version of the format.
    #[error("a frame must have version {VERSION}: got {got}")]
    WrongVersion {
        /// What was received.
        got: u8,
    },
    /// The frame belongs to another run.
    #[error("a frame of another run was received")]
    WrongRun,
    /// A frame that was received before.
    #[error("a frame was received twice: number {got} again, after it number {expected} must follow")]
    Replayed {
        /// The number that must come next.
        expected: u32,
        /// What was received.
        got: u32,
    },
    /// A frame is missing, or two changed their places.
    #[error("frames must arrive in order: expected number {expected}, got {got}")]
    OutOfOrder {
        /// The number that must come next.
        expected: u32,
        /// What was received.
        got: u32,
    },
    /// A frame of a kind that does not belong here.
    #[error("expected a frame of kind {expected}: got {got}")]
    WrongKind {
        /// The kind that was waited for.
        expected: Kind,
        /// What was received.
        got: Kind,
    },
    /// The body has not the length that its kind needs.
    #[error("the body must have {expected} bytes: got {got}")]
    WrongLength {
        /// The length that was expected.
        expected: usize,
        /// What was received.
        got: usize,
    },
    /// The body is longer than any frame may be.
    #[error("a body must have at most {MAX_BODY_BYTES} bytes: got {got}")]
    TooLong {
        /// What was given or received.
        got: usize,
    },
    /// One direction has used up its numbers.
    #[error("a link carries at most {} frames in one direction", u32::MAX)]
    TooMany,
    /// A key of the handshake that nobody who follows it would send.
    #[error("the other end's key is not a valid one")]
    WrongKey,
    /// A sealed frame that was changed on its way, or was sealed for another run.
    #[error("a sealed frame was changed, or belongs to another connection")]
    NotAuthentic,
    /// The operating system refused.
    #[error("the connection failed: {0}")]
    Io(io::ErrorKind),
}

impl From<io::Error> for WireError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Self::TimedOut,
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::WriteZero => Self::Closed,
            other => Self::Io(other),
        }
    }
}
