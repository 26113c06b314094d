//! The paths of Tokyo in the data folder.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod cities;

use cities::{columns, data, first_paths, tokyo};
use privet_core::{Epsilon, Generator};
use privet_trajectory::estimate::{Evidence, geometric_median};
use privet_trajectory::method::{LocationMethod, References, TracsC, Window2d, perturb_path};
use privet_trajectory::metric::Metric;
use privet_trajectory::rounding::{PointsOfInterest, Rounding};
use privet_trajectory::{Path, Place};

fn paths() -> Option<Vec<Path>> {
    first_paths("trajectories/tky.csv")
}

fn reports(method: &dyn LocationMethod, paths: &[Path], seed: u64) -> Vec<Path> {
    let mut rng = Generator::from_insecure_seed(seed);
    paths.iter().map(|path| perturb_path(method, path, &mut rng).unwrap()).collect()
}

fn error(paths: &[Path], read: &[Path]) -> f64 {
    Metric::AverageError.of_data_set(&tokyo(), paths, read).unwrap().unwrap().over_places.unwrap().value
}

fn constant(paths: &[Path], place: Place) -> Vec<Path> {
    let same = |path: &Path| Path::new(&path.id, vec![place; path.places.len()]);
    paths.iter().map(same).collect()
}

#[test]
fn the_constant_is_what_the_population_alone_says() {
    let Some(paths) = paths() else { return };
    let all: Vec<Place> = paths.iter().flat_map(|path| path.places.clone()).collect();
    assert_eq!((paths.len(), all.len()), (100, 11_227));
    let best = error(&paths, &constant(&paths, geometric_median(&tokyo(), &all).unwrap()));
    assert!((best - 0.072).abs() < 5e-4, "{best}");
}

/// The errors of window-2d, of its readings, and of the constant of the estimated density.
fn errors(paths: &[Path], epsilon: f64, shape: [u32; 2]) -> [f64; 3] {
    let method = Window2d::new(tokyo(), Epsilon::new(epsilon).unwrap()).unwrap();
    let sent = reports(&method, paths, 1);
    let evidence = Evidence::gather(&method, References::previous(&method), &sent, shape).unwrap();
    let density = evidence.density();
    let constant = constant(paths, density.geometric_median());
    [&sent, &evidence.medians(&density), &constant].map(|read| error(paths, read))
}

/// What is promised of the average error in degrees, at epsilon 2, 4, 6, 8.
const PROMISED: [(f64, f64); 4] = [(2.0, 0.068), (4.0, 0.052), (6.0, 0.033), (8.0, 0.019)];

fn keeps_promises(shape: [u32; 2]) {
    let Some(paths) = paths() else { return };
    for (epsilon, promised) in PROMISED {
        let [raw, read, constant] = errors(&paths, epsilon, shape);
        println!("epsilon {epsilon}: reports {raw:.4}, readings {read:.4}, constant {constant:.4}");
        assert!(read <= promised && read < raw && read < constant, "{epsilon}: {read} {raw} {constant}");
        assert!((constant - 0.072).abs() < 1e-3, "{epsilon}: {constant}");
    }
}

#[test]
fn readings_are_as_accurate_as_promised() {
    keeps_promises([32, 32]);
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn readings_on_a_fine_grid_are_as_accurate_as_promised() {
    keeps_promises([64, 64]);
}

#[test]
fn rounding_to_points_of_interest_helps_a_little() {
    let (Some(paths), Some(table)) = (paths(), data("trajectories/tky_locations.csv")) else { return };
    let points: Vec<Place> = columns(&table, &["lat", "lon"]).iter().map(|row| [row[0], row[1]]).collect();
    assert_eq!(points.len(), 7798);
    let index = PointsOfInterest::new(tokyo(), points).unwrap();
    let method = TracsC::new(tokyo(), Epsilon::new(4.0).unwrap()).unwrap();
    let sent = reports(&method, &paths, 2);
    let rounded: Vec<Path> = sent.iter().map(|path| index.round_path(path)).collect();
    let (raw, rounded) = (error(&paths, &sent), error(&paths, &rounded));
    // As published, within 3 %.
    assert!((raw / 0.0936 - 1.0).abs() < 0.03, "{raw}");
    assert!((rounded / 0.0906 - 1.0).abs() < 0.03 && rounded < raw, "{rounded}");
    // Every place of the data is a point of interest.
    assert!(paths.iter().flat_map(|path| &path.places).all(|place| {
        let nearest = index.round(place);
        (nearest[0] - place[0]).hypot(nearest[1] - place[1]) < 1e-7
    }));
}
