//! Being asked to end, by Ctrl-C or by the system.

use crate::failure::Failure;
use std::sync::mpsc::{Receiver, channel};

/// Requests to end (SIGINT, SIGTERM) from now on. The program does not end by itself then.
#[derive(Debug)]
pub(crate) struct Interrupt(Receiver<()>);

impl Interrupt {
    pub(crate) fn listen() -> Result<Self, Failure> {
        let (ask, asked) = channel();
        // Only the first request counts, and one that comes too late is not needed.
        let on_signal = move || ask.send(()).unwrap_or_default();
        ctrlc::set_handler(on_signal).map_err(|error| Failure::Output(std::io::Error::other(error)))?;
        Ok(Self(asked))
    }

    /// Fails if somebody asked.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.0.try_recv().map_or(Ok(()), |()| Err(Failure::Stopped))
    }

    /// Waits until somebody asks.
    pub(crate) fn wait(&self) {
        // An error means that nobody can ask any more: then it is time to end, too.
        self.0.recv().unwrap_or_default();
    }
}
