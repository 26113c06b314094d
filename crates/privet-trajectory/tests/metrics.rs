//! Metrics of paths and data sets against their definitions.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_core::{Generator, Interval, Rectangle, Rng};
use privet_trajectory::metric::{Hotspots, Metric};
use privet_trajectory::rounding::{Grid, PointsOfInterest};
use privet_trajectory::space::{GeographicBox, Space};
use privet_trajectory::{Path, Place, TrajectoryError};

fn square() -> Space {
    Space::rectangle(Rectangle::new([Interval::new(0.0, 10.0).unwrap(); 2]).unwrap())
}

fn path(places: &[Place]) -> Path {
    Path::new("p", places.to_vec())
}

fn value(metric: Metric<'_>, places: &[Place], reports: &[Place]) -> Option<f64> {
    metric.of_path(&square(), places, reports).unwrap().map(|score| score.value)
}

/// Three places at distances 5, 0 and 1 from their reports.
const PLACES: [Place; 3] = [[0.0, 0.0], [2.0, 2.0], [5.0, 5.0]];
const REPORTS: [Place; 3] = [[3.0, 4.0], [2.0, 2.0], [5.0, 6.0]];

#[test]
fn hand_computed_values() {
    assert_eq!(value(Metric::AverageError, &PLACES, &REPORTS), Some(2.0));
    // The border of the range belongs to it.
    for (within, share) in [(0.0, 1.0 / 3.0), (0.99, 1.0 / 3.0), (1.0, 2.0 / 3.0), (5.0, 1.0)] {
        assert_eq!(value(Metric::RangeQuery { within }, &PLACES, &REPORTS), Some(share), "{within}");
    }
    let score = Metric::AverageError.of_path(&square(), &PLACES, &REPORTS).unwrap().unwrap();
    // Squares 9 + 4 + 1 over 2 is the variance 7.
    assert!((score.standard_error.unwrap() - (7.0f64 / 3.0).sqrt()).abs() < 1e-15);
    // The leash must reach from the first place to the first report.
    assert_eq!(value(Metric::Frechet, &PLACES, &REPORTS), Some(5.0));
    let warped = value(Metric::DynamicTimeWarping, &PLACES, &REPORTS).unwrap();
    // 5, then the second place with the first report (sqrt 5) or with its own; the cheapest way is the diagonal.
    assert_eq!(warped, 6.0);
}

#[test]
fn hotspots_by_hand() {
    let points = vec![[1.0, 1.0], [1.0, 9.0], [9.0, 1.0], [9.0, 9.0], [5.0, 5.0]];
    let index = PointsOfInterest::new(square(), points).unwrap();
    // Visits: 1, 3, 0, 2, 2. Of the two with two visits the first one is hotter.
    let visits = [
        path(&[[1.0, 1.0], [1.0, 9.0], [1.0, 8.5], [0.0, 10.0]]),
        path(&[[9.0, 9.0], [8.0, 8.0], [5.0, 5.0], [5.1, 5.0]]),
    ];
    let hotspots = Hotspots::new(&index, &visits, 0.4).unwrap();
    assert_eq!(hotspots.count(), 2);
    assert!(hotspots.contains(&[1.0, 9.0]) && hotspots.contains(&[8.9, 9.0]));
    assert!(!hotspots.contains(&[5.0, 5.0]) && !hotspots.contains(&[9.0, 1.0]));
    // Three places are in hotspots; one report stays in its own, one is in another one, one is in none.
    let places = [[1.0, 9.0], [9.0, 9.0], [1.0, 8.0], [5.0, 5.0]];
    let reports = [[1.5, 9.0], [2.0, 9.0], [5.0, 5.0], [9.0, 9.0]];
    assert_eq!(value(Metric::HotspotDifference(&hotspots), &places, &reports), Some(1.0));
    // A share that includes locations without visits leaves them out.
    assert_eq!(Hotspots::new(&index, &visits, 1.0).unwrap().count(), 4);
    // A fifth of five is one, whatever rounding says; a little more is two.
    assert_eq!(Hotspots::new(&index, &visits, 0.2).unwrap().count(), 1);
    assert_eq!(Hotspots::new(&index, &visits, 0.21).unwrap().count(), 2);
    for top in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(Hotspots::new(&index, &visits, top).is_err());
    }
}

#[test]
fn cells_can_be_hotspots() {
    let grid = Grid::new(square(), [2, 2]).unwrap();
    let hotspots = Hotspots::new(&grid, &[path(&[[6.0, 1.0], [7.0, 2.0], [1.0, 1.0]])], 0.25).unwrap();
    assert!(hotspots.contains(&[9.0, 4.0]) && !hotspots.contains(&[1.0, 1.0]));
}

#[test]
fn empty_paths_and_single_places_are_defined() {
    let grid = Grid::new(square(), [2, 2]).unwrap();
    let hotspots = Hotspots::new(&grid, &[path(&[[1.0, 1.0]])], 0.25).unwrap();
    let means = [Metric::AverageError, Metric::RangeQuery { within: 1.0 }];
    for metric in means.into_iter().chain([Metric::DynamicTimeWarping, Metric::Frechet]) {
        assert_eq!(value(metric, &[], &[]), None, "{metric:?}");
    }
    assert_eq!(value(Metric::HotspotDifference(&hotspots), &[], &[]), Some(0.0));
    let one = [[3.0, 4.0]];
    for metric in [Metric::AverageError, Metric::DynamicTimeWarping, Metric::Frechet] {
        let score = metric.of_path(&square(), &one, &[[0.0, 0.0]]).unwrap().unwrap();
        assert_eq!((score.value, score.standard_error, score.count), (5.0, None, 1), "{metric:?}");
    }
    // Empty paths are left out of a data set; alone they have no score.
    let (paths, reports) = ([path(&[]), path(&one)], [path(&[]), path(&[[3.0, 4.5]])]);
    let score = Metric::AverageError.of_data_set(&square(), &paths, &reports).unwrap().unwrap();
    assert_eq!((score.over_paths.value, score.over_paths.count), (0.5, 1));
    assert_eq!(Metric::AverageError.of_data_set(&square(), &paths[..1], &reports[..1]).unwrap(), None);
    assert_eq!(Metric::AverageError.of_data_set(&square(), &[], &[]).unwrap(), None);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let refused = |result: Result<_, TrajectoryError>| result.unwrap_err().to_string();
    let message = refused(Metric::AverageError.of_path(&square(), &PLACES, &REPORTS[..2]));
    assert!(message.contains("got 3 and 2"), "{message}");
    let message = refused(Metric::AverageError.of_path(&square(), &PLACES, &[[1.0, f64::NAN]; 3]));
    assert!(message.contains("number 1") && !message.contains("NaN"), "{message}");
    assert!(Metric::Frechet.of_path(&square(), &[[f64::INFINITY, 0.0]], &REPORTS).is_err());
    assert!(Metric::AverageError.of_data_set(&square(), &[path(&PLACES)], &[]).is_err());
    // Whole paths may have different numbers of places.
    assert!(value(Metric::Frechet, &PLACES, &REPORTS[..2]).is_some());
}

#[test]
fn distances_are_those_of_the_space() {
    let bounds = GeographicBox { west: 0.0, east: 1.0, south: 59.5, north: 60.5 };
    let space = Space::geographic(bounds).unwrap();
    let error =
        |to: Place| Metric::AverageError.of_path(&space, &[[0.5, 60.0]], &[to]).unwrap().unwrap().value;
    let degree = 6_371_008.8f64.to_radians();
    assert!((error([0.5, 60.1]) / degree - 0.1).abs() < 1e-9);
    assert!((error([0.6, 60.0]) / degree - 0.05).abs() < 1e-9);
}

/// The standard error over places says how much the score varies from data set to data set; over 400 data sets the observed
/// deviation is within 15 % of it (four standard deviations of a deviation from 400 draws). The error that ignores that places
/// of one path belong together is too small by far.
#[test]
fn standard_errors_know_that_places_of_a_path_belong_together() {
    let mut rng = Generator::from_insecure_seed(11);
    let mut uniform = || (rng.next_u64() >> 11) as f64 / 2f64.powi(53);
    let (mut values, mut claimed, mut naive) = (Vec::new(), 0.0, 0.0);
    for _ in 0..400 {
        let (mut paths, mut reports, mut losses) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..60 {
            // All reports of a path are wrong in the same way.
            let (length, wrong) = (1 + (uniform() * 9.0) as usize, uniform());
            let errors: Vec<f64> = (0..length).map(|_| wrong + 0.1 * uniform()).collect();
            paths.push(path(&vec![[1.0, 1.0]; length]));
            reports.push(path(&errors.iter().map(|error| [1.0 + error, 1.0]).collect::<Vec<_>>()));
            losses.extend(errors);
        }
        let score = Metric::AverageError.of_data_set(&square(), &paths, &reports).unwrap().unwrap();
        let score = score.over_places.unwrap();
        values.push(score.value);
        claimed += score.standard_error.unwrap() / 400.0;
        naive += privet_trajectory::metric::Score::mean(&losses).unwrap().standard_error.unwrap() / 400.0;
    }
    let observed = privet_trajectory::metric::Score::mean(&values).unwrap().standard_error.unwrap() * 20.0;
    assert!((claimed / observed - 1.0).abs() < 0.15, "{claimed} {observed}");
    assert!(naive < 0.6 * observed, "{naive} {observed}");
}
