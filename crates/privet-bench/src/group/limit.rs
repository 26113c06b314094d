//! The best channels: found, and their proofs checked.

use crate::BenchError;
use crate::reference::{self, DenseRound};
use crate::setting::epsilon;
use crate::task::{Group, Task};
use crate::timing::{Measured, Patience};
use privet::analysis::Loss;
use privet::limit::finite::{FiniteProblem, LossMatrix};
use privet::limit::line::{LineProblem, Unbiased};
use privet::limit::{Objective, Problem, Stop};
use privet::{Categories, Interval};
use std::hint::black_box;

type Pose = fn() -> Result<Problem, BenchError>;

pub(crate) fn tasks() -> Vec<Task> {
    let problems: [(&str, Pose); 4] = [
        ("minimax-absolute", || line(Loss::Absolute, None)),
        ("minimax-squared", || line(Loss::Squared, None)),
        ("minimax-unbiased", || line(Loss::Squared, Some(Unbiased::default()))),
        ("minimax-on-16-categories", categories),
    ];
    let solver = |(name, pose): (&str, Pose)| {
        Task::new(Group::Limit, format!("{name}-solver"), move |patience| solve(&pose()?, patience))
    };
    let proof = |(name, pose): (&str, Pose)| {
        Task::new(Group::Limit, format!("{name}-verification"), move |patience| verify(&pose()?, patience))
    };
    problems.map(solver).into_iter().chain(problems.map(proof)).collect()
}

fn line(loss: Loss, unbiased: Option<Unbiased>) -> Result<Problem, BenchError> {
    let (domain, objective) = (Interval::new(0.0, 1.0)?, Objective::Minimax);
    Ok(Problem::Line(LineProblem { domain, loss, objective, epsilon: epsilon()?, unbiased }))
}

fn categories() -> Result<Problem, BenchError> {
    let categories = Categories::new(16)?;
    let losses = LossMatrix::ordered(Loss::Absolute, &categories)?;
    Ok(Problem::Finite(FiniteProblem {
        categories,
        losses,
        objective: Objective::Minimax,
        epsilon: epsilon()?,
    }))
}

/// How many channels per second are found and proved, beside a fixed loop.
fn solve(problem: &Problem, patience: Patience) -> Result<Measured, BenchError> {
    let mut dense = DenseRound::new();
    let timed = patience.take_turns(
        || {
            black_box(black_box(problem).solve(&Stop::default(), &mut |_| {})?);
            Ok::<_, BenchError>(1)
        },
        || Ok(dense.run()),
    )?;
    Ok(timed.in_units("solutions/s", reference::NOTE))
}

/// How many proofs per second are checked without the solver, beside a fixed loop.
fn verify(problem: &Problem, patience: Patience) -> Result<Measured, BenchError> {
    let solution = problem.solve(&Stop::default(), &mut |_| {})?;
    let mut dense = DenseRound::new();
    let timed = patience.take_turns(
        || {
            black_box(&solution).verify()?;
            Ok::<_, BenchError>(1)
        },
        || Ok(dense.run()),
    )?;
    Ok(timed.in_units("proofs/s", reference::NOTE))
}
