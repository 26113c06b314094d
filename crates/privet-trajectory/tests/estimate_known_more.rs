//! What the collector reads better because it knows more: times, and where nobody can be.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_core::{Epsilon, Generator, Interval, Rectangle, Rng};
use privet_trajectory::estimate::{Evidence, Motion};
use privet_trajectory::method::{LocationMethod, References, Release, TracsC, TracsD, Window2d};
use privet_trajectory::metric::Metric;
use privet_trajectory::rounding::Rounding;
use privet_trajectory::space::{Region, Space};
use privet_trajectory::{Path, Place, TrajectoryError};

const SHAPE: [u32; 2] = [16, 16];

fn square() -> Space {
    Space::rectangle(Rectangle::new([Interval::new(0.0, 1.0).unwrap(); 2]).unwrap())
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn uniform(rng: &mut Generator) -> f64 {
    (rng.next_u64() >> 11) as f64 / 2f64.powi(53)
}

fn error(paths: &[Path], read: &[Path]) -> f64 {
    Metric::AverageError.of_data_set(&square(), paths, read).unwrap().unwrap().over_places.unwrap().value
}

/// Walkers who are seen in bursts: four times a minute apart, then 64 minutes later again. A walk of t minutes has a standard
/// deviation of about 0.03 times the root of t in each coordinate.
fn walkers(count: usize, seed: u64) -> Vec<Path> {
    let mut rng = Generator::from_insecure_seed(seed);
    let mut walk = |id: usize| {
        let (mut at, mut time) = ([uniform(&mut rng), uniform(&mut rng)], 0.0);
        let mut visits = Vec::new();
        for index in 1..=40 {
            visits.push((time, at));
            let gap: f64 = if index % 4 == 0 { 64.0 } else { 1.0 };
            time += gap;
            let step = 0.03 * 12f64.sqrt() * gap.sqrt();
            at = at.map(|coordinate| (coordinate + step * (uniform(&mut rng) - 0.5)).clamp(0.0, 1.0));
        }
        Path::in_time(id.to_string(), visits).unwrap()
    };
    (0..count).map(&mut walk).collect()
}

fn sent(method: &dyn LocationMethod, paths: &[Path], seed: u64) -> Vec<Path> {
    Release::new(method).report_all(paths, &mut Generator::from_insecure_seed(seed)).unwrap()
}

#[test]
fn gaps_of_time_say_how_far_somebody_may_have_gone() {
    let paths = walkers(40, 1);
    let method = Window2d::new(square(), epsilon(4.0)).unwrap();
    let reports = sent(&method, &paths, 2);
    assert_eq!(reports[0].times, paths[0].times);
    let evidence = Evidence::gather(&method, References::previous(&method), &reports, SHAPE).unwrap();
    let density = evidence.density();
    let read = |motion: Motion| error(&paths, &evidence.smooth(&density, &motion));
    let knowing = read(Motion::new(0.03, 0.02).unwrap().in_time(1.0).unwrap());
    // The short gaps' reach, the long gaps' and one between: none fits both.
    for reach in [0.03, 0.09, 0.24] {
        let blind = read(Motion::new(reach, 0.02).unwrap());
        assert!(knowing < 0.96 * blind, "{reach}: {knowing} {blind}");
    }
    let alone = error(&paths, &evidence.medians(&density));
    assert!(knowing < 0.7 * alone, "{knowing} {alone}");
}

/// A gap of four units has twice the reach, none at all a sixteenth, and paths without times take a unit for each step.
#[test]
fn the_reach_of_a_gap_is_in_proportion_to_its_root() {
    let method = TracsC::new(square(), epsilon(3.0)).unwrap();
    let timeless: Vec<Path> = sent(&method, &walkers(3, 3), 4);
    let timed = |gap: f64| -> Vec<Path> {
        let times = |path: &Path| (0..path.places.len()).map(|index| 7.0 + gap * index as f64).collect();
        timeless.iter().map(|path| Path { times: Some(times(path)), ..path.clone() }).collect()
    };
    let places = |paths: &[Path], motion: &Motion| -> Vec<Vec<Place>> {
        let evidence = Evidence::gather(&method, References::previous(&method), paths, [8, 8]).unwrap();
        evidence.smooth(&evidence.density(), motion).into_iter().map(|path| path.places).collect()
    };
    let base = Motion::new(0.08, 0.1).unwrap();
    let in_time = base.in_time(5.0).unwrap();
    assert_eq!(places(&timed(20.0), &in_time), places(&timed(20.0), &Motion::new(0.16, 0.1).unwrap()));
    assert_eq!(places(&timed(0.0), &in_time), places(&timed(0.0), &Motion::new(0.005, 0.1).unwrap()));
    assert_eq!(places(&timed(5.0), &in_time), places(&timed(5.0), &base));
    let without: Vec<Path> = timeless.iter().map(|path| Path { times: None, ..path.clone() }).collect();
    assert_eq!(places(&without, &in_time), places(&without, &base));
    assert_ne!(places(&timed(20.0), &in_time), places(&timed(20.0), &base));
    for unit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(base.in_time(unit).is_err());
    }
    let mut unsorted = timed(5.0);
    unsorted[1].times.as_mut().unwrap()[3] = -1.0;
    let refused = Evidence::gather(&method, References::previous(&method), &unsorted, [8, 8]).unwrap_err();
    assert!(matches!(refused, TrajectoryError::Times { position: 4, .. }), "{refused:?}");
}

/// People in the lower left triangle, most of them in a town at its long side.
fn islanders(count: usize, seed: u64) -> Vec<Path> {
    let mut rng = Generator::from_insecure_seed(seed);
    let mut place = |_| loop {
        let at = [uniform(&mut rng), uniform(&mut rng)];
        let in_town = [0.4 + 0.15 * at[0], 0.35 + 0.1 * at[1]];
        let at = if uniform(&mut rng) < 0.7 { in_town } else { at };
        if at[0] + at[1] < 1.0 {
            return at;
        }
    };
    (0..count).map(|id| Path::new(id.to_string(), (0..5).map(&mut place).collect())).collect()
}

#[test]
fn knowing_the_region_helps_and_reports_moved_into_it_are_refused() {
    let triangle = Region::new(vec![vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]]).unwrap();
    let island = square().within(&triangle).unwrap();
    let paths = islanders(200, 5);
    let methods: [Box<dyn LocationMethod>; 3] = [
        Box::new(Window2d::new(island.without_region(), epsilon(3.0)).unwrap()),
        Box::new(TracsC::new(island.without_region(), epsilon(3.0)).unwrap()),
        Box::new(TracsD::new(island.without_region(), epsilon(3.0)).unwrap()),
    ];
    for method in &methods {
        let (method, references) = (method.as_ref(), References::previous(method.as_ref()));
        let reports = sent(method, &paths, 6);
        assert!(reports.iter().flat_map(|path| &path.places).any(|place| !island.contains(place)));
        let within = Evidence::gather_within(&island, method, references, &reports, SHAPE).unwrap();
        let anywhere = Evidence::gather(method, references, &reports, SHAPE).unwrap();
        let density = within.density();
        for (cell, share) in density.shares().iter().enumerate() {
            let middle = anywhere.grid().place(cell).unwrap();
            assert!(middle[0] + middle[1] < 1.0 + 1e-6 || *share == 0.0);
        }
        let read = within.medians(&density);
        assert!(read.iter().flat_map(|path| &path.places).all(|place| island.contains(place)));
        let moved: Vec<Path> = reports
            .iter()
            .map(|path| Path {
                places: path.places.iter().map(|at| island.nearest(*at)).collect(),
                ..path.clone()
            })
            .collect();
        let errors = [&read, &moved].map(|read| error(&paths, read));
        assert!(errors[0] < 0.8 * errors[1], "{} {errors:?}", method.id());
    }
    let inside = Window2d::new(island.clone(), epsilon(3.0)).unwrap();
    let moved = sent(&inside, &paths[..3], 7);
    let refused = Evidence::gather(&inside, References::previous(&inside), &moved, SHAPE).unwrap_err();
    let said = "the estimate of a density works in a method that says how likely its reports are, in a space without a region";
    assert!(refused.to_string().starts_with(said), "{refused}");
    let other = Space::rectangle(Rectangle::new([Interval::new(0.0, 2.0).unwrap(); 2]).unwrap());
    let method = methods[0].as_ref();
    let reports = sent(method, &paths[..3], 8);
    assert!(Evidence::gather_within(&other, method, References::previous(method), &reports, SHAPE).is_err());
}
