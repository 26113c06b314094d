//! Known optima.

use crate::{interval, on_unit};
use privet_core::{Epsilon, Interval};
use privet_limit::generalised::{Generalised, Line};
use privet_mechanisms::analysis::{Analysis, Loss};
use privet_mechanisms::interval::{OptimalPiecewise, OptimalPiecewiseSquared};

#[test]
fn the_papers_example_at_one_fifth() {
    for pieces in [3, 4, 5, 8] {
        let optimum = on_unit(pieces, 1.0, 1.0).point_optimum(0.2).unwrap();
        // Printed as 1.54, cut off like the 1.64 for e^(1/2). The digits are from an independent root finder.
        assert!((optimum.density.peak() - 1.545_890_357_485_738).abs() < 1e-7, "{optimum:?}");
        assert!((optimum.error - 0.241_366_701_160_127_8).abs() < 1e-14, "{optimum:?}");
        assert!((optimum.density.expected_loss(0.2, 1.0) - optimum.error).abs() < 1e-14);
    }
    // The heights for the worst input lose a little at this one.
    let worst_case = on_unit(3, 1.0, 1.0).minimax().at(0.2).unwrap();
    assert_eq!(format!("{:.3}", worst_case.expected_loss(0.2, 1.0)), "0.243");
}

#[test]
fn the_worst_case_optimum_is_the_optimal_piecewise_mechanism() {
    for epsilon in [0.5f64, 1.0, 2.0, 4.0, 8.0] {
        for (low, high) in [(0.0, 1.0), (-5.0, 20.0)] {
            let (ends, budget) = (interval(low, high), Epsilon::new(epsilon).unwrap());
            let absolute = Generalised::new(3, 1.0, ends, ends, budget).unwrap().minimax();
            let channel = OptimalPiecewise::new(ends, budget).unwrap();
            agree(absolute.error, Analysis::new(&channel).worst(Loss::Absolute).error, 1e-4);
            agree(absolute.error / (high - low), 1.0 / (1.0 + (epsilon / 2.0).exp()), 1e-13);
            agree(absolute.heights[1] * (high - low), (epsilon / 2.0).exp(), 1e-12);
            let squared = Generalised::new(3, 2.0, ends, ends, budget).unwrap().minimax();
            let channel = OptimalPiecewiseSquared::new(ends, budget).unwrap();
            agree(squared.error, Analysis::new(&channel).worst(Loss::Squared).error, 1e-4);
            let (peak, growth) = (squared.heights[1] * (high - low), epsilon.exp());
            let cubic = peak.powi(3) * (growth - 2.0) + 3.0 * growth * peak - 2.0 * growth * growth;
            assert!(cubic.abs() < 1e-10 * growth * growth, "{epsilon}: {peak} {cubic}");
        }
    }
}

fn agree(one: f64, other: f64, relative: f64) {
    assert!((one / other - 1.0).abs() < relative, "{one} {other}");
}

#[test]
fn the_printed_worst_squared_errors() {
    for (epsilon, peak, error) in [(1.0, 1.5093, 0.21730), (2.0, 2.2300, 0.13111), (4.0, 4.6252, 0.04064)] {
        let minimax = on_unit(3, 2.0, epsilon).minimax();
        assert!(
            (minimax.heights[1] - peak).abs() < 5e-5 && (minimax.error - error).abs() < 5e-6,
            "{minimax:?}"
        );
    }
}

#[test]
fn no_input_is_worse_than_the_worst_end() {
    let cases: [(Interval, Interval); 4] = [
        (interval(0.0, 1.0), interval(0.0, 1.0)),
        (interval(0.0, 1.0), interval(-0.5, 1.5)),
        (interval(0.0, 1.0), interval(-2.0, 1.0)),
        (interval(-1.0, 1.0), interval(-0.5, 0.9)),
    ];
    for (input, output) in cases {
        for (power, epsilon) in [(1.0, 0.5), (1.0, 4.0), (2.0, 1.0), (2.0, 6.0), (1.4, 2.0)] {
            for pieces in [1, 2, 3, 5] {
                let budget = Epsilon::new(epsilon).unwrap();
                let minimax = Generalised::new(pieces, power, input, output, budget).unwrap().minimax();
                let errors = (0..=400).map(|index| {
                    let x = input.low() + input.width() * f64::from(index) / 400.0;
                    minimax.at(x).unwrap().expected_loss(x, power)
                });
                let worst = errors.fold(0.0, f64::max);
                assert!((worst / minimax.error - 1.0).abs() < 1e-9, "{worst} {}", minimax.error);
            }
        }
    }
}

#[test]
fn wide_outputs_do_not_help_the_worst_input() {
    let error = |low: f64, high: f64| {
        let budget = Epsilon::new(2.0).unwrap();
        Generalised::new(3, 1.0, interval(0.0, 1.0), interval(low, high), budget).unwrap().minimax().error
    };
    assert!(error(-0.5, 1.5) > error(0.0, 1.0));
}

#[test]
fn regression_finds_the_closed_form_of_the_absolute_loss() {
    let epsilons: Vec<Epsilon> =
        (1..=50).map(|index| Epsilon::new(0.2 * f64::from(index)).unwrap()).collect();
    let form = on_unit(3, 1.0, 1.0).recover(&epsilons).unwrap();
    assert!((form.density.slope - 0.5).abs() < 1e-9 && form.density.intercept.abs() < 1e-9, "{form:?}");
    assert!(form.density.r_squared > 1.0 - 1e-12 && form.density.largest_residual < 1e-9);
    assert!((form.length.slope - 0.5).abs() < 1e-9 && form.length.intercept.abs() < 1e-9, "{form:?}");
    // The window begins C = 1 / (2 (e^(1/2) + 1)) before x.
    let half = 0.5 / (1.0 + 0.5f64.exp());
    assert!((form.start.slope - 1.0).abs() < 1e-9 && (form.start.intercept + half).abs() < 1e-9, "{form:?}");
}

#[test]
fn regression_on_the_searched_optima_finds_one_half_too() {
    let point = |index: u32| {
        let epsilon = 0.5 * f64::from(index);
        (epsilon, on_unit(3, 1.0, epsilon).point_optimum(0.0).unwrap().density.peak().ln())
    };
    let line = Line::through(&(1..=20).map(point).collect::<Vec<_>>()).unwrap();
    assert!((line.slope - 0.5).abs() < 1e-6 && line.intercept.abs() < 1e-6, "{line:?}");
}

#[test]
fn regression_shows_that_squared_loss_has_no_such_form() {
    let epsilons: Vec<Epsilon> =
        (1..=50).map(|index| Epsilon::new(0.2 * f64::from(index)).unwrap()).collect();
    let form = on_unit(3, 2.0, 1.0).recover(&epsilons).unwrap();
    assert!((form.density.slope - 0.5).abs() > 0.1, "{form:?}");
    assert!(form.density.largest_residual > 0.01, "{form:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    let unit = interval(0.0, 1.0);
    let epsilon = |value| Epsilon::new(value).unwrap();
    for (pieces, power, budget) in
        [(0, 1.0, 1.0), (33, 1.0, 1.0), (3, 0.5, 1.0), (3, f64::NAN, 1.0), (3, 1.0, 40.0), (3, 1.0, 1e-9)]
    {
        assert!(Generalised::new(pieces, power, unit, unit, epsilon(budget)).is_err());
    }
    let huge = interval(-1e200, 1e200);
    assert!(Generalised::new(3, 2.0, huge, huge, epsilon(1.0)).is_err());
    let problem = on_unit(3, 1.0, 1.0);
    assert!(problem.point_optimum(1.5).is_err() && problem.point_optimum(f64::NAN).is_err());
    for heights in [&[][..], &[0.5, 2.0], &[1.0, f64::NAN], &[1.1, 1.5], &[-1.0, 1.0], &[1.0; 4], &[0.0, 2.0]]
    {
        assert!(problem.place(heights, 0.5).is_err(), "{heights:?}");
    }
    assert!(problem.minimax().at(-0.1).is_err());
    assert!(problem.recover(&[epsilon(1.0)]).is_err());
    assert!(on_unit(2, 1.0, 1.0).recover(&[epsilon(1.0), epsilon(2.0)]).is_err());
    let message = problem.point_optimum(0.123_456_7 + 1.0).unwrap_err().to_string();
    assert!(!message.contains("1.12345"), "{message}");
}
