//! Every categorical mechanism on the bench, one file for each, and the peers' known defects as tampered controls.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod controls;
mod coverage;
mod golden;
mod hashing;
mod memoized;
mod ordered_exponential;
mod prefix_tree;
mod randomized_response;
mod registry;
mod sketches;
mod solved;
mod subset_and_hadamard;
mod unary;
mod wide_reports;

use privet_core::{Categories, Channel, Epsilon};
use privet_estimators::{FrequencyEstimation, HasEstimator};
use privet_mechanisms::categorical::FrequencyOracle;
use privet_testkit::{Battery, Finding, categorical_cases};

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).expect("a valid epsilon")
}

fn categories(count: u32) -> Categories {
    Categories::new(count).expect("a valid count")
}

/// Runs the whole battery of a frequency oracle on all cases.
fn run_oracle<M>(build: impl Fn(Categories, Epsilon) -> M, slack: f64)
where
    M: Channel<Domain = Categories> + HasEstimator<Estimator: FrequencyEstimation> + FrequencyOracle,
{
    for (categories, epsilon) in categorical_cases() {
        let inputs: Vec<u32> = (0..categories.count()).collect();
        let mechanism = build(categories, epsilon);
        let battery = Battery { mechanism: &mechanism, inputs: &inputs, epsilon, slack };
        assert_eq!(battery.run_oracle(), Ok(()), "{mechanism:?}");
    }
}

/// The sampler checks of a tampered oracle must find something.
fn must_be_found<M>(tampered: &M) -> Finding
where
    M: Channel<Domain = Categories> + HasEstimator<Estimator: FrequencyEstimation> + FrequencyOracle,
{
    let inputs: Vec<u32> = (0..tampered.domain().count()).collect();
    let battery = Battery { mechanism: tampered, inputs: &inputs, epsilon: epsilon(1.0), slack: 1e-6 };
    battery.run_oracle().expect_err("a tampered sampler must not pass")
}
