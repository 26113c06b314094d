//! The one thread that writes, and the queue before it.

use super::{Outcome, Submission, commit_group};
use crate::clock::Clock;
use crate::metrics::Metrics;
use crate::store::{Store, StoreError};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

/// Why reports were not kept. They can be sent again.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum IntakeError {
    #[error("more reports arrive than can be stored")]
    Full,
    #[error("the collector is shutting down")]
    ShuttingDown,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Limits how many bytes of requests are in memory at once.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    bytes: Arc<Semaphore>,
    most: usize,
}

/// What a request takes besides its body.
const REQUEST_BYTES: usize = 1024;

impl Gate {
    pub(crate) fn new(bytes: usize) -> Self {
        let most = bytes.min(Semaphore::MAX_PERMITS);
        Self { bytes: Arc::new(Semaphore::new(most)), most }
    }

    /// How many bytes are in memory.
    pub(crate) fn used(&self) -> usize {
        self.most - self.bytes.available_permits()
    }

    /// Room for a request, until the pass is dropped.
    pub(crate) fn enter(&self) -> Result<Pass, IntakeError> {
        Ok(Pass { permit: self.take(REQUEST_BYTES)? })
    }

    fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, IntakeError> {
        let bytes = u32::try_from(bytes).map_err(|_| IntakeError::Full)?;
        Arc::clone(&self.bytes).try_acquire_many_owned(bytes).map_err(|_| IntakeError::Full)
    }
}

/// Room in memory.
#[derive(Debug)]
pub(crate) struct Pass {
    permit: OwnedSemaphorePermit,
}

impl Pass {
    /// Room for further bytes.
    pub(crate) fn widen(&mut self, gate: &Gate, bytes: usize) -> Result<(), IntakeError> {
        self.permit.merge(gate.take(bytes)?);
        Ok(())
    }
}

/// A request that waits for its transaction.
struct Waiting {
    submission: Submission,
    answer: oneshot::Sender<Result<Vec<Outcome>, StoreError>>,
    _pass: Pass,
}

/// Hands reports to the writer.
#[derive(Debug)]
pub(crate) struct Intake {
    /// Its length is limited by the passes of its requests.
    queue: mpsc::UnboundedSender<Waiting>,
}

/// A transaction takes no further requests once it has this many bytes.
const GROUP_BYTES: usize = 16 << 20;

impl Intake {
    /// Starts the writer. It ends when the intake is dropped and everything that waits is stored.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        clock: Clock,
        metrics: Arc<Metrics>,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (queue, waiting) = mpsc::unbounded_channel();
        let writer = Writer { store, clock, metrics };
        let thread =
            std::thread::Builder::new().name("writer".to_owned()).spawn(move || writer.run(waiting))?;
        Ok((Self { queue }, thread))
    }

    /// Whether nobody writes any more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.queue.is_closed()
    }

    /// Waits until reports are stored.
    pub(crate) async fn submit(
        &self,
        submission: Submission,
        pass: Pass,
    ) -> Result<Vec<Outcome>, IntakeError> {
        let (answer, outcome) = oneshot::channel();
        let waiting = Waiting { submission, answer, _pass: pass };
        self.queue.send(waiting).map_err(|_| IntakeError::ShuttingDown)?;
        Ok(outcome.await.map_err(|_| IntakeError::ShuttingDown)??)
    }
}

struct Writer {
    store: Arc<dyn Store>,
    clock: Clock,
    metrics: Arc<Metrics>,
}

impl Writer {
    fn run(&self, mut queue: mpsc::UnboundedReceiver<Waiting>) {
        while let Some(first) = queue.blocking_recv() {
            let mut bytes = first.submission.body.len();
            let mut group = vec![first];
            while bytes < GROUP_BYTES {
                let Ok(next) = queue.try_recv() else { break };
                bytes += next.submission.body.len();
                group.push(next);
            }
            self.commit(group);
        }
    }

    fn commit(&self, group: Vec<Waiting>) {
        let begin = Instant::now();
        let (mut submissions, mut answers) =
            (Vec::with_capacity(group.len()), Vec::with_capacity(group.len()));
        for Waiting { submission, answer, _pass } in group {
            submissions.push(submission);
            answers.push((answer, _pass));
        }
        let committed = commit_group(&*self.store, &submissions, self.clock.today());
        self.metrics.committed(begin.elapsed(), submissions.len(), &committed);
        match committed {
            // A request whose connection is gone does not wait for its answer.
            Ok(outcomes) => answers.into_iter().zip(outcomes).for_each(|((answer, _), outcomes)| {
                let _ = answer.send(Ok(outcomes));
            }),
            Err(error) => {
                tracing::error!(%error, requests = submissions.len(), "reports were not stored");
                answers.into_iter().for_each(|(answer, _)| {
                    let _ = answer.send(Err(error.clone()));
                });
            }
        }
    }
}
