//! The delta of the Gaussian mechanisms, from every pair of rows of a coarse lattice.

use super::{unit, with_delta};
use privet_core::Mechanism;
use privet_mechanisms::interval::*;
use privet_mechanisms::lattice::{CalibratedRule, Calibration, LatticeChannel, LatticeMechanism};

/// The sums of this test are in floating point.
const ROUNDING: f64 = 1.0 - 1e-12;

/// For each pair of nodes: the exposed mass in the standard sense and the probability of an exposed report.
fn worst_pair<K: CalibratedRule>(mechanism: &LatticeMechanism<K>, epsilon: f64) -> [f64; 2] {
    let weights = |node: u32| -> Vec<f64> {
        let cells = 0..mechanism.output_cells();
        cells.map(|cell| mechanism.weight(node, cell) as f64 / 2f64.powi(64)).collect()
    };
    let rows: Vec<Vec<f64>> = (0..mechanism.nodes()).map(weights).collect();
    let mut worst = [0.0f64; 2];
    for (first, second) in rows.iter().flat_map(|first| rows.iter().map(move |second| (first, second))) {
        let exposed = || first.iter().zip(second).filter(|(here, there)| **here > epsilon.exp() * **there);
        worst[0] = worst[0].max(exposed().map(|(here, there)| here - epsilon.exp() * there).sum());
        worst[1] = worst[1].max(exposed().map(|(here, _)| here).sum());
    }
    worst
}

fn build<K: CalibratedRule<Domain = privet_core::Interval>>(
    calibration: &Calibration,
) -> LatticeMechanism<K> {
    LatticeMechanism::calibrate(unit(), calibration).unwrap()
}

#[test]
fn the_stated_delta_is_that_of_the_worst_pair_of_rows() {
    for (epsilon, delta) in [(0.5, 0.01), (1.0, 0.052), (2.0, 1e-5), (4.0, 0.2)] {
        let calibration = Calibration { input_cells: Some(8), ..with_delta(epsilon, delta) };
        let standard = build::<GaussianNoise>(&calibration);
        let stated = standard.guarantee().delta();
        let exact = worst_pair(&standard, epsilon)[0] * ROUNDING;
        assert!(exact <= stated && stated <= delta, "{exact} {stated} {delta}");
        // The bound is over the noise before it saturates: hardly more than the pairs have.
        assert!(stated - exact < 1e-10 + 1e-9 * delta, "{exact} {stated}");
        let probabilistic = build::<ProbabilisticGaussianNoise>(&calibration);
        let stated = probabilistic.guarantee().delta();
        let exact = worst_pair(&probabilistic, epsilon)[1] * ROUNDING;
        assert!(exact <= stated && stated <= delta, "{exact} {stated} {delta}");
        assert!(stated - exact < 1e-10 + 1e-9 * delta, "{exact} {stated}");
        assert!(stated > 0.5 * delta, "{stated} {delta}");
    }
}

#[test]
fn the_calibrated_deviations_are_the_known_ones() {
    let deviation = |second_moment: f64| second_moment.sqrt();
    let variance = |noise: &[u64], parts: f64| {
        let middle = noise.len() / 2;
        let square =
            |(place, weight): (usize, &u64)| (place.abs_diff(middle) as f64 / parts).powi(2) * *weight as f64;
        noise.iter().enumerate().map(square).sum::<f64>() / 2f64.powi(64)
    };
    let calibration = with_delta(1.0, 0.052);
    let analytic = build::<GaussianNoise>(&calibration);
    let exact = build::<ProbabilisticGaussianNoise>(&calibration);
    let parts = f64::from(analytic.input_cells());
    let found = deviation(variance(analytic.rows().noise(), parts));
    assert!((found - 1.318957).abs() < 1e-4, "{found}");
    let found = deviation(variance(exact.rows().noise(), f64::from(exact.input_cells())));
    assert!((found - 1.890275).abs() < 2e-3, "{found}");
    let printed = theorem_18_deviation(super::epsilon(1.0), privet_core::Delta::new(0.052).unwrap());
    assert!((printed - 2.875602).abs() < 1e-6, "{printed}");
}

#[test]
fn guarantees_say_their_kind_and_need_a_delta() {
    let calibration = with_delta(1.0, 1e-6);
    assert_eq!(build::<GaussianNoise>(&calibration).guarantee().kind(), "approximate");
    assert_eq!(build::<ProbabilisticGaussianNoise>(&calibration).guarantee().kind(), "probabilistic");
    assert!(Gaussian::new(unit(), super::epsilon(1.0)).is_err());
    assert!(Gaussian::calibrate(unit(), &with_delta(1.0, 0.0)).is_err());
}
