//! A table on its way to a client, in pieces: only a few are in memory.

use axum::body::Bytes;
use futures_util::Stream;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

/// What writes a table. It waits while the client reads slowly, and fails when the client is gone.
#[derive(Debug)]
pub(crate) struct Pieces {
    piece: Vec<u8>,
    sender: mpsc::Sender<Bytes>,
    is_complete: Arc<AtomicBool>,
}

const PIECE_BYTES: usize = 64 << 10;
const PIECES: usize = 4;

/// A client that reads nothing for so long is given up: as long as it is shown one moment, the store cannot clean up behind it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Both ends of a table's way.
pub(crate) fn pieces() -> (Pieces, impl Stream<Item = io::Result<Bytes>> + Send + 'static) {
    let (sender, receiver) = mpsc::channel(PIECES);
    let is_complete = Arc::new(AtomicBool::new(false));
    let pieces =
        Pieces { piece: Vec::with_capacity(PIECE_BYTES), sender, is_complete: Arc::clone(&is_complete) };
    let stream = futures_util::stream::unfold(Some(receiver), move |receiver| {
        let is_complete = Arc::clone(&is_complete);
        async move {
            let mut receiver = receiver?;
            match receiver.recv().await {
                Some(piece) => Some((Ok(piece), Some(receiver))),
                None if is_complete.load(Ordering::Acquire) => None,
                // The connection breaks off, so that nobody takes a part for the whole.
                None => Some((Err(io::Error::other("the table is not complete")), None)),
            }
        }
    });
    (pieces, stream)
}

/// Tells the client that a table is complete. Without that it is not.
#[derive(Debug)]
pub(crate) struct Seal {
    is_complete: Arc<AtomicBool>,
    /// The client waits as long as this is there.
    _sender: mpsc::Sender<Bytes>,
}

impl Seal {
    pub(crate) fn complete(self) {
        self.is_complete.store(true, Ordering::Release);
    }
}

impl Pieces {
    /// For the end of the table.
    pub(crate) fn seal(&self) -> Seal {
        Seal { is_complete: Arc::clone(&self.is_complete), _sender: self.sender.clone() }
    }

    fn send(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE_BYTES));
        let sent = self.sender.send_timeout(piece.into(), PATIENCE);
        Handle::current().block_on(sent).map_err(|_| io::ErrorKind::BrokenPipe.into())
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::StreamExt;

    #[test]
    fn only_what_is_complete_ends_well() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        for is_complete in [true, false] {
            let (mut pieces, stream) = pieces();
            let handle = runtime.handle().clone();
            let writer = std::thread::spawn(move || {
                let _runtime = handle.enter();
                let seal = pieces.seal();
                pieces.write_all(&vec![7; 3 * PIECE_BYTES]).unwrap();
                pieces.flush().unwrap();
                drop(pieces);
                if is_complete {
                    seal.complete();
                }
            });
            let read: Vec<io::Result<Bytes>> = runtime.block_on(stream.collect());
            writer.join().unwrap();
            assert_eq!(read.iter().flatten().map(Bytes::len).sum::<usize>(), 3 * PIECE_BYTES);
            assert_eq!(read.last().unwrap().is_ok(), is_complete);
        }
    }
}
