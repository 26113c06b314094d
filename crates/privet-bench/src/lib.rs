//! How fast Privet is here, each figure beside something that was measured in the same run.
//!
//! A rate alone says more about the machine than about the program, so each task has a *peer*: how many reports per
//! second the same ChaCha generator could feed at most, given the random bytes that a report takes, if it did nothing
//! but fill memory. The ratio of both travels from one machine to another; the rates do not.
//!
//! One core, 128 categories, numbers from 0 to 1 or places in the unit square, epsilon 1. Our turns and the peer's alternate, and the best of each counts: what disturbs
//! a turn can only make it slower.

mod client;
mod counting;
mod distribution;
mod generator;
mod location;
mod server;
mod timing;

pub use timing::Patience;

use client::client;
use location::{location, rounding, square};
use privet::categorical::{
    BinaryLocalHashing, CountMeanSketch, GeneralizedRandomizedResponse, HadamardResponse,
    OptimizedLocalHashing, OptimizedUnaryEncoding, OrderedExponential, PrefixTree, Rappor, SubsetSelection,
    SymmetricUnaryEncoding,
};
use privet::circle::OptimalPiecewiseCircle;
use privet::interval::{Hybrid, Laplace, LaplaceBounded, OptimalPiecewise, Piecewise, SquareWave};
use privet::plane::SquareWindow;
use privet::trajectory::TrajectoryError;
use privet::trajectory::method::{TracsC, TracsD, Window2d};
use privet::{
    Categories, Circle, Epsilon, EstimateError, InputError, Interval, ParameterError, ReportError, Words,
};
use server::server;
use std::fmt;

const CATEGORIES: u32 = 128;
const EPSILON: f64 = 1.0;
const WORD_BYTES: u32 = 8;

/// How many reports are made or counted at once.
const BATCH: usize = 1 << 16;

/// A task that cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The mechanism does not take the parameters.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The mechanism does not take the made-up values.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The collector cannot estimate.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// The collector does not take the reports.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The method does not take the made-up places.
    #[error(transparent)]
    Trajectory(#[from] TrajectoryError),
}

/// What was measured for one task.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The task's name.
    pub task: &'static str,
    /// Our rate, in units.
    pub ours: f64,
    /// The peer's rate, in the same units.
    pub peer: f64,
    /// What is counted.
    pub unit: &'static str,
    /// What the peer is.
    pub note: String,
}

impl Row {
    /// Our rate as a share of the peer's.
    pub fn ratio(&self) -> f64 {
        self.ours / self.peer
    }
}

/// Something whose speed can be measured.
#[derive(Clone, Copy)]
pub struct Task {
    /// What it is called.
    pub name: &'static str,
    measure: fn(&'static str, Patience) -> Result<Row, BenchError>,
}

impl Task {
    const fn new(name: &'static str, measure: fn(&'static str, Patience) -> Result<Row, BenchError>) -> Self {
        Self { name, measure }
    }

    /// Measures it, and its peer.
    ///
    /// # Errors
    /// Never with the parameters that the tasks have.
    pub fn measure(&self, patience: Patience) -> Result<Row, BenchError> {
        (self.measure)(self.name, patience)
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Task({})", self.name)
    }
}

fn categories() -> Result<Categories, ParameterError> {
    Categories::new(CATEGORIES)
}

fn unit() -> Result<Interval, ParameterError> {
    Interval::new(0.0, 1.0)
}

fn epsilon() -> Result<Epsilon, ParameterError> {
    Epsilon::new(EPSILON)
}

/// Every task, in the order of the table.
pub const TASKS: &[Task] = &[
    Task::new("generator-fill", generator::fill),
    Task::new("generalized-randomized-response-client", |name, patience| {
        client(name, &GeneralizedRandomizedResponse::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("symmetric-unary-encoding-client", |name, patience| {
        client(name, &SymmetricUnaryEncoding::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("optimized-unary-encoding-client", |name, patience| {
        client(name, &OptimizedUnaryEncoding::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("binary-local-hashing-client", |name, patience| {
        client(name, &BinaryLocalHashing::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("optimized-local-hashing-client", |name, patience| {
        client(name, &OptimizedLocalHashing::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("subset-selection-client", |name, patience| {
        client(name, &SubsetSelection::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("hadamard-response-client", |name, patience| {
        client(name, &HadamardResponse::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("ordered-exponential-client", |name, patience| {
        client(name, &OrderedExponential::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("rappor-client", |name, patience| {
        client(name, &Rappor::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("count-mean-sketch-client", |name, patience| {
        client(name, &CountMeanSketch::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("prefix-tree-client", |name, patience| {
        client(name, &PrefixTree::new(Words::new(WORD_BYTES)?, epsilon()?)?, patience)
    }),
    Task::new("optimal-piecewise-client", |name, patience| {
        client(name, &OptimalPiecewise::new(unit()?, epsilon()?)?, patience)
    }),
    Task::new("piecewise-client", |name, patience| {
        client(name, &Piecewise::new(unit()?, epsilon()?)?, patience)
    }),
    Task::new("square-wave-client", |name, patience| {
        client(name, &SquareWave::new(unit()?, epsilon()?)?, patience)
    }),
    Task::new("hybrid-client", |name, patience| client(name, &Hybrid::new(unit()?, epsilon()?)?, patience)),
    Task::new("laplace-client", |name, patience| client(name, &Laplace::new(unit()?, epsilon()?)?, patience)),
    Task::new("laplace-bounded-client", |name, patience| {
        client(name, &LaplaceBounded::new(unit()?, epsilon()?)?, patience)
    }),
    Task::new("optimal-piecewise-circle-client", |name, patience| {
        client(name, &OptimalPiecewiseCircle::new(Circle::new(1.0)?, epsilon()?)?, patience)
    }),
    Task::new("window-2d-client", |name, patience| {
        client(name, &SquareWindow::new(square()?, epsilon()?)?, patience)
    }),
    Task::new("window-2d-location", |name, patience| location(name, Window2d::new, patience)),
    Task::new("tracs-c-location", |name, patience| location(name, TracsC::new, patience)),
    Task::new("tracs-d-location", |name, patience| location(name, TracsD::new, patience)),
    Task::new("rounding-to-7798-points", rounding),
    Task::new("generalized-randomized-response-server", |name, patience| {
        server(name, &GeneralizedRandomizedResponse::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("optimized-unary-encoding-server", |name, patience| {
        server(name, &OptimizedUnaryEncoding::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("optimized-local-hashing-server", |name, patience| {
        server(name, &OptimizedLocalHashing::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("hadamard-response-server", |name, patience| {
        server(name, &HadamardResponse::new(categories()?, epsilon()?)?, patience)
    }),
    Task::new("distribution-of-1024-bins", distribution::distribution),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_gives_a_row() {
        for task in TASKS {
            let row = task.measure(Patience::seconds(0.0)).unwrap();
            assert_eq!(row.task, task.name);
            assert!(row.ours > 0.0 && row.peer > 0.0 && row.ratio().is_finite(), "{row:?}");
        }
    }
}
