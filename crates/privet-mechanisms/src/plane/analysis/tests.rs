use super::*;
use crate::plane::PlaneLayout;
use privet_core::{Epsilon, Interval, Rectangle};

fn rectangle(ends: [f64; 4]) -> Rectangle {
    Rectangle::new([Interval::new(ends[0], ends[1]).unwrap(), Interval::new(ends[2], ends[3]).unwrap()])
        .unwrap()
}

/// Cells on a crooked grid, so that nothing is symmetric.
fn mechanism(ends: [f64; 4]) -> PlaneWindow {
    let cells = (0..30u32).map(|cell| [3000 + 11_000 * (cell / 6) + 97 * cell, 2000 + 9000 * (cell % 6)]);
    let layout = PlaneLayout::new([8, 4], 7, cells.collect()).unwrap();
    PlaneWindow::new(rectangle(ends), Epsilon::new(2.0).unwrap(), layout).unwrap()
}

/// The average over the middles of many small parts, none of which crosses a line of the lattice.
fn summed(mechanism: &PlaneWindow, density: impl Fn([f64; 2]) -> f64) -> f64 {
    const STEPS: u32 = 120;
    let (mut loss, mut mass) = (0.0, 0.0);
    for first in 0..8 * STEPS / 4 {
        for second in 0..STEPS {
            let shares = [
                (f64::from(first) + 0.5) / f64::from(2 * STEPS),
                (f64::from(second) + 0.5) / f64::from(STEPS),
            ];
            let weight = density(shares);
            loss += weight * mechanism.expected_loss(mechanism.domain().point_at(shares)).unwrap();
            mass += weight;
        }
    }
    loss / mass
}

#[test]
fn the_mean_distance_in_a_square_is_the_known_one() {
    // The mean distance of a point of the unit square from a corner is (sqrt 2 + arsinh 1) / 3, from the middle half of it.
    let corner = (2f64.sqrt() + 1f64.asinh()) / 3.0;
    assert!((corner_integral(1.0, 1.0) - corner).abs() < 1e-15);
    let lines = || Axis {
        lines: vec![0.0, 1.0],
        parts: vec![AxisPart { of_lattice: 0, of_prior: 0 }],
        prior_width: 1.0,
    };
    let mut integral = [0.0];
    distance_integrals([0.5, 0.5], &[lines(), lines()], &mut integral);
    assert!((integral[0] - corner / 2.0).abs() < 1e-15);
    assert_eq!(corner_integral(0.0, 3.0), 0.0);
    assert_eq!(corner_integral(-2.0, 3.0), -corner_integral(2.0, 3.0));
    assert!(corner_integral(1e-310, 1.0).abs() < 1e-300);
}

#[test]
fn the_average_is_the_integral() {
    for ends in [[0.0, 1.0, 0.0, 1.0], [-3.0, 1.0, 10.0, 11.5]] {
        let mechanism = mechanism(ends);
        let exact = mechanism.average_loss(&PlanePrior::uniform());
        assert!((exact / summed(&mechanism, |_| 1.0) - 1.0).abs() < 5e-5);
        // A prior whose lines are not those of the lattice.
        let prior = PlanePrior::new([3, 5], (0..15).map(|part| part % 4).collect()).unwrap();
        let density = |[first, second]: [f64; 2]| {
            let part = (first * 3.0) as u32 * 5 + (second * 5.0) as u32;
            f64::from(part % 4)
        };
        let exact = mechanism.average_loss(&prior);
        assert!((exact / summed(&mechanism, density) - 1.0).abs() < 5e-5);
    }
}

#[test]
fn no_place_is_worse_than_the_worst() {
    let mechanism = mechanism([0.0, 2.0, 0.0, 1.0]);
    let (worst, place) = mechanism.worst_loss();
    let sampled = (0..=160u32)
        .flat_map(|first| (0..=80u32).map(move |second| [f64::from(first) / 80.0, f64::from(second) / 80.0]))
        .map(|place| mechanism.expected_loss(place).unwrap())
        .fold(0.0, f64::max);
    assert!(sampled <= worst * (1.0 + 1e-12) && sampled > worst * 0.97, "{sampled} {worst}");
    // The corner belongs to several parts; at a hair's breadth from it the loss is the stated one under one of them.
    let near = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]].map(|[first, second]| {
        let beside = [place[0] + 1e-9 * first, place[1] + 1e-9 * second];
        mechanism.expected_loss(mechanism.domain().nearest(beside)).unwrap()
    });
    assert!(near.iter().any(|loss| (loss / worst - 1.0).abs() < 1e-7), "{near:?} {worst}");
}

#[test]
fn losses_grow_with_the_rectangle_and_stay_finite() {
    let unit = mechanism([0.0, 1.0, 0.0, 1.0]);
    let vast = mechanism([0.0, 1e300, -1e300, 0.0]);
    let prior = PlanePrior::uniform();
    assert!((vast.average_loss(&prior) / 1e300 / unit.average_loss(&prior) - 1.0).abs() < 1e-12);
    assert!((vast.worst_loss().0 / 1e300 / unit.worst_loss().0 - 1.0).abs() < 1e-12);
    assert!(unit.expected_loss([1.5, 0.0]).is_err());
}
