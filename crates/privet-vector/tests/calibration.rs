//! The sphere mechanisms' parameters against an independent reference with 40 digits, and against published figures.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_core::{Dimension, Epsilon};
use privet_vector::mechanism::{PrivUnit, PrivUnitG, VectorMechanism};

const GOLDEN: &str = include_str!("../golden/calibration.txt");

fn dimension(count: u32) -> Dimension {
    Dimension::new(count).unwrap()
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn privunit(d: u32, e: f64) -> PrivUnit {
    PrivUnit::new(dimension(d), 1.0, epsilon(e)).unwrap()
}

#[test]
fn parameters_are_solved_to_nearly_the_precision_of_the_machine() {
    let mut lines = 0;
    for line in GOLDEN.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (d, e): (u32, f64) = (words[1].parse().unwrap(), words[2].parse().unwrap());
        let wanted: f64 = words[3].parse().unwrap();
        let got = match words[0] {
            "privunit" => privunit(d, e).threshold(),
            "privunit-g" => PrivUnitG::new(dimension(64), 1.0, epsilon(e)).unwrap().threshold(),
            _ => PrivUnitG::normalized(dimension(d), 1.0, epsilon(e)).unwrap().mean_height(),
        };
        // What the margin of e^epsilon takes off the mean height, and as much again.
        let tolerance = if words[0] == "privunit-g-normalized" { 2e-12 * (1.0 + 1.0 / e) } else { 1e-12 };
        assert!((got / wanted - 1.0).abs() < tolerance, "{line}: got {got}");
        lines += 1;
    }
    assert_eq!(lines, 56);
}

#[test]
fn published_thresholds() {
    let rows = [(16, [0.10067, 0.44480, 0.70299]), (64, [0.04985, 0.22913, 0.39251])];
    for (d, thresholds) in rows {
        for (e, wanted) in [1.0, 5.0, 10.0].into_iter().zip(thresholds) {
            assert!((privunit(d, e).threshold() - wanted).abs() < 1e-5, "{d} {e}");
        }
    }
    for (e, wanted) in [(1.0, 0.39746), (5.0, 1.85064), (10.0, 3.26006)] {
        let mechanism = PrivUnitG::new(dimension(64), 1.0, epsilon(e)).unwrap();
        assert!((mechanism.threshold() - wanted).abs() < 1e-5, "{e}");
    }
    assert!((privunit(64, 5.0).mean_squared_error() - 18.05).abs() < 0.005);
}

/// The figures on the pages.
#[test]
fn figures_of_the_pages() {
    for (e, wanted) in [(1.0, 401.5), (5.0, 18.05), (10.0, 5.491)] {
        let error = privunit(64, e).mean_squared_error();
        assert!((error / wanted - 1.0).abs() < 3e-4, "{e}: {error}");
    }
    for (e, wanted) in [(1.0, 0.04981), (5.0, 0.2261), (10.0, 0.3781)] {
        let height = PrivUnitG::normalized(dimension(64), 1.0, epsilon(e)).unwrap().mean_height();
        assert!((height / wanted - 1.0).abs() < 3e-4, "{e}: {height}");
    }
}

#[test]
fn every_corner_of_the_range_is_finite() {
    for d in [2, 3, 64, 10_000, 65_536] {
        for e in [1e-9, 0.1, 20.0, 40.0, 1e300] {
            let mechanisms: [Box<dyn VectorMechanism>; 3] = [
                Box::new(privunit(d, e)),
                Box::new(PrivUnitG::new(dimension(d), 1.0, epsilon(e)).unwrap()),
                Box::new(PrivUnitG::normalized(dimension(d), 1.0, epsilon(e)).unwrap()),
            ];
            for mechanism in mechanisms {
                let (id, error) = (mechanism.id(), mechanism.mean_squared_error());
                assert!(error.is_finite() && error > 0.0, "{id} {d} {e}: {error}");
                assert!(mechanism.report_bound().is_finite(), "{id} {d} {e}");
                assert!(mechanism.guarantee().epsilon().get() <= e, "{id} {d} {e}");
            }
        }
    }
    assert!(PrivUnit::new(dimension(1), 1.0, epsilon(1.0)).is_err());
    assert!(PrivUnitG::new(dimension(2), 0.0, epsilon(1.0)).is_err());
}
