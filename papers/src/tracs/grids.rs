//! The exponential mechanism on grids of the unit square, as it is printed.

use super::{Build, EPSILONS, METHODS, Trips, WINDOW, panel, rectangle};
use crate::channel::{Numeric, UNIT, curve, grid, steps};
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::trajectory::Path;
use privet::trajectory::method::LocationMethod;
use privet::trajectory::method::rival::GridExponential2d;
use privet::{Epsilon, Generator};

/// The place of figures D.1 and D.2.
const CORNER: [f64; 2] = [0.0, 0.0];

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

/// The same row with the rate at which the exact worst ratio is epsilon. It is one of cells; the distances between their middles are
/// those between the points up to a factor, which the rate takes up.
fn calibrated_row(side: u32, from: u32, epsilon: f64) -> Result<Vec<f64>, ReproduceError> {
    let method = calibrated(side, epsilon)?;
    let cells = middles(side);
    let own = cells[from as usize];
    let weights: Vec<f64> =
        cells.iter().map(|cell| method.likelihood(&own, &own, cell).unwrap_or(f64::NAN)).collect();
    let total: f64 = weights.iter().sum();
    Ok(weights.iter().map(|weight| weight / total).collect())
}

fn calibrated(side: u32, epsilon: f64) -> Result<GridExponential2d, ReproduceError> {
    Ok(GridExponential2d::new(rectangle([0.0, 1.0], [0.0, 1.0])?, [side, side], Epsilon::new(epsilon)?)?)
}

/// The middles of equal cells.
fn middles(side: u32) -> Vec<[f64; 2]> {
    let middle = |index: u32| (f64::from(index) + 0.5) / f64::from(side);
    (0..side * side).map(|index| [middle(index / side), middle(index % side)]).collect()
}

pub(super) fn figure_d_1(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let mut extremes = Vec::new();
    for side in [4, 11] {
        let (name, places) = (format!("{side} x {side} points"), points(side));
        // The printed factor 2 halves epsilon.
        let printed = row(&places, CORNER, 4.0 / 2.0);
        extremes.push(printed.iter().fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], probability| {
            [low.min(*probability), high.max(*probability)]
        }));
        let whole = calibrated_row(side, 0, 4.0)?;
        for (series, row) in [("printed scale", &printed), ("calibrated", &whole)] {
            findings.entry(format!("probability of the place itself, {series}"), name.clone(), row[0]);
        }
        let by_distance = |label: &str, row: Vec<f64>| {
            let point = |(place, mass): (&[f64; 2], f64)| [distance(*place, CORNER), mass];
            Curve::crosses(label, places.iter().zip(row).map(point).collect())
        };
        let curves = vec![by_distance("printed scale", printed), by_distance("calibrated", whole)];
        let (x_name, y_name) = ("distance of the point from the place", "probability of the point");
        findings.panels.push(Panel { name, x_name, y_name, curves, ..Panel::default() });
    }
    if let [[least, largest], [dense_least, dense_largest]] = extremes[..] {
        let is_flatter = dense_largest - dense_least < largest - least;
        findings.holds("tracs-d1-uniform", dense_largest < least && is_flatter);
    }
    findings.measure("tracs-exp-half", worst_ratio(4, 4.0 / 2.0));
    let spent = calibrated(4, 4.0)?.guarantee().map_or(f64::INFINITY, |guarantee| guarantee.epsilon().get());
    for (x, ratio) in [("without the factor 2", worst_ratio(4, 4.0)), ("calibrated", spent)] {
        findings.entry("worst log-ratio, 4 x 4 points, epsilon 4", x, ratio);
    }
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

pub(super) fn figure_d_2(setting: &Setting) -> Result<Findings, ReproduceError> {
    let pieces = Numeric::new("optimal-piecewise", UNIT, 2.0)?.pieces(0.0)?;
    let mut findings = Findings::default();
    let mass = pieces.first().map_or(f64::NAN, |piece| piece.mass);
    findings.measure("tracs-d2-window", mass * mass);
    let curves = vec![Curve::area("along each side", steps(&pieces))];
    let (x_name, y_name) = ("report along one side", "density (per unit of the side)");
    findings.panels.push(Panel { x_name, y_name, curves, ..Panel::default() });
    findings.panels.push(by_reach(setting)?);
    Ok(findings)
}

/// How far reports of the corner are from it, with the whole of epsilon.
fn by_reach(setting: &Setting) -> Result<Panel, ReproduceError> {
    let space = rectangle([0.0, 1.0], [0.0, 1.0])?;
    let trips = Trips { space, paths: &[], trials: 0, rounding: None };
    let exponential: Build =
        |trips, epsilon| Ok(Box::new(GridExponential2d::new(trips.space.clone(), [11, 11], epsilon)?));
    let methods = [METHODS[1], WINDOW, ("exponential, 11 x 11 cells, calibrated", exponential)];
    let mut curves = Vec::new();
    for (label, build) in methods {
        let method = build(&trips, Epsilon::new(4.0)?)?;
        let mut rng = Generator::from_insecure_seed(66);
        let draw = |_| Ok(distance(method.perturb(&CORNER, &CORNER, &mut rng)?, CORNER));
        let drawn = (0..setting.effort.pick(2000, 20_000)).map(draw);
        let mut reaches = drawn.collect::<Result<Vec<f64>, ReproduceError>>()?;
        reaches.sort_by(f64::total_cmp);
        let at = |reach: f64| reaches.partition_point(|other| *other <= reach) as f64 / reaches.len() as f64;
        curves.push(curve(label, &grid(0.0, 1.4, 70), |reach| Ok(at(reach)))?);
    }
    Ok(Panel {
        name: "beside others".to_owned(),
        x_name: "distance from the corner",
        y_name: "share of the reports up to there",
        is_linear: true,
        curves,
        ..Panel::default()
    })
}

/// The place of the figure.
const PLACE: [f64; 2] = [0.1, 0.1];

/// The cell that holds the place.
fn own_cell(side: u32) -> u32 {
    let [first, second] = PLACE.map(|coordinate| (coordinate * f64::from(side)) as u32);
    first * side + second
}

/// The expected distance of a uniform place in the reported cell, by the middles of small parts of all cells.
fn grid_error(side: u32, row: &[f64]) -> f64 {
    let parts = 200 / side;
    let inside = |cell: [f64; 2]| {
        let shift = |part: u32| ((f64::from(part) + 0.5) / f64::from(parts) - 0.5) / f64::from(side);
        let of_part =
            |part: u32| distance([cell[0] + shift(part / parts), cell[1] + shift(part % parts)], PLACE);
        (0..parts * parts).map(of_part).sum::<f64>() / f64::from(parts * parts)
    };
    row.iter().zip(middles(side)).map(|(mass, cell)| mass * inside(cell)).sum()
}

pub(super) fn figure_d_3(setting: &Setting) -> Result<Findings, ReproduceError> {
    let line = |label: &str, side: u32, factor: f64| {
        let cells = middles(side);
        let own = cells[own_cell(side) as usize];
        curve(label, &EPSILONS, |epsilon| Ok(grid_error(side, &row(&cells, own, epsilon / factor))))
    };
    let coarse = line("exponential, 10 x 10, printed scale", 10, 2.0)?;
    let fine = line("exponential, 100 x 100, printed scale", 100, 2.0)?;
    let whole = line("exponential, 100 x 100, without the factor 2", 100, 1.0)?;
    let exact = curve("exponential, 10 x 10, calibrated", &EPSILONS, |epsilon| {
        Ok(grid_error(10, &calibrated_row(10, own_cell(10), epsilon)?))
    })?;
    let paths = [Path::new("one place", vec![PLACE])];
    let space = rectangle([0.0, 1.0], [0.0, 1.0])?;
    let trips = Trips { space, paths: &paths, trials: setting.effort.pick(2000, 20_000), rounding: None };
    let [c, window] = [trips.errors(METHODS[1])?, trips.errors(WINDOW)?];
    let mut findings = Findings::default();
    findings.holds("tracs-d3-coarse", coarse.at(2.0) < fine.at(2.0));
    findings.holds("tracs-d3-fine", fine.at(10.0) < coarse.at(10.0));
    findings.holds("tracs-d3-tracs", c.is_below(&coarse, 0.0) && c.is_below(&fine, 0.0));
    let y_name = "average error (units of the space)";
    findings.panels.push(panel("", y_name, vec![coarse, fine, whole, exact, c, window]));
    Ok(findings)
}
