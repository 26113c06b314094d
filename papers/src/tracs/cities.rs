//! Tokyo and Chicago, in degrees; the first coordinate is the latitude.

use super::rivals::RIVALS;
use super::{Build, CHI, CHI_PLACES, EPSILONS, METHODS, TKY, TKY_PLACES, Trips, WINDOW, panel, rectangle};
use crate::channel::curve;
use crate::data::{DataFile, column};
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::trajectory::method::{LocationMethod, Release};
use privet::trajectory::rounding::{PointsOfInterest, Rounding};
use privet::trajectory::space::Space;
use privet::trajectory::{Path, Place};
use privet::{Epsilon, Generator};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

const ERROR: &str = "average error (degrees)";

/// A city with its paths and its public places.
pub(super) struct City {
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
pub(super) const CHICAGO: City = City {
    name: "Chicago",
    id: "chi",
    paths: CHI,
    places: CHI_PLACES,
    latitudes: [41.600_15, 41.998_22],
    longitudes: [-87.9952, -87.507_65],
};

impl City {
    pub(super) fn space(&self) -> Result<Space, ReproduceError> {
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
    pub(super) fn read_paths(
        &self,
        setting: &Setting,
        from: u32,
        to: u32,
    ) -> Result<Vec<Path>, ReproduceError> {
        let ids = column(&setting.path(self.paths), "trajectory_id")?;
        let mut paths: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
        for (id, place) in ids.into_iter().zip(self.read_places(setting, self.paths)?) {
            paths.entry(id as u32).or_default().push(place);
        }
        let own = paths.into_iter().filter(|(id, _)| (from..to).contains(id));
        Ok(own.map(|(id, places)| Path::new(id.to_string(), places)).collect())
    }

    pub(super) fn points(&self, setting: &Setting) -> Result<PointsOfInterest, ReproduceError> {
        Ok(PointsOfInterest::new(self.space()?, self.read_places(setting, self.places)?)?)
    }
}

pub(super) fn figure_6_7(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let mut is_sorted = true;
    for city in [TOKYO, CHICAGO] {
        let paths = city.read_paths(setting, 0, 100)?;
        is_sorted &= paths.iter().all(|path| path.places.is_sorted_by(|one, other| one[0] <= other[0]));
        let trips = |trials| {
            Ok::<_, ReproduceError>(Trips { space: city.space()?, paths: &paths, trials, rounding: None })
        };
        let curves = trips(setting.effort.pick(2, 20))?.all_errors()?;
        let [d, c, strawman, ..] = &curves;
        findings.measure(format!("tracs-fig67-{}-d", city.id), 100.0 * d.mean() / strawman.mean());
        findings.measure(format!("tracs-fig67-{}-c", city.id), 100.0 * c.mean() / strawman.mean());
        let mut curves = Vec::from(curves);
        let posterior = trips(setting.effort.pick(1, 3))?.posterior_errors(setting.effort)?;
        for epsilon in EPSILONS {
            let less = 100.0 * (1.0 - posterior.at(epsilon) / curves[4].at(epsilon));
            findings.entry("less by the density (%)", format!("{}, epsilon {epsilon}", city.name), less);
        }
        curves.push(posterior);
        findings.panels.push(panel(city.name, ERROR, curves));
    }
    // Nobody walks northwards only.
    findings.holds("tracs-fig67-order", !is_sorted);
    Ok(findings)
}

/// Paths of Tokyo have a hundred places and its list has thousands: rivals look at all of them for each.
pub(super) fn figure_6_9(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let (mut are_worse, mut are_better) = (true, true);
    for city in [TOKYO, CHICAGO] {
        let (points, all) = (city.points(setting)?, city.read_paths(setting, 0, 100)?);
        findings.measure(format!("tracs-{}-locations", city.id), points.count() as f64);
        let few = if city.id == TOKYO.id { setting.effort.pick(10, all.len()) } else { all.len() };
        let paths = &all[..few.min(all.len())];
        let trips = |trials| {
            Ok::<_, ReproduceError>(Trips { space: city.space()?, paths, trials, rounding: Some(&points) })
        };
        let ours = trips(setting.effort.pick(4, 5))?;
        let mut curves = vec![ours.errors(METHODS[0])?, ours.errors(METHODS[1])?];
        for rival in RIVALS {
            let rival = trips(setting.effort.pick(1, 5))?.errors(rival)?;
            are_worse &= curves[..2].iter().all(|tracs| tracs.at(2.0) > rival.at(2.0));
            are_better &= curves[..2].iter().all(|tracs| tracs.at(10.0) < rival.at(10.0));
            curves.push(rival);
        }
        curves.push(ours.errors(WINDOW)?);
        curves.push(trips(setting.effort.pick(1, 3))?.posterior_errors(setting.effort)?);
        findings.panels.push(panel(city.name, ERROR, curves));
    }
    findings.holds("tracs-fig69-small", are_worse);
    findings.holds("tracs-fig69-large", are_better);
    Ok(findings)
}

/// The average error when the whole path has so many times epsilon, divided evenly over its places.
fn shared_error(trips: &Trips, build: Build, epsilon: f64, times: f64) -> Result<f64, ReproduceError> {
    let mut methods: BTreeMap<usize, Box<dyn LocationMethod>> = BTreeMap::new();
    let mut rng = Generator::from_insecure_seed(64);
    let mut sum = 0.0;
    for _ in 0..trips.trials {
        let mut reports = Vec::with_capacity(trips.paths.len());
        for path in trips.paths {
            let own = Epsilon::new(epsilon * times)?.divided(path.places.len() as u32)?;
            let method = match methods.entry(path.places.len()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(build(trips, own)?),
            };
            let release = Release::new(method.as_ref()).seen_from(trips.references())?;
            reports.push(release.report(path, &mut rng)?);
        }
        sum += trips.average_error(&trips.rounded(reports))?;
    }
    Ok(sum / trips.trials as f64)
}

fn mean_length(paths: &[Path]) -> f64 {
    let places: usize = paths.iter().map(|path| path.places.len()).sum();
    places as f64 / paths.len() as f64
}

/// The places of each path that all paths have, from the first on.
const COMMON: usize = 5;

pub(super) fn figure_d_7(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for (city, from, to, times) in [(TOKYO, 0, 100, 113.0), (CHICAGO, 100, 200, 13.0)] {
        let (points, paths) = (city.points(setting)?, city.read_paths(setting, from, to)?);
        // The text names the first hundred paths of both cities.
        let stated = mean_length(&city.read_paths(setting, 0, 100)?);
        findings.measure_corrected(format!("tracs-d7-length-{}", city.id), stated, mean_length(&paths));
        let paths = &paths[..setting.effort.pick(10, paths.len()).min(paths.len())];
        let long = paths.iter().filter(|path| path.places.len() >= COMMON);
        let equal: Vec<Path> =
            long.map(|path| Path::new(path.id.clone(), path.places[..COMMON].to_vec())).collect();
        for (name, paths, times) in [
            (format!("{}, paths of all lengths", city.name), paths, times),
            (format!("{}, the first {COMMON} places of each path", city.name), &equal[..], COMMON as f64),
        ] {
            let trials = setting.effort.pick(1, 10);
            let trips = Trips { space: city.space()?, paths, trials, rounding: Some(&points) };
            let line = |(label, build): (&str, Build)| {
                curve(label, &EPSILONS, |epsilon| shared_error(&trips, build, epsilon, times))
            };
            let curves = [METHODS[0], METHODS[1], WINDOW].into_iter().map(line);
            let curves = curves.collect::<Result<Vec<Curve>, _>>()?;
            let x_name = "epsilon of the path / mean number of places";
            findings.panels.push(Panel { x_name, ..panel(&name, ERROR, curves) });
        }
    }
    Ok(findings)
}
