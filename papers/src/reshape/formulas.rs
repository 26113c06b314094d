//! Formulas of the text, and what follows from them.

use super::StudyError;
use crate::{Findings, ReproduceError, Setting};
use privet::statistics::chi_square_upper_tail;
use privet::vector::mechanism::{GaussianVector, PrivUnit, PrivUnitG, VectorMechanism};
use privet::vector::reshape::scales::printed_stretches;
use privet::{Delta, Dimension, Epsilon, Generator};

/// A number of a formula that the text lacks: nothing comes out of what is printed.
fn restored(findings: &mut Findings, id: impl Into<String>, ours: f64) {
    findings.measure_corrected(id, f64::NAN, ours);
}

pub(super) fn formulas(_: &Setting) -> Result<Findings, ReproduceError> {
    let stretches = printed_stretches(&[4.0, 2.0, 1.0], 8, 1000f64.sqrt()).map_err(StudyError::from)?;
    let mut findings = Findings::default();
    let [first, second, third, null, ..] = stretches[..] else { return Ok(findings) };
    restored(&mut findings, "reshape-scales-c", first + second + third);
    for (id, ours) in
        [("1", first), ("2", second), ("3", third), ("null", null), ("sum", stretches.iter().sum())]
    {
        restored(&mut findings, format!("reshape-scales-{id}"), ours);
    }
    // The definition divides by the length.
    let direction = 0.0f64 / 0.0f64.hypot(0.0);
    findings.holds_corrected("reshape-privunit-zero", direction.is_finite(), is_zero_protected()?);
    Ok(findings)
}

/// Whether no report of the zero vector is likelier than epsilon allows, compared with a vector of full length.
fn is_zero_protected() -> Result<bool, ReproduceError> {
    let epsilon = Epsilon::new(5.0)?;
    let mechanism = PrivUnit::new(Dimension::new(16)?, 1.0, epsilon)?;
    let (zero, mut other) = (vec![0.0; 16], vec![0.0; 16]);
    other[0] = 1.0;
    let mut rng = Generator::from_insecure_seed(16);
    let mut codes = vec![0; mechanism.code_count()];
    let mut largest = 0.0f64;
    for _ in 0..1000 {
        mechanism.draw(&zero, &mut codes, &mut rng);
        let ratio = mechanism.log_ratio([&zero, &other], &codes)?;
        largest = largest.max(ratio.abs());
    }
    Ok(largest <= epsilon.get() * (1.0 + 1e-9))
}

/// The thresholds of both kinds of PrivUnit.
pub(super) fn thresholds(findings: &mut Findings) -> Result<(), ReproduceError> {
    for epsilon in [1.0, 5.0, 10.0] {
        let budget = Epsilon::new(epsilon)?;
        for dimension in [16, 64] {
            let threshold = PrivUnit::new(Dimension::new(dimension)?, 1.0, budget)?.threshold();
            restored(findings, format!("reshape-privunit-{dimension}-{epsilon}"), threshold);
        }
        let dimension = Dimension::new(64)?;
        let threshold = PrivUnitG::new(dimension, 1.0, budget)?.threshold();
        restored(findings, format!("reshape-privunitg-{epsilon}"), threshold);
        let height = PrivUnitG::normalized(dimension, 1.0, budget)?.mean_height();
        restored(findings, format!("reshape-privunitg-norm-{epsilon}"), height);
    }
    Ok(())
}

/// The delta that Gaussian noise keeps between two points one apart.
fn kept_delta(epsilon: f64, deviation: f64) -> f64 {
    let above = |height: f64| {
        let tail = chi_square_upper_tail(height * height, 1) / 2.0;
        if height >= 0.0 { tail } else { 1.0 - tail }
    };
    let (half, shift) = (0.5 / deviation, epsilon * deviation);
    above(shift - half) - epsilon.exp() * above(shift + half)
}

/// What the classical scale sqrt(2 ln(1.25/delta))/epsilon keeps beyond epsilon 1, where its proof ends, and the analytic one.
pub(super) fn classical_gaussian(findings: &mut Findings) -> Result<(), ReproduceError> {
    const ASKED: f64 = 1e-5;
    let mut is_kept = true;
    for epsilon in [2.5, 5.0, 7.5, 10.0] {
        let classical = kept_delta(epsilon, (2.0 * (1.25 / ASKED).ln()).sqrt() / epsilon);
        is_kept &= classical <= ASKED;
        let ball =
            GaussianVector::new(Dimension::new(2)?, 1.0, Epsilon::new(epsilon)?, Some(Delta::new(ASKED)?))?;
        // Two points of the ball are at most two apart.
        let analytic = kept_delta(epsilon, ball.deviation() / 2.0);
        for (series, delta) in
            [("delta of the classical scale", classical), ("delta of the analytic scale", analytic)]
        {
            findings.entry(series, format!("epsilon {epsilon}, delta 1e-5"), delta);
        }
    }
    findings.holds("reshape-plan-analytic", is_kept);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By mpmath with 30 digits.
    #[test]
    fn deltas_of_gaussian_noise_are_known() {
        for (epsilon, deviation, delta) in [
            (5.0, 0.968_961_052_521_077_9, 1.349_003_718_602_776_4e-6),
            (10.0, 0.484_480_526_260_538_95, 2.265_374_364_793_422_5e-5),
        ] {
            assert!((kept_delta(epsilon, deviation) / delta - 1.0).abs() < 1e-6);
        }
    }
}
