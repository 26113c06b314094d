//! Directions: windows and sectors.

use super::{EPSILONS, SECTORS};
use crate::channel::{CIRCLE, Numeric, UNIT, curve, grid};
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::BuildOptions;
use privet::analysis::Loss;
use std::f64::consts::PI;

const WINDOW: &str = "optimal-piecewise-circle";

/// The window around a direction: its ends and its probability.
fn window(id: &str, space: &str, epsilon: f64, x: f64) -> Result<[f64; 3], ReproduceError> {
    let pieces = Numeric::new(id, space, epsilon)?.pieces(x)?;
    let width: f64 = pieces.iter().map(|piece| piece.to - piece.from).sum();
    let high = || pieces.iter().filter(|piece| piece.density() > 1.0 / width);
    let left = high().map(|piece| piece.from).fold(f64::INFINITY, f64::min);
    let right = high().map(|piece| piece.to).fold(f64::NEG_INFINITY, f64::max);
    Ok([left, right, high().map(|piece| piece.mass).sum()])
}

/// The probability of the own sector in a randomised response on sectors.
fn own_sector(sectors: u32, epsilon: f64) -> Result<f64, ReproduceError> {
    let own = PI / f64::from(sectors);
    let half = own * (1.0 - 1e-9);
    Ok(sector_response(sectors, epsilon)?.analysis()?.law(own)?.mass([own - half, own + half]))
}

pub(super) fn sector_response(sectors: u32, epsilon: f64) -> Result<Numeric, ReproduceError> {
    let options = BuildOptions { bins: Some(sectors), ..BuildOptions::default() };
    Numeric::with("sector-randomized-response", CIRCLE, epsilon, &options)
}

fn degrees(radians: f64) -> f64 {
    radians * 180.0 / PI
}

pub(super) fn example_10(_: &Setting) -> Result<Findings, ReproduceError> {
    let [left, right, mass] = window(WINDOW, CIRCLE, 6.0, PI / 6.0)?;
    let mut findings = Findings::default();
    findings.measure("tracs-ex10-p", mass / (right - left));
    findings.measure("tracs-ex10-l", left / PI);
    findings.measure("tracs-ex10-r", right / PI);
    findings.measure("tracs-ex10-size", degrees(right - left));
    findings.measure("tracs-ex10-mass", mass);
    findings.measure("tracs-ex10-strawman-size", 360.0 / f64::from(SECTORS));
    findings.measure("tracs-ex10-strawman-mass", own_sector(SECTORS, 6.0)?);
    Ok(findings)
}

pub(super) fn figure_6_2(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for epsilon in [4.0, 6.0] {
        let [left, right, mass] = window(WINDOW, CIRCLE, epsilon, PI / 6.0)?;
        let size = degrees(right - left);
        let x = format!("epsilon {epsilon}");
        findings.entry("size of the window (degrees)", x.clone(), size);
        findings.entry("probability of the window", x.clone(), mass);
        findings.entry(
            "probability of the strawman's sector of 60 degrees",
            x,
            own_sector(SECTORS, epsilon)?,
        );
        if epsilon == 4.0 {
            findings.holds("tracs-fig62-4", size < 60.0);
        }
    }
    findings.measure("tracs-krr-formula", 1.0 - own_sector(SECTORS, 2.0)?);
    Ok(findings)
}

pub(super) fn figure_6_6(_: &Setting) -> Result<Findings, ReproduceError> {
    let ours = curve("TraCS-D", &EPSILONS, |epsilon| {
        Numeric::new(WINDOW, CIRCLE, epsilon)?.average(Loss::Absolute)
    })?;
    let mut curves = vec![ours];
    for sectors in [3, 6, 12] {
        curves.push(curve(&format!("{sectors}-RR"), &EPSILONS, |epsilon| {
            sector_response(sectors, epsilon)?.average(Loss::Absolute)
        })?);
    }
    let mut findings = Findings::default();
    // It goes to zero, the others stop at the size of their sectors.
    let decays = curves[1..].iter().all(|sectors| curves[0].at(10.0) < sectors.at(10.0) / 5.0);
    findings.holds("tracs-fig66-decay", decays);
    findings.holds("tracs-fig66-small", curves[2].at(2.0) < curves[0].at(2.0));
    let (x_name, y_name) = ("epsilon of the direction", "mean circular distance (rad)");
    findings.panels.push(Panel { x_name, y_name, curves, ..Panel::default() });
    Ok(findings)
}

pub(super) fn figure_d_4(_: &Setting) -> Result<Findings, ReproduceError> {
    let epsilons = grid(0.5, 10.0, 19);
    let size = curve("window", &epsilons, |epsilon| {
        let [left, right, _] = window(WINDOW, CIRCLE, epsilon, PI)?;
        Ok(degrees(right - left))
    })?;
    let mass = curve("window", &epsilons, |epsilon| Ok(window(WINDOW, CIRCLE, epsilon, PI)?[2]))?;
    let (mut sizes, mut masses) = (vec![size], vec![mass]);
    for sectors in [3, 6, 12] {
        let label = format!("{sectors} sectors");
        let flat = epsilons.iter().map(|&epsilon| [epsilon, 360.0 / f64::from(sectors)]).collect();
        sizes.push(Curve::line(label.clone(), flat));
        masses.push(curve(&label, &epsilons, |epsilon| own_sector(sectors, epsilon))?);
    }
    let mut findings = Findings::default();
    let is_smaller = sizes[0].at(6.0) < 60.0 / 2.0;
    findings.holds("tracs-d4-tradeoff", is_smaller && (masses[2].at(6.0) - masses[0].at(6.0)).abs() < 0.05);
    for (name, y_name, curves) in [("size", "size (degrees)", sizes), ("probability", "probability", masses)]
    {
        let (name, x_name) = (name.to_owned(), "epsilon of the direction");
        findings.panels.push(Panel { name, x_name, y_name, curves, ..Panel::default() });
    }
    Ok(findings)
}

pub(super) fn figure_d_6(_: &Setting) -> Result<Findings, ReproduceError> {
    let share = PI / (PI + 1.0);
    let [left, right, _] = window(WINDOW, CIRCLE, 5.0 * share, PI)?;
    let [near, far, _] = window("optimal-piecewise", UNIT, 5.0 * (1.0 - share), 0.5)?;
    let mut findings = Findings::default();
    for (id, end) in [("phi-l", left / PI), ("phi-r", right / PI), ("r-l", near), ("r-r", far)] {
        findings.measure(format!("tracs-d6-{id}"), end);
    }
    Ok(findings)
}
