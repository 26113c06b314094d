//! Trials on all cores, with results that do not depend on how many there are.

use crate::failure::Failure;
use crate::progress::Progress;
use privet::registry::AnyEstimator;
use privet::{AnyMechanism, Generator};
use std::sync::Mutex;
use std::sync::mpsc::channel;

/// One mechanism at one epsilon.
pub(super) struct Contestant {
    pub(super) epsilon: f64,
    pub(super) mechanism: Box<dyn AnyMechanism>,
    pub(super) estimator: Box<dyn AnyEstimator>,
}

/// All mechanisms, side by side.
pub(super) struct Contest {
    contestants: Vec<Contestant>,
    rng: Generator,
    trials: u32,
    progress: Progress,
}

impl Contest {
    pub(super) fn new(contestants: Vec<Contestant>, rng: Generator, trials: u32) -> Self {
        let total = u64::from(trials) * contestants.len() as u64;
        Self { contestants, rng, trials, progress: Progress::new("trials", Some(total)) }
    }

    /// What `judge` says about each contestant and its trials.
    pub(super) fn run<T>(
        mut self,
        judge: impl Fn(&Contestant, Trials<'_>) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let mut verdicts = Vec::with_capacity(self.contestants.len());
        for contestant in &self.contestants {
            let generators = (0..self.trials).map(|_| self.rng.split()).collect();
            verdicts.push(judge(contestant, Trials { generators, progress: &mut self.progress })?);
        }
        Ok(verdicts)
    }
}

/// The trials of one mechanism, with a generator for each.
pub(super) struct Trials<'a> {
    generators: Vec<Generator>,
    progress: &'a mut Progress,
}

impl Trials<'_> {
    /// Runs a trial with each generator, on all cores. The order of the results is that of the generators.
    pub(super) fn run<T: Send>(
        self,
        trial: impl Fn(Generator) -> Result<T, Failure> + Sync,
    ) -> Result<Vec<T>, Failure> {
        let count = self.generators.len();
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(count);
        let queue = Mutex::new(self.generators.into_iter().enumerate());
        let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
        std::thread::scope(|scope| {
            let (sender, outcomes) = channel();
            for _ in 0..threads {
                let (sender, queue, trial) = (sender.clone(), &queue, &trial);
                scope.spawn(move || {
                    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
                    while let Some((index, rng)) = next() {
                        if sender.send((index, trial(rng))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for (index, outcome) in outcomes {
                results[index] = Some(outcome?);
                self.progress.add(1);
            }
            Ok(results.into_iter().flatten().collect())
        })
    }
}
