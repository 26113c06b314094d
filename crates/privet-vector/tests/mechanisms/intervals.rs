//! What mechanisms say about the noise of a coordinate, beside reports.

use privet_core::{BuildOptions, Delta, DomainSpec, Generator};
use privet_estimators::CoordinateNoise;
use privet_vector::mechanism::VectorMechanism;
use privet_vector::registry;

use crate::battery::{epsilon, reports};

const DRAWS: u32 = 40_000;

/// The central moments of one coordinate of the reports of one vector, with their standard errors.
struct Moments {
    second: [f64; 2],
    third: [f64; 2],
    fourth: [f64; 2],
    ends: [f64; 2],
}

impl Moments {
    fn of(numbers: &[f64]) -> Self {
        let n = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / n;
        let power = |power: i32| numbers.iter().map(|number| (number - mean).powi(power)).sum::<f64>() / n;
        let moment = |exponent: i32| {
            let value = power(exponent);
            [value, ((power(2 * exponent) - value * value) / n).sqrt()]
        };
        let ends = numbers.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], number| {
            [number.min(low), number.max(high)]
        });
        Self { second: moment(2), third: moment(3), fourth: moment(4), ends }
    }

    /// Whether nothing lies beyond what is said, by more than six standard errors.
    fn fit(&self, noise: &CoordinateNoise) -> bool {
        let is_below = |[value, error]: [f64; 2], most: f64| value <= most * (1.0 + 1e-6) + 6.0 * error;
        let [second, [third, error]] = [self.second, self.third];
        is_below(second, noise.variances[1])
            && second[0] >= noise.variances[0] * (1.0 - 1e-6) - 6.0 * second[1]
            && is_below([third.abs(), error], noise.skew * second[0])
            && is_below(self.fourth, noise.tail * noise.tail * second[0])
            && self.ends[0] >= noise.reports[0] * (1.0 + 1e-9)
            && self.ends[1] <= noise.reports[1] * (1.0 + 1e-9)
    }
}

/// The moments of every coordinate, for vectors among which are the extreme ones.
fn moments(mechanism: &dyn VectorMechanism) -> Vec<(usize, Moments)> {
    let vectors = [[0.0; 3], [9.0; 3], [9.0, 0.0, 0.0], [0.3, -0.8, 0.5], [0.5, 0.0, 0.0]];
    let mut rng = Generator::from_insecure_seed(61);
    let of_vector = |vector: [f64; 3]| {
        let drawn = reports(mechanism, &vector, DRAWS, &mut rng);
        [0, 1, 2].map(|coordinate| {
            let numbers: Vec<f64> = drawn.iter().map(|report| report[coordinate]).collect();
            (coordinate, Moments::of(&numbers))
        })
    };
    vectors.into_iter().flat_map(of_vector).collect()
}

#[test]
fn no_coordinate_varies_otherwise_than_is_said_and_the_extremes_occur() {
    let domain: DomainSpec = "vector:3".parse().unwrap();
    for (row, e) in registry::ROWS.iter().flat_map(|row| [0.5, 2.0, 8.0].map(|e| (row, e))) {
        let delta = (row.info.guarantee == "approximate").then(|| Delta::new(1e-5).unwrap());
        let options = BuildOptions { delta, ..BuildOptions::default() };
        let mechanism = row.build_on(&domain, epsilon(e), &options).unwrap();
        let noise = mechanism.coordinate_noise();
        let seen = moments(&*mechanism);
        let fits = |factor: f64| seen.iter().all(|(at, moments)| moments.fit(&noise[*at].scaled(factor)));
        let name = format!("{} {e}", row.info.id);
        assert!(fits(1.0), "{name}: {noise:?}");
        // Nothing is said to be larger or smaller than it is for some vector.
        assert!(!fits(0.95) && !fits(1.05), "{name}: {noise:?}");
        let most =
            seen.iter().map(|(_, moments)| (moments.third[0] / moments.second[0]).abs()).fold(0.0, f64::max);
        assert!(most > 0.7 * noise[0].skew, "{name}: {most} {noise:?}");
    }
}

/// Reports of two values, and of none: the numbers that a coordinate can be are far apart.
#[test]
fn gaps_between_reports_are_known() {
    let gap = |id: &str, e: f64, d: u32| {
        let domain: DomainSpec = format!("vector:{d}").parse().unwrap();
        let row = registry::find(id).unwrap();
        let mechanism = row.build_on(&domain, epsilon(e), &BuildOptions::default()).unwrap();
        let noise = mechanism.coordinate_noise()[0];
        noise.gap / (noise.reports[1] - noise.reports[0])
    };
    assert!((gap("sampled-hybrid", 0.5, 1) - 1.0).abs() < 1e-9);
    assert!((gap("sampled-hybrid", 0.5, 3) - 0.5).abs() < 1e-9);
    for id in ["sampled-hybrid", "sampled-piecewise"] {
        assert!(gap(id, 2.0, 3) < 1e-3);
    }
}
