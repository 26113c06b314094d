//! The optimal densities themselves, and how a distance and a direction share epsilon.

use super::{OGPM, OGPM_CIRCLE, ROOT, ROOT_CIRCLE, SW};
use crate::channel::{CIRCLE, Numeric, UNIT, curve, grid, steps};
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::analysis::Loss;
use privet::polar::{Polar, PolarAbsolute, PolarBudget, PolarDomain, PolarSquared};
use privet::{Circle, Epsilon, Interval};
use std::f64::consts::PI;

const DENSITY: &str = "density (per unit of the report)";

pub(super) fn figure_5_4(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for x in [0.0, 0.5] {
        let law = |id: &str, label: &str| {
            Ok::<_, ReproduceError>(Curve::area(label, steps(&Numeric::new(id, UNIT, 1.0)?.pieces(x)?)))
        };
        let curves = vec![law(OGPM, "OGPM, e^(eps/2)")?, law(ROOT, "squared-error root")?];
        let name = format!("x = {x}");
        findings.panels.push(Panel { name, x_name: "report", y_name: DENSITY, curves, ..Panel::default() });
    }
    Ok(findings)
}

pub(super) fn example_6(_: &Setting) -> Result<Findings, ReproduceError> {
    let window = Numeric::new(OGPM, UNIT, 1.0)?;
    let mut findings = Findings::default();
    if let Some(first) = window.pieces(0.0)?.first() {
        findings.measure("ogpm-ex6-p", first.density());
        findings.measure("ogpm-ex6-r", first.to);
    }
    // The pieces around a value between two nodes begin and end with slivers of both.
    let middle = window.pieces(0.5)?;
    let high = middle.iter().filter(|piece| piece.density() > 1.0);
    let [left, right] =
        high.fold([1.0f64, 0.0f64], |[left, right], piece| [left.min(piece.from), right.max(piece.to)]);
    findings.measure("ogpm-ex6-l5", left);
    findings.measure("ogpm-ex6-r5", right);
    Ok(findings)
}

pub(super) fn figure_5_6(_: &Setting) -> Result<Findings, ReproduceError> {
    let law = |id: &str, label: &str| {
        Ok::<_, ReproduceError>(Curve::area(label, steps(&Numeric::new(id, CIRCLE, 1.0)?.pieces(PI)?)))
    };
    let curves = vec![law(OGPM_CIRCLE, "OGPM, e^(eps/2)")?, law(ROOT_CIRCLE, "squared-error root")?];
    let name = "x = pi".to_owned();
    let panel =
        Panel { name, x_name: "report (rad)", y_name: "density (per rad)", curves, ..Panel::default() };
    Ok(Findings { panels: vec![panel], ..Findings::default() })
}

pub(super) fn example_7(_: &Setting) -> Result<Findings, ReproduceError> {
    let pieces = Numeric::new(OGPM_CIRCLE, CIRCLE, 1.0)?.pieces(0.0)?;
    let level = 1.0 / (2.0 * PI);
    let low = || pieces.iter().filter(|piece| piece.density() < level);
    let high = pieces.iter().find(|piece| piece.density() > level);
    let mut findings = Findings::default();
    findings.measure("ogpm-ex7-half", low().map(|piece| piece.from).fold(f64::INFINITY, f64::min) / PI);
    findings.measure("ogpm-ex7-other", low().map(|piece| piece.to).fold(0.0, f64::max) / PI);
    findings.measure("ogpm-ex7-in", high.map_or(f64::NAN, |piece| piece.density()));
    findings.measure("ogpm-ex7-out", low().next().map_or(f64::NAN, |piece| piece.density()));
    Ok(findings)
}

/// The epsilon of a distance with a direction.
const TOTAL: f64 = 1.0 + 2.0 * PI;

fn polar_domain() -> Result<PolarDomain, ReproduceError> {
    Ok(PolarDomain { radius: Interval::new(0.0, 1.0)?, angle: Circle::new(2.0 * PI)? })
}

/// The best division, with e^(epsilon/2) and with the squared-error roots.
fn budgets() -> Result<[PolarBudget; 2], ReproduceError> {
    let total = Epsilon::new(TOTAL)?;
    let printed = Polar::<PolarAbsolute>::new(polar_domain()?, total)?.budget();
    Ok([printed, Polar::<PolarSquared>::new(polar_domain()?, total)?.budget()])
}

/// The worst squared error of both parts together.
fn total_error(radius: &str, angle: &str, share: f64) -> Result<f64, ReproduceError> {
    let at_end = |id: &str, space: &str, epsilon: f64, nothing: f64| {
        if epsilon <= 0.0 {
            Ok(nothing)
        } else {
            Numeric::new(id, space, epsilon)?.error_at(0.0, Loss::Squared)
        }
    };
    // Without epsilon reports are uniform: a third of the square at an end, or of the half circle.
    Ok(at_end(radius, UNIT, share, 1.0 / 3.0)? + at_end(angle, CIRCLE, TOTAL - share, PI * PI / 3.0)?)
}

pub(super) fn figure_5_7(setting: &Setting) -> Result<Findings, ReproduceError> {
    let shares = grid(0.25, 7.0, setting.effort.pick(9, 54));
    let line = |label: &str, radius: &str, angle: &str| {
        curve(label, &shares, |share| total_error(radius, angle, share))
    };
    let mut curves =
        vec![line("OGPM, e^(eps/2)", OGPM, OGPM_CIRCLE)?, line("squared-error roots", ROOT, ROOT_CIRCLE)?];
    let [printed, roots] = budgets()?.map(|budget| budget.radius.get());
    let best = vec![
        [printed, total_error(OGPM, OGPM_CIRCLE, printed)?],
        [roots, total_error(ROOT, ROOT_CIRCLE, roots)?],
    ];
    curves.push(Curve::crosses("best divisions", best));
    let (x_name, y_name) = ("epsilon of the distance (of 1 + 2 pi)", "worst total squared error");
    let panel = Panel { x_name, y_name, curves, ..Panel::default() };
    Ok(Findings { panels: vec![panel], ..Findings::default() })
}

pub(super) fn example_9(_: &Setting) -> Result<Findings, ReproduceError> {
    let [_, roots] = budgets()?;
    let mut findings = Findings::default();
    findings.entry("epsilon of the distance", "squared-error roots", roots.radius.get());
    findings.entry("epsilon of the angle", "squared-error roots", roots.angle.get());
    Ok(findings)
}

pub(super) fn c_2_5(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for (id, mechanism) in [("ogpm-c25-ogpm", OGPM), ("ogpm-c25-sw", SW)] {
        findings.measure(id, Numeric::new(mechanism, UNIT, 1.0)?.error_at(0.0, Loss::Squared)?);
    }
    Ok(findings)
}

pub(super) fn c_2_6(_: &Setting) -> Result<Findings, ReproduceError> {
    let [printed, roots] = budgets()?;
    let mut findings = Findings::default();
    findings.measure_corrected("ogpm-c26-e1", printed.radius.get(), roots.radius.get());
    findings.measure_corrected("ogpm-c26-e2", printed.angle.get(), roots.angle.get());
    findings.measure("ogpm-c26-sum", printed.radius.get() + printed.angle.get());
    findings.entry("best epsilon with the squared-error roots", "distance", roots.radius.get());
    findings.entry("best epsilon with the squared-error roots", "angle", roots.angle.get());
    let [no_distance, no_angle] =
        [total_error(OGPM, OGPM_CIRCLE, 0.0)?, total_error(OGPM, OGPM_CIRCLE, TOTAL)?];
    findings.entry("worst total squared error", "nothing for the distance", no_distance);
    findings.entry("worst total squared error", "nothing for the angle", no_angle);
    findings.holds("ogpm-c26-flat", no_distance < no_angle / 2.0);
    Ok(findings)
}
