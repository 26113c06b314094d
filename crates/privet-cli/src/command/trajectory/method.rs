//! Methods by their names.

use super::refused;
use crate::failure::Failure;
use clap::Args;
use privet::Epsilon;
use privet::trajectory::method::registry::{self, Build};
use privet::trajectory::method::{LocationMethod, Scope};
use privet::trajectory::space::Space;

/// What one would say knowing only the population. It is a row of every table and perturbs nothing.
pub(super) const CONSTANT: &str = "constant";

/// How the method of this name is made.
pub(super) fn find(name: &str) -> Result<Build, Failure> {
    registry::find(name).ok_or_else(|| Failure::Usage {
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
