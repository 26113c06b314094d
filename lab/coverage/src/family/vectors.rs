//! Means of vectors.

use super::{Experiment, Question, Seen};
use crate::draw::binomial;
use anyhow::{Context, Result};
use privet_core::{BuildOptions, Delta, DomainSpec, Epsilon, Estimator, Generator, Target, Values};
use privet_vector::mechanism::VectorMechanism;
use privet_vector::{MeanVectorEstimator, registry, report_batch};
use std::sync::Arc;

/// People of two kinds, each with a vector.
#[derive(Debug)]
pub struct Vectors {
    mechanism: Arc<dyn VectorMechanism>,
    estimator: MeanVectorEstimator,
    kinds: [Vec<f64>; 2],
    /// How many are of the first kind, if the people who reported are meant; on average, if they are drawn.
    first: u64,
    /// The mean of both kinds, moved into the clip set.
    truth: Vec<f64>,
    n: u64,
    target: Target,
}

const VECTOR: [f64; 3] = [0.8, -0.3, 0.0];
/// Beyond every clip set, so that people are moved to where reports lie on one side of their mean: the corner of a box, and all but the
/// end of an axis of a ball.
const END: [f64; 3] = [900.0, 1.0, 1.0];
const MANY: u64 = 2_000;

impl Vectors {
    /// Who has which vectors.
    pub const POPULATIONS: [&'static str; 5] =
        ["one vector", "two opposite vectors", "zeros", "all at one end", "one in ten at the other end"];

    /// The mechanisms whose mean reports are the clipped vectors; the intervals of others are about the reports, and say so.
    pub fn mechanisms() -> Vec<&'static str> {
        let ids = registry::ROWS.iter().map(|row| row.info.id);
        ids.filter(|id| *id != "task-aware-linear").collect()
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
        let (kinds, first) = kinds_of(population, n);
        let clipped = kinds.map(|mut vector| {
            mechanism.clip().apply(&mut vector);
            vector
        });
        let share = first as f64 / n as f64;
        let mean = |(one, two): (&f64, f64)| share * one + (1.0 - share) * two;
        let truth = clipped[0].iter().zip(clipped[1]).map(mean).collect();
        let estimator = MeanVectorEstimator::new(Arc::clone(&mechanism))?;
        let kinds = kinds.map(|vector| vector.to_vec());
        Ok(Self { estimator, kinds, first, truth, n, target, mechanism })
    }
}

/// Both kinds of a population, and how many are of the first.
fn kinds_of(population: &str, n: u64) -> ([[f64; 3]; 2], u64) {
    let opposite = |vector: [f64; 3]| vector.map(|coordinate| -coordinate);
    match population {
        "one vector" => ([VECTOR; 2], n / 2),
        "two opposite vectors" => ([VECTOR, opposite(VECTOR)], n / 2),
        "all at one end" => ([END; 2], n / 2),
        "one in ten at the other end" => ([END, opposite(END)], n - n / 10),
        _ => ([[0.0; 3]; 2], n / 2),
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
        let first = match self.target {
            Target::Reported => self.first,
            Target::Population => binomial(self.n, self.first as f64 / self.n as f64, rng),
        };
        let people = self.kinds.iter().zip([first, self.n - first]);
        let coordinates = people.flat_map(|(vector, people)| vector.repeat(people as usize)).collect();
        let vectors = Values::Vectors { dimension: self.mechanism.dimension(), coordinates };
        let mut summary = self.estimator.empty_summary();
        self.estimator.accumulate(&mut summary, &report_batch(&*self.mechanism, &vectors, rng)?)?;
        let found = self.estimator.mean_vector(&summary, self.target)?.coordinates;
        found.iter().zip(&self.truth).map(|(mean, truth)| Seen::of_estimate(mean, *truth)).collect()
    }
}
