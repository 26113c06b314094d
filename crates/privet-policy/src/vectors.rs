//! Questions about vectors.

use crate::error::PolicyProblem;
use crate::spending::DecimalEpsilon;
use privet_core::{BuildOptions, Delta, DomainSpec, InputError, ParameterError, ReportError, Values};
use privet_vector::mechanism::VectorMechanism;
use privet_vector::{MeanVectorEstimator, VectorError, registry, report_batch};
use rand_core::CryptoRng;
use std::sync::Arc;

/// A mechanism on vectors with its clip radius.
#[derive(Debug, Clone)]
pub(crate) struct VectorAnswering {
    mechanism: Arc<dyn VectorMechanism>,
}

/// The mechanism's id, if a mechanism on vectors is called so.
pub(crate) fn find(name: &str) -> Option<&'static str> {
    registry::find(name).ok().map(|row| row.info.id)
}

impl VectorAnswering {
    /// Makes the mechanism.
    pub(crate) fn new(
        id: &str,
        domain: &DomainSpec,
        epsilon: DecimalEpsilon,
        delta: Option<Delta>,
        radius: Option<f64>,
    ) -> Result<Self, PolicyProblem> {
        let row = registry::find(id)?;
        let DomainSpec::Vectors(vectors) = domain else {
            let (expected, got) = (row.info.domain, domain.to_string());
            return Err(ParameterError::WrongDomain { mechanism: row.info.id, expected, got }.into());
        };
        let radius =
            radius.ok_or(PolicyProblem::MissingKey { of: "an attribute about vectors", key: "radius" })?;
        let clip = row.unit(vectors.dimension())?.scaled(radius)?;
        let options = BuildOptions { delta, bins: None };
        let mechanism = row.build(&clip, epsilon.epsilon()?, &options)?;
        Ok(Self { mechanism: Arc::from(mechanism) })
    }

    pub(crate) fn mechanism(&self) -> &dyn VectorMechanism {
        &*self.mechanism
    }

    pub(crate) fn estimator(&self) -> Result<MeanVectorEstimator, ParameterError> {
        MeanVectorEstimator::new(Arc::clone(&self.mechanism))
    }

    /// The standard deviation of a coordinate of one report, as a part of twice the radius.
    pub(crate) fn relative_error(&self, radius: f64) -> f64 {
        (self.mechanism.mean_squared_error() / self.mechanism.dimension().as_f64()).sqrt() / (2.0 * radius)
    }

    pub(crate) fn check_report(&self, report: &[u8]) -> Result<(), ReportError> {
        let expected = self.mechanism.report_bytes();
        if report.len() != expected {
            return Err(ReportError::Length { expected, got: report.len() });
        }
        let codes: Vec<i32> = report.as_chunks().0.iter().map(|code| i32::from_le_bytes(*code)).collect();
        self.mechanism.read(&codes).map(drop)
    }

    pub(crate) fn randomize(&self, values: &Values, rng: &mut dyn CryptoRng) -> Result<Vec<u8>, InputError> {
        match report_batch(&*self.mechanism, values, rng) {
            Ok(reports) => Ok(reports.as_bytes().to_vec()),
            Err(VectorError::Input(error)) => Err(error),
            // Values that were checked leave nothing else to go wrong.
            Err(_) => Err(InputError::WrongKind { domain: self.mechanism.info().domain.to_owned() }),
        }
    }
}
