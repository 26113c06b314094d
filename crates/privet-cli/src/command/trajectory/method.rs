//! Methods by their names.

use super::refused;
use crate::failure::Failure;
use clap::Args;
use privet::Epsilon;
use privet::trajectory::TrajectoryError;
use privet::trajectory::method::rival::{
    Atp, Candidates, GridExponential2d, GridRandomizedResponse2d, LSrr, NGram, PlanarLaplace,
};
use privet::trajectory::method::{LocationMethod, Scope, TracsC, TracsD, TracsSphere, Window2d};
use privet::trajectory::space::Space;

pub(super) type Built = Result<Box<dyn LocationMethod>, TrajectoryError>;

/// How a method is made in a space, for an epsilon; those on a grid cut each side into this many cells.
pub(super) type Build = fn(Space, Epsilon, u32) -> Built;

/// Every sector of the strawman is a sixth of a turn.
const SECTORS: u32 = 6;

const METHODS: [(&str, Build); 11] = [
    (Window2d::ID, |space, epsilon, _| Ok(Box::new(Window2d::new(space, epsilon)?))),
    (TracsC::ID, |space, epsilon, _| Ok(Box::new(TracsC::new(space, epsilon)?))),
    (TracsD::ID, |space, epsilon, _| Ok(Box::new(TracsD::new(space, epsilon)?))),
    (TracsSphere::ID, |space, epsilon, _| Ok(Box::new(TracsSphere::new(space, epsilon)?))),
    ("strawman", |space, epsilon, _| Ok(Box::new(TracsD::strawman(space, epsilon, SECTORS)?))),
    (PlanarLaplace::ID, |space, epsilon, _| Ok(Box::new(PlanarLaplace::new(space, epsilon)?))),
    (GridRandomizedResponse2d::ID, |space, epsilon, cells| {
        Ok(Box::new(GridRandomizedResponse2d::new(space, [cells; 2], epsilon)?))
    }),
    (GridExponential2d::ID, |space, epsilon, cells| {
        Ok(Box::new(GridExponential2d::new(space, [cells; 2], epsilon)?))
    }),
    (LSrr::ID, |space, epsilon, cells| {
        Ok(Box::new(LSrr::new(Candidates::grid(space, cells, cells)?, epsilon)?))
    }),
    (Atp::ID, |space, epsilon, cells| {
        Ok(Box::new(Atp::new(Candidates::grid(space, cells, cells)?, epsilon)?))
    }),
    (NGram::ID, |space, epsilon, cells| {
        Ok(Box::new(NGram::new(Candidates::grid(space, cells, cells)?, epsilon)?))
    }),
];

/// What one would say knowing only the population. It is a row of every table and perturbs nothing.
pub(super) const CONSTANT: &str = "constant";

/// How the method of this name is made.
pub(super) fn find(name: &str) -> Result<Build, Failure> {
    let found = METHODS.iter().find(|(known, _)| *known == name);
    found.map(|(_, build)| *build).ok_or_else(|| Failure::Usage {
        message: format!("there is no method for locations called {name:?}"),
        hint: Some(
            "there are window-2d, tracs-c, tracs-d, tracs-sphere, strawman, planar-laplace, grid-rr, \
             grid-exponential, l-srr, atp and n-gram",
        ),
    })
}

/// The method of this name.
pub(super) fn build(
    name: &str,
    space: &Space,
    epsilon: Epsilon,
    cells: u32,
) -> Result<Box<dyn LocationMethod>, Failure> {
    find(name)?(space.clone(), epsilon, cells).map_err(refused)
}

/// Where the guarantee holds, in words.
pub(super) fn scope(method: &dyn LocationMethod) -> String {
    match method.scope() {
        Scope::WholeSpace => "whole space".to_owned(),
        Scope::Not { why } => format!("not: {why}"),
    }
}

/// One method in one space.
#[derive(Debug, Args)]
pub(super) struct MethodArguments {
    /// The method: window-2d, tracs-c, tracs-d, tracs-sphere, strawman, planar-laplace, grid-rr, grid-exponential, l-srr,
    /// atp or n-gram
    #[arg(long, value_name = "NAME")]
    pub(super) method: String,
    #[arg(long, value_name = "SPACE", help = super::space::SPACES)]
    pub(super) space: String,
    /// How much the report of one location may reveal: the largest log-ratio of report probabilities
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(super) epsilon: String,
    #[command(flatten)]
    pub(super) cells: CellArguments,
}

/// How fine the grid of a method is that has one.
#[derive(Debug, Args)]
pub(super) struct CellArguments {
    /// How many cells each side has, for methods on a grid
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) cells: u32,
}
