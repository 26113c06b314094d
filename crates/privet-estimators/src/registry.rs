//! The estimator of every mechanism, with its types erased.

use crate::{Consistency, CountSummary, Frequencies, FrequencyEstimation, HasEstimator};
use privet_core::{
    Build, DomainSpec, Epsilon, EstimateError, Estimator, Mechanism, ParameterError, ReportBuffer,
    ReportError,
};
use privet_mechanisms::categorical;
use std::fmt::Debug;

/// An estimator behind one face, for programs that learn the mechanism's name at run time.
pub trait AnyEstimator: Debug + Send + Sync {
    /// A summary of no reports.
    fn empty_summary(&self) -> CountSummary;

    /// Adds encoded reports; an error leaves the summary as it was.
    ///
    /// # Errors
    /// When a report cannot have been made by the mechanism.
    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError>;

    /// Estimates frequencies.
    ///
    /// # Errors
    /// When there are too few reports, or the step does not fit the mechanism.
    fn estimate(&self, summary: &CountSummary, step: Consistency) -> Result<Frequencies, EstimateError>;
}

impl<E: FrequencyEstimation> AnyEstimator for E {
    fn empty_summary(&self) -> CountSummary {
        Estimator::empty_summary(self)
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        Estimator::accumulate(self, summary, reports)
    }

    fn estimate(&self, summary: &CountSummary, step: Consistency) -> Result<Frequencies, EstimateError> {
        self.estimate_consistently(summary, step)
    }
}

type BuildEstimator = fn(&DomainSpec, Epsilon) -> Result<Box<dyn AnyEstimator>, ParameterError>;

/// One line of the registry.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The mechanism's id.
    pub id: &'static str,
    build: BuildEstimator,
}

impl Row {
    const fn of<M: Mechanism + Build + HasEstimator>() -> Self {
        Self {
            id: M::INFO.id,
            build: |domain, epsilon| {
                Ok(Box::new(M::build(domain, epsilon)?.estimator()) as Box<dyn AnyEstimator>)
            },
        }
    }

    /// Builds the estimator.
    ///
    /// # Errors
    /// When the parameters do not fit.
    pub fn build(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
    ) -> Result<Box<dyn AnyEstimator>, ParameterError> {
        (self.build)(domain, epsilon)
    }
}

/// Every mechanism's estimator, in the order of the mechanisms' registry.
pub const ROWS: &[Row] = &[
    Row::of::<categorical::RandomizedResponse>(),
    Row::of::<categorical::GeneralizedRandomizedResponse>(),
    Row::of::<categorical::SymmetricUnaryEncoding>(),
    Row::of::<categorical::OptimizedUnaryEncoding>(),
    Row::of::<categorical::BinaryLocalHashing>(),
    Row::of::<categorical::OptimizedLocalHashing>(),
    Row::of::<categorical::SubsetSelection>(),
    Row::of::<categorical::HadamardResponse>(),
    Row::of::<categorical::OrderedExponential>(),
    Row::of::<categorical::Rappor>(),
    Row::of::<categorical::CountMeanSketch>(),
    Row::of::<categorical::PrefixTree>(),
];

/// The estimator's row for a mechanism's id or synonym.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Row, ParameterError> {
    let id = privet_mechanisms::registry::find(name)?.info.id;
    ROWS.iter()
        .find(|row| row.id == id)
        .ok_or_else(|| ParameterError::UnknownMechanism { got: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mechanism_has_its_estimator() {
        let mechanisms: Vec<_> = privet_mechanisms::registry::ROWS.iter().map(|row| row.info.id).collect();
        let estimators: Vec<_> = ROWS.iter().map(|row| row.id).collect();
        assert_eq!(mechanisms, estimators);
    }
}
