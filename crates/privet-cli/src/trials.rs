//! Trials on all cores, with results that do not depend on how many there are.

use crate::failure::Failure;
use crate::progress::Progress;
use privet::Generator;
use std::sync::Mutex;
use std::sync::mpsc::channel;

/// Trials of the same kind, with a generator for each.
pub(crate) struct Trials<'a> {
    generators: Vec<Generator>,
    progress: &'a mut Progress,
}

impl<'a> Trials<'a> {
    /// This many trials, whose generators come from one.
    pub(crate) fn new(count: u32, rng: &mut Generator, progress: &'a mut Progress) -> Self {
        Self { generators: (0..count).map(|_| rng.split()).collect(), progress }
    }

    /// Runs a trial with each generator, on all cores. The order of the results is that of the generators.
    pub(crate) fn run<T: Send>(
        self,
        trial: impl Fn(Generator) -> Result<T, Failure> + Sync,
    ) -> Result<Vec<T>, Failure> {
        self.run_each(|_, rng| trial(rng))
    }

    /// As [`Trials::run`], for trials that differ: each is told its place.
    pub(crate) fn run_each<T: Send>(
        self,
        trial: impl Fn(usize, Generator) -> Result<T, Failure> + Sync,
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
                        if sender.send((index, trial(index, rng))).is_err() {
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
