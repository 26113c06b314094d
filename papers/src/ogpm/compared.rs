//! OGPM beside the compressed mechanisms, on the interval.

use super::{OGPM, PM_C, ROOT, SW_C, certified_epsilons, epsilons};
use crate::channel::{Numeric, UNIT, curve, grid, limit_curves};
use crate::{Curve, Effort, Findings, Panel, ReproduceError, Setting};
use privet::analysis::Loss;

/// Mechanisms of equal error differ by the rounding of their lattices.
const SLACK: f64 = 1e-4;

/// The errors over the domain of the paper's three mechanisms, and of ours.
fn over_domain(setting: &Setting, epsilon: f64) -> Result<[Curve; 5], ReproduceError> {
    let places = grid(0.0, 1.0, setting.effort.pick(40, 400));
    let line = |label: &str, id: &str| Numeric::new(id, UNIT, epsilon)?.curve(label, &places, Loss::Absolute);
    Ok([
        line("OGPM", OGPM)?,
        line("PM-C", PM_C)?,
        line("SW-C", SW_C)?,
        line("squared-error root", ROOT)?,
        line("best channel for the worst case", "minimax-absolute")?,
    ])
}

fn panel(epsilon: f64, curves: Vec<Curve>) -> Panel {
    let name = format!("epsilon {epsilon}");
    Panel { name, x_name: "value", y_name: "expected absolute error", curves, ..Panel::default() }
}

pub(super) fn figure_5_8(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let mut is_lowest = true;
    for epsilon in [2.0, 4.0] {
        let curves = over_domain(setting, epsilon)?;
        let [ogpm, pm, sw, ..] = &curves;
        is_lowest &= ogpm.is_below(pm, SLACK) && ogpm.is_below(sw, SLACK);
        findings.panels.push(panel(epsilon, curves.into()));
        let average = |id: &str| Numeric::new(id, UNIT, epsilon)?.average(Loss::Absolute);
        let [ogpm, pm, sw] = [average(OGPM)?, average(PM_C)?, average(SW_C)?];
        findings.measure(format!("ogpm-fig58-pm-{epsilon}"), 100.0 * ogpm / pm);
        findings.measure(format!("ogpm-fig58-sw-{epsilon}"), 100.0 * ogpm / sw);
    }
    findings.holds("ogpm-fig58-lowest", is_lowest);
    Ok(findings)
}

pub(super) fn figure_c_3(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for (id, epsilon, bound) in [("ogpm-c3-04", 0.4, 0.008), ("ogpm-c3-08", 0.8, 0.015)] {
        let curves = over_domain(setting, epsilon)?;
        let [ogpm, pm, sw, ..] = &curves;
        let gap = |other: &Curve| {
            let gaps = other.points.iter().zip(&ogpm.points).map(|(theirs, ours)| theirs[1] - ours[1]);
            gaps.fold(0.0, f64::max)
        };
        let largest = gap(pm).max(gap(sw));
        findings.holds(id, largest <= bound);
        findings.entry("largest difference to PM-C and SW-C", format!("epsilon {epsilon}"), largest);
        findings.panels.push(panel(epsilon, curves.into()));
    }
    Ok(findings)
}

fn worst(label: &str, id: &str, loss: Loss, effort: Effort) -> Result<Curve, ReproduceError> {
    curve(label, &epsilons(), |epsilon| Numeric::new(id, UNIT, epsilon)?.worst_by(loss, effort))
}

pub(super) fn figure_5_9(setting: &Setting) -> Result<Findings, ReproduceError> {
    let effort = setting.effort;
    let mut findings = Findings::default();
    for (loss, y_name, best) in [
        (Loss::Absolute, "worst expected absolute error", "minimax-absolute"),
        (Loss::Squared, "worst expected squared error", "minimax-squared"),
    ] {
        let [ogpm, root] =
            [worst("OGPM, e^(eps/2)", OGPM, loss, effort)?, worst("squared-error root", ROOT, loss, effort)?];
        let [pm, sw] = [worst("PM-C", PM_C, loss, effort)?, worst("SW-C", SW_C, loss, effort)?];
        if loss == Loss::Absolute {
            let gaps = ogpm.points.iter().zip(&pm.points).map(|(ours, theirs)| (ours[1] - theirs[1]).abs());
            findings.measure("ogpm-fig59-equal", gaps.fold(0.0, f64::max));
        } else {
            for (id, other) in [("ogpm-fig59-pm", &pm), ("ogpm-fig59-sw", &sw)] {
                let share = |curve: &Curve| 100.0 * curve.mean() / other.mean();
                findings.measure_corrected(id, share(&ogpm), share(&root));
            }
            // Strictly: the printed density ties with PM-C.
            let is_lowest = |curve: &Curve| curve.is_below(&pm, -SLACK) && curve.is_below(&sw, -SLACK);
            findings.holds_corrected("ogpm-fig59-lowest", is_lowest(&ogpm), is_lowest(&root));
        }
        let mut curves = vec![ogpm, root, pm, sw];
        curves.extend(limit_curves(best, &certified_epsilons(effort))?);
        let name = format!("{} error", loss.as_str());
        findings.panels.push(Panel { name, x_name: "epsilon", y_name, curves, ..Panel::default() });
    }
    Ok(findings)
}
