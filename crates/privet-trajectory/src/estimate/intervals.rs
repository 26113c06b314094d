//! How sure a density is.

use super::density::{blocks, divides, sums};
use super::evidence::Evidence;
use crate::method::{LocationMethod, References, ReportLaws};
use crate::{Path, Place, TrajectoryError};
use privet_estimators::{Frequency, PathQuestion, PathShares};

/// Estimates the shares of places in the cells of a grid, each with an interval that holds for every population.
///
/// The share of a cell is the mean over paths of the part of a path's places that lie in it: each person counts alike, and
/// paths without reports for nobody. Intervals are those of weights of reports that bracket a cell for every place, and one
/// path is one observation: see [`PathShares`]. A cell holds its lower lines and not its upper ones, but at the border.
pub struct ShareIntervals<'a> {
    group_of: Box<dyn Fn(&Place) -> u32 + Send + Sync + 'a>,
    shares: PathShares,
    shape: [u32; 2],
}

impl std::fmt::Debug for ShareIntervals<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ShareIntervals({} x {} cells)", self.shape[0], self.shape[1])
    }
}

impl<'a> ShareIntervals<'a> {
    /// The most cells along a side. Finer ones cannot be told apart at any usual epsilon.
    pub const MOST_CELLS_OF_A_SIDE: u32 = 16;

    /// For reports of a method with these references, on a grid with these numbers of cells along its sides.
    ///
    /// # Errors
    /// When a side has no cells or too many, or reports of the method cannot have intervals.
    pub fn new(
        method: &'a dyn LocationMethod,
        references: References,
        shape: [u32; 2],
    ) -> Result<Self, TrajectoryError> {
        let most = Self::MOST_CELLS_OF_A_SIDE;
        if !shape.iter().all(|side| (1..=most).contains(side)) {
            return Err(TrajectoryError::incompatible(format!(
                "shares with intervals are on 1 to {most} cells along each side: got {} x {}",
                shape[0], shape[1]
            )));
        }
        let ReportLaws { group_of, laws } = method.report_laws(references, shape)?;
        Ok(Self { group_of, shares: PathShares::new(laws, shape), shape })
    }

    /// How many cells there are along each side.
    pub fn shape(&self) -> [u32; 2] {
        self.shape
    }

    /// What can be refused before anything is computed.
    ///
    /// # Errors
    /// When the lines of the cells are not lines of the evidence's grid, or there are too few paths.
    pub fn check(
        &self,
        grid: [u32; 2],
        reports: &[Path],
        question: PathQuestion,
    ) -> Result<(), TrajectoryError> {
        if !divides(self.shape, grid) {
            return Err(self.other_lines(grid));
        }
        let got = reports.iter().filter(|path| !path.places.is_empty()).count() as u64;
        match question.is_by_path() && got < 2 {
            true => Err(TrajectoryError::TooFewPaths { needed: 2, got }),
            false => Ok(()),
        }
    }

    fn other_lines(&self, [first, second]: [u32; 2]) -> TrajectoryError {
        TrajectoryError::incompatible(format!(
            "the sides of a coarser grid must divide {first} and {second}: got {} x {}",
            self.shape[0], self.shape[1]
        ))
    }

    /// The shares of the cells, the second coordinate fastest. The evidence is that of the same reports, and gives the value of
    /// each share.
    ///
    /// # Errors
    /// As for [`ShareIntervals::check`], and when the reports are others.
    pub fn estimate(
        &self,
        evidence: &Evidence,
        reports: &[Path],
        question: PathQuestion,
    ) -> Result<Vec<Frequency>, TrajectoryError> {
        let grid = evidence.grid();
        self.check(grid.shape(), reports, question)?;
        let blocks = blocks(grid, self.shape).ok_or_else(|| self.other_lines(grid.shape()))?;
        let lengths = evidence.paths().iter().map(|path| path.kernels.len());
        if !reports.iter().map(|path| path.places.len()).eq(lengths) {
            return Err(TrajectoryError::incompatible("the reports are not those of the evidence"));
        }
        let groups = |path: &Path| path.places.iter().map(|report| (self.group_of)(report)).collect();
        let groups: Vec<Vec<u32>> = reports.iter().map(groups).collect();
        let values = sums(&evidence.shares_of_people(), &blocks, self.shape);
        let [first, second] = self.shape.map(|side| side as usize);
        // There the first coordinate runs fastest, here the second.
        let turned: Vec<f64> =
            (0..first * second).map(|cell| values[cell % first * second + cell / first]).collect();
        let found = self.shares.estimate(&groups, &turned, question)?;
        let at = |cell: usize| {
            let row = &found[cell % second * first + cell / second];
            Frequency { label: cell.to_string(), ..row.clone() }
        };
        Ok((0..first * second).map(at).collect())
    }
}

impl Evidence {
    /// The density in which each path counts alike.
    fn shares_of_people(&self) -> Vec<f64> {
        let reports = self.reports() as f64;
        let paths = self.paths().iter().filter(|path| !path.kernels.is_empty()).count() as f64;
        // As many in all as there are reports, which is what the early stop goes by.
        self.maximise(&self.counts(|path| reports / (paths * self.paths()[path].kernels.len().max(1) as f64)))
    }
}
