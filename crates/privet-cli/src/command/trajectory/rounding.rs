//! Public places that reports are moved to.

use super::paths::{Admission, PathArguments};
use super::refused;
use crate::failure::Failure;
use clap::Args;
use privet::trajectory::rounding::{Grid, PointsOfInterest, Rounding};
use privet::trajectory::space::Space;
use std::path::Path as FilePath;

/// What stands before the number of cells.
const GRID: &str = "grid:";

/// Where reports may lie.
#[derive(Debug, Args)]
pub(super) struct RoundingArguments {
    /// Move each report to the nearest of these public places: a table of points of interest with the same columns of
    /// coordinates, or grid:COUNT for the middles of COUNT x COUNT cells. It costs no privacy
    #[arg(long, value_name = "FILE|grid:COUNT")]
    round_to: Option<String>,
}

/// Places of one kind.
#[derive(Debug)]
pub(super) enum Places {
    Cells(Grid),
    Points(PointsOfInterest),
}

impl Places {
    pub(super) fn rounding(&self) -> &dyn Rounding {
        match self {
            Self::Cells(grid) => grid,
            Self::Points(points) => points,
        }
    }
}

impl RoundingArguments {
    pub(super) fn build(&self, space: &Space, table: &PathArguments) -> Result<Option<Places>, Failure> {
        let Some(name) = &self.round_to else { return Ok(None) };
        if let Some(count) = name.strip_prefix(GRID) {
            let cells: u32 = count.parse().map_err(|_| Failure::Usage {
                message: format!("a grid has a whole number of cells on each side: got {count:?}"),
                hint: Some("write --round-to grid:32"),
            })?;
            return Ok(Some(Places::Cells(Grid::new(space.clone(), [cells; 2]).map_err(refused)?)));
        }
        let admission = Admission { space: Some(space), clamp: table.clamp };
        let places = table.read_places(FilePath::new(name), admission)?;
        Ok(Some(Places::Points(PointsOfInterest::new(space.clone(), places).map_err(refused)?)))
    }
}
