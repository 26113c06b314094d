//! The best channels: how good they are, and that nothing about them can be changed unnoticed.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod certificates;
mod files;
mod finite;
mod interval;
mod plane;

use privet_core::{Epsilon, Interval};
use privet_limit::line::{LineProblem, Objective, Unbiased};
use privet_limit::{Problem, Solution, Stop};
use privet_mechanisms::analysis::Loss;

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn unit() -> Interval {
    Interval::new(0.0, 1.0).unwrap()
}

fn minimax(loss: Loss, value: f64) -> Problem {
    let (domain, objective) = (unit(), Objective::Minimax);
    Problem::Line(LineProblem { domain, loss, objective, epsilon: epsilon(value), unbiased: None })
}

fn unbiased(objective: Objective, value: f64) -> Problem {
    let unbiased = Some(Unbiased::default());
    let (domain, loss) = (unit(), Loss::Squared);
    Problem::Line(LineProblem { domain, loss, objective, epsilon: epsilon(value), unbiased })
}

fn solve(problem: &Problem) -> Solution {
    problem.solve(&Stop::default(), &mut |_| {}).unwrap()
}
