//! What reports of the rivals tell about a place, from their own probabilities.

use super::rivals::{RIVALS, on_grid};
use super::{Build, EPSILONS, METHODS, Trips};
use crate::channel::curve;
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::Epsilon;
use privet::trajectory::Place;
use privet::trajectory::method::LocationMethod;
use privet::trajectory::rounding::Rounding;

/// The probabilities of all reports for each place; places and reports are those of the grid.
type Rows = Vec<Vec<f64>>;

/// The public places of the smaller grid of figure 6.8.
struct Square<'a> {
    trips: Trips<'a>,
    places: Vec<Place>,
}

impl Square<'_> {
    fn method(&self, build: Build, epsilon: f64) -> Result<Box<dyn LocationMethod>, ReproduceError> {
        Ok(build(&self.trips, Epsilon::new(epsilon)?)?)
    }

    /// The first report of a path is seen from here.
    fn start(&self) -> Place {
        self.trips.space.lower_corner()
    }

    /// A row for each place, from the probability of a report given the place.
    fn rows(&self, likelihood: impl Fn(&Place, &Place) -> Option<f64>) -> Rows {
        let row = |place: &Place| {
            self.places.iter().map(|report| likelihood(place, report).unwrap_or(f64::NAN)).collect()
        };
        self.places.iter().map(row).collect()
    }

    /// What the report of a place tells about it.
    fn of_place(&self, method: &dyn LocationMethod) -> Rows {
        self.rows(|place, report| method.likelihood(place, &self.start(), report))
    }

    /// What the report of the next place, which is the corner, tells about a place that it is seen from.
    fn of_place_before(&self, method: &dyn LocationMethod) -> Rows {
        self.rows(|before, report| method.likelihood(&self.start(), before, report))
    }

    /// What ATP tells about a place: by its own report, seen from a public place; and by this and the next report together, whose
    /// direction is taken from the private place as the paper describes it.
    fn told_by_atp(&self, epsilon: f64) -> Result<[f64; 2], ReproduceError> {
        let atp = self.method(RIVALS[2].1, epsilon)?;
        let own = self.of_place(atp.as_ref());
        let one = worst_log_ratio(std::slice::from_ref(&own));
        Ok([one, worst_log_ratio(&[own, self.of_place_before(atp.as_ref())])])
    }
}

/// The largest log-ratio of two rows; infinite where a report is possible in the first only.
fn log_ratio(one: &[f64], other: &[f64]) -> f64 {
    let possible = one.iter().zip(other).filter(|(mass, _)| **mass > 0.0);
    possible.map(|(mass, other)| (mass / other).ln()).fold(0.0, f64::max)
}

/// The largest log-ratio over pairs of places when they have one independent report of each kind.
fn worst_log_ratio(kinds: &[Rows]) -> f64 {
    let places = kinds.first().map_or(0, Vec::len);
    let of_pair = |one: usize, other: usize| -> f64 {
        kinds.iter().map(|rows| log_ratio(&rows[one], &rows[other])).sum()
    };
    let pairs = (0..places).flat_map(|one| (0..places).map(move |other| (one, other)));
    pairs.map(|(one, other)| of_pair(one, other)).fold(0.0, f64::max)
}

/// The epsilon at which the methods are judged.
const EPSILON: f64 = 4.0;

pub(super) fn table_6_1(setting: &Setting) -> Result<Findings, ReproduceError> {
    let (grid, _) = on_grid(10, 0)?;
    let places = (0..grid.count()).filter_map(|index| grid.place(index)).collect();
    let trips = Trips { space: grid.space().clone(), paths: &[], trials: 0, rounding: Some(&grid) };
    let square = Square { trips, places };
    let mut findings = Findings::default();
    let [(_, n_gram), (_, l_srr), _] = RIVALS;
    reaches(&square, n_gram, &mut findings)?;
    groups(&square, l_srr, &mut findings)?;
    let epsilons = setting.effort.pick(&EPSILONS[..2], &EPSILONS[..]);
    let mut curves = vec![
        curve("TraCS-C, and what is asked for", epsilons, |epsilon| {
            Ok(stated(square.method(METHODS[1].1, epsilon)?.as_ref()))
        })?,
        curve("L-SRR", epsilons, |epsilon| {
            Ok(worst_log_ratio(&[square.of_place(square.method(l_srr, epsilon)?.as_ref())]))
        })?,
    ];
    let mut atp = ["ATP, seen from a public place", "ATP as described, by two reports"]
        .map(|label| Curve::line(label, Vec::new()));
    for epsilon in epsilons {
        for (curve, told) in atp.iter_mut().zip(square.told_by_atp(*epsilon)?) {
            curve.points.push([*epsilon, told]);
        }
    }
    findings.measure("tracs-t61-atp", atp[1].at(EPSILON));
    curves.extend(atp);
    let (x_name, y_name) = ("epsilon that is asked for", "worst log-ratio of two places (nat)");
    findings.panels.push(Panel { x_name, y_name, is_linear: true, curves, ..Panel::default() });
    Ok(findings)
}

/// The epsilon that a method states for its reports.
fn stated(method: &dyn LocationMethod) -> f64 {
    method.guarantee().map_or(f64::INFINITY, |guarantee| guarantee.epsilon().get())
}

/// NGram: only what is within reach of the private place is reported.
fn reaches(square: &Square, n_gram: Build, findings: &mut Findings) -> Result<(), ReproduceError> {
    let rows = square.of_place(square.method(n_gram, EPSILON)?.as_ref());
    let ruled_out = |report: usize| rows.iter().filter(|row| row[report] == 0.0).count();
    let most = (0..square.places.len()).map(ruled_out).max().unwrap_or(0);
    findings.measure("tracs-t61-ngram-ruled-out", most as f64);
    findings.holds("tracs-t61-ngram", worst_log_ratio(&[rows]) <= EPSILON);
    Ok(())
}

/// L-SRR: the groups differ by e^epsilon, and their sizes by place.
fn groups(square: &Square, l_srr: Build, findings: &mut Findings) -> Result<(), ReproduceError> {
    let method = square.method(l_srr, EPSILON)?;
    let rows = square.of_place(method.as_ref());
    let extremes = |row: &Vec<f64>| {
        let ends =
            row.iter().fold([f64::INFINITY, 0.0f64], |[low, high], mass| [low.min(*mass), high.max(*mass)]);
        (ends[1] / ends[0]).ln()
    };
    findings.measure("tracs-t61-l-srr-groups", rows.iter().map(extremes).fold(0.0, f64::max));
    findings.measure("tracs-t61-l-srr", worst_log_ratio(&[rows]));
    findings.entry("epsilon that L-SRR is stated with here", "epsilon 4", stated(method.as_ref()));
    Ok(())
}
