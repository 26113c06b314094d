//! What the tests of several files start from.

use crate::registry::{self as estimators, AnyEstimator};
use crate::summary::CountSummary;
use privet_core::{BuildOptions, Delta, DomainSpec, Epsilon, Generator, ReportBuffer, Values};
use privet_mechanisms::registry::{self as mechanisms, AnyMechanism};

/// A mechanism and its estimator.
pub(crate) struct Case {
    pub(crate) mechanism: Box<dyn AnyMechanism>,
    pub(crate) estimator: Box<dyn AnyEstimator>,
}

impl Case {
    /// A registered mechanism on a written domain.
    pub(crate) fn new(id: &str, domain: &str, epsilon: f64) -> Self {
        let domain: DomainSpec = domain.parse().unwrap();
        let epsilon = Epsilon::new(epsilon).unwrap();
        let row = mechanisms::find(id).unwrap();
        let delta = (row.info.guarantee != "pure").then(|| Delta::new(1e-6).unwrap());
        let options = BuildOptions { delta, ..BuildOptions::default() };
        Self {
            mechanism: row.build_with(&domain, epsilon, &options).unwrap(),
            estimator: estimators::find(id).unwrap().build_with(&domain, epsilon, &options).unwrap(),
        }
    }

    /// The same on a small domain of its kind.
    pub(crate) fn small(id: &str, epsilon: f64) -> Self {
        let info = mechanisms::find(id).unwrap().info;
        let domain = match (info.id, info.domain) {
            ("randomized-response", _) => "categories:2",
            (_, "interval") => "interval:-1,1",
            (_, "circle") => "circle:24",
            (_, "words") => "words:2",
            (_, "rectangle") => "rectangle:0,1,0,2",
            _ => "categories:20",
        };
        Self::new(id, domain, epsilon)
    }

    /// The reports of people.
    pub(crate) fn reports(&self, people: &Values, seed: u64) -> ReportBuffer {
        let mut reports = ReportBuffer::new(self.mechanism.report_bytes());
        let mut rng = Generator::from_insecure_seed(seed);
        self.mechanism.randomize_batch(people, &mut rng, &mut reports).unwrap();
        reports
    }

    /// What they add up to.
    pub(crate) fn summary(&self, reports: &ReportBuffer) -> CountSummary {
        let mut summary = self.estimator.empty_summary();
        self.estimator.accumulate(&mut summary, reports).unwrap();
        summary
    }
}
