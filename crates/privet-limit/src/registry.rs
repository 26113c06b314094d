//! Mechanisms by name that have to be solved for first.

use crate::Solution;
use crate::line::Unbiased;
#[cfg(feature = "solver")]
use crate::line::{LineProblem, Objective};
#[cfg(feature = "solver")]
use crate::{Cache, LimitError, Problem, Stop};
use privet_core::{BuildOptions, DomainSpec, Epsilon, MechanismInfo, ParameterError};
use privet_estimators::registry::Row as EstimatorRow;
use privet_mechanisms::analysis::Loss;
use privet_mechanisms::interval::{LeastWorstAbsolute, LeastWorstSquared, LeastWorstVariance};
use privet_mechanisms::lattice::LatticeRule;
use privet_mechanisms::registry::Row as MechanismRow;

/// Further from the best than this, a channel does not deserve the name.
#[cfg(feature = "solver")]
const WIDEST_GAP: f64 = 0.02;

/// The mechanisms.
pub const MECHANISMS: &[MechanismRow] = &[
    mechanism_row::<LeastWorstAbsolute>(|domain, epsilon, options| {
        solved(ABSOLUTE, domain, epsilon, options)?.channel.mechanism()
    }),
    mechanism_row::<LeastWorstSquared>(|domain, epsilon, options| {
        solved(SQUARED, domain, epsilon, options)?.channel.mechanism()
    }),
    mechanism_row::<LeastWorstVariance>(|domain, epsilon, options| {
        solved(UNBIASED, domain, epsilon, options)?.channel.mechanism()
    }),
];

/// Their estimators, in the same order.
pub const ESTIMATORS: &[EstimatorRow] = &[
    EstimatorRow::new(ABSOLUTE.info.id, |domain, epsilon, options| {
        solved(ABSOLUTE, domain, epsilon, options)?.channel.estimator()
    }),
    EstimatorRow::new(SQUARED.info.id, |domain, epsilon, options| {
        solved(SQUARED, domain, epsilon, options)?.channel.estimator()
    }),
    EstimatorRow::new(UNBIASED.info.id, |domain, epsilon, options| {
        solved(UNBIASED, domain, epsilon, options)?.channel.estimator()
    }),
];

const fn mechanism_row<K: LatticeRule>(build: privet_mechanisms::registry::Builder) -> MechanismRow {
    MechanismRow::new(K::INFO, build)
}

/// The solution that a name stands for, with its proof, from the cache if it was found before.
///
/// # Errors
/// When no mechanism that has to be solved for is called so, or the domain and epsilon have no solution.
pub fn solution(id: &str, domain: &DomainSpec, epsilon: Epsilon) -> Result<Solution, ParameterError> {
    let named = [ABSOLUTE, SQUARED, UNBIASED].into_iter().find(|named| named.info.id == id);
    let named = named.ok_or_else(|| ParameterError::UnknownMechanism { got: id.to_owned() })?;
    solved(named, domain, epsilon, &BuildOptions::default())
}

/// What a name asks for.
struct Named {
    info: MechanismInfo,
    #[cfg_attr(not(feature = "solver"), expect(dead_code, reason = "only the solver reads it"))]
    loss: Loss,
    #[cfg_attr(not(feature = "solver"), expect(dead_code, reason = "only the solver reads it"))]
    unbiased: Option<Unbiased>,
}

const ABSOLUTE: Named = Named { info: LeastWorstAbsolute::INFO, loss: Loss::Absolute, unbiased: None };
const SQUARED: Named = Named { info: LeastWorstSquared::INFO, loss: Loss::Squared, unbiased: None };
const UNBIASED: Named =
    Named { info: LeastWorstVariance::INFO, loss: Loss::Squared, unbiased: Some(Unbiased { range: None }) };

/// Without a solver there is nothing to look for: a device gets its channels as data.
#[cfg(not(feature = "solver"))]
fn solved(named: Named, _: &DomainSpec, _: Epsilon, _: &BuildOptions) -> Result<Solution, ParameterError> {
    let reason = format!("{} has to be solved for, and this program has no solver", named.info.id);
    Err(ParameterError::Incompatible { reason })
}

#[cfg(feature = "solver")]
fn solved(
    named: Named,
    domain: &DomainSpec,
    epsilon: Epsilon,
    options: &BuildOptions,
) -> Result<Solution, ParameterError> {
    options.refuse_unless(false, false)?;
    let DomainSpec::Interval(interval) = domain else {
        return Err(ParameterError::WrongDomain {
            mechanism: named.info.id,
            expected: named.info.domain,
            got: domain.to_string(),
        });
    };
    let Named { loss, unbiased, .. } = named;
    let problem = Problem::Line(LineProblem {
        domain: *interval,
        loss,
        objective: Objective::Minimax,
        epsilon,
        unbiased,
    });
    let solution =
        Cache::of_environment().solve(&problem, &Stop::default(), &mut |_| {}).map_err(as_parameter_error)?;
    if solution.gap() > WIDEST_GAP {
        let reason = format!("no channel within 2 % of the best was found at epsilon {epsilon}");
        return Err(ParameterError::Incompatible { reason });
    }
    Ok(solution)
}

#[cfg(feature = "solver")]
fn as_parameter_error(error: LimitError) -> ParameterError {
    match error {
        LimitError::Parameter(error) => error,
        other => ParameterError::Incompatible { reason: other.to_string() },
    }
}
