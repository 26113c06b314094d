//! Means of vectors.

use super::{Experiment, Question, Seen};
use crate::draw::binomial;
use anyhow::{Context, Result};
use privet_core::{BuildOptions, Delta, DomainSpec, Epsilon, Estimator, Generator, Target, Values};
use privet_vector::mechanism::VectorMechanism;
use privet_vector::{MeanVectorEstimator, registry, report_batch};
use std::sync::Arc;

/// People of two kinds, each with a vector, half of each.
#[derive(Debug)]
pub struct Vectors {
    mechanism: Arc<dyn VectorMechanism>,
    estimator: MeanVectorEstimator,
    kinds: [Vec<f64>; 2],
    /// The mean of both kinds, moved into the clip set.
    truth: Vec<f64>,
    n: u64,
    target: Target,
}

const VECTOR: [f64; 3] = [0.8, -0.3, 0.0];
const MANY: u64 = 20_000;

impl Vectors {
    /// Who has which vectors.
    pub const POPULATIONS: [&'static str; 3] = ["one vector", "two opposite vectors", "zeros"];

    /// The mechanisms whose mean reports are the clipped vectors; the intervals of others are about the reports, and say so. One
    /// that has to be solved for is like the others of its kind.
    pub fn mechanisms() -> Vec<&'static str> {
        let is_tried = |id: &&str| !["task-aware-linear", "sampled-minimax-unbiased"].contains(id);
        registry::ROWS.iter().map(|row| row.info.id).filter(is_tried).collect()
    }

    /// Prepares a collection.
    ///
    /// # Errors
    /// When the mechanism cannot be built.
    pub fn new(id: &str, epsilon: f64, population: &str, n: u64, target: Target) -> Result<Self> {
        let row = registry::ROWS.iter().find(|row| row.info.id == id).context("no such mechanism")?;
        let domain: DomainSpec = format!("vector:{}", VECTOR.len()).parse()?;
        let delta = (row.info.guarantee != "pure").then(|| Delta::new(1e-6)).transpose()?;
        let options = BuildOptions { delta, ..BuildOptions::default() };
        let mechanism: Arc<dyn VectorMechanism> =
            Arc::from(row.build_on(&domain, Epsilon::new(epsilon)?, &options)?);
        let opposite = VECTOR.map(|coordinate| -coordinate);
        let kinds = match population {
            "one vector" => [VECTOR; 2],
            "zeros" => [[0.0; VECTOR.len()]; 2],
            _ => [VECTOR, opposite],
        };
        let clipped = kinds.map(|mut vector| {
            mechanism.clip().apply(&mut vector);
            vector
        });
        let truth = clipped[0].iter().zip(clipped[1]).map(|(one, two)| f64::midpoint(*one, two)).collect();
        let estimator = MeanVectorEstimator::new(Arc::clone(&mechanism))?;
        Ok(Self { estimator, kinds: kinds.map(|vector| vector.to_vec()), truth, n, target, mechanism })
    }
}

impl Experiment for Vectors {
    fn questions(&self) -> Vec<Question> {
        // For the people who reported intervals are wider than need be where people differ.
        let is_sharp =
            self.n >= MANY && (self.target == Target::Population || self.kinds[0] == self.kinds[1]);
        let question = |coordinate: usize| Question::new(format!("coordinate {coordinate}"), "coordinate");
        (0..VECTOR.len()).map(|coordinate| question(coordinate).sharp_where(is_sharp)).collect()
    }

    fn repeat(&self, rng: &mut Generator) -> Result<Vec<Seen>> {
        let first = if self.target == Target::Population { binomial(self.n, 0.5, rng) } else { self.n / 2 };
        let people = self.kinds.iter().zip([first, self.n - first]);
        let coordinates = people.flat_map(|(vector, people)| vector.repeat(people as usize)).collect();
        let vectors = Values::Vectors { dimension: self.mechanism.dimension(), coordinates };
        let mut summary = self.estimator.empty_summary();
        self.estimator.accumulate(&mut summary, &report_batch(&*self.mechanism, &vectors, rng)?)?;
        let found = self.estimator.mean_vector(&summary, self.target)?.coordinates;
        found.iter().zip(&self.truth).map(|(mean, truth)| Seen::of_estimate(mean, *truth)).collect()
    }
}
