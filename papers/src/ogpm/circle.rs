//! Angles.

use super::{OGPM_CIRCLE, PM_C, ROOT_CIRCLE, SW_C, certified_epsilons, epsilons};
use crate::channel::{CIRCLE, CUT_CIRCLE, Numeric, circular_loss, curve, grid};
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::analysis::Loss;
use privet::limit::circle::CircleProblem;
use privet::limit::{Problem, Stop};
use privet::{Circle, Epsilon};
use std::f64::consts::PI;

const ANGLE: &str = "angle (rad)";

/// The error of a mechanism that cuts the circle open, measured around the circle.
fn around(id: &str, label: &str, epsilon: f64, places: &[f64], loss: Loss) -> Result<Curve, ReproduceError> {
    let cut = Numeric::new(id, CUT_CIRCLE, epsilon)?;
    let analysis = cut.analysis()?;
    curve(label, places, |x| Ok(circular_loss(&analysis.law(x)?.pieces(), x, loss)))
}

/// The mean over all angles; the last place is the first one again.
fn mean_around(curve: &Curve) -> f64 {
    let heights = curve.points.split_last().map_or(&[][..], |(_, others)| others);
    heights.iter().map(|[_, height]| height).sum::<f64>() / heights.len() as f64
}

fn cut_places(parts: u32) -> Vec<f64> {
    grid(0.0, 2.0 * PI, parts)
}

pub(super) fn figure_5_10(setting: &Setting) -> Result<Findings, ReproduceError> {
    let places = cut_places(setting.effort.pick(40, 400));
    let loss = Loss::Squared;
    let mut findings = Findings::default();
    for epsilon in [2.0, 4.0] {
        let [ogpm, root] = [OGPM_CIRCLE, ROOT_CIRCLE]
            .map(|id| Numeric::new(id, CIRCLE, epsilon).and_then(|window| window.error_at(0.0, loss)));
        let (ogpm, root) = (ogpm?, root?);
        let flat =
            |label: &str, height: f64| Curve::line(label, places.iter().map(|&x| [x, height]).collect());
        let mut curves = vec![flat("OGPM, e^(eps/2)", ogpm), flat("squared-error root", root)];
        for (id, name, label) in [(PM_C, "pm", "PM-C"), (SW_C, "sw", "SW-C")] {
            let cut = Numeric::new(id, CUT_CIRCLE, epsilon)?;
            let average = cut.average(loss)?;
            let claim = format!("ogpm-fig510-{name}-{epsilon}");
            findings.measure_corrected(claim, 100.0 * ogpm / average, 100.0 * root / average);
            curves.push(cut.curve(&format!("{label}, difference of numbers"), &places, loss)?);
            let around = around(id, &format!("{label}, around the circle"), epsilon, &places, loss)?;
            let share = 100.0 * root / mean_around(&around);
            findings.measure(format!("ogpm-fig510-around-{name}-{epsilon}"), share);
            curves.push(around);
        }
        let name = format!("epsilon {epsilon}");
        let y_name = "expected squared error (rad^2)";
        findings.panels.push(Panel { name, x_name: ANGLE, y_name, curves, ..Panel::default() });
    }
    let absolute = Numeric::new(OGPM_CIRCLE, CIRCLE, 2.0)?.error_at(0.0, Loss::Absolute)?
        / Numeric::new(PM_C, CUT_CIRCLE, 2.0)?.average(Loss::Absolute)?;
    findings.entry("OGPM / PM-C, absolute error", "epsilon 2", 100.0 * absolute);
    findings.holds("ogpm-fig510-caption", (100.0 * absolute - 47.5).abs() < 0.2);
    Ok(findings)
}

pub(super) fn figure_5_11(setting: &Setting) -> Result<Findings, ReproduceError> {
    let epsilons = epsilons();
    let places = cut_places(setting.effort.pick(6, 64));
    let mut findings = Findings::default();
    for (loss, short, y_name) in [
        (Loss::Absolute, "abs", "worst expected absolute error (rad)"),
        (Loss::Squared, "sq", "worst expected squared error (rad^2)"),
    ] {
        // All angles have the same error, and the ends are the worst numbers.
        let at_zero = |label: &str, id: &str, space: &str| {
            curve(label, &epsilons, |epsilon| Numeric::new(id, space, epsilon)?.error_at(0.0, loss))
        };
        let ogpm = at_zero("OGPM, e^(eps/2)", OGPM_CIRCLE, CIRCLE)?;
        let root = at_zero("squared-error root", ROOT_CIRCLE, CIRCLE)?;
        let mut rivals = Vec::new();
        for (id, name, label) in [(PM_C, "pm", "PM-C"), (SW_C, "sw", "SW-C")] {
            let linear = at_zero(&format!("{label}, difference of numbers"), id, CUT_CIRCLE)?;
            let share = |curve: &Curve| 100.0 * curve.mean() / linear.mean();
            let claim = format!("ogpm-fig511-{short}-{name}");
            if loss == Loss::Absolute {
                findings.measure(claim, share(&ogpm));
            } else {
                findings.measure_corrected(claim, share(&ogpm), share(&root));
            }
            let around = curve(&format!("{label}, around the circle"), &epsilons, |epsilon| {
                let heights = around(id, label, epsilon, &places, loss)?;
                Ok(heights.points.iter().map(|point| point[1]).fold(0.0, f64::max))
            })?;
            let best = if loss == Loss::Absolute { &ogpm } else { &root };
            let share = 100.0 * best.mean() / around.mean();
            findings.measure(format!("ogpm-fig511-around-{short}-{name}"), share);
            rivals.extend([linear, around]);
        }
        let mut curves = vec![ogpm];
        if loss == Loss::Squared {
            curves.push(root);
        }
        curves.extend(rivals);
        let name = format!("{} error", loss.as_str());
        findings.panels.push(Panel { name, x_name: "epsilon", y_name, curves, ..Panel::default() });
    }
    Ok(findings)
}

/// The error below which no channel on the circle is.
pub(crate) fn circle_limit(loss: Loss, epsilon: f64) -> Result<f64, ReproduceError> {
    let problem = CircleProblem { domain: Circle::new(2.0 * PI)?, loss, epsilon: Epsilon::new(epsilon)? };
    Ok(Problem::Circle(problem).solve(&Stop::default(), &mut |_| {})?.lower_bound)
}

pub(super) fn figure_5_15(setting: &Setting) -> Result<Findings, ReproduceError> {
    let line = |label: &str, id: &str| {
        curve(label, &epsilons(), |epsilon| Numeric::new(id, CIRCLE, epsilon)?.error_at(0.0, Loss::Absolute))
    };
    let [ogpm, noise] = [line("OGPM", OGPM_CIRCLE)?, line("Purkayastha", "purkayastha")?];
    let mut findings = Findings::default();
    findings.holds("ogpm-fig515-lowest", ogpm.is_below(&noise, 0.0));
    let limit = curve("no channel is below", &certified_epsilons(setting.effort), |epsilon| {
        circle_limit(Loss::Absolute, epsilon)
    })?;
    let (y_name, curves) = ("expected absolute error (rad)", vec![ogpm, noise, limit]);
    findings.panels.push(Panel { x_name: "epsilon", y_name, curves, ..Panel::default() });
    Ok(findings)
}
