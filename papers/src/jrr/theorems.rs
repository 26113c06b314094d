//! What the text says without a figure.

use super::{average_epsilon, between, heuristic, independent, table, truth, variance};
use crate::{Findings, ReproduceError, Setting};
use privet::limit::generalised::Line;
use privet::{ExposedEpsilon, Generator};
use privet_core::Rng;

const PEOPLE: u64 = 10_000;

pub(super) fn theorems(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    findings.holds("jrr-thm3-forms", both_forms_hold()?);
    findings.measure("jrr-thm3-rr", average_epsilon(&table(0.8, 0.0)?, PEOPLE, 500)?.exp());
    let joint = heuristic(1.0)?;
    let is_bounded = match joint.exposed_epsilon() {
        ExposedEpsilon::Bounded(epsilon) => epsilon.get() <= average_epsilon(&joint, PEOPLE, 500)?,
        ExposedEpsilon::Unbounded => false,
    };
    findings.holds("jrr-thm3-worst-case", is_bounded);
    let [little, much] = [term(-0.1)?, term(-0.3)?];
    findings.entry("n - 1 - m rho", "rho -.1", little);
    findings.entry("n - 1 - m rho", "rho -.3", much);
    findings.holds("jrr-thm3-effect-rho", much < little);
    let mut epsilons = Vec::new();
    for colluders in [0, 100, 500, 1000] {
        let epsilon = average_epsilon(&joint, PEOPLE, colluders)?;
        findings.entry("epsilon of the heuristic for 1", format!("{colluders} colluders"), epsilon);
        epsilons.push(epsilon);
    }
    findings.holds("jrr-thm3-effect-m", epsilons.windows(2).all(|pair| pair[0] < pair[1]));
    findings.holds("jrr-thm4-rr-baseline", is_variance_of_independent()?);
    band(&mut findings)?;
    findings.measure("jrr-shuffle-order", exponent()?);
    Ok(findings)
}

/// The term n - 1 - m rho with 500 colluders, from what the accounting says: at rho < 0 the theorem is
/// e^epsilon / (1 + e^epsilon) = p (n - 1 - m rho) / (n - 1).
fn term(rho: f64) -> Result<f64, ReproduceError> {
    const P: f64 = 0.7;
    let epsilon = average_epsilon(&table(P, rho)?, PEOPLE, 500)?;
    Ok(truth(epsilon) * (PEOPLE - 1) as f64 / P)
}

/// The two rearranged forms of theorem 3, at random places.
fn both_forms_hold() -> Result<bool, ReproduceError> {
    let mut rng = Generator::from_insecure_seed(3);
    let mut is_right = true;
    for _ in 0..200 {
        let people = 2 * (500 + rng.next_u64() % 10_000);
        let colluders = rng.next_u64() % (people / 4);
        let p = between(&mut rng, 0.51, 0.7);
        let rho = between(&mut rng, 1.0 - 1.0 / p, 0.9);
        let (others, m) = ((people - 1) as f64, colluders as f64);
        let trust = others - m * rho;
        let printed =
            if rho <= 0.0 { others / (others - trust * p) - 1.0 } else { others / (trust * (1.0 - p)) - 1.0 };
        let ours = average_epsilon(&table(p, rho)?, people, colluders)?.exp();
        is_right &= (ours / printed - 1.0).abs() < 1e-9;
    }
    Ok(is_right)
}

/// With no correlation the variance is n p q / (p - q)^2.
fn is_variance_of_independent() -> Result<bool, ReproduceError> {
    let mut rng = Generator::from_insecure_seed(4);
    let mut is_right = true;
    for _ in 0..100 {
        let p = between(&mut rng, 0.55, 0.95);
        let people = 2 * (1 + rng.next_u64() % 50_000);
        let ones = (rng.next_u64() % (people + 1)) as f64;
        let printed = people as f64 * p * (1.0 - p) / (2.0 * p - 1.0).powi(2);
        is_right &= (variance(&table(p, 0.0)?, people, ones) / printed - 1.0).abs() < 1e-9;
    }
    Ok(is_right)
}

/// The width of the band around one half in which the heuristic does not help, as a share; and how many n1 lie outside it.
fn band(findings: &mut Findings) -> Result<(), ReproduceError> {
    let (joint, alone) = (heuristic(1.0)?, independent(1.0)?);
    let gain = |ones: f64| variance(&alone, PEOPLE, ones) - variance(&joint, PEOPLE, ones);
    // The ends of the band hold the same error up to rounding, and count as no worse.
    let is_no_worse = |ones: &u64| gain(*ones as f64) >= -1e-6;
    let outside = (0..=PEOPLE).filter(is_no_worse).count() as f64 / (PEOPLE + 1) as f64;
    findings.measure("jrr-heuristic-99", outside);
    let (mut worse, mut better) = (PEOPLE as f64 / 2.0, PEOPLE as f64);
    for _ in 0..100 {
        let middle = f64::midpoint(worse, better);
        if gain(middle) > 0.0 { better = middle } else { worse = middle }
    }
    findings.measure("jrr-thm4-region", 2.0 * (better - PEOPLE as f64 / 2.0) / PEOPLE as f64);
    Ok(())
}

/// How the deviation grows with the number of people, as an exponent.
fn exponent() -> Result<f64, ReproduceError> {
    let joint = heuristic(1.0)?;
    let point = |people: u64| {
        let deviation = variance(&joint, people, people as f64 / 10.0).sqrt();
        ((people as f64).ln(), deviation.ln())
    };
    let line = Line::through(&[1000, 10_000, 100_000, 1_000_000].map(point));
    Ok(line.map_or(f64::NAN, |line| line.slope))
}
