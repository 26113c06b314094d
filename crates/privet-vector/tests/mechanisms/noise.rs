//! Mechanisms that add noise to every coordinate.

use crate::battery::{
    adversarial, check_error, check_inputs, check_ratio, check_unbiased, dimension, epsilon, slanted,
};
use privet_core::{Delta, Generator};
use privet_vector::mechanism::{
    CoordinateLaplace, GaussianVector, InstanceOptimal, LaplaceVector, Plan, PrivUnit, VectorMechanism,
};

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

fn gaussian(d: u32, e: f64, delta: f64) -> GaussianVector {
    GaussianVector::new(dimension(d), 2.0, epsilon(e), Some(Delta::new(delta).unwrap())).unwrap()
}

fn plan(d: u32, e: f64, delta: f64) -> Plan {
    let radii = (1..=d).map(f64::from).collect();
    Plan::new(slanted(d), radii, epsilon(e), Some(Delta::new(delta).unwrap())).unwrap()
}

fn instance_optimal(d: u32, e: f64, delta: f64) -> InstanceOptimal {
    InstanceOptimal::new(vec![7.0; d as usize], 3.0, epsilon(e), Some(Delta::new(delta).unwrap())).unwrap()
}

#[test]
fn gaussian_reports_are_unbiased_with_the_stated_error() {
    for (d, e, delta) in [(1, 1.0, 1e-5), (16, 0.1, 1e-2), (64, 5.0, 1e-12), (16, 50.0, 1e-5)] {
        let mechanisms: [Box<dyn VectorMechanism>; 3] = [
            Box::new(gaussian(d, e, delta)),
            Box::new(plan(d, e, delta)),
            Box::new(instance_optimal(d, e, delta)),
        ];
        for mechanism in mechanisms {
            check_unbiased(&*mechanism, &slanted(d), 10_000, 23);
            check_error(&*mechanism, &slanted(d), mechanism.mean_squared_error(), 10_000, 24);
        }
        let wanted = f64::from(d) * 4.0 * gaussian(d, e, delta).deviation().powi(2);
        assert!((gaussian(d, e, delta).mean_squared_error() / wanted - 1.0).abs() < 1e-12);
    }
}

/// The delta of drawn reports between the two worst vectors: the mean of 1 - e^(epsilon - loss) where that is positive.
#[test]
fn gaussian_reports_spend_their_delta_and_no_more() {
    const DRAWS: u32 = 40_000;
    let mechanisms: [Box<dyn VectorMechanism>; 3] = [
        Box::new(gaussian(3, 1.0, 0.052)),
        Box::new(plan(3, 1.0, 0.052)),
        Box::new(instance_optimal(3, 1.0, 0.052)),
    ];
    for mechanism in mechanisms {
        let [first, second] = mechanism.worst_vectors();
        let mut rng = Generator::from_insecure_seed(25);
        let mut codes = vec![0; 3];
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..DRAWS {
            mechanism.draw(&first, &mut codes, &mut rng);
            let loss = mechanism.log_ratio([&first, &second], &codes).unwrap();
            let excess = (1.0 - (1.0 - loss).exp()).max(0.0);
            sum += excess;
            squares += excess * excess;
        }
        let n = f64::from(DRAWS);
        let deviation = ((squares / n - (sum / n).powi(2)) / n).sqrt();
        let off = |delta: f64| (sum / n - delta) / deviation;
        // Five standard errors on each side have probability 6e-7 together.
        assert!(off(0.052).abs() < 5.0, "{}: {}", mechanism.id(), sum / n);
        assert!(off(0.046) > 5.0 && off(0.058) < -5.0, "{}: the test sees nothing", mechanism.id());
    }
}

#[test]
fn bad_vectors_are_refused_by_gaussian_mechanisms() {
    check_inputs(&gaussian(5, 1.0, 1e-5));
    check_inputs(&plan(5, 1.0, 1e-5));
    check_inputs(&instance_optimal(5, 1.0, 1e-5));
}

/// What the page of the Gaussian mechanism says about PrivUnit.
#[test]
fn a_pure_guarantee_costs_less_than_a_small_delta() {
    for d in [16, 64, 1000] {
        for e in [0.1, 1.0, 5.0, 10.0] {
            let sphere = PrivUnit::new(dimension(d), 2.0, epsilon(e)).unwrap();
            let noise = gaussian(d, e, 1e-3);
            assert!(sphere.mean_squared_error() < noise.mean_squared_error(), "{d} {e}");
        }
    }
}
