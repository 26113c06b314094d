//! What the text says without a figure, and what it says about its table of times.

use super::directions::{own_sector, sector_response};
use super::rivals::{RIVALS, milliseconds};
use super::{Build, METHODS, Reading, SECTORS, Trips, random_paths, rectangle};
use crate::channel::{CIRCLE, Numeric, UNIT, grid};
use crate::{Findings, Paper, ReproduceError, Setting};
use privet::Epsilon;
use privet::analysis::{Loss, Prior};
use privet::limit::generalised::Line;
use privet::trajectory::TrajectoryError;
use privet::trajectory::method::{LinePart, LocationMethod, RingPart, Split, TracsD};
use std::f64::consts::PI;

pub(super) fn table_6_2(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let [atp, n_gram, l_srr, d, c] = ["atp", "ngram", "l-srr", "tracs-d", "tracs-c"].map(printed_times);
    let (atp, n_gram, l_srr, d, c) = (atp?, n_gram?, l_srr?, d?, c?);
    for (id, [total, drawing]) in [("atp", atp), ("ngram", n_gram), ("tracsd", d), ("tracsc", c)] {
        findings.measure(format!("tracs-t62-share-{id}"), 100.0 * drawing / total);
    }
    let largest = |rivals: &[[f64; 2]]| {
        let ratio = |rival: &[f64; 2]| (d[0] / rival[0]).max(c[0] / rival[0]);
        rivals.iter().map(ratio).fold(0.0, f64::max)
    };
    findings.holds("tracs-t62-below-005", largest(&[atp, n_gram]) < 0.0005);
    findings.holds("tracs-t62-below-1", largest(&[l_srr]) < 0.01);
    findings.holds("tracs-t62-order", largest(&[atp, n_gram, l_srr]) < 1.0);
    times(&mut findings)?;
    Ok(findings)
}

/// Milliseconds of one report in Table 6.2, in all and for drawing.
fn printed_times(method: &str) -> Result<[f64; 2], ReproduceError> {
    let printed = |part: &str| Paper::Tracs.printed(&format!("tracs-t62-{method}-{part}"));
    Ok([printed("total")?, printed("perturb")?])
}

/// Our times, which have no verdict: they belong to the machine.
fn times(findings: &mut Findings) -> Result<(), ReproduceError> {
    let [n_gram, l_srr, atp] = RIVALS.map(milliseconds);
    let [d, c] = [milliseconds(METHODS[0])?, milliseconds(METHODS[1])?];
    let rivals = [n_gram?, l_srr?, atp?];
    for (id, time) in
        ["ngram", "l-srr", "atp", "tracs-d", "tracs-c"].into_iter().zip(rivals.into_iter().chain([d, c]))
    {
        findings.measure(format!("tracs-t62-{id}-total"), time);
    }
    Ok(())
}

pub(super) fn theorems(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for (id, (_, build)) in [("tracs-thm12", METHODS[0]), ("tracs-thm14", METHODS[1])] {
        let square =
            Trips { space: rectangle([0.0, 1.0], [0.0, 1.0])?, paths: &[], trials: 0, rounding: None };
        let guarantee = build(&square, Epsilon::new(4.0)?)?.guarantee();
        findings.measure(id, guarantee.map_or(f64::INFINITY, |guarantee| guarantee.epsilon().get()));
    }
    findings.measure("tracs-thm13", decay()?);
    findings.holds("tracs-thm13-formula", has_printed_error()?);
    for epsilon in [10.0, 2.0] {
        findings.measure(format!("tracs-krr3600-{epsilon}"), own_sector(3600, epsilon)?);
    }
    // With almost no epsilon the best guess from a report is right as often as a fixed one.
    findings.measure("tracs-trivial", own_sector(10, 1e-4)?);
    findings.measure("tracs-d29-split", best_share(setting)?);
    findings.holds("tracs-thm19", is_theorem_19_right()?);
    Ok(findings)
}

/// What a report tells about a uniform value, in nats, against both bounds.
fn is_theorem_19_right() -> Result<bool, ReproduceError> {
    let mut is_right = true;
    for epsilon in grid(0.5, 8.0, 15) {
        let window = Numeric::new("optimal-piecewise", UNIT, epsilon)?;
        is_right &= window.analysis()?.mutual_information(&Prior::uniform()) <= epsilon;
        let response = sector_response(SECTORS, epsilon)?;
        let told = response.analysis()?.mutual_information(&Prior::uniform());
        is_right &= told <= epsilon.min(f64::from(SECTORS).ln());
    }
    Ok(is_right)
}

/// How the logarithm of the squared error falls with epsilon.
fn decay() -> Result<f64, ReproduceError> {
    let mut points = Vec::new();
    for epsilon in grid(10.0, 16.0, 6) {
        points.push((
            epsilon,
            Numeric::new("optimal-piecewise", UNIT, epsilon)?.error_at(0.0, Loss::Squared)?.ln(),
        ));
    }
    Ok(Line::through(&points).map_or(f64::NAN, |line| line.slope))
}

/// The squared error of the window at an end of the interval, and pi^2 times that on the circle.
fn has_printed_error() -> Result<bool, ReproduceError> {
    let mut is_right = true;
    for epsilon in grid(1.0, 8.0, 7) {
        let (inside, length) = ((epsilon / 2.0).exp(), 1.0 / (1.0 + (epsilon / 2.0).exp()));
        let outside = inside * (-epsilon).exp();
        let printed = (inside * length.powi(3) + outside * (1.0 - length.powi(3))) / 3.0;
        let line = Numeric::new("optimal-piecewise", UNIT, epsilon)?.error_at(0.0, Loss::Squared)?;
        let ring = Numeric::new("optimal-piecewise-circle", CIRCLE, epsilon)?.error_at(0.0, Loss::Squared)?;
        is_right &= (line / printed - 1.0).abs() < 1e-3 && (ring / printed / PI.powi(2) - 1.0).abs() < 1e-3;
    }
    Ok(is_right)
}

/// The share of epsilon 10 for the direction with the least error in the unit square.
fn best_share(setting: &Setting) -> Result<f64, ReproduceError> {
    let paths = random_paths(setting.effort.pick(50, 400), 100, [1.0, 1.0]);
    let trips = Trips { space: rectangle([0.0, 1.0], [0.0, 1.0])?, paths: &paths, trials: 1, rounding: None };
    let at = |hundredths: u32, build: Build| {
        Ok::<_, ReproduceError>((trips.error(build, 10.0, Reading::Plain)?, hundredths))
    };
    let errors = [
        at(55, split::<55>)?,
        at(60, split::<60>)?,
        at(65, split::<65>)?,
        at(70, split::<70>)?,
        at(76, split::<76>)?,
        at(80, split::<80>)?,
    ];
    let best = errors.into_iter().min_by(|one, other| one.0.total_cmp(&other.0));
    Ok(best.map_or(f64::NAN, |(_, hundredths)| f64::from(hundredths) / 100.0))
}

/// TraCS-D with so many hundredths of epsilon for the direction.
fn split<const HUNDREDTHS: u32>(
    trips: &Trips,
    epsilon: Epsilon,
) -> Result<Box<dyn LocationMethod>, TrajectoryError> {
    let share = Split::Share(f64::from(HUNDREDTHS) / 100.0);
    let parts = (RingPart::OptimalPiecewise, LinePart::OptimalPiecewise);
    Ok(Box::new(TracsD::with(trips.space.clone(), epsilon, share, parts.0, parts.1)?))
}
