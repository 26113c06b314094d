//! The shortest brackets that somebody could make who knows the population beforehand.
//!
//! For the share of a range the bias of any weights is one half in the worst case, for every channel: everybody may sit next to
//! an end of the range. So bins are compared with the bracket that is shortest for the very population: weights whose mean
//! under *every* value is at least the indicator (ends of the range count as inside), with the least `p w + z sd(w)` at the
//! population's law of reports p and its own standard deviation, and likewise from below. Its dual is the largest share of the
//! range among all populations that n reports do not tell from this one at that z, so no honest interval from two sets of
//! weights is shorter here.

use super::cones::{Affine, ConeProgramme};
use super::minimax::{root_of, rows_of};
use super::points::Points;
use anyhow::Result;
use nalgebra::{DMatrix, DVector};

/// Half of the length of that bracket.
pub(super) fn bracket_half_width(
    points: &Points,
    range: [f64; 2],
    reports: &DVector<f64>,
    covariance: &DMatrix<f64>,
    n: u64,
) -> Result<f64> {
    let root = root_of(covariance)?;
    let inside = |value: f64| value >= range[0] - 1e-12 && value <= range[1] + 1e-12;
    let strictly = |value: f64| {
        (value > range[0] + 1e-12 || range[0] <= 0.0) && (value < range[1] - 1e-12 || range[1] >= 1.0)
    };
    let upper: Vec<f64> = points.values.iter().map(|value| f64::from(u8::from(inside(*value)))).collect();
    let lower: Vec<f64> = points.values.iter().map(|value| -f64::from(u8::from(strictly(*value)))).collect();
    let reach = 1.959_964 / (n as f64).sqrt();
    let ends = [upper, lower].map(|wanted| majorant_end(points, &wanted, reports, &root, reach));
    let [upper, lower] = ends;
    Ok(((upper?.min(1.0) + lower?.min(0.0)) / 2.0).max(0.0))
}

/// The least upper end of weights whose means are at least what is wanted.
fn majorant_end(
    points: &Points,
    wanted: &[f64],
    reports: &DVector<f64>,
    root: &DMatrix<f64>,
    reach: f64,
) -> Result<f64> {
    let groups = reports.len();
    let costs: Vec<f64> = reports.iter().copied().chain([reach]).collect();
    let mut programme = ConeProgramme::new(costs);
    let condition = |(row, wanted): (usize, &f64)| Affine {
        constant: -wanted,
        terms: points.laws.row(row).iter().copied().enumerate().collect(),
    };
    programme.not_negative(wanted.iter().enumerate().map(condition).collect());
    programme.at_least_length(groups, rows_of(root));
    let optimum = programme.solve()?;
    Ok(programme.costs.iter().zip(&optimum.variables).map(|(cost, variable)| cost * variable).sum())
}
