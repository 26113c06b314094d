//! Long calls: without the interpreter's lock, and with an ear for Ctrl-C.

use crate::problem::Problem;
use privet::Generator;
use privet::parallel::cores;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long somebody who presses Ctrl-C waits, at most, while a call is not made of pieces.
const PATIENCE: Duration = Duration::from_millis(50);

/// Rows that are worked on between two looks at the signals, for each thread.
const MOST_ROWS: usize = 1 << 16;

/// Bytes that are held by them.
const MOST_BYTES: usize = 4 << 20;

/// How many rows are one piece of work.
pub(crate) fn rows_at_once(bytes_of_a_row: usize) -> usize {
    (MOST_BYTES / bytes_of_a_row.max(1)).clamp(16, MOST_ROWS)
}

/// How many threads work on `rows` rows: never more than there are pieces.
pub(crate) fn threads_for(rows: usize, at_once: usize, wanted: Option<usize>) -> usize {
    rows.div_ceil(at_once.max(1)).clamp(1, wanted.unwrap_or_else(cores).max(1))
}

/// Runs a short piece of work without the lock. A panic becomes an exception.
pub(crate) fn unlocked<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Problem> + Send,
) -> PyResult<T> {
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    py.check_signals()?;
    Ok(result.unwrap_or_else(|_| Err(Problem::panicked()))?)
}

/// Runs work that cannot be cut into pieces, on a thread of its own, so that Ctrl-C is heard. The thread of an interrupted call
/// works on to its end and its result is thrown away.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> PyResult<T> {
    interruptible_with(py, Interrupt::new(|| {}), work)
}

/// What tells running work that nobody waits for it any more.
pub(crate) struct Interrupt(Box<dyn Fn()>);

impl Interrupt {
    pub(crate) fn new(tell: impl Fn() + 'static) -> Self {
        Self(Box::new(tell))
    }
}

/// As [`interruptible`], for work that can be told to stop.
pub(crate) fn interruptible_with<T: Send + 'static>(
    py: Python<'_>,
    interrupt: Interrupt,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Problem::panicked()));
        // Nobody listens any more if the call was interrupted.
        let _ = sender.send(result);
    });
    let receiver = std::sync::Mutex::new(receiver);
    loop {
        let waited = py.detach(|| match receiver.lock() {
            Ok(receiver) => receiver.recv_timeout(PATIENCE),
            Err(_) => Err(mpsc::RecvTimeoutError::Disconnected),
        });
        match waited {
            Ok(result) => return Ok(result?),
            Err(mpsc::RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| (interrupt.0)())?,
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Problem::panicked().into()),
        }
    }
}

/// A generator from the operating system, or the one that anybody can repeat.
pub(crate) fn generator(insecure_seed: Option<u64>) -> Result<Generator, Problem> {
    match insecure_seed {
        Some(seed) => Ok(Generator::from_insecure_seed(seed)),
        None => Ok(privet::generator()?),
    }
}
