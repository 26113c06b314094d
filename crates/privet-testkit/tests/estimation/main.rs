//! What is learned from the reports of numbers and angles: means, shares, quantiles and distributions.

#![allow(missing_docs)]
// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used, clippy::panic)]

mod answers;
mod bad_input;
mod coverage;
mod honest;
mod means;
mod minimax;
mod motionsense;
mod shares;

use privet_core::{DomainSpec, Epsilon, Generator, ReportBuffer, Values};
use privet_estimators::registry::AnyEstimator;
use privet_estimators::{Answer, CountSummary, Request};
use privet_mechanisms::registry::AnyMechanism;

/// A mechanism of the registry and its estimator.
struct Collection {
    mechanism: Box<dyn AnyMechanism>,
    estimator: Box<dyn AnyEstimator>,
}

impl Collection {
    fn new(name: &str, domain: &str, epsilon: f64) -> Self {
        let domain: DomainSpec = domain.parse().unwrap();
        let epsilon = Epsilon::new(epsilon).unwrap();
        Self {
            mechanism: privet_mechanisms::registry::find(name).unwrap().build(&domain, epsilon).unwrap(),
            estimator: privet_estimators::registry::find(name).unwrap().build(&domain, epsilon).unwrap(),
        }
    }

    fn collect(&self, people: &[f64], seed: u64) -> CountSummary {
        let mut reports = ReportBuffer::new(self.mechanism.report_bytes());
        let mut rng = Generator::from_insecure_seed(seed);
        self.mechanism.randomize_batch(&Values::Numbers(people.to_vec()), &mut rng, &mut reports).unwrap();
        let mut summary = self.estimator.empty_summary();
        self.estimator.accumulate(&mut summary, &reports).unwrap();
        summary
    }

    fn answer(&self, people: &[f64], seed: u64, request: &Request) -> Answer {
        self.estimator.answer(&self.collect(people, seed), request).unwrap()
    }
}

/// People of two kinds, around .3 (two of three) and around .7, as fractions of the domain.
fn two_kinds(n: usize) -> Vec<f64> {
    let jitter = |i: usize| 0.1 * ((i as f64 * 0.754_877_666_246_692_7).fract() - 0.5);
    (0..n).map(|i| if i % 3 == 0 { 0.7 } else { 0.3 } + jitter(i)).collect()
}
