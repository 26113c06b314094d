//! What the text says without a figure.

use super::circle::circle_limit;
use super::pieces::on_unit;
use super::{OGPM, OGPM_CIRCLE, OGPM_U, PM, ROOT, ROOT_CIRCLE};
use crate::channel::{CIRCLE, Numeric, UNIT, circular_distance, grid, optimum};
use crate::{Findings, ReproduceError, Setting};
use privet::analysis::Loss;
use std::f64::consts::PI;

/// Certified numbers and closed forms agree up to the rounding of lattices.
const SAME: f64 = 1e-3;

pub(super) fn theorems(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    squared_error(&mut findings)?;
    limits(&mut findings)?;
    circle(&mut findings)?;
    unbiased(&mut findings)?;
    findings.holds("ogpm-lemma1", ends_are_worst()?);
    Ok(findings)
}

/// Theorem 7 for squared error: the density and the worst error of the best window.
fn squared_error(findings: &mut Findings) -> Result<(), ReproduceError> {
    for epsilon in [1.0, 2.0, 4.0, 8.0] {
        let root = Numeric::new(ROOT, UNIT, epsilon)?;
        findings.measure(format!("ogpm-thm7-p-{epsilon}"), density_inside(&root)?);
        findings.measure(format!("ogpm-thm7-mse-{epsilon}"), root.worst(Loss::Squared)?);
        let x = format!("epsilon {epsilon}");
        let around = 2.0 * PI * density_inside(&Numeric::new(ROOT_CIRCLE, CIRCLE, epsilon)?)?;
        findings.entry("density of the root on the circle, times the period", x.clone(), around);
        let ogpm = Numeric::new(OGPM, UNIT, epsilon)?.worst(Loss::Squared)?;
        findings.entry("worst squared error of OGPM", x, ogpm);
    }
    Ok(())
}

/// The density of the window around zero.
fn density_inside(window: &Numeric) -> Result<f64, ReproduceError> {
    Ok(window.pieces(0.0)?.first().map_or(f64::NAN, |piece| piece.density()))
}

/// Theorem 7 and 10 among all channels.
fn limits(findings: &mut Findings) -> Result<(), ReproduceError> {
    for epsilon in [1.0, 2.0, 4.0] {
        for loss in Loss::ALL {
            let name = loss.as_str();
            let found = optimum(&format!("minimax-{name}"), epsilon)?;
            findings.measure(format!("ogpm-thm7-optimal-{name}-{epsilon}"), found.achieved);
            let x = format!("{name} error, epsilon {epsilon}");
            findings.entry("no channel is below", x.clone(), found.lower_bound);
            let ogpm = Numeric::new(OGPM, UNIT, epsilon)?.worst(loss)?;
            findings.entry("best channel below OGPM (%)", x, 100.0 * (1.0 - found.achieved / ogpm));
        }
        variances(findings, epsilon)?;
    }
    Ok(())
}

/// Theorem 10: OGPM-U beside PM, which is unbiased as well, and beside the best unbiased channel.
fn variances(findings: &mut Findings, epsilon: f64) -> Result<(), ReproduceError> {
    let best = optimum("minimax-unbiased", epsilon)?.achieved;
    let worst = |id: &str| Numeric::new(id, UNIT, epsilon)?.worst(Loss::Squared);
    let [ogpm_u, pm] = [worst(OGPM_U)?, worst(PM)?];
    findings.measure(format!("ogpm-thm10-optimal-{epsilon}"), best);
    findings.measure(format!("ogpm-thm10-ratio-{epsilon}"), ogpm_u / pm);
    let x = format!("epsilon {epsilon}");
    findings.entry("worst variance of OGPM-U", x.clone(), ogpm_u);
    findings.entry("worst variance of PM", x.clone(), pm);
    findings.entry("best unbiased channel below PM (%)", x, 100.0 * (1.0 - best / pm));
    Ok(())
}

/// Theorems 8 and 9, and the distance on the circle.
fn circle(findings: &mut Findings) -> Result<(), ReproduceError> {
    let epsilon = 2.0;
    let certified = |loss: Loss| circle_limit(loss, epsilon);
    let error = |id: &str, loss: Loss| Numeric::new(id, CIRCLE, epsilon)?.error_at(0.0, loss);
    let is_best =
        |id: &str, loss: Loss| Ok::<_, ReproduceError>(error(id, loss)? <= certified(loss)? * (1.0 + SAME));
    findings.holds("ogpm-thm8-optimal", is_best(OGPM_CIRCLE, Loss::Absolute)?);
    let squared = [OGPM_CIRCLE, ROOT_CIRCLE].map(|id| is_best(id, Loss::Squared));
    let [printed, root] = squared;
    findings.holds_corrected("ogpm-thm8-optimal-squared", printed?, root?);
    findings.holds("ogpm-thm9", is_theorem_9_right()?);
    let window = Numeric::new(OGPM_CIRCLE, CIRCLE, epsilon)?;
    let errors = window.curve("", &grid(0.0, 6.0, 12), Loss::Absolute)?;
    let is_unique = errors.points.iter().any(|[_, height]| (height / errors.mean() - 1.0).abs() > SAME);
    findings.holds("ogpm-fig511-where", is_unique);
    findings.measure("ogpm-lmod-1", circular_distance(2.0 * PI, 0.0));
    findings.measure("ogpm-lmod-2", circular_distance(1.5 * PI, 0.0));
    findings.measure("ogpm-lmod-formula", circular_distance(6.0, 1.0));
    Ok(())
}

/// The squared error of a window of density p around any angle is 2 (p h^3 + q (pi^3 - h^3)) / 3 with h its half width.
fn is_theorem_9_right() -> Result<bool, ReproduceError> {
    let mut is_right = true;
    for epsilon in [1.0f64, 2.0] {
        let inside = (epsilon / 2.0).exp() / (2.0 * PI);
        let (outside, half) = (inside * (-epsilon).exp(), PI / (1.0 + (epsilon / 2.0).exp()));
        let printed = 2.0 / 3.0 * (inside * half.powi(3) + outside * (PI.powi(3) - half.powi(3)));
        let window = Numeric::new(OGPM_CIRCLE, CIRCLE, epsilon)?;
        let errors = window.curve("", &grid(0.0, 6.0, 12), Loss::Squared)?;
        is_right &= errors.points.iter().all(|[_, height]| (height / printed - 1.0).abs() < SAME);
    }
    Ok(is_right)
}

fn unbiased(findings: &mut Findings) -> Result<(), ReproduceError> {
    let mut largest = 0.0f64;
    for epsilon in [1.0, 2.0, 4.0] {
        let channel = Numeric::new(OGPM_U, UNIT, epsilon)?;
        let analysis = channel.analysis()?;
        for x in grid(0.0, 1.0, 40) {
            largest = largest.max(analysis.law(x)?.bias().abs());
        }
    }
    findings.measure("ogpm-thm10-unbiased", largest);
    Ok(())
}

/// Lemma 1 for the heights high, low, high, which are as good as the best at the ends.
fn ends_are_worst() -> Result<bool, ReproduceError> {
    let problem = on_unit(3, 1.0, 4.0)?;
    let heights = problem.minimax().heights;
    let [low, high] = [heights[0], heights[1]];
    let error = |x: f64| Ok::<_, ReproduceError>(problem.place(&[high, low, high], x)?.expected_loss(x, 1.0));
    Ok(error(0.5)? <= error(0.0)? * (1.0 + SAME))
}
