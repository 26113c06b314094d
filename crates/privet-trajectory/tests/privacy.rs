//! Exact ratios of reports, over all of them, on lattices that are coarse enough to look at everything.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_core::{Budget, Channel, Circle, Epsilon, Fraction, Generator, Interval, Mechanism, Rectangle};
use privet_mechanisms::plane::SquareWindow;
use privet_trajectory::Place;
use privet_trajectory::method::rival::{
    Atp, Candidates, GridExponential2d, GridRandomizedResponse2d, LSrr, NGram,
};
use privet_trajectory::method::{
    LinePart, LocationMethod, References, RingPart, Scope, Stream, TracsC, TracsD, TracsSphere, Window2d,
};
use privet_trajectory::space::{Region, Space};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn rectangle(first: f64, second: f64) -> Rectangle {
    Rectangle::new([Interval::new(0.0, first).unwrap(), Interval::new(0.0, second).unwrap()]).unwrap()
}

fn space() -> Space {
    Space::rectangle(rectangle(1.0, 2.0))
}

/// Corners, borders and the inside of the rectangle of [`space`].
fn places() -> Vec<Place> {
    let shares = [0.0, 0.21, 0.5, 0.93, 1.0];
    shares.iter().flat_map(|first| shares.map(|second| [*first, 2.0 * second])).collect()
}

fn coarse_direction(part: RingPart, value: f64) -> Box<dyn privet_trajectory::method::Part> {
    part.build(Circle::new(TAU).unwrap(), epsilon(value), Some(6)).unwrap()
}

fn coarse_distance(part: LinePart, value: f64) -> Box<dyn privet_trajectory::method::Part> {
    part.build(Interval::new(0.0, 1.0).unwrap(), epsilon(value), Some(4)).unwrap()
}

/// The largest ratio of the probabilities of one report under two places, over all given places and all reports. Reports
/// that are the same place are one report.
fn worst_ratio(method: &TracsD, places: &[Place], reference: &Place) -> Fraction {
    let [direction, distance] = method.parts();
    let mut laws: BTreeMap<[u64; 2], Vec<Fraction>> = BTreeMap::new();
    for first in 0..direction.cells() {
        for second in 0..distance.cells() {
            let report = method.place_of([first, second], reference).map(f64::to_bits);
            let probabilities =
                places.iter().map(|place| method.probability(place, reference, [first, second]).unwrap());
            match laws.entry(report) {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(probabilities.collect());
                }
                std::collections::btree_map::Entry::Occupied(mut entry) => {
                    entry
                        .get_mut()
                        .iter_mut()
                        .zip(probabilities)
                        .for_each(|(sum, more)| *sum = &*sum + &more);
                }
            }
        }
    }
    for index in 0..places.len() {
        let total = laws.values().fold(Fraction::whole(0), |sum, law| &sum + &law[index]);
        assert!(total.reduced() == Fraction::whole(1), "a law must add up to one");
    }
    let of_report = |law: &Vec<Fraction>| {
        let (mut most, mut least) = (law[0].clone(), law[0].clone());
        for probability in law {
            if *probability > most {
                most = probability.clone();
            }
            if *probability < least {
                least = probability.clone();
            }
        }
        &most / &least
    };
    laws.values()
        .map(of_report)
        .fold(Fraction::whole(1), |worst, next| if next > worst { next } else { worst })
}

#[test]
fn directions_and_distances_keep_epsilon_from_every_reference() {
    let rings = [RingPart::OptimalPiecewise, RingPart::SquareWave, RingPart::Sectors(4)];
    let lines = [LinePart::OptimalPiecewise, LinePart::OptimalPiecewiseSquared, LinePart::SquareWave];
    for (ring, line) in rings.into_iter().zip(lines) {
        let method =
            TracsD::from_parts(space(), coarse_direction(ring, 1.5), coarse_distance(line, 0.5)).unwrap();
        assert!(method.guarantee().unwrap().epsilon().get() <= 2.0 + 1e-9);
        let mut all = places();
        for reference in places() {
            // The reference itself is among the places, where its direction is undefined.
            all.push(reference);
            let worst = worst_ratio(&method, &all, &reference);
            assert!(worst.is_at_most_exp(epsilon(2.0)), "{ring:?} {line:?}");
        }
    }
}

#[test]
fn the_ratio_of_directions_and_distances_is_reached() {
    let direction = coarse_direction(RingPart::OptimalPiecewise, 1.5);
    let method =
        TracsD::from_parts(space(), direction, coarse_distance(LinePart::OptimalPiecewise, 0.5)).unwrap();
    let places: Vec<Place> = (0..=12)
        .flat_map(|first| (0..=12).map(move |second| [f64::from(first) / 12.0, f64::from(second) / 6.0]))
        .collect();
    let worst = worst_ratio(&method, &places, &[0.5, 1.0]);
    assert!(worst.log_rounded_up() > 1.9, "{}", worst.log_rounded_up());
    // A part with more than its share must be noticed.
    let direction = coarse_direction(RingPart::OptimalPiecewise, 1.8);
    let greedy =
        TracsD::from_parts(space(), direction, coarse_distance(LinePart::OptimalPiecewise, 0.5)).unwrap();
    assert!(!worst_ratio(&greedy, &places, &[0.5, 1.0]).is_at_most_exp(epsilon(2.0)));
    assert!(greedy.guarantee().unwrap().epsilon().get() > 2.2);
}

#[test]
fn discs_keep_epsilon_from_the_centre_and_from_the_border() {
    let disc = Space::disc([1.0, 1.0], 0.5).unwrap();
    let direction = coarse_direction(RingPart::OptimalPiecewise, 1.5);
    let method =
        TracsD::from_parts(disc.clone(), direction, coarse_distance(LinePart::OptimalPiecewise, 0.5))
            .unwrap();
    let places: Vec<Place> = (0..20)
        .map(|index| {
            let (sine, cosine) = f64::from(index).sin_cos();
            let radius = 0.5 * f64::from(index % 5) / 4.0;
            [1.0 + radius * cosine, 1.0 + radius * sine]
        })
        .collect();
    for reference in [[1.0, 1.0], [1.5, 1.0], [1.0, 0.5], [1.2, 1.3]] {
        assert!(worst_ratio(&method, &places, &reference).is_at_most_exp(epsilon(2.0)));
    }
}

#[test]
fn coordinates_keep_epsilon() {
    for line in [LinePart::OptimalPiecewise, LinePart::SquareWave] {
        let sides = rectangle(1.0, 2.0).sides();
        let parts = sides.map(|side| line.build(side, epsilon(1.0), Some(5)).unwrap());
        let method = TracsC::from_parts(space(), parts).unwrap();
        let mut worst = Fraction::whole(1);
        let cells = method.parts().map(|part| part.cells());
        for report in 0..cells[0] * cells[1] {
            let cell = [report / cells[1], report % cells[1]];
            let law: Vec<Fraction> =
                places().iter().map(|place| method.probability(place, cell).unwrap()).collect();
            for one in &law {
                for other in &law {
                    let ratio = one / other;
                    worst = if ratio > worst { ratio } else { worst };
                }
            }
        }
        assert!(worst.is_at_most_exp(epsilon(2.0)));
        // The corners reach the whole of it.
        assert_eq!(worst.log_rounded_up(), method.guarantee().unwrap().epsilon().get());
    }
}

#[test]
fn spheres_keep_epsilon_and_have_one_law_for_one_place() {
    let sphere = Space::sphere(1.0).unwrap();
    let method = TracsSphere::with_lattice(sphere, epsilon(2.0), Some(6)).unwrap();
    let places = [[0.0, 0.0], [-180.0, 45.0], [179.9, -45.0], [90.0, 90.0], [-33.0, -90.0]];
    let [longitude, latitude] = method.parts();
    for report in 0..longitude.cells() * latitude.cells() {
        let cell = [report / latitude.cells(), report % latitude.cells()];
        let law = places.map(|place| method.probability(&place, cell).unwrap());
        for (one, other) in law.iter().flat_map(|one| law.iter().map(move |other| (one, other))) {
            assert!((one / other).is_at_most_exp(epsilon(2.0)));
        }
        let same =
            |one, other| method.probability(&one, cell).unwrap() == method.probability(&other, cell).unwrap();
        assert!(same([180.0, 12.0], [-180.0, 12.0]), "the 180th meridian is one line");
        assert!(
            same([77.0, 90.0], [-120.0, 90.0]) && same([3.0, -90.0], [180.0, -90.0]),
            "a pole is one point"
        );
    }
}

/// Two places after each other, each seen from the report before: over all pairs of reports the ratio of two paths is at most
/// e^(2 epsilon).
#[test]
fn paths_lose_the_sum_of_their_places() {
    let direction = coarse_direction(RingPart::OptimalPiecewise, 1.0);
    let method =
        TracsD::from_parts(space(), direction, coarse_distance(LinePart::OptimalPiecewise, 0.5)).unwrap();
    let cells = method.parts().map(|part| part.cells());
    let paths = [
        [[0.0, 0.0], [1.0, 2.0]],
        [[1.0, 2.0], [0.0, 0.0]],
        [[0.5, 1.0], [0.5, 1.0]],
        [[0.9, 0.1], [0.2, 2.0]],
    ];
    let each = |count: u32| (0..count).map(move |report| [report / cells[1], report % cells[1]]);
    let start = method.space().centre();
    for first in each(cells[0] * cells[1]) {
        let reference = method.place_of(first, &start);
        for second in each(cells[0] * cells[1]) {
            let law = paths.map(|path| {
                let before = method.probability(&path[0], &start, first).unwrap();
                &before * &method.probability(&path[1], &reference, second).unwrap()
            });
            for (one, other) in law.iter().flat_map(|one| law.iter().map(move |other| (one, other))) {
                assert!((one / other).is_at_most_exp(epsilon(3.0)));
            }
        }
    }
    let mut stream = Stream::new(&method, References::previous(&method)).unwrap();
    let mut rng = Generator::from_insecure_seed(1);
    for place in [[0.1, 0.1], [0.2, 0.3], [0.4, 0.4]] {
        stream.report(&place, &mut rng).unwrap();
    }
    assert_eq!(stream.spent().unwrap(), Budget::repeated(method.guarantee().unwrap(), 3).unwrap());
    assert_eq!(stream.reported(), 3);
}

/// Every row of a small lattice, in integers: all ratios, and rows that add up to the same total.
#[test]
fn windows_keep_epsilon_over_all_rows() {
    for (widths, lattice, value) in
        [([1.0, 1.0], [9, 9], 2.0), ([1.0, 3.0], [4, 12], 1.0), ([1.0, 1.0], [6, 6], 5.0)]
    {
        let mechanism =
            SquareWindow::with_lattice(rectangle(widths[0], widths[1]), epsilon(value), lattice).unwrap();
        let steps = 25;
        let inputs: Vec<[f64; 2]> = (0..=steps)
            .flat_map(|first| (0..=steps).map(move |second| (first, second)))
            .map(|(first, second)| {
                [
                    widths[0] * f64::from(first) / f64::from(steps),
                    widths[1] * f64::from(second) / f64::from(steps),
                ]
            })
            .collect();
        let mut starts: Vec<[u32; 2]> = inputs.iter().map(|input| mechanism.window_start(input)).collect();
        starts.sort_unstable();
        starts.dedup();
        let all: u32 = (0..2).map(|axis| lattice[axis] - mechanism.window()[axis] + 1).product();
        assert_eq!(starts.len() as u32, all, "every window belongs to some place");
        let cells: Vec<[u32; 2]> =
            (0..lattice[0] * lattice[1]).map(|cell| [cell / lattice[1], cell % lattice[1]]).collect();
        let mut worst = Fraction::whole(1);
        for start in &starts {
            let total: u128 = cells.iter().map(|cell| u128::from(mechanism.weight(*start, *cell))).sum();
            assert_eq!(total, mechanism.row().total());
        }
        for cell in &cells {
            let weights = starts.iter().map(|start| mechanism.weight(*start, *cell));
            let (most, least) = (weights.clone().max().unwrap(), weights.min().unwrap());
            let ratio = &Fraction::of_weight(most) / &Fraction::of_weight(least);
            worst = if ratio > worst { ratio } else { worst };
        }
        assert!(worst.is_at_most_exp(epsilon(value)));
        assert_eq!(worst.reduced(), mechanism.worst_ratio().reduced());
        let reports = mechanism.all_reports(200).unwrap();
        let [one, other] = mechanism.worst_inputs();
        let reached = reports.iter().filter_map(|report| mechanism.likelihood_ratio(&[one, other], report));
        assert!(reached.into_iter().any(|ratio| ratio.reduced() == worst.reduced()));
    }
}

/// Chi-square at an error rate of 1e-6 for counts against probabilities (Wilson and Hilferty's approximation).
fn fits(counts: &[u64], probabilities: &[f64]) -> bool {
    let total: u64 = counts.iter().sum();
    let terms = counts.iter().zip(probabilities).map(|(count, probability)| {
        let expected = probability * total as f64;
        (*count as f64 - expected).powi(2) / expected
    });
    let freedom = counts.len() as f64 - 1.0;
    let share = 2.0 / (9.0 * freedom);
    terms.sum::<f64>() < freedom * (1.0 - share + 4.753 * share.sqrt()).powi(3)
}

#[test]
fn windows_are_drawn_as_their_weights_say() {
    let mechanism = SquareWindow::with_lattice(rectangle(1.0, 2.0), epsilon(1.5), [5, 9]).unwrap();
    let reports = mechanism.all_reports(64).unwrap();
    for (seed, place) in [(1, [0.0, 0.0]), (2, [0.55, 1.1]), (3, [1.0, 2.0])] {
        let mut rng = Generator::from_insecure_seed(seed);
        let mut counts = vec![0u64; reports.len()];
        for _ in 0..60_000 {
            counts[mechanism.randomize(&place, &mut rng).unwrap().0 as usize] += 1;
        }
        let law = |place: &[f64; 2]| -> Vec<f64> {
            reports.iter().map(|report| mechanism.probability(place, report).to_f64()).collect()
        };
        assert!(fits(&counts, &law(&place)));
        // The law of another place must not fit.
        assert!(!fits(&counts, &law(&[0.3, 0.9])));
    }
}

/// The largest log-ratio of likelihoods over candidates as places and as reports; infinite where one is impossible.
fn log_ratio(method: &dyn LocationMethod, places: &[Place], reference: &Place) -> f64 {
    let of_report = |report: &Place| {
        let masses = places.iter().map(|place| method.likelihood(place, reference, report).unwrap());
        let (most, least) = masses.fold((0f64, f64::INFINITY), |(a, b), mass| (a.max(mass), b.min(mass)));
        if most == 0.0 { 0.0 } else { (most / least).ln() }
    };
    places.iter().map(of_report).fold(0.0, f64::max)
}

/// How much the reference changes the law of a report: what leaks about the private place before where that is the reference, as
/// ATP was published. It is not part of the epsilon of the place before, which is spent on its own report.
fn before_shows_through(method: &dyn LocationMethod, places: &[Place]) -> f64 {
    let place = places[0];
    let of_report = |report: &Place| {
        let masses = places.iter().map(|before| method.likelihood(&place, before, report).unwrap());
        let (most, least) = masses.fold((0f64, f64::INFINITY), |(a, b), mass| (a.max(mass), b.min(mass)));
        (most / least).ln()
    };
    places.iter().map(of_report).fold(0.0, f64::max)
}

#[test]
fn rivals_are_labelled_as_what_they_are() {
    let candidates = Candidates::grid(space(), 5, 9).unwrap();
    let places = candidates.places().to_vec();
    let middle = [0.5, 1.0];
    let l_srr = LSrr::new(candidates.clone(), epsilon(2.0)).unwrap();
    let ratio = log_ratio(&l_srr, &places, &middle);
    assert!(ratio > 2.05, "group sizes depend on the place: {ratio}");
    assert!(ratio <= l_srr.guarantee().unwrap().epsilon().get() + 1e-9);
    assert!(matches!(l_srr.scope(), Scope::Not { .. }));
    let n_gram = NGram::new(candidates.clone(), epsilon(2.0)).unwrap();
    assert_eq!(log_ratio(&n_gram, &places, &middle), f64::INFINITY);
    assert!(n_gram.guarantee().is_none() && matches!(n_gram.scope(), Scope::Not { .. }));
    let atp = Atp::new(candidates, epsilon(2.0)).unwrap();
    for reference in [middle, [0.0, 0.0], [1.0, 2.0], [0.0, 1.0]] {
        assert!(log_ratio(&atp, &places, &reference) <= 2.0);
    }
    assert_eq!(atp.scope(), Scope::WholeSpace);
    let leak = before_shows_through(&atp, &places);
    assert!(leak > 3.4, "{leak}");
    let response = GridRandomizedResponse2d::new(space(), [5, 9], epsilon(2.0)).unwrap();
    assert!((log_ratio(&response, &places, &middle) - 2.0).abs() < 1e-9);
    let exponential = GridExponential2d::new(space(), [5, 9], epsilon(2.0)).unwrap();
    // The whole of epsilon is spent, which a factor of two in the exponent would not do.
    let ratio = log_ratio(&exponential, &places, &middle);
    assert!(ratio < 2.0 + 1e-9 && ratio > 1.9999, "{ratio}");
    assert!(exponential.guarantee().unwrap().epsilon().get() <= 2.0);
}

#[test]
fn moving_reports_into_a_region_keeps_the_guarantee_and_hides_the_law() {
    let triangle = Region::new(vec![vec![[0.0, 0.0], [1.0, 0.0], [0.5, 2.0]]]).unwrap();
    let space = Space::region(&triangle).unwrap();
    let method = Window2d::new(space, epsilon(2.0)).unwrap();
    assert!(method.guarantee().unwrap().epsilon().get() <= 2.0);
    assert!(method.likelihood(&[0.5, 1.0], &[0.5, 1.0], &[0.5, 1.0]).is_none());
    let mut rng = Generator::from_insecure_seed(5);
    for _ in 0..500 {
        let report = method.perturb(&[0.5, 1.9], &[0.5, 1.0], &mut rng).unwrap();
        assert!(method.space().contains(&report));
    }
    assert!(method.perturb(&[0.01, 1.9], &[0.5, 1.0], &mut rng).is_err(), "outside the triangle");
}
