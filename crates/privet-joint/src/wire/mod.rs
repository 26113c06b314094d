//! Frames between two processes: who sends what, in which order, and what a receiver refuses.
//!
//! Every frame says its version, its kind, the run that it belongs to, its place in the sequence and its length. A
//! receiver names the kind that it waits for; anything else is an error that says what was wrong, and the link is of
//! no use from then on. A [`Link`] is a [`TcpLink`], one end of a [`memory_pair`], or a [`Sealed`] one of these.

mod error;
mod frame;
mod memory;
mod sealed;
mod tcp;

pub use error::WireError;
pub use frame::{Kind, MAX_BODY_BYTES, RunId};
pub use memory::{MemoryLink, memory_pair};
pub use sealed::Sealed;
pub(crate) use sealed::random_scalar;
pub use tcp::TcpLink;

/// One end of a connection that carries frames.
pub trait Link: Send {
    /// Sends one frame.
    ///
    /// # Errors
    /// When the body is too long, the other end is gone or it does not read in time.
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError>;

    /// Waits for the next frame, which must be of this kind.
    ///
    /// # Errors
    /// When nothing comes in time, the other end is gone, or the frame is not the next one of this run and kind.
    fn receive(&mut self, kind: Kind) -> Result<Vec<u8>, WireError>;

    /// Waits for the next frame, which must be of this kind and have a body of exactly so many bytes.
    ///
    /// # Errors
    /// As [`receive`](Self::receive), and when the length is another.
    fn receive_exact(&mut self, kind: Kind, bytes: usize) -> Result<Vec<u8>, WireError> {
        let body = self.receive(kind)?;
        if body.len() != bytes {
            return Err(WireError::WrongLength { expected: bytes, got: body.len() });
        }
        Ok(body)
    }

    /// How many bytes left this end so far, headers included.
    fn bytes_sent(&self) -> u64;

    /// How many bytes arrived at this end so far, headers included.
    fn bytes_received(&self) -> u64;
}

impl<L: Link + ?Sized> Link for Box<L> {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        (**self).send(kind, body)
    }

    fn receive(&mut self, kind: Kind) -> Result<Vec<u8>, WireError> {
        (**self).receive(kind)
    }

    fn bytes_sent(&self) -> u64 {
        (**self).bytes_sent()
    }

    fn bytes_received(&self) -> u64 {
        (**self).bytes_received()
    }
}
