//! PrivUnit and PrivUnitG.

use crate::battery::{
    ALPHA, adversarial, check_error, check_inputs, check_ratio, check_unbiased, dimension, epsilon, reports,
    slanted,
};
use privet_core::Generator;
use privet_estimators::statistics::{
    BinomialCount, binomial_lower_tail, binomial_upper_tail, chi_square_upper_tail,
};
use privet_vector::mechanism::{PrivUnit, PrivUnitG, VectorMechanism};

fn all(d: u32, e: f64, radius: f64) -> [Box<dyn VectorMechanism>; 3] {
    [
        Box::new(PrivUnit::new(dimension(d), radius, epsilon(e)).unwrap()),
        Box::new(PrivUnitG::new(dimension(d), radius, epsilon(e)).unwrap()),
        Box::new(PrivUnitG::normalized(dimension(d), radius, epsilon(e)).unwrap()),
    ]
}

const CASES: [(u32, f64); 5] = [(2, 1.0), (3, 5.0), (16, 0.1), (64, 5.0), (16, 20.0)];

#[test]
fn reports_are_unbiased_on_the_sphere() {
    for (d, e) in CASES {
        for mechanism in all(d, e, 3.0) {
            check_unbiased(&*mechanism, &slanted(d), 20_000, 11);
        }
    }
}

#[test]
fn the_squared_error_is_the_stated_one() {
    for (d, e) in CASES {
        for mechanism in all(d, e, 3.0) {
            check_error(&*mechanism, &slanted(d), mechanism.mean_squared_error(), 20_000, 12);
            let total: f64 = mechanism.coordinate_variances().iter().sum();
            assert!((total / mechanism.mean_squared_error() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn density_ratios_keep_epsilon_and_reach_it() {
    for (d, e) in [(2, 1.0), (16, 5.0), (64, 1.0), (64, 10.0), (300, 0.1)] {
        let [sphere, gaussian, normalized] = all(d, e, 1.0);
        check_ratio(&*sphere, &adversarial(d), 200, 1.0 - 1e-8);
        check_ratio(&*gaussian, &adversarial(d), 200, 1.0 - 1e-8);
        // Losing the length loses a little of what could be told.
        check_ratio(&*normalized, &adversarial(d), 200, 0.4);
    }
}

/// Exactly e^epsilon: the two densities are a ratio of public numbers.
#[test]
fn the_ratio_is_e_to_the_epsilon() {
    for d in [2, 64, 10_000] {
        for e in [0.1, 1.0, 5.0, 20.0] {
            let mechanism = PrivUnit::new(dimension(d), 1.0, epsilon(e)).unwrap();
            let [first, second] = mechanism.worst_vectors();
            // The report at the first vector's own pole.
            let mut codes = vec![0; d as usize];
            codes[0] = 1;
            let step = mechanism.read(&codes).unwrap()[0];
            codes[0] = (mechanism.report_bound() / step) as i32;
            let ratio = mechanism.log_ratio([&first, &second], &codes).unwrap();
            assert!(ratio <= e && ratio > e - 1e-11, "{d} {e}: {ratio}");
        }
    }
}

#[test]
fn bad_vectors_are_refused_and_extreme_ones_are_not() {
    for mechanism in all(5, 2.0, 1e-3) {
        check_inputs(&*mechanism);
    }
}

/// How often reports lie in the cap around their vector, by the exact binomial law.
#[test]
fn reports_lie_in_the_cap_as_often_as_they_must() {
    let mechanism = PrivUnit::new(dimension(16), 1.0, epsilon(2.0)).unwrap();
    let probability = mechanism.pieces()[1].mass;
    let vector = slanted(16);
    let length: f64 = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut rng = Generator::from_insecure_seed(13);
    let inside = reports(&mechanism, &vector, 20_000, &mut rng)
        .iter()
        .filter(|report| {
            let along: f64 = report.iter().zip(&vector).map(|(y, x)| y * x / length).sum();
            along >= mechanism.threshold() * mechanism.report_bound()
        })
        .count() as u64;
    let p_value = |probability: f64| {
        let count = BinomialCount::new(inside, 20_000).unwrap();
        2.0 * binomial_upper_tail(count, probability).min(binomial_lower_tail(count, probability))
    };
    assert!(p_value(probability) > ALPHA, "{inside}");
    assert!(p_value(probability + 0.03) < ALPHA);
}

/// Reports of zero are like those of a vector whose direction nobody knows: uniform, and of the same lengths as any other's. Were
/// the zero vector given a fixed direction, the first statistic would find it.
#[test]
fn a_zero_vector_leaves_no_mark() {
    const DRAWS: u32 = 20_000;
    for mechanism in all(6, 4.0, 1.0) {
        let mut rng = Generator::from_insecure_seed(14);
        let zero = reports(&*mechanism, &[0.0; 6], DRAWS, &mut rng);
        let other = reports(&*mechanism, &slanted(6), DRAWS, &mut rng);
        let octants = |reports: &[Vec<f64>]| {
            let mut counts = [0.0; 64];
            for report in reports {
                counts[report.iter().fold(0, |bits, y| 2 * bits + usize::from(*y > 0.0))] += 1.0;
            }
            let expected = f64::from(DRAWS) / 64.0;
            let statistic = counts.iter().map(|count: &f64| (count - expected).powi(2) / expected).sum();
            chi_square_upper_tail(statistic, 63)
        };
        assert!(octants(&zero) > ALPHA, "{}", mechanism.id());
        assert!(octants(&other) < ALPHA, "{}", mechanism.id());
        let p = same_lengths(&zero, &other);
        assert!(p > ALPHA, "{}: {p:e}", mechanism.id());
        let longer: Vec<Vec<f64>> =
            other.iter().map(|report| report.iter().map(|y| 1.05 * y).collect()).collect();
        assert!(same_lengths(&zero, &longer) < ALPHA, "{}", mechanism.id());
    }
}

/// The p-value of both samples having the same law of lengths: twenty cells of the joint sample.
fn same_lengths(one: &[Vec<f64>], two: &[Vec<f64>]) -> f64 {
    // Lengths that differ by rounding only are the same length.
    let length = |report: &Vec<f64>| (report.iter().map(|y| y * y).sum::<f64>().sqrt() * 1e6).round();
    let mut joint: Vec<f64> = one.iter().chain(two).map(length).collect();
    joint.sort_by(f64::total_cmp);
    joint.dedup();
    let edges: Vec<f64> = (1..20).map(|cell| joint[joint.len() * cell / 20]).collect();
    let counts = |reports: &[Vec<f64>]| {
        let mut counts = [0.0; 20];
        reports
            .iter()
            .for_each(|report| counts[edges.partition_point(|edge| *edge <= length(report))] += 1.0);
        counts
    };
    let (first, second) = (counts(one), counts(two));
    let cells = first.iter().zip(&second).filter(|(x, y)| *x + *y > 0.0);
    let statistic: f64 = cells.clone().map(|(x, y): (&f64, &f64)| (x - y).powi(2) / (x + y)).sum();
    chi_square_upper_tail(statistic, (cells.count() as u64 - 1).max(1))
}
