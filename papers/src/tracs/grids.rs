//! The exponential mechanism on grids of the unit square, as it is printed.

use super::{EPSILONS, METHODS, Trips, WINDOW, panel, rectangle};
use crate::channel::{Numeric, UNIT, curve, steps};
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::trajectory::Path;

/// The weights of one row over places, with the sensitivity of the unit square.
fn row(places: &[[f64; 2]], from: [f64; 2], epsilon: f64) -> Vec<f64> {
    let diagonal = 2f64.sqrt();
    let weights: Vec<f64> =
        places.iter().map(|place| (-epsilon * distance(*place, from) / diagonal).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

fn distance(one: [f64; 2], other: [f64; 2]) -> f64 {
    (one[0] - other[0]).hypot(one[1] - other[1])
}

/// Points from border to border.
fn points(side: u32) -> Vec<[f64; 2]> {
    let at = |index: u32| f64::from(index) / f64::from(side - 1);
    (0..side * side).map(|index| [at(index / side), at(index % side)]).collect()
}

pub(super) fn figure_d_1(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let mut is_largest = true;
    for side in [4, 11] {
        let places = points(side);
        // The printed factor 2 halves epsilon.
        let probabilities = row(&places, [0.0, 0.0], 4.0 / 2.0);
        is_largest &= probabilities[1..].iter().all(|other| *other < probabilities[0]);
        findings.entry("largest probability", format!("{side} x {side} points"), probabilities[0]);
    }
    findings.holds("tracs-d1-uniform", is_largest);
    findings.measure("tracs-exp-half", worst_ratio(4, 4.0 / 2.0));
    Ok(findings)
}

fn worst_ratio(side: u32, epsilon: f64) -> f64 {
    let places = points(side);
    let rows: Vec<Vec<f64>> = places.iter().map(|place| row(&places, *place, epsilon)).collect();
    let ratio = |one: &Vec<f64>, other: &Vec<f64>| {
        one.iter().zip(other).map(|(a, b)| (a / b).ln()).fold(0.0, f64::max)
    };
    rows.iter().flat_map(|one| rows.iter().map(move |other| ratio(one, other))).fold(0.0, f64::max)
}

pub(super) fn figure_d_2(_: &Setting) -> Result<Findings, ReproduceError> {
    let pieces = Numeric::new("optimal-piecewise", UNIT, 2.0)?.pieces(0.0)?;
    let mut findings = Findings::default();
    let mass = pieces.first().map_or(f64::NAN, |piece| piece.mass);
    findings.measure("tracs-d2-window", mass * mass);
    let curves = vec![Curve::area("along each side", steps(&pieces))];
    let (x_name, y_name) = ("report along one side", "density (per unit of the side)");
    findings.panels.push(Panel { x_name, y_name, curves, ..Panel::default() });
    Ok(findings)
}

/// The place of the figure.
const PLACE: [f64; 2] = [0.1, 0.1];

/// The expected distance of a uniform place in the reported cell, by the middles of small parts of all cells.
fn grid_error(side: u32, epsilon: f64) -> f64 {
    let middle = |index: u32| (f64::from(index) + 0.5) / f64::from(side);
    let cells: Vec<[f64; 2]> =
        (0..side * side).map(|index| [middle(index / side), middle(index % side)]).collect();
    let parts = 200 / side;
    let inside = |cell: [f64; 2]| {
        let shift = |part: u32| ((f64::from(part) + 0.5) / f64::from(parts) - 0.5) / f64::from(side);
        let of_part =
            |part: u32| distance([cell[0] + shift(part / parts), cell[1] + shift(part % parts)], PLACE);
        (0..parts * parts).map(of_part).sum::<f64>() / f64::from(parts * parts)
    };
    // The input is the cell that holds the place.
    let own = PLACE.map(|coordinate| middle((coordinate * f64::from(side)) as u32));
    row(&cells, own, epsilon).iter().zip(&cells).map(|(mass, cell)| mass * inside(*cell)).sum()
}

pub(super) fn figure_d_3(setting: &Setting) -> Result<Findings, ReproduceError> {
    let line = |label: &str, side: u32, factor: f64| {
        curve(label, &EPSILONS, |epsilon| Ok(grid_error(side, epsilon / factor)))
    };
    let coarse = line("exponential, 10 x 10, printed scale", 10, 2.0)?;
    let fine = line("exponential, 100 x 100, printed scale", 100, 2.0)?;
    let whole = line("exponential, 100 x 100, whole epsilon", 100, 1.0)?;
    let paths = [Path::new("one place", vec![PLACE])];
    let space = rectangle([0.0, 1.0], [0.0, 1.0])?;
    let trips = Trips { space, paths: &paths, trials: setting.effort.pick(2000, 20_000), rounding: None };
    let [c, window] = [trips.errors(METHODS[1])?, trips.errors(WINDOW)?];
    let mut findings = Findings::default();
    findings.holds("tracs-d3-coarse", coarse.at(2.0) < fine.at(2.0));
    findings.holds("tracs-d3-fine", fine.at(10.0) < coarse.at(10.0));
    findings.holds("tracs-d3-tracs", c.is_below(&coarse, 0.0) && c.is_below(&fine, 0.0));
    let y_name = "average error (units of the space)";
    findings.panels.push(panel("", y_name, vec![coarse, fine, whole, c, window]));
    Ok(findings)
}
