//! Mechanisms side by side.

use crate::failure::Failure;
use crate::progress::Progress;
use crate::trials::Trials;
use privet::registry::AnyEstimator;
use privet::{AnyMechanism, Generator};

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
            let trials = Trials::new(self.trials, &mut self.rng, &mut self.progress);
            verdicts.push(judge(contestant, trials)?);
        }
        Ok(verdicts)
    }
}
