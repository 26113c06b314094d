//! Sampled coordinates.

use crate::battery::{
    ALPHA, adversarial, check_error, check_inputs, check_ratio, check_unbiased, epsilon, slanted,
};
use privet_core::Generator;
use privet_estimators::statistics::chi_square_upper_tail;
use privet_vector::mechanism::{SampledCoordinates, VectorMechanism};
use proptest::prelude::*;

const COUNT: u32 = 6;

fn radii() -> Vec<f64> {
    (1..=COUNT).map(f64::from).collect()
}

fn all(e: f64) -> [SampledCoordinates; 3] {
    [
        SampledCoordinates::piecewise(radii(), epsilon(e)).unwrap(),
        SampledCoordinates::hybrid(radii(), epsilon(e)).unwrap(),
        SampledCoordinates::minimax_unbiased(radii(), epsilon(e)).unwrap(),
    ]
}

#[test]
fn reports_are_unbiased_and_the_worst_error_is_the_stated_one() {
    for e in [1.0, 6.0] {
        for mechanism in all(e) {
            check_unbiased(&mechanism, &slanted(COUNT), 20_000, 31);
            // Among these the corner has the largest error.
            check_error(&mechanism, &radii(), mechanism.mean_squared_error(), 20_000, 32);
        }
    }
}

/// Two values instead of a window: the variance falls towards the ends, and the worst vector is the middle.
#[test]
fn at_small_epsilon_the_middle_is_the_worst_for_the_hybrid() {
    let mechanism = SampledCoordinates::hybrid(radii(), epsilon(0.5)).unwrap();
    check_error(&mechanism, &[0.0; COUNT as usize], mechanism.mean_squared_error(), 20_000, 33);
}

#[test]
fn ratios_keep_epsilon_and_reach_it() {
    for e in [1.0, 6.0] {
        for mechanism in all(e) {
            check_ratio(&mechanism, &adversarial(COUNT), 100, 0.999_999);
            assert!(mechanism.guarantee().epsilon().get() <= e);
        }
    }
    assert_eq!(all(6.0)[0].chosen(), 2);
    assert_eq!(SampledCoordinates::hybrid(vec![1.0; 3], epsilon(100.0)).unwrap().chosen(), 3);
}

/// The parts of all chosen coordinates together, without a tolerance: 7.7 / 3, 12.7 / 5 and 13.9 / 5 are rounded up by a division
/// to the nearest.
#[test]
fn the_chosen_coordinates_together_keep_epsilon_exactly() {
    for e in [7.7, 8.3, 12.7, 13.9] {
        for mechanism in all(e) {
            assert!(mechanism.guarantee().epsilon().get() <= e, "{e}: {mechanism:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_epsilon_is_kept_exactly(e in 0.01f64..40.0) {
        for mechanism in [SampledCoordinates::piecewise(radii(), epsilon(e)), SampledCoordinates::hybrid(radii(), epsilon(e))] {
            prop_assert!(mechanism.unwrap().guarantee().epsilon().get() <= e);
        }
    }
}

#[test]
fn bad_vectors_and_reports_are_refused() {
    let mechanism = SampledCoordinates::hybrid(radii(), epsilon(6.0)).unwrap();
    check_inputs(&mechanism);
    let mut report = [0.0; COUNT as usize];
    for bad in [[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 6, 0], [-1, 0, 2, 0], [0, -1, 2, 0], [0, 0, 2, i32::MAX]] {
        assert!(mechanism.decode(&bad, &mut report).is_err(), "{bad:?}");
    }
    assert!(mechanism.decode(&[0, 0, 1], &mut report).is_err());
}

#[test]
fn every_pair_of_coordinates_is_chosen_alike() {
    let mechanism = SampledCoordinates::piecewise(radii(), epsilon(6.0)).unwrap();
    let mut rng = Generator::from_insecure_seed(34);
    let mut codes = [0; 4];
    let mut counts = [[0.0; 6]; 6];
    for _ in 0..15_000 {
        mechanism.draw(&slanted(COUNT), &mut codes, &mut rng);
        counts[codes[0] as usize][codes[2] as usize] += 1.0;
    }
    let pairs = (0..6).flat_map(|one| (one + 1..6).map(move |two| (one, two)));
    let statistic: f64 = pairs.map(|(one, two)| (counts[one][two] - 1000.0f64).powi(2) / 1000.0).sum();
    assert!(chi_square_upper_tail(statistic, 14) > ALPHA, "{counts:?}");
}
