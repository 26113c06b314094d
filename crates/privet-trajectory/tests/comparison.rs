//! One window with the whole epsilon against two coordinates with half of it each, at the same guarantee.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod cities;

use cities::{chicago, first_paths, tokyo};
use privet_core::{Epsilon, Generator, Interval, Rectangle, Rng};
use privet_mechanisms::analysis::Analysis;
use privet_mechanisms::interval::OptimalPiecewise;
use privet_trajectory::Path;
use privet_trajectory::method::{LocationMethod, References, Release, TracsC, TracsD, Window2d};
use privet_trajectory::metric::Metric;
use privet_trajectory::space::Space;

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn rectangle(first: f64, second: f64) -> Space {
    let sides = [Interval::new(0.0, first).unwrap(), Interval::new(0.0, second).unwrap()];
    Space::rectangle(Rectangle::new(sides).unwrap())
}

/// Random paths of 100 uniform places.
fn random_paths(space: &Space, count: u32) -> Vec<Path> {
    let mut rng = Generator::from_insecure_seed(2);
    let mut share = || (rng.next_u64() >> 11) as f64 / 2f64.powi(53);
    let bounds = space.inner_bounds().unwrap();
    let mut path =
        |id: u32| Path::new(id.to_string(), (0..100).map(|_| bounds.point_at([share(), share()])).collect());
    (0..count).map(&mut path).collect()
}

fn error(release: Release<'_>, space: &Space, paths: &[Path], repetitions: u32) -> f64 {
    let mut rng = Generator::from_insecure_seed(3);
    let mut once = || {
        let reports = release.report_all(paths, &mut rng).unwrap();
        Metric::AverageError.of_data_set(space, paths, &reports).unwrap().unwrap().over_places.unwrap().value
    };
    (0..repetitions).map(|_| once()).sum::<f64>() / f64::from(repetitions)
}

/// All data sets: their space, their paths, and how often they are reported for a standard error of about one percent.
fn data_sets() -> Vec<(&'static str, Space, Vec<Path>, u32)> {
    let mut sets = vec![
        ("unit square", rectangle(1.0, 1.0), random_paths(&rectangle(1.0, 1.0), 50), 1),
        ("2 x 10", rectangle(2.0, 10.0), random_paths(&rectangle(2.0, 10.0), 50), 1),
    ];
    sets.extend(first_paths("trajectories/tky.csv").map(|paths| ("Tokyo", tokyo(), paths, 1)));
    sets.extend(first_paths("trajectories/chi.csv.gz").map(|paths| ("Chicago", chicago(), paths, 8)));
    sets
}

#[test]
fn one_window_has_less_error_on_all_data_sets_at_every_epsilon() {
    for (name, space, paths, repetitions) in data_sets() {
        for value in [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0] {
            let window = Window2d::new(space.clone(), epsilon(value)).unwrap();
            let coordinates = TracsC::new(space.clone(), epsilon(value)).unwrap();
            let errors = [&window as &dyn LocationMethod, &coordinates].map(|method| {
                // Both spend all of the same epsilon, exactly, and not more.
                let exact = method.guarantee().unwrap().epsilon().get();
                assert!(exact <= value && exact > value - 1e-6, "{} {value}: {exact}", method.id());
                error(Release::new(method), &space, &paths, repetitions)
            });
            println!("{name}, epsilon {value}: window-2d {:.4}, tracs-c {:.4}", errors[0], errors[1]);
            assert!(errors[0] < 0.95 * errors[1], "{name} {value}: {errors:?}");
        }
    }
}

/// How far a coordinate of TraCS-C is from its report, for uniform coordinates: the mass of each step of this length.
fn distances_along_a_side(whole: f64, steps: u32) -> Vec<(f64, f64)> {
    let channel =
        OptimalPiecewise::new(Interval::new(0.0, 1.0).unwrap(), epsilon(whole).divided(2).unwrap()).unwrap();
    let analysis = Analysis::new(&channel);
    let share = |step: u32| f64::from(step) / f64::from(steps);
    let laws: Vec<_> = (0..steps).map(|step| analysis.law(share(step) + 0.5 * share(1)).unwrap()).collect();
    let within = |step: u32| laws.iter().map(|law| law.within(share(step))).sum::<f64>() / f64::from(steps);
    (0..steps)
        .map(|step| {
            (share(step) + 0.5 * share(1), within(step + 1) - if step == 0 { 0.0 } else { within(step) })
        })
        .collect()
}

/// The errata say by how many percent one window has less average error than two coordinates.
#[test]
fn the_gain_of_one_window_for_uniform_places_is_the_stated_one() {
    for (value, percent) in [(2.0, 21.0), (4.0, 33.0), (6.0, 46.0), (8.0, 56.0)] {
        let side = distances_along_a_side(value, 250);
        let pairs = side.iter().flat_map(|one| side.iter().map(move |other| (one, other)));
        let coordinates: f64 = pairs.map(|(one, other)| one.1 * other.1 * one.0.hypot(other.0)).sum();
        let window = Window2d::new(rectangle(1.0, 1.0), epsilon(value)).unwrap().channel().average_error();
        let gain = 100.0 * (1.0 - window / coordinates);
        assert!((gain - percent).abs() < 0.5, "{value}: {window} {coordinates} {gain}");
    }
}

/// The published errors of TraCS-C at epsilon 4, in degrees, within 3 percent.
#[test]
fn coordinates_have_the_published_error_in_both_cities() {
    for (name, space, paths, repetitions) in data_sets() {
        let published = match name {
            "Tokyo" => 0.0936,
            "Chicago" => 0.1192,
            _ => continue,
        };
        let method = TracsC::new(space.clone(), epsilon(4.0)).unwrap();
        let measured = error(Release::new(&method), &space, &paths, 2 * repetitions);
        assert!((measured / published - 1.0).abs() < 0.03, "{name}: {measured}");
    }
}

/// The paper starts from the lower corner, we from the middle: one place in a hundred is seen from elsewhere, which does not
/// show in the published figures. At 100 000 places the standard error is below 0.2 percent; 1 percent is allowed, and what the
/// published figures were rounded by.
#[test]
fn the_public_start_does_not_change_the_published_figures() {
    let space = rectangle(1.0, 1.0);
    let paths = random_paths(&space, 1000);
    for (value, published) in [(2.0, 0.452), (4.0, 0.327), (10.0, 0.126)] {
        let method = TracsD::new(space.clone(), epsilon(value)).unwrap();
        for start in [space.lower_corner(), space.centre(), [0.2, 0.9]] {
            let release = Release::new(&method).seen_from(References::PreviousReport { start }).unwrap();
            let measured = error(release, &space, &paths, 1);
            assert!(
                (measured - published).abs() < 0.01 * published + 0.000_5,
                "{value} {start:?}: {measured}"
            );
        }
        assert_eq!(References::previous(&method).first(), [0.5, 0.5]);
        assert_eq!(space.lower_corner(), [0.0, 0.0]);
        let outside = References::PreviousReport { start: [0.5, 1.5] };
        assert!(Release::new(&method).seen_from(outside).is_err());
    }
}
