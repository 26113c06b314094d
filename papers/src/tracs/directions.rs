//! Directions: windows and sectors.

use super::{EPSILONS, SECTORS};
use crate::channel::{CIRCLE, Numeric, UNIT, circular_loss, curve, grid, steps};
use crate::ogpm::circle_limit;
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::BuildOptions;
use privet::analysis::{DensityPiece, Loss};
use std::f64::consts::PI;

const WINDOW: &str = "optimal-piecewise-circle";
/// The same with the density that is best for squared error.
const ROOT: &str = "optimal-piecewise-circle-squared";
/// Both for the distance.
const LINE: &str = "optimal-piecewise";
const LINE_ROOT: &str = "optimal-piecewise-squared";

/// Where a law is denser than a uniform one: its ends and its probability. It must not pass through zero.
fn dominant(channel: &Numeric, x: f64) -> Result<[f64; 3], ReproduceError> {
    let pieces = channel.pieces(x)?;
    let width: f64 = pieces.iter().map(|piece| piece.to - piece.from).sum();
    let high = || pieces.iter().filter(|piece| piece.density() > 1.0 / width);
    let left = high().map(|piece| piece.from).fold(f64::INFINITY, f64::min);
    let right = high().map(|piece| piece.to).fold(f64::NEG_INFINITY, f64::max);
    Ok([left, right, high().map(|piece| piece.mass).sum()])
}

/// The window around a direction: its ends and its probability.
fn window(id: &str, space: &str, epsilon: f64, x: f64) -> Result<[f64; 3], ReproduceError> {
    dominant(&Numeric::new(id, space, epsilon)?, x)
}

/// The size of the window around any direction in degrees, and its probability. Around half a turn no window passes through zero.
fn size_and_mass(id: &str, epsilon: f64) -> Result<[f64; 2], ReproduceError> {
    let [left, right, mass] = window(id, CIRCLE, epsilon, PI)?;
    Ok([degrees(right - left), mass])
}

/// The size of a sector of randomised response in degrees.
fn sector_size(sectors: u32, epsilon: f64) -> Result<f64, ReproduceError> {
    let [left, right, _] = dominant(&sector_response(sectors, epsilon)?, PI / f64::from(sectors))?;
    Ok(degrees(right - left))
}

/// The probability of the own sector in a randomised response on sectors.
pub(super) fn own_sector(sectors: u32, epsilon: f64) -> Result<f64, ReproduceError> {
    Ok(sector_masses(sectors, epsilon)?[0])
}

/// The probabilities of all sectors for a direction in the first one.
fn sector_masses(sectors: u32, epsilon: f64) -> Result<Vec<f64>, ReproduceError> {
    let response = sector_response(sectors, epsilon)?;
    let (analysis, half) = (response.analysis()?, PI / f64::from(sectors));
    let law = analysis.law(half)?;
    // A little less on both sides, so that no report is in two sectors.
    let (middle, reach) = (|sector: u32| half * f64::from(2 * sector + 1), half * (1.0 - 1e-9));
    Ok((0..sectors).map(|sector| law.mass([middle(sector) - reach, middle(sector) + reach])).collect())
}

/// The mean circular distance when every report is read as the middle of its sector.
fn error_of_middles(sectors: u32, epsilon: f64) -> Result<f64, ReproduceError> {
    const PARTS: u32 = 200;
    let half = PI / f64::from(sectors);
    let atom = |(sector, mass): (u32, f64)| {
        let middle = half * f64::from(2 * sector + 1);
        DensityPiece { from: middle, to: middle, mass }
    };
    let middles: Vec<DensityPiece> = (0..).zip(sector_masses(sectors, epsilon)?).map(atom).collect();
    // All sectors are alike, and so are both halves of one.
    let place = |part: u32| half * (f64::from(part) + 0.5) / f64::from(PARTS);
    let losses = (0..PARTS).map(|part| circular_loss(&middles, place(part), Loss::Absolute));
    Ok(losses.sum::<f64>() / f64::from(PARTS))
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
    findings.measure("tracs-ex10-strawman-size", sector_size(SECTORS, 6.0)?);
    findings.measure("tracs-ex10-strawman-mass", own_sector(SECTORS, 6.0)?);
    Ok(findings)
}

pub(super) fn figure_6_2(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for epsilon in [4.0, 6.0] {
        let x = format!("epsilon {epsilon}");
        for (label, id) in [("window", WINDOW), ("window of the squared-error root", ROOT)] {
            let [size, mass] = size_and_mass(id, epsilon)?;
            findings.entry(format!("size of the {label} (degrees)"), x.clone(), size);
            findings.entry(format!("probability of the {label}"), x.clone(), mass);
        }
        let strawman = own_sector(SECTORS, epsilon)?;
        findings.entry("probability of the strawman's sector of 60 degrees", x.clone(), strawman);
        if epsilon == 4.0 {
            let [size, _] = size_and_mass(WINDOW, epsilon)?;
            findings.holds("tracs-fig62-4", size < sector_size(SECTORS, epsilon)?);
        }
        findings.panels.push(densities(x, epsilon)?);
    }
    findings.measure("tracs-krr-formula", 1.0 - own_sector(SECTORS, 2.0)?);
    findings.measure("tracs-krr-published", epsilon_of_few_lies(2.0)?);
    Ok(findings)
}

/// What the strawman tells with which the results of Figure 6.4 come out: it gives the probability of one lie to all of them together.
fn epsilon_of_few_lies(epsilon: f64) -> Result<f64, ReproduceError> {
    let others = f64::from(SECTORS - 1);
    let all = (1.0 - own_sector(SECTORS, epsilon)?) / others;
    Ok(((1.0 - all) * others / all).ln())
}

/// The laws of reports of 30 degrees.
fn densities(name: String, epsilon: f64) -> Result<Panel, ReproduceError> {
    let law = |label: &str, channel: Numeric| {
        let in_degrees = |[report, density]: [f64; 2]| [degrees(report), density / degrees(1.0)];
        let line = steps(&channel.pieces(PI / 6.0)?).into_iter().map(in_degrees).collect();
        Ok::<_, ReproduceError>(Curve::area(label, line))
    };
    let curves = vec![
        law("TraCS-D", Numeric::new(WINDOW, CIRCLE, epsilon)?)?,
        law("6-RR", sector_response(SECTORS, epsilon)?)?,
        law("squared-error root", Numeric::new(ROOT, CIRCLE, epsilon)?)?,
    ];
    let (x_name, y_name) = ("report (degrees)", "density (per degree)");
    Ok(Panel { name, x_name, y_name, curves, ..Panel::default() })
}

pub(super) fn figure_6_6(setting: &Setting) -> Result<Findings, ReproduceError> {
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
    let middles = |epsilon: f64| error_of_middles(SECTORS, epsilon);
    curves.push(curve("6-RR, read as the middle of the sector", &EPSILONS, middles)?);
    curves.push(curve("6-RR with the lies of Figure 6.4 (more than epsilon)", &EPSILONS, |epsilon| {
        sector_response(SECTORS, epsilon_of_few_lies(epsilon)?)?.average(Loss::Absolute)
    })?);
    // The certificate takes seconds at large epsilon.
    let certified = setting.effort.pick(&EPSILONS[..2], &EPSILONS[..]);
    let limit = curve("no channel is below", certified, |epsilon| circle_limit(Loss::Absolute, epsilon))?;
    curves.push(Curve::crosses(limit.label, limit.points));
    let (x_name, y_name) = ("epsilon of the direction", "mean circular distance (rad)");
    findings.panels.push(Panel { x_name, y_name, curves, ..Panel::default() });
    Ok(findings)
}

pub(super) fn figure_d_4(_: &Setting) -> Result<Findings, ReproduceError> {
    let epsilons = grid(0.5, 10.0, 19);
    let (mut sizes, mut masses) = (Vec::new(), Vec::new());
    for (label, id) in [("window", WINDOW), ("window of the squared-error root", ROOT)] {
        sizes.push(curve(label, &epsilons, |epsilon| Ok(size_and_mass(id, epsilon)?[0]))?);
        masses.push(curve(label, &epsilons, |epsilon| Ok(size_and_mass(id, epsilon)?[1]))?);
    }
    for sectors in [3, 6, 12] {
        let label = format!("{sectors} sectors");
        sizes.push(curve(&label, &epsilons, |epsilon| sector_size(sectors, epsilon))?);
        masses.push(curve(&label, &epsilons, |epsilon| own_sector(sectors, epsilon))?);
    }
    let mut findings = Findings::default();
    // The window against six sectors.
    let is_smaller = sizes[0].at(6.0) < sizes[3].at(6.0) / 2.0;
    findings.holds("tracs-d4-tradeoff", is_smaller && (masses[3].at(6.0) - masses[0].at(6.0)).abs() < 0.05);
    for (name, y_name, curves) in [("size", "size (degrees)", sizes), ("probability", "probability", masses)]
    {
        let (name, x_name) = (name.to_owned(), "epsilon of the direction");
        findings.panels.push(Panel { name, x_name, y_name, curves, ..Panel::default() });
    }
    Ok(findings)
}

pub(super) fn figure_d_6(_: &Setting) -> Result<Findings, ReproduceError> {
    let share = PI / (PI + 1.0);
    let [towards, along] = [5.0 * share, 5.0 * (1.0 - share)];
    let ends = |direction: &str, distance: &str| {
        let [left, right, _] = window(direction, CIRCLE, towards, PI)?;
        let [near, far, _] = window(distance, UNIT, along, 0.5)?;
        Ok::<_, ReproduceError>([("phi-l", left / PI), ("phi-r", right / PI), ("r-l", near), ("r-r", far)])
    };
    let mut findings = Findings::default();
    for (id, end) in ends(WINDOW, LINE)? {
        findings.measure(format!("tracs-d6-{id}"), end);
    }
    for (id, end) in ends(ROOT, LINE_ROOT)? {
        findings.entry("end of the window of the squared-error root", id, end);
    }
    findings.panels.push(parts("direction", CIRCLE, towards, PI, [WINDOW, ROOT])?);
    findings.panels.push(parts("distance", UNIT, along, 0.5, [LINE, LINE_ROOT])?);
    Ok(findings)
}

/// The laws of one part of a report with both densities.
fn parts(name: &str, space: &str, epsilon: f64, x: f64, ids: [&str; 2]) -> Result<Panel, ReproduceError> {
    let law = |label: &str, id: &str| {
        let pieces = Numeric::new(id, space, epsilon)?.pieces(x)?;
        Ok::<_, ReproduceError>(Curve::area(label, steps(&pieces)))
    };
    let curves = vec![law("OGPM, e^(eps/2)", ids[0])?, law("squared-error root", ids[1])?];
    let (x_name, y_name) = if space == CIRCLE {
        ("report (rad)", "density (per rad)")
    } else {
        ("report (share of the radius)", "density (per unit of the report)")
    };
    Ok(Panel { name: name.to_owned(), x_name, y_name, curves, ..Panel::default() })
}
