//! Mechanisms that add noise to every coordinate.

use crate::battery::{
    adversarial, check_error, check_inputs, check_ratio, check_unbiased, dimension, epsilon, slanted,
};
use privet_vector::mechanism::{CoordinateLaplace, LaplaceVector, VectorMechanism};

fn laplace(d: u32, e: f64, radius: f64) -> LaplaceVector {
    LaplaceVector::new(dimension(d), radius, epsilon(e)).unwrap()
}

fn coordinate(d: u32, e: f64) -> CoordinateLaplace {
    CoordinateLaplace::new((1..=d).map(f64::from).collect(), epsilon(e)).unwrap()
}

#[test]
fn laplace_reports_are_unbiased_with_the_stated_error() {
    for (d, e) in [(1, 1.0), (16, 0.1), (16, 5.0), (16, 25.0)] {
        for mechanism in
            [Box::new(laplace(d, e, 3.0)) as Box<dyn VectorMechanism>, Box::new(coordinate(d, e))]
        {
            check_unbiased(&*mechanism, &slanted(d), 10_000, 21);
            check_error(&*mechanism, &slanted(d), mechanism.mean_squared_error(), 10_000, 22);
        }
        let wanted = 8.0 * f64::from(d) * 9.0 / (e * e);
        assert!(
            (laplace(d, e, 3.0).mean_squared_error() / wanted - 1.0).abs() < 1e-6 * (1.0 + 1.0 / e),
            "{d} {e}"
        );
    }
}

#[test]
fn laplace_ratios_keep_epsilon_and_reach_it() {
    for e in [0.1, 1.0, 20.0, 100.0] {
        check_ratio(&laplace(6, e, 2.0), &adversarial(6), 300, 0.9999);
    }
    // Six coordinates must all be beyond both corners at once.
    check_ratio(&coordinate(6, 0.5), &adversarial(6), 2000, 0.9999);
}

#[test]
fn bad_vectors_are_refused_and_extreme_ones_are_not() {
    check_inputs(&laplace(5, 1.0, 2.0));
    check_inputs(&coordinate(5, 1.0));
}

#[test]
fn parameters_at_the_ends() {
    assert!(LaplaceVector::new(dimension(2), 1.0, epsilon(1e-9)).is_err());
    for e in [1e-6, 1e3, 1e300] {
        let mechanism = laplace(2, e, 1.0);
        assert!(mechanism.mean_squared_error().is_finite() && mechanism.guarantee().epsilon().get() <= e);
    }
}
