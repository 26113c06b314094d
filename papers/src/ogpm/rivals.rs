//! OGPM beside truncated mechanisms and beside noise.

use super::{OGPM, PM, ROOT, SW, certified_epsilons, epsilons};
use crate::channel::{Numeric, UNIT, curve, grid, limit_curves};
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::Epsilon;
use privet::analysis::Loss;
use privet::registry::find_mechanism;

const T_PM: &str = "piecewise-truncated";
const T_SW: &str = "square-wave-truncated";
const STAIRCASE: &str = "staircase";
const T_LAPLACE: &str = "laplace-truncated";
const B_LAPLACE: &str = "laplace-bounded";
/// What can be done for the worst case.
const BEST: &str = "best channel for the worst case";

pub(super) fn figure_5_12(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let parts = setting.effort.pick(40, 400);
    for (claim, space, low, rivals) in [
        ("ogpm-fig512-lowest-pm", "interval:-1,1", -1.0, [("PM", PM), ("T-PM", T_PM)]),
        ("ogpm-fig512-lowest-sw", UNIT, 0.0, [("SW", SW), ("T-SW", T_SW)]),
    ] {
        for loss in Loss::ALL {
            let places = grid(low, 1.0, parts);
            let line = |label: &str, id: &str| Numeric::new(id, space, 2.0)?.curve(label, &places, loss);
            let mut curves = vec![line("OGPM, e^(eps/2)", OGPM)?, line("squared-error root", ROOT)?];
            for (label, id) in rivals {
                curves.push(line(label, id)?);
            }
            let best = if loss == Loss::Squared { "minimax-squared" } else { "minimax-absolute" };
            if loss == Loss::Squared {
                let is_lowest = curves[2..].iter().all(|rival| curves[0].is_below(rival, 0.0));
                findings.holds(claim, is_lowest);
            }
            curves.push(line(BEST, best)?);
            let name = format!("{}, {} error", rivals[0].0, loss.as_str());
            let y_name =
                if loss == Loss::Squared { "expected squared error" } else { "expected absolute error" };
            findings.panels.push(Panel { name, x_name: "value", y_name, curves, ..Panel::default() });
        }
    }
    let worst = |id: &str| Numeric::new(id, UNIT, 2.0)?.worst(Loss::Absolute);
    let [ogpm, pm, sw] = [worst(OGPM)?, worst(T_PM)?, worst(T_SW)?];
    // The text compares squared errors only, so that these are no claim of it.
    for (label, error) in [("OGPM", ogpm), ("T-PM", pm), ("T-SW", sw)] {
        findings.entry("worst absolute error", label, error);
    }
    let at_end = |id: &str| Numeric::new(id, UNIT, 2.0)?.error_at(0.0, Loss::Squared);
    findings.holds("ogpm-fig512-gain", at_end(T_PM)? / at_end(PM)? < at_end(T_SW)? / at_end(SW)?);
    Ok(findings)
}

/// The expected absolute error of the bounded Laplace density as it is printed, whose constant does not depend on x.
fn printed_bounded_error(epsilon: f64, x: f64) -> f64 {
    let part = |reach: f64| 1.0 / epsilon - (-epsilon * reach).exp() * (reach + 1.0 / epsilon);
    (part(x) + part(1.0 - x)) / (1.0 - (-epsilon).exp())
}

/// The mass of that density.
fn printed_bounded_mass(epsilon: f64, x: f64) -> f64 {
    let part = |reach: f64| 1.0 - (-epsilon * reach).exp();
    (part(x) + part(1.0 - x)) / (1.0 - (-epsilon).exp())
}

/// Whether a curve is below another on average and at most places.
fn is_mostly_below(ours: &Curve, other: &Curve) -> bool {
    let lower = ours.points.iter().zip(&other.points).filter(|(one, two)| one[1] < two[1]).count();
    ours.mean() < other.mean() && 2 * lower > ours.points.len()
}

pub(super) fn figure_5_13(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let places = grid(0.0, 1.0, setting.effort.pick(40, 400));
    let mut peaks_in_the_middle = true;
    // With the bounded Laplace density as printed, and with the one that is a density.
    let mut is_generally_lower = [true; 2];
    for epsilon in [2.0, 4.0] {
        let line =
            |label: &str, id: &str| Numeric::new(id, UNIT, epsilon)?.curve(label, &places, Loss::Absolute);
        let ogpm = line("OGPM", OGPM)?;
        let [staircase, truncated] = [line("staircase", STAIRCASE)?, line("T-Laplace", T_LAPLACE)?];
        let bounded = line("B-Laplace, a density", B_LAPLACE)?;
        let at = |curve: &Curve| [0.0, 0.25, 0.5].map(|x| curve.at(x));
        let [end, quarter, middle] = at(&truncated);
        peaks_in_the_middle &= end < quarter && quarter < middle;
        let [end, quarter, middle] = at(&bounded);
        if epsilon == 2.0 {
            findings.holds("ogpm-blap-2", end > quarter && quarter > middle);
            findings.measure("ogpm-stair-2", staircase.at(0.5));
        } else {
            findings.holds("ogpm-blap-4", end < quarter && quarter < middle);
        }
        let printed =
            curve("B-Laplace, as printed (no density)", &places, |x| Ok(printed_bounded_error(epsilon, x)))?;
        for (is_lower, bounded) in is_generally_lower.iter_mut().zip([&printed, &bounded]) {
            *is_lower &= [&staircase, &truncated, bounded].iter().all(|rival| is_mostly_below(&ogpm, rival));
        }
        let name = format!("epsilon {epsilon}");
        let best = line(BEST, "minimax-absolute")?;
        let curves = vec![ogpm, staircase, truncated, bounded, printed, best];
        let y_name = "expected absolute error";
        findings.panels.push(Panel { name, x_name: "value", y_name, curves, ..Panel::default() });
    }
    findings.holds("ogpm-tlap-shape", peaks_in_the_middle);
    let [printed, right] = is_generally_lower;
    findings.holds_corrected("ogpm-fig513-lowest", printed, right);
    bounded_laplace(&mut findings)?;
    let atom = Numeric::new(T_LAPLACE, UNIT, 2.0)?.analysis()?.law(0.0)?.cdf(0.0);
    findings.measure("ogpm-tlap-half", atom);
    Ok(findings)
}

fn bounded_laplace(findings: &mut Findings) -> Result<(), ReproduceError> {
    let bounded = Numeric::new(B_LAPLACE, UNIT, 2.0)?;
    let mass = bounded.pieces(0.5)?.iter().map(|piece| piece.mass).sum();
    let printed_mass = printed_bounded_mass(2.0, 0.5);
    findings.measure_corrected("ogpm-blap-mass", printed_mass, mass);
    let mechanism = find_mechanism(B_LAPLACE)?.build(&crate::channel::domain(UNIT)?, Epsilon::new(2.0)?)?;
    let exact = mechanism.exact_epsilon();
    // What is no density keeps nothing.
    let printed = if (printed_mass - 1.0).abs() < 1e-6 { exact } else { f64::NAN };
    findings.measure_corrected("ogpm-blap-ldp", printed, exact);
    Ok(())
}

pub(super) fn figure_5_14(setting: &Setting) -> Result<Findings, ReproduceError> {
    let epsilons = epsilons();
    let line = |label: &str, id: &str| {
        curve(label, &epsilons, |epsilon| {
            Numeric::new(id, UNIT, epsilon)?.worst_by(Loss::Absolute, setting.effort)
        })
    };
    let ogpm = line("OGPM", OGPM)?;
    let rivals =
        [line("staircase", STAIRCASE)?, line("T-Laplace", T_LAPLACE)?, line("B-Laplace", B_LAPLACE)?];
    let mut findings = Findings::default();
    findings.holds("ogpm-fig514-lowest", rivals.iter().all(|rival| ogpm.is_below(rival, 0.0)));
    findings.measure("ogpm-fig514-limit", rivals[0].at(8.0) / ogpm.at(8.0));
    let mut curves = vec![ogpm];
    curves.extend(rivals);
    curves.extend(limit_curves("minimax-absolute", &certified_epsilons(setting.effort))?);
    let y_name = "worst expected absolute error";
    findings.panels.push(Panel { x_name: "epsilon", y_name, curves, ..Panel::default() });
    Ok(findings)
}
