//! Mechanisms that fit a domain, each with those of the given parameters that it takes.

use super::{AdvisorError, Choice};
use crate::registry::{self, AnyEstimator, MechanismRow};
use privet_core::{BuildOptions, Delta, DomainSpec, Epsilon, ParameterError};
use privet_mechanisms::registry::AnyMechanism;

/// A mechanism with its estimator.
#[derive(Debug)]
pub struct Built {
    /// For the device.
    pub mechanism: Box<dyn AnyMechanism>,
    /// For the collector.
    pub estimator: Box<dyn AnyEstimator>,
    /// Which of the given parameters it takes.
    pub taken: BuildOptions,
}

/// Every mechanism that works on the domain with these parameters and need not be solved for.
///
/// # Errors
/// When there is none.
pub fn all_that_fit(
    domain: &DomainSpec,
    epsilon: Epsilon,
    options: &BuildOptions,
) -> Result<Vec<Built>, AdvisorError> {
    let mut fitting = Vec::new();
    let mut refusal = None;
    for row in registry::ready_mechanisms() {
        match build(&Choice::Row(row), domain, epsilon, options) {
            Ok(built) => fitting.push(built),
            Err(error) if is_misfit(&error) => {}
            // Such as a delta that only this mechanism needs.
            Err(error @ ParameterError::Incompatible { .. }) => refusal = Some(error),
            Err(error) => return Err(error.into()),
        }
    }
    match (fitting.is_empty(), refusal) {
        (false, _) => Ok(fitting),
        (true, Some(error)) => Err(error.into()),
        (true, None) => Err(AdvisorError::NoMechanism { domain: domain.to_string() }),
    }
}

/// Whether the mechanism is for other domains.
pub(crate) fn is_misfit(error: &ParameterError) -> bool {
    matches!(error, ParameterError::WrongDomain { .. } | ParameterError::CategoryCount { .. })
}

/// Makes a mechanism with those of the parameters that it takes; another of a list may take the others.
///
/// # Errors
/// When the parameters do not fit.
pub fn build(
    choice: &Choice<'_>,
    domain: &DomainSpec,
    epsilon: Epsilon,
    options: &BuildOptions,
) -> Result<Built, ParameterError> {
    let taken = match choice {
        Choice::Row(row) => taken(row, domain, options),
        Choice::Solved(_) => BuildOptions::default(),
    };
    let mechanism = choice.mechanism(domain, epsilon, &taken)?;
    let estimator = choice.estimator(domain, epsilon, &taken)?;
    Ok(Built { mechanism, estimator, taken })
}

/// Those of the parameters that the mechanism takes: it accepts harmless ones at a harmless epsilon.
fn taken(row: &MechanismRow, domain: &DomainSpec, options: &BuildOptions) -> BuildOptions {
    let accepts = |probe: BuildOptions| {
        Epsilon::new(1.0).is_ok_and(|epsilon| row.build_with(domain, epsilon, &probe).is_ok())
    };
    let delta = || accepts(BuildOptions { delta: Delta::new(1e-6).ok(), bins: None });
    let bins = || accepts(BuildOptions { delta: None, bins: Some(16) });
    BuildOptions { delta: options.delta.filter(|_| delta()), bins: options.bins.filter(|_| bins()) }
}

/// Refuses parameters that none of the mechanisms takes: a setting must not be dropped silently.
///
/// # Errors
/// When one is left over.
pub fn refuse_untaken(
    options: &BuildOptions,
    all_taken: impl Iterator<Item = BuildOptions>,
) -> Result<(), AdvisorError> {
    let (mut delta, mut bins) = (options.delta, options.bins);
    for taken in all_taken {
        delta = delta.filter(|_| taken.delta.is_none());
        bins = bins.filter(|_| taken.bins.is_none());
    }
    let name = match (delta, bins) {
        (Some(_), _) => "delta",
        (_, Some(_)) => "number of bins",
        (None, None) => return Ok(()),
    };
    Err(AdvisorError::Untaken { name })
}
