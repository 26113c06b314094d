//! The best channel beside known ones and the bound below which there is none.

use super::Objective;
use super::wanted::{is_unbiased, objective_of, prior_of};
use crate::command::error::picture::{self, dot};
use crate::failure::Failure;
use crate::plot::{self, Chart, Range, Series};
use privet::analysis::{Analysis, AnyNumeric, Loss};
use privet::limit::{Problem, Solution};
use privet::registry::{self, AnyEstimator};
use privet_plot::{error_line, range_of};

/// Known mechanisms to compare with.
fn rivals(problem: &Problem) -> &'static [&'static str] {
    match (problem, distance(problem)) {
        (Problem::Circle(_), _) => &["square-wave-circle", "purkayastha"],
        _ if is_unbiased(problem) => &["piecewise", "hybrid", "duchi", "laplace"],
        (_, Loss::Absolute) => &[
            "optimal-piecewise",
            "piecewise-compressed",
            "square-wave-compressed",
            "piecewise-truncated",
            "laplace",
        ],
        (_, Loss::Squared) => &[
            "optimal-piecewise-squared",
            "piecewise-compressed",
            "square-wave-compressed",
            "piecewise-truncated",
            "laplace",
        ],
    }
}

/// How distances are counted. Errors of numbers are distances, and only they are drawn.
fn distance(problem: &Problem) -> Loss {
    problem.loss().unwrap_or(Loss::Absolute)
}

fn nothing() -> Failure {
    Failure::Usage { message: "there is nothing to draw".to_owned(), hint: None }
}

const BEST: &str = "best";
const BOUND: &str = "lower bound";

/// Over the domain for one epsilon, or over several.
pub(super) fn draw(solutions: &[Solution]) -> Result<Chart, Failure> {
    match solutions {
        [only] => over_domain(only),
        several => over_epsilon(several),
    }
}

fn rival(id: &str, problem: &Problem) -> Result<Box<dyn AnyEstimator>, Failure> {
    Ok(registry::find_estimator(id)?.build(&problem.domain(), problem.epsilon())?)
}

/// What a channel has of that which the problem makes small.
fn loss_of(channel: &dyn AnyNumeric, problem: &Problem) -> f64 {
    let analysis = Analysis::new(channel);
    match prior_of(problem) {
        Some(prior) => analysis.average(distance(problem), prior),
        None => analysis.worst(distance(problem)).error,
    }
}

/// What the lines show, in words.
fn measure(problem: &Problem) -> String {
    match is_unbiased(problem) {
        true => "variance of one report".to_owned(),
        false => format!("expected {} error of one report", distance(problem).as_str()),
    }
}

/// A line for each mechanism, under a title of which this is the rest.
fn chart(problem: &Problem, rest: &str, series: Vec<Series>) -> Chart {
    let what = measure(problem);
    let title = match what.split_at_checked(1) {
        Some((first, others)) => format!("{}{others}{rest}", first.to_uppercase()),
        None => rest.to_owned(),
    };
    Chart { y_name: what, may_be_logarithmic: true, ..picture::chart(title, distance(problem), series) }
}

fn over_domain(solution: &Solution) -> Result<Chart, Failure> {
    let problem = &solution.problem;
    let channel = solution.channel.numeric()?.ok_or_else(nothing)?;
    let (loss, space) = (distance(problem), channel.space());
    let ends = [space.low(), space.low() + space.width()];
    let bound = ends.map(|end| [end, solution.lower_bound]).to_vec();
    let bound_name = match objective_of(problem) {
        Objective::Minimax => "lower bound (worst)",
        Objective::Average => "lower bound (average)",
    };
    // The bound is dashed and lies above the whole line of the best, so that both are seen where they meet.
    let mut series = vec![named(BEST, error_line(&*channel, loss)?), named(bound_name, bound)];
    for id in rivals(problem) {
        let estimator = rival(id, problem)?;
        if let Some(channel) = estimator.numeric() {
            series.push(named(id, error_line(channel, loss)?));
        }
    }
    let (domain, epsilon) = (plot::domain_name(&problem.domain()), problem.epsilon());
    let rest = format!(" on {domain}, epsilon {epsilon}");
    Ok(Chart { x_name: "value".to_owned(), x_range: range_of(space), ..chart(problem, &rest, series) })
}

fn over_epsilon(solutions: &[Solution]) -> Result<Chart, Failure> {
    let first = solutions.first().ok_or_else(nothing)?;
    let at = |solution: &Solution, value: f64| [solution.problem.epsilon().get(), value];
    let of = |value: fn(&Solution) -> f64| solutions.iter().map(|one| at(one, value(one))).collect();
    let mut series = vec![
        named(BEST, of(|solution| solution.achieved)),
        named(BOUND, of(|solution| solution.lower_bound)),
    ];
    for id in rivals(&first.problem) {
        let mut line = Vec::new();
        for solution in solutions {
            let estimator = rival(id, &solution.problem)?;
            let error = estimator.numeric().map(|channel| loss_of(channel, &solution.problem));
            line.extend(error.map(|error| at(solution, error)));
        }
        series.push(named(id, line));
    }
    for one in &mut series {
        one.line.sort_by(|one, other| one[0].total_cmp(&other[0]));
        // The dots of the bound would hide those of the best.
        if one.label != BOUND {
            dot(one);
        }
    }
    let epsilons = || solutions.iter().map(|solution| solution.problem.epsilon().get());
    let ends = [epsilons().fold(f64::INFINITY, f64::min), epsilons().fold(0.0, f64::max)];
    let (problem, domain) = (&first.problem, plot::domain_name(&first.problem.domain()));
    let place = match objective_of(problem) {
        Objective::Minimax => "at the worst value",
        Objective::Average => "on average",
    };
    let rest = format!(" {place}, on {domain}");
    Ok(Chart { x_name: "epsilon".to_owned(), x_range: Range::Line(ends), ..chart(problem, &rest, series) })
}

fn named(label: &str, line: Vec<[f64; 2]>) -> Series {
    Series { label: label.to_owned(), line, ..Series::default() }
}
