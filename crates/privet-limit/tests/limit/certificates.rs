//! What a certificate proves does not depend on who wrote it.

use crate::{epsilon, minimax, solve, unbiased};
use privet_limit::certificate::{Cell, LineCertificate, Point, SCALE, Setting};
use privet_limit::{Certificate, Objective, Solution};
use privet_mechanisms::analysis::Loss;
use proptest::prelude::*;

fn two_points(value: f64, price: f64) -> LineCertificate {
    let half = (SCALE / 2.0) as i64;
    let point = |place: i64| Point { place, weight: half, price: (price / 2.0 * SCALE) as i64, slope: 0 };
    LineCertificate {
        epsilon: epsilon(value),
        loss: Loss::Absolute,
        setting: Setting::Interval,
        magnitude: 0,
        points: vec![point(0), point(SCALE as i64)],
        cells: Vec::new(),
    }
}

#[test]
fn two_inputs_prove_what_randomised_response_reaches() {
    // Between the two ends nothing is better than randomised response, whose error is 1 / (1 + E).
    for value in [0.5, 1.0, 3.0] {
        let best = 1.0 / (1.0 + f64::exp(value));
        let proved = two_points(value, best).bound().unwrap();
        assert!(proved <= best && proved > best * 0.999, "{value}: {proved} {best}");
        // A higher price claims more and proves less.
        assert!(two_points(value, best * 1.2).bound().unwrap() < best);
        assert!(two_points(value, best * 0.8).bound().unwrap() < best * 0.801);
    }
}

#[test]
fn raising_any_price_of_a_good_certificate_proves_no_more_than_is_achieved() {
    let solution = solve(&minimax(Loss::Squared, 1.0));
    let Certificate::Line(good) = &solution.certificate else { unreachable!() };
    for index in 0..good.points.len() {
        let mut raised = good.clone();
        raised.points[index].price += (0.01 * SCALE) as i64;
        assert!(raised.bound().unwrap() <= solution.achieved);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// No numbers whatsoever prove more than a mechanism achieves: at epsilon 1 the worst absolute error .3168 can be had.
    #[test]
    fn nothing_proves_too_much(
        weights in prop::collection::vec(0.0f64..1.0, 5),
        prices in prop::collection::vec(-0.1f64..0.4, 5),
    ) {
        let total: f64 = weights.iter().sum::<f64>().max(1e-9);
        let points = (0i64..).zip(weights.iter().zip(&prices)).map(|(index, (weight, price))| Point {
            place: index * SCALE as i64 / 4,
            weight: (weight / total * SCALE * 0.999) as i64,
            price: (price / 3.0 * SCALE) as i64,
            slope: 0,
        });
        let certificate = LineCertificate {
            epsilon: epsilon(1.0),
            loss: Loss::Absolute,
            setting: Setting::Interval,
            magnitude: 0,
            points: points.collect(),
            cells: Vec::new(),
        };
        prop_assert!(certificate.bound().unwrap() <= 0.3168);
    }

    /// The same for averages: under a uniform prior .2135 can be had.
    #[test]
    fn no_cells_prove_too_much(prices in prop::collection::vec(0.0f64..0.4, 8)) {
        let cells = prices.iter().map(|price| Cell {
            weight: (SCALE / 8.0) as i64,
            price: (price / 8.0 * SCALE) as i64,
            slope: 0,
        });
        let certificate = LineCertificate {
            epsilon: epsilon(1.0),
            loss: Loss::Absolute,
            setting: Setting::Interval,
            magnitude: 0,
            points: Vec::new(),
            cells: cells.collect(),
        };
        prop_assert!(certificate.bound().unwrap() <= 0.2136);
    }
}

#[test]
fn a_magnitude_only_moves_the_point() {
    let small = two_points(1.0, 0.2);
    let mut large = small.clone();
    large.magnitude = 3;
    large.points.iter_mut().for_each(|point| point.price >>= 3);
    let [small, large] = [small, large].map(|certificate| certificate.bound().unwrap());
    assert!((small - large).abs() < 1e-12, "{small} {large}");
}

#[test]
fn large_prices_are_written_and_read() {
    // At this epsilon the best variance is about 25 squares of the domain, and prices of the bias are larger still.
    let solution = solve(&unbiased(Objective::Minimax, 0.2));
    let Certificate::Line(line) = &solution.certificate else { unreachable!() };
    assert!(line.magnitude > 0 && solution.lower_bound > 24.9, "{} {}", line.magnitude, solution.lower_bound);
    let read = Solution::from_json(&solution.to_json()).unwrap();
    assert_eq!(read.certificate, solution.certificate);
    read.verify().unwrap();
}

#[test]
fn unsound_certificates_are_refused() {
    let sound = two_points(1.0, 0.2);
    let mut heavy = sound.clone();
    heavy.points[0].weight *= 2;
    let mut negative = sound.clone();
    negative.points[0].weight = -1;
    let mut outside = sound.clone();
    outside.points[0].place = -1;
    let mut sloped = sound.clone();
    sloped.points[0].slope = 1;
    let mut turned = sound.clone();
    turned.setting = Setting::Circle;
    let mut huge = sound.clone();
    huge.points[0].price = i64::MAX;
    let mut endless = sound.clone();
    endless.magnitude = 49;
    for (index, certificate) in [heavy, negative, outside, sloped, turned, huge, endless].iter().enumerate() {
        assert!(certificate.bound().is_err(), "{index}");
    }
    assert!(sound.bound().is_ok());
}
