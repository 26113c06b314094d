//! Places to reports, one at a time; reports to points of interest, and to the density of all people.

use super::generator::beside_generator;
use super::mechanisms::feeds;
use crate::BenchError;
use crate::counting::{bytes_taken, fresh};
use crate::reference::{self, DenseRound};
use crate::setting::{BATCH, epsilon, place, square};
use crate::task::{Group, Task};
use crate::timing::{Measured, Patience};
use privet::CryptoRng;
use privet::trajectory::estimate::Evidence;
use privet::trajectory::method::registry::{Build, METHODS};
use privet::trajectory::method::{LocationMethod, References, Stream, TracsSphere, Window2d, perturb_path};
use privet::trajectory::rounding::{PointsOfInterest, Rounding};
use privet::trajectory::space::Space;
use privet::trajectory::{Path, Place};
use std::hint::black_box;

pub(crate) fn tasks() -> Vec<Task> {
    let location = |(name, build): &'static (&str, Build)| {
        Task::new(Group::Trajectory, format!("{name}-location"), |patience| location(name, *build, patience))
    };
    let collected = [
        Task::new(Group::Trajectory, format!("rounding-to-{POINTS}-points"), rounding),
        Task::new(Group::Trajectory, "density-of-paths", density),
        Task::new(Group::Trajectory, "reading-of-paths", reading),
    ];
    METHODS.iter().map(location).chain(collected).collect()
}

/// How many cells along each side the methods on a grid have.
const CELLS: u32 = 16;

/// How many locations of a path are reported at once: some methods take long for each.
const PLACES: u32 = 1 << 10;

/// How many locations per second a method reports, each seen from the report before, beside how many the generator could feed.
fn location(name: &str, build: Build, patience: Patience) -> Result<Measured, BenchError> {
    let space = if name == TracsSphere::ID { Space::sphere(1.0)? } else { Space::rectangle(square()?) };
    let method = build(space, epsilon()?, CELLS)?;
    let places: Vec<Place> = (0..PLACES).map(place).collect();
    let report_all = |rng: &mut dyn CryptoRng| {
        let mut stream = Stream::new(&*method, References::previous(&*method))?;
        for place in black_box(&places) {
            black_box(stream.report(place, rng)?);
        }
        Ok::<_, BenchError>(places.len())
    };
    let mut rng = fresh();
    report_all(&mut rng)?;
    let bytes = bytes_taken(rng) as f64 / f64::from(PLACES);
    let mut rng = fresh();
    let timed = beside_generator(patience, bytes, || report_all(&mut rng))?;
    Ok(timed.in_units("locations/s", feeds(bytes)))
}

/// As many as the largest city of the papers has.
const POINTS: u32 = 7798;

/// How many locations per second are rounded to the nearest of many points of interest, beside looking at every point.
fn rounding(patience: Patience) -> Result<Measured, BenchError> {
    // Other points than the locations: an odd step visits them in another order.
    let points: Vec<Place> = (0..POINTS).map(|index| place(index * 77 + 13)).collect();
    let index = PointsOfInterest::new(Space::rectangle(square()?), points.clone())?;
    let places: Vec<Place> = (0..BATCH as u32).map(place).collect();
    let few = &places[..64];
    let timed = patience.take_turns(
        || {
            places.iter().for_each(|place| {
                black_box(index.round(black_box(place)));
            });
            Ok::<_, BenchError>(places.len())
        },
        || {
            few.iter().for_each(|place| {
                black_box(nearest(&points, black_box(place)));
            });
            Ok(few.len())
        },
    )?;
    Ok(timed.in_units("locations/s", format!("the distance to each of {POINTS} points")))
}

fn nearest(points: &[Place], place: &Place) -> f64 {
    let square = |point: &Place| (point[0] - place[0]).powi(2) + (point[1] - place[1]).powi(2);
    points.iter().map(square).fold(f64::INFINITY, f64::min)
}

const PATHS: u32 = 100;
const PLACES_OF_A_PATH: u32 = 10;

/// The reports of some paths, and the method that made them.
fn reported_paths() -> Result<(Window2d, Vec<Path>), BenchError> {
    let method = Window2d::new(Space::rectangle(square()?), epsilon()?)?;
    let mut rng = fresh();
    let report = |path: u32| {
        let places = (0..PLACES_OF_A_PATH).map(|step| place(path * PLACES_OF_A_PATH + step)).collect();
        perturb_path(&method, &Path::new(path.to_string(), places), &mut rng)
    };
    let reports = (0..PATHS).map(report).collect::<Result<_, _>>()?;
    Ok((method, reports))
}

fn gather(method: &dyn LocationMethod, reports: &[Path]) -> Result<Evidence, BenchError> {
    Ok(Evidence::gather(method, References::previous(method), reports, [CELLS; 2])?)
}

/// How many times per second the density of all people is estimated from their reports, beside a fixed loop.
fn density(patience: Patience) -> Result<Measured, BenchError> {
    let (method, reports) = reported_paths()?;
    let mut dense = DenseRound::new();
    let timed = patience.of_all_threads().take_turns(
        || {
            black_box(gather(&method, black_box(&reports))?.density());
            Ok::<_, BenchError>(1)
        },
        || Ok(dense.run()),
    )?;
    Ok(timed.in_units("estimates/s", path_note()))
}

/// How many times per second every report is read with the density at hand, beside a fixed loop.
fn reading(patience: Patience) -> Result<Measured, BenchError> {
    let (method, reports) = reported_paths()?;
    let evidence = gather(&method, &reports)?;
    let density = evidence.density();
    let mut dense = DenseRound::new();
    let timed = patience.take_turns(
        || {
            black_box(evidence.medians(black_box(&density)));
            Ok::<_, BenchError>(1)
        },
        || Ok(dense.run()),
    )?;
    Ok(timed.in_units("estimates/s", path_note()))
}

fn path_note() -> String {
    let reports = PATHS * PLACES_OF_A_PATH;
    format!("{}, of {reports} reports and {} cells", reference::NOTE, CELLS * CELLS)
}
