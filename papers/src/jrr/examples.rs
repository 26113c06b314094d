//! Two people, by hand.

use super::{average_epsilon, between, table, variance};
use crate::{Findings, ReproduceError, Setting};
use privet::joint::JointTable;
use privet::{ExposedEpsilon, Generator, Probability};

/// The truthfulness and the correlation of the examples.
const P: f64 = 0.8;
const RHO: f64 = -0.25;

fn exposed(table: &JointTable) -> f64 {
    match table.exposed_epsilon() {
        ExposedEpsilon::Bounded(epsilon) => epsilon.get(),
        ExposedEpsilon::Unbounded => f64::INFINITY,
    }
}

pub(super) fn example_2(_: &Setting) -> Result<Findings, ReproduceError> {
    let alone = table(P, 0.0)?;
    let mut findings = Findings::default();
    findings.measure("jrr-ex2-epsilon", exposed(&alone));
    findings.measure("jrr-ex2-variance", variance(&alone, 2, 2.0));
    Ok(findings)
}

pub(super) fn example_3(_: &Setting) -> Result<Findings, ReproduceError> {
    let joint = table(P, RHO)?;
    let mut findings = Findings::default();
    findings.measure("jrr-ex3-covariance", joint.covariance());
    findings.measure("jrr-ex3-variance", variance(&joint, 2, 2.0));
    findings.measure("jrr-ex3-variance-of-sum", 2.0 * joint.p() * joint.q());
    findings.measure("jrr-ex3-epsilon", average_epsilon(&joint, 2, 0)?);
    findings.holds("jrr-ex3-exposed", exposed(&joint).is_finite());
    Ok(findings)
}

/// The probabilities of a table: both truthful, first lies, second lies, both lie.
fn probabilities(table: &JointTable) -> [f64; 4] {
    table.weights().map(|weight| weight as f64 / 2f64.powi(64))
}

pub(super) fn table_4_1(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for (number, ours) in (1..).zip(probabilities(&table(P, RHO)?)) {
        findings.measure(format!("jrr-t41-{number}"), ours);
    }
    Ok(findings)
}

pub(super) fn table_4_2(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let is_right = formulas_hold()?;
    for (number, ours) in (1..).zip(probabilities(&table(P, RHO)?)) {
        // A formula that fails anywhere is not reproduced.
        findings.measure(format!("jrr-t42-{number}"), if is_right { ours } else { f64::NAN });
    }
    findings.measure("jrr-t42-bound", smallest_correlation(P)?);
    Ok(findings)
}

/// The four formulas at random places.
fn formulas_hold() -> Result<bool, ReproduceError> {
    let mut rng = Generator::from_insecure_seed(42);
    let mut is_right = true;
    for _ in 0..100 {
        let p = between(&mut rng, 0.5001, 0.9999);
        let (q, rho) = (1.0 - p, between(&mut rng, 1.0 - 1.0 / p, 1.0));
        let mixed = (1.0 - rho) * p * q;
        let formulas = [p * p + rho * p * q, mixed, mixed, q * q + rho * p * q];
        let ours = probabilities(&table(p, rho)?);
        is_right &= ours.iter().zip(formulas).all(|(one, other)| (one - other).abs() < 1e-12);
    }
    Ok(is_right)
}

/// The smallest correlation that a table has, by halving.
fn smallest_correlation(p: f64) -> Result<f64, ReproduceError> {
    let p = Probability::new(p)?;
    let (mut refused, mut taken) = (-1.0, 0.0);
    for _ in 0..60 {
        let middle = f64::midpoint(refused, taken);
        if JointTable::new(p, middle).is_ok() { taken = middle } else { refused = middle }
    }
    Ok(taken)
}
