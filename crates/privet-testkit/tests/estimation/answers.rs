//! Every mechanism of the registry answers, and its summaries merge.

use super::{Collection, two_kinds};
use privet_core::{EstimateError, Summary};
use privet_estimators::{Answer, Consistency, Request};
use std::f64::consts::TAU;

/// The mechanisms that need nothing but a domain and an epsilon.
fn names(kind: &str) -> Vec<&'static str> {
    let rows = privet_mechanisms::registry::ROWS.iter().filter(|row| row.info.domain == kind);
    rows.map(|row| row.info.id).filter(|id| !id.starts_with("gaussian")).collect()
}

#[test]
fn every_number_mechanism_answers() {
    for name in names("interval") {
        let collection = Collection::new(name, "interval:0,1", 4.0);
        let people = two_kinds(20_000);
        let truth = people.iter().sum::<f64>() / 20_000.0;
        let Answer::Numbers(numbers) = collection.answer(&people, 1, &Request::default()) else {
            panic!("{name} has no numbers");
        };
        let mean = numbers.mean;
        assert!((mean.value - truth).abs() < 0.05, "{name}: {mean:?}");
        assert!(mean.interval[0] <= mean.value && mean.value <= mean.interval[1], "{name}: {mean:?}");
        assert_eq!(numbers.distribution.shares().len(), 50);
        assert_eq!(numbers.quantiles.len(), 3);
        assert_eq!(numbers.n, 20_000);
    }
}

#[test]
fn every_angle_mechanism_answers() {
    let people: Vec<f64> = two_kinds(20_000).iter().map(|unit| (unit * 0.2 + 0.9) % 1.0).collect();
    let moment = |of: fn(f64) -> f64| people.iter().map(|at| of(TAU * at)).sum::<f64>() / 20_000.0;
    let truth = moment(f64::cos).hypot(moment(f64::sin));
    for name in names("circle") {
        let collection = Collection::new(name, "circle:1", 4.0);
        let Answer::Angles(angles) = collection.answer(&people, 1, &Request::default()) else {
            panic!("{name} has no angles");
        };
        let away = (angles.direction.value + 0.5) % 1.0 - 0.5;
        // Six sectors cannot tell where in a sector people are; the interval says so.
        let tolerance = if name == "sector-randomized-response" { 0.1 } else { 0.03 };
        assert!((away + 0.013).abs() < tolerance, "{name}: {:?}", angles.direction);
        let length = angles.resultant_length;
        assert!((length.value - truth).abs() < tolerance, "{name}: {length:?}");
        let error = (length.value - truth).abs() - length.bias_bound;
        assert!(error < 4.0 * length.standard_error, "{name}: {length:?} {truth}");
    }
}

#[test]
fn splits_of_a_stream_merge_to_the_same_bytes() {
    for name in ["optimal-piecewise", "piecewise", "laplace-bounded", "duchi", "grid-exponential"] {
        let collection = Collection::new(name, "interval:0,1", 1.0);
        let people = two_kinds(900);
        let parts: Vec<_> =
            people.chunks(300).zip(1..).map(|(part, seed)| collection.collect(part, seed)).collect();
        let merged = |order: [usize; 3]| {
            let mut sum = collection.estimator.empty_summary();
            order.iter().for_each(|part| sum.merge(&parts[*part]).unwrap());
            sum.to_bytes()
        };
        assert_eq!(merged([0, 1, 2]), merged([2, 0, 1]), "{name}");
        let mut left = parts[0].clone();
        let mut right = parts[1].clone();
        right.merge(&parts[2]).unwrap();
        left.merge(&right).unwrap();
        assert_eq!(left.to_bytes(), merged([0, 1, 2]), "{name}");
        assert_eq!(left.count(), 900);
    }
}

#[test]
fn steps_for_categories_are_refused() {
    let collection = Collection::new("piecewise", "interval:0,1", 1.0);
    let summary = collection.collect(&two_kinds(100), 1);
    let refused = collection.estimator.answer(&summary, &Consistency::Simplex.into());
    assert!(matches!(refused, Err(EstimateError::Step { .. })));
    assert!(matches!(
        collection.estimator.estimate(&summary, Consistency::None),
        Err(EstimateError::Step { .. })
    ));
    let empty = collection.estimator.empty_summary();
    let refused = collection.estimator.answer(&empty, &Request::default());
    assert!(matches!(refused, Err(EstimateError::TooFewReports { .. })));
    let refused = collection.estimator.answer(&summary, &Request { bins: 0, ..Request::default() });
    assert!(matches!(refused, Err(EstimateError::NotIdentifiable { .. })));
}
