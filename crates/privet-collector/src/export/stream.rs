//! A table on its way to a client, in pieces: only a few are in memory.

use axum::body::Bytes;
use futures_util::Stream;
use std::io::{self, Write};
use tokio::sync::mpsc;

/// What writes a table. It waits while the client reads slowly, and fails when the client is gone.
#[derive(Debug)]
pub(crate) struct Pieces {
    piece: Vec<u8>,
    sender: mpsc::Sender<io::Result<Bytes>>,
}

const PIECE_BYTES: usize = 64 << 10;
const PIECES: usize = 4;

/// Both ends of a table's way.
pub(crate) fn pieces() -> (Pieces, impl Stream<Item = io::Result<Bytes>> + Send + 'static) {
    let (sender, receiver) = mpsc::channel(PIECES);
    let stream = futures_util::stream::unfold(receiver, async |mut receiver| {
        let piece = receiver.recv().await?;
        Some((piece, receiver))
    });
    (Pieces { piece: Vec::with_capacity(PIECE_BYTES), sender }, stream)
}

/// Tells the client that a table is not complete.
#[derive(Debug)]
pub(crate) struct Alarm(mpsc::Sender<io::Result<Bytes>>);

impl Alarm {
    pub(crate) fn sound(self) {
        let _ = self.0.blocking_send(Err(io::Error::other("the table is not complete")));
    }
}

impl Pieces {
    /// For what goes wrong while the table is being written.
    pub(crate) fn alarm(&self) -> Alarm {
        Alarm(self.sender.clone())
    }

    fn send(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE_BYTES));
        self.sender.blocking_send(Ok(piece.into())).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE_BYTES {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send()
    }
}
