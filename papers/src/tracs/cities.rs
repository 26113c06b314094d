//! Tokyo and Chicago, in degrees; the first coordinate is the latitude.

use super::{CHI, CHI_PLACES, METHODS, TKY, TKY_PLACES, Trips, panel, rectangle};
use crate::data::{DataFile, column};
use crate::{Curve, Findings, ReproduceError, Setting};
use privet::trajectory::metric::Metric;
use privet::trajectory::rounding::{PointsOfInterest, Rounding};
use privet::trajectory::space::Space;
use privet::trajectory::{Path, Place};
use privet::{Epsilon, Generator};
use privet_core::Rng;
use std::collections::BTreeMap;

const ERROR: &str = "average error (degrees)";

/// A city with its paths and its public places.
struct City {
    name: &'static str,
    id: &'static str,
    paths: DataFile,
    places: DataFile,
    latitudes: [f64; 2],
    longitudes: [f64; 2],
}

const TOKYO: City = City {
    name: "Tokyo",
    id: "tky",
    paths: TKY,
    places: TKY_PLACES,
    latitudes: [35.510_769_09, 35.864_071_16],
    longitudes: [139.470_877_65, 139.908_359],
};
const CHICAGO: City = City {
    name: "Chicago",
    id: "chi",
    paths: CHI,
    places: CHI_PLACES,
    latitudes: [41.600_15, 41.998_22],
    longitudes: [-87.9952, -87.507_65],
};

impl City {
    fn space(&self) -> Result<Space, ReproduceError> {
        rectangle(self.latitudes, self.longitudes)
    }

    fn inside(&self, latitude: f64, longitude: f64) -> Place {
        // Coordinates are rounded, so that a few lie a little beside the box.
        let [south, north] = self.latitudes;
        let [west, east] = self.longitudes;
        [latitude.clamp(south, north), longitude.clamp(west, east)]
    }

    fn read_places(&self, setting: &Setting, file: DataFile) -> Result<Vec<Place>, ReproduceError> {
        let path = setting.path(file);
        let (latitudes, longitudes) = (column(&path, "lat")?, column(&path, "lon")?);
        Ok(latitudes.into_iter().zip(longitudes).map(|(lat, lon)| self.inside(lat, lon)).collect())
    }

    /// The paths with ids from one to before another.
    fn read_paths(&self, setting: &Setting, from: u32, to: u32) -> Result<Vec<Path>, ReproduceError> {
        let ids = column(&setting.path(self.paths), "trajectory_id")?;
        let mut paths: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
        for (id, place) in ids.into_iter().zip(self.read_places(setting, self.paths)?) {
            paths.entry(id as u32).or_default().push(place);
        }
        let own = paths.into_iter().filter(|(id, _)| (from..to).contains(id));
        Ok(own.map(|(id, places)| Path::new(id.to_string(), places)).collect())
    }

    fn points(&self, setting: &Setting) -> Result<PointsOfInterest, ReproduceError> {
        Ok(PointsOfInterest::new(self.space()?, self.read_places(setting, self.places)?)?)
    }
}

pub(super) fn figure_6_7(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let mut is_sorted = true;
    for city in [TOKYO, CHICAGO] {
        let paths = city.read_paths(setting, 0, 100)?;
        is_sorted &= paths.iter().all(|path| path.places.is_sorted_by(|one, other| one[0] <= other[0]));
        let trials = setting.effort.pick(2, 20);
        let curves = Trips { space: city.space()?, paths: &paths, trials, rounding: None }.all_errors()?;
        let [d, c, strawman, ..] = &curves;
        findings.measure(format!("tracs-fig67-{}-d", city.id), 100.0 * d.mean() / strawman.mean());
        findings.measure(format!("tracs-fig67-{}-c", city.id), 100.0 * c.mean() / strawman.mean());
        findings.panels.push(panel(city.name, ERROR, curves.into()));
    }
    // Nobody walks northwards only.
    findings.holds("tracs-fig67-order", !is_sorted);
    Ok(findings)
}

pub(super) fn figure_6_9(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for city in [TOKYO, CHICAGO] {
        let (points, paths) = (city.points(setting)?, city.read_paths(setting, 0, 100)?);
        findings.measure(format!("tracs-{}-locations", city.id), points.count() as f64);
        let trials = setting.effort.pick(1, 5);
        let trips = Trips { space: city.space()?, paths: &paths, trials, rounding: Some(&points) };
        let curves: Result<Vec<Curve>, _> = [METHODS[0], METHODS[1], METHODS[4]]
            .into_iter()
            .map(|(label, build)| trips.errors(label, build))
            .collect();
        findings.panels.push(panel(city.name, ERROR, curves?));
    }
    Ok(findings)
}

pub(super) fn figure_6_10(setting: &Setting) -> Result<Findings, ReproduceError> {
    let paths = CHICAGO.read_paths(setting, 100, 200)?;
    let points = CHICAGO.points(setting)?;
    // Most paths are short, so that a score of all paths varies by three points from trial to trial.
    let trials = setting.effort.pick(60, 400);
    let trips = Trips { space: CHICAGO.space()?, paths: &paths, trials, rounding: Some(&points) };
    let visits = visits(&points, &paths);
    let mut rng = Generator::from_insecure_seed(63);
    let rules = [Ties::FirstInList, Ties::LastInList, Ties::All];
    let fixed = rules.map(|ties| hotspots(&visits, ties, &mut rng));
    let drawn: Vec<Vec<bool>> = (0..trials).map(|_| hotspots(&visits, Ties::Drawn, &mut rng)).collect();
    let mut findings = Findings::default();
    let (mut ranges, mut hot) = (Vec::new(), Vec::new());
    for (place, id) in [(0, Some("tracs-d")), (1, Some("tracs-c")), (4, None)] {
        let (label, build) = METHODS[place];
        let mut lines = [const { Vec::new() }; 5];
        for epsilon in super::EPSILONS {
            let numbers = chicago_numbers(&trips, build, epsilon, &points, &drawn, &fixed)?;
            lines.iter_mut().zip(numbers).for_each(|(line, number)| line.push([epsilon, number]));
        }
        let [range, lost, first, last, all] = lines.map(|line| Curve::line(label, line));
        for (rule, curve) in
            [("first in the list", &first), ("last in the list", &last), ("all of them", &all)]
        {
            findings.entry(
                "difference of visits, by what ties count as hotspots",
                format!("{label}, {rule}"),
                curve.mean(),
            );
        }
        if let Some(id) = id {
            findings.measure(format!("tracs-fig610-rqp-{id}"), range.mean());
            findings.measure(format!("tracs-fig610-cd-{id}"), lost.mean());
        }
        ranges.push(range);
        hot.push(lost);
    }
    findings.panels.push(panel("range queries", "places within .1 degrees of their report (%)", ranges));
    findings.panels.push(panel("hotspots", "difference of visits of hotspots for each path", hot));
    Ok(findings)
}

/// Range queries in percent, and the difference of visits for hotspots whose ties are drawn for each trial, and for fixed ones.
fn chicago_numbers(
    trips: &Trips,
    build: super::Build,
    epsilon: f64,
    points: &PointsOfInterest,
    drawn: &[Vec<bool>],
    fixed: &[Vec<bool>; 3],
) -> Result<[f64; 5], ReproduceError> {
    let method = build(trips.space.clone(), Epsilon::new(epsilon)?)?;
    let mut rng = Generator::from_insecure_seed(62 + epsilon.to_bits());
    let mut sums = [0.0; 5];
    for own in drawn {
        let reports = trips.reports(method.as_ref(), &mut rng)?;
        let range = Metric::RangeQuery { within: 0.1 }.of_data_set(&trips.space, trips.paths, &reports)?;
        sums[0] += 100.0 * range.map_or(f64::NAN, |score| score.over_paths.value);
        for (sum, is_hot) in sums[1..].iter_mut().zip(std::iter::once(own).chain(fixed)) {
            *sum += difference(is_hot, points, trips.paths, &reports);
        }
    }
    Ok(sums.map(|sum| sum / trips.trials as f64))
}

/// How often the paths visit each public place.
fn visits(points: &PointsOfInterest, paths: &[Path]) -> Vec<u32> {
    let mut visits = vec![0; points.count()];
    for place in paths.iter().flat_map(|path| &path.places) {
        if let Some(index) = points.index_of(place) {
            visits[index] += 1;
        }
    }
    visits
}

/// Which places with equally many visits are hotspots if not all can be. Chicago has 62 with three visits at the border, and the
/// paper does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ties {
    /// Drawn anew for every trial: no order of the list has a meaning.
    Drawn,
    FirstInList,
    LastInList,
    All,
}

/// The most visited fifth of the places that are visited at all.
fn hotspots(visits: &[u32], ties: Ties, rng: &mut Generator) -> Vec<bool> {
    let count = visits.iter().filter(|count| **count > 0).count() / 5;
    let mut order: Vec<usize> = (0..visits.len()).collect();
    match ties {
        Ties::Drawn => order.sort_by_cached_key(|_| rng.next_u64()),
        Ties::LastInList => order.reverse(),
        Ties::FirstInList | Ties::All => {}
    }
    order.sort_by_key(|&index| std::cmp::Reverse(visits[index]));
    let least = order.get(count.saturating_sub(1)).map_or(0, |&index| visits[index]);
    let mut is_hot = vec![false; visits.len()];
    order.iter().take(count).for_each(|&index| is_hot[index] = true);
    if ties == Ties::All {
        visits.iter().zip(&mut is_hot).for_each(|(count, is_hot)| *is_hot = *count >= least);
    }
    is_hot
}

/// The mean over paths of the difference between visits of hotspots and reports in hotspots.
fn difference(is_hot: &[bool], points: &PointsOfInterest, paths: &[Path], reports: &[Path]) -> f64 {
    let visits = |path: &Path| {
        let hot =
            path.places.iter().filter(|place| points.index_of(place).is_some_and(|index| is_hot[index]));
        hot.count() as f64
    };
    let differences = paths.iter().zip(reports).map(|(path, report)| (visits(path) - visits(report)).abs());
    differences.sum::<f64>() / paths.len() as f64
}

pub(super) fn figure_d_7(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for (city, from, to) in [(TOKYO, 0, 100), (CHICAGO, 100, 200)] {
        let paths = city.read_paths(setting, from, to)?;
        let places: usize = paths.iter().map(|path| path.places.len()).sum();
        findings.measure(format!("tracs-d7-length-{}", city.id), places as f64 / paths.len() as f64);
    }
    Ok(findings)
}
