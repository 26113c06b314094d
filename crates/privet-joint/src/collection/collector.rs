//! The collector's side: it takes reports and counts them.

use crate::pairing::serve_connections;
use crate::table::JointTable;
use crate::wire::{Kind, Link, RunId, Sealed, TcpLink, WireError};
use privet_core::{CryptoRng, Generator};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const REPORT: Kind = Kind(1);
const RECEIVED: Kind = Kind(2);

/// What the collector knows at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// How many people reported.
    pub reports: u64,
    /// How many of the reports say one.
    pub ones: u64,
}

impl Tally {
    /// The unbiased estimate of the number of ones among those who reported.
    pub fn estimate(&self, table: &JointTable) -> f64 {
        (self.ones as f64 - self.reports as f64 * table.q()) / table.difference()
    }
}

/// A collector in threads of its own.
#[derive(Debug)]
pub struct Collector {
    counter: Arc<Counter>,
    door: JoinHandle<()>,
}

#[derive(Debug)]
struct Counter {
    run: RunId,
    time_out: Duration,
    reports: AtomicU64,
    ones: AtomicU64,
    rng: Mutex<Generator>,
    is_closing: AtomicBool,
}

impl Collector {
    /// Takes reports of this run from now on.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub fn start(
        listener: TcpListener,
        run: RunId,
        time_out: Duration,
        rng: Generator,
    ) -> Result<Self, WireError> {
        listener.set_nonblocking(true)?;
        let counter = Arc::new(Counter {
            run,
            time_out,
            reports: AtomicU64::new(0),
            ones: AtomicU64::new(0),
            rng: Mutex::new(rng),
            is_closing: AtomicBool::new(false),
        });
        let door = thread::spawn({
            let counter = Arc::clone(&counter);
            move || {
                let inner = Arc::clone(&counter);
                // A report that does not arrive is missed by the one who sent it.
                let answer = move |stream| inner.take(stream).unwrap_or_default();
                serve_connections(&listener, &counter.is_closing, answer);
            }
        });
        Ok(Self { counter, door })
    }

    /// How many people reported so far.
    pub fn reports(&self) -> u64 {
        self.counter.reports.load(Ordering::SeqCst)
    }

    /// Closes the collection and says what was counted.
    pub fn finish(self) -> Tally {
        self.counter.is_closing.store(true, Ordering::Relaxed);
        // A door that panicked has closed, too.
        let _ = self.door.join();
        let (ones, reports) = (&self.counter.ones, &self.counter.reports);
        Tally { reports: reports.load(Ordering::SeqCst), ones: ones.load(Ordering::SeqCst) }
    }
}

impl Counter {
    fn take(&self, stream: TcpStream) -> Result<(), WireError> {
        stream.set_nonblocking(false)?;
        let link = TcpLink::from_stream(stream, self.run, self.time_out)?;
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner).split();
        let mut link = Sealed::handshake(link, &mut rng)?;
        let report = link.receive_exact(REPORT, 1)?;
        let is_one = match report[..] {
            [0] => false,
            [1] => true,
            _ => return Err(WireError::WrongLength { expected: 1, got: report.len() }),
        };
        self.ones.fetch_add(u64::from(is_one), Ordering::SeqCst);
        self.reports.fetch_add(1, Ordering::SeqCst);
        link.send(RECEIVED, &[])
    }
}

/// Sends a report and waits until the collector has it.
pub(super) fn send_report(
    collector: SocketAddr,
    run: RunId,
    time_out: Duration,
    report: bool,
    rng: &mut impl CryptoRng,
) -> Result<(), WireError> {
    let mut link = Sealed::handshake(TcpLink::connect(collector, run, time_out)?, rng)?;
    link.send(REPORT, &[u8::from(report)])?;
    link.receive_exact(RECEIVED, 0).map(|_| ())
}
