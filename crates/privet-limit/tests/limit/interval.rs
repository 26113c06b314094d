//! The figures that the papers leave on the table.

use crate::{epsilon, minimax, solve, unbiased, unit};
use privet_core::{Circle, Interval};
use privet_limit::circle::CircleProblem;
use privet_limit::line::{LineProblem, Objective, Unbiased};
use privet_limit::{LimitError, Problem, Stop};
use privet_mechanisms::analysis::{Analysis, Loss, Prior};

/// What a solution must be, and what it must be at least as good as.
fn check(problem: &Problem, at_most: f64, gap: f64) {
    let solution = solve(problem);
    assert!(solution.achieved <= at_most, "{problem:?}: {}", solution.achieved);
    assert!(solution.gap() <= gap && solution.gap() >= 0.0, "{problem:?}: gap {}", solution.gap());
    assert!(solution.channel.mechanism().unwrap().exact_epsilon() <= problem.epsilon().get());
    solution.verify().unwrap();
}

#[test]
fn minimax_channels_are_within_one_percent() {
    for (value, absolute, squared) in [(0.5, 0.3960, 0.2351), (1.0, 0.3170, 0.1970), (2.0, 0.2015, 0.1075)] {
        check(&minimax(Loss::Absolute, value), absolute, 0.01);
        check(&minimax(Loss::Squared, value), squared, 0.01);
    }
}

/// From where two reports are all that can be told to where windows are a hundredth of the domain.
#[test]
fn channels_are_within_one_percent_from_small_to_large_epsilon() {
    for value in [0.02, 0.1, 0.3, 4.0, 6.0] {
        check(&minimax(Loss::Absolute, value), f64::INFINITY, 0.01);
        check(&minimax(Loss::Squared, value), f64::INFINITY, 0.01);
        check(&unbiased(Objective::Minimax, value), two_reports(value), 0.01);
    }
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn channels_are_within_one_percent_at_large_epsilon() {
    for (value, absolute, squared, variance) in [
        (3.0, 0.1265, 0.0536, 0.0765),
        (4.0, 0.0785, 0.0263, 0.0320),
        (6.0, 0.0296, 0.00635, 0.0068),
        (7.5, 0.01415, 0.00223, 0.00232),
        (8.0, 0.01105, 0.00158, 0.00163),
        (10.0, 0.00407, 0.000405, 0.000412),
    ] {
        check(&minimax(Loss::Absolute, value), absolute, 0.01);
        check(&minimax(Loss::Squared, value), squared, 0.01);
        check(&unbiased(Objective::Minimax, value), variance, 0.01);
    }
}

/// The worst variance of two reports that reach the ends of the domain: coth(epsilon / 2)^2 / 4, in the middle. At a small epsilon
/// hardly anything is better.
fn two_reports(value: f64) -> f64 {
    0.25 / (value / 2.0).tanh().powi(2) * (1.0 + 1e-6)
}

/// Worst absolute errors over 41 inputs only, by another solver (HiGHS) from another formulation in Python. Fewer inputs make
/// the problem easier, so no channel for all inputs can have less.
#[test]
fn no_channel_does_what_cannot_be_done() {
    for (value, limit) in [(0.5, 0.395270), (1.0, 0.316146), (2.0, 0.200764)] {
        let solution = solve(&minimax(Loss::Absolute, value));
        assert!(solution.achieved > limit - 1e-6, "{value}: {}", solution.achieved);
        assert!((solution.lower_bound / limit - 1.0).abs() < 0.002, "{value}: {}", solution.lower_bound);
    }
}

#[test]
fn unbiased_channels_beat_every_named_one() {
    check(&unbiased(Objective::Minimax, 1.0), 0.9985, 0.01);
    check(&unbiased(Objective::Minimax, 2.0), 0.2170, 0.01);
}

#[test]
fn unbiased_channels_are_unbiased_everywhere() {
    let solution = solve(&unbiased(Objective::Minimax, 1.0));
    let numeric = solution.channel.numeric().unwrap().unwrap();
    let analysis = Analysis::new(numeric.as_ref());
    for index in 0..=1000 {
        let bias = analysis.law(f64::from(index) / 1000.0).unwrap().bias();
        assert!(bias.abs() < 1e-9, "{index}: {bias}");
    }
}

#[test]
fn averages_are_certified_for_the_prior_itself() {
    // A value that is always in the lower half leaves less to learn than one that can be anywhere.
    let problem = |weights: &[f64], loss: Loss| {
        let objective = Objective::Average(Prior::new(weights).unwrap());
        Problem::Line(LineProblem { domain: unit(), loss, objective, epsilon: epsilon(1.0), unbiased: None })
    };
    for loss in Loss::ALL {
        let anywhere = solve(&problem(&[1.0], loss));
        let low = solve(&problem(&[1.0, 0.0], loss));
        assert!(anywhere.gap() < 0.01 && low.gap() < 0.01, "{} {}", anywhere.gap(), low.gap());
        assert!(low.achieved < anywhere.lower_bound);
        low.verify().unwrap();
    }
    let tight = solve(&unbiased(Objective::Average(Prior::new(&[0.0, 1.0, 1.0, 0.0]).unwrap()), 1.0));
    assert!(tight.gap() < 0.01, "{}", tight.gap());
    assert!(tight.achieved < solve(&unbiased(Objective::Minimax, 1.0)).lower_bound);
}

/// Means over 32 inputs and the two ends only, by another solver (HiGHS) from another formulation in Python: with a uniform
/// prior, and with nobody in the outer quarters. The reports of both are on a grid, so neither is exactly the best.
#[test]
fn averages_without_bias_are_those_of_another_solver() {
    for (weights, value, best) in [
        (&[1.0][..], 1.0, 0.971419),
        (&[0.0, 1.0, 1.0, 0.0], 1.0, 0.900753),
        (&[1.0], 4.0, 0.026195),
        (&[0.0, 1.0, 1.0, 0.0], 4.0, 0.016535),
    ] {
        let solution = solve(&unbiased(Objective::Average(Prior::new(weights).unwrap()), value));
        assert!(solution.gap() < 0.01, "{value} {weights:?}: gap {}", solution.gap());
        assert!((solution.achieved / best - 1.0).abs() < 0.015, "{value} {weights:?}: {}", solution.achieved);
        solution.verify().unwrap();
    }
}

#[test]
fn the_window_is_the_best_on_a_circle() {
    for loss in Loss::ALL {
        for value in [0.5, 1.0, 4.0] {
            let domain = Circle::new(std::f64::consts::TAU).unwrap();
            let problem = Problem::Circle(CircleProblem { domain, loss, epsilon: epsilon(value) });
            check(&problem, f64::INFINITY, 1e-6);
        }
    }
}

#[test]
fn losses_have_the_units_of_the_domain() {
    let Problem::Line(unit_problem) = minimax(Loss::Squared, 1.0) else { unreachable!() };
    let wide =
        Problem::Line(LineProblem { domain: Interval::new(-5.0, 15.0).unwrap(), ..unit_problem.clone() });
    let (small, large) = (solve(&Problem::Line(unit_problem)), solve(&wide));
    assert!((large.achieved / small.achieved - 400.0).abs() < 1e-6);
    assert!((large.lower_bound / small.lower_bound - 400.0).abs() < 1e-6);
    large.verify().unwrap();
}

#[test]
fn reports_in_too_narrow_a_range_cannot_be_unbiased() {
    let Problem::Line(line) = unbiased(Objective::Minimax, 1.0) else { unreachable!() };
    let within = |range: [f64; 2]| {
        let unbiased = Some(Unbiased { range: Some(range) });
        Problem::Line(LineProblem { unbiased, ..line.clone() }).solve(&Stop::default(), &mut |_| {})
    };
    assert_eq!(within([-0.2, 1.2]).unwrap_err(), LimitError::Infeasible);
    let wide = within([-0.7, 1.7]).unwrap();
    assert!(wide.lower_bound > solve(&unbiased(Objective::Minimax, 1.0)).achieved);
    assert!(wide.gap() < 0.02, "{}", wide.gap());
    let numeric = wide.channel.numeric().unwrap().unwrap();
    let ends = [0, numeric.output_cells() - 1].map(|cell| numeric.output_value(cell));
    assert!(ends[0] >= -0.7 && ends[1] <= 1.7, "{ends:?}");
    wide.verify().unwrap();
}

#[test]
fn unbiased_absolute_loss_is_refused() {
    let Problem::Line(line) = unbiased(Objective::Minimax, 1.0) else { unreachable!() };
    let problem = Problem::Line(LineProblem { loss: Loss::Absolute, ..line });
    assert!(matches!(problem.solve(&Stop::default(), &mut |_| {}), Err(LimitError::Parameter(_))));
}

#[test]
fn a_search_that_is_stopped_keeps_what_it_has() {
    let stop = Stop::default();
    let problem = minimax(Loss::Absolute, 6.0);
    let solution = problem.solve(&stop, &mut |_| stop.request()).unwrap();
    assert!(solution.gap() > 0.01, "the first stage alone is not that good: {}", solution.gap());
    assert!(solution.lower_bound > 0.0 && solution.lower_bound <= solution.achieved);
    solution.verify().unwrap();
}
