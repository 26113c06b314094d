//! What reports say about where they come from.

use super::kernels::Kernels;
use super::samples::Samples;
use crate::method::{LocationMethod, References};
use crate::rounding::{Grid, Rounding};
use crate::space::Space;
use crate::{Path, Place, TrajectoryError};
use privet_core::EstimateError;
use std::collections::HashMap;

/// The reports of many paths, and how likely each is from each cell of a grid.
#[derive(Debug)]
pub struct Evidence {
    grid: Grid,
    /// Which cells belong to the space.
    is_inside: Vec<bool>,
    pub(super) kernels: Kernels,
    paths: Vec<Readings>,
}

/// One path: its public id and times, and which kernel each of its reports has.
#[derive(Debug)]
pub(super) struct Readings {
    id: String,
    pub times: Option<Vec<f64>>,
    pub kernels: Vec<u32>,
}

impl Readings {
    /// The path with these readings of its reports.
    pub(super) fn read_as(&self, places: Vec<Place>) -> Path {
        Path { id: self.id.clone(), places, times: self.times.clone() }
    }
}

impl Evidence {
    /// The most different reports that are kept apart. If there are more, and they do not depend on references, reports in the
    /// same cell of a grid of 128 x 128 are read as the first of them.
    pub const MAX_REPORTS: usize = 1 << 14;
    /// The most reports that depend on references; each is different from all others.
    pub const MAX_REFERENCED_REPORTS: usize = 1 << 18;
    const MERGED: [u32; 2] = [128, 128];

    /// Reads the reports of a method on a grid of `shape` cells. `references` must be those that the reports were made with.
    ///
    /// # Errors
    /// When there is no report, one lies outside the space or has a time before the one before it, no place can have sent it,
    /// the method does not say how likely its reports are, or there are more reports than it can handle.
    pub fn gather(
        method: &dyn LocationMethod,
        references: References,
        reports: &[Path],
        shape: [u32; 2],
    ) -> Result<Self, TrajectoryError> {
        Self::gather_within(method.space(), method, references, reports, shape)
    }

    /// As [`Evidence::gather`], knowing that people are in a region of the method's space only. The method must be that of the
    /// whole space, [`Space::without_region`]: reports that were moved into the region stand for all draws beyond its border,
    /// and how likely those are together is not known.
    ///
    /// # Errors
    /// As for [`Evidence::gather`], and when the region is one of another space.
    pub fn gather_within(
        space: &Space,
        method: &dyn LocationMethod,
        references: References,
        reports: &[Path],
        shape: [u32; 2],
    ) -> Result<Self, TrajectoryError> {
        if space.without_region() != method.space().without_region() {
            return Err(TrajectoryError::incompatible(format!(
                "the reports were made in {} and not in {space}",
                method.space()
            )));
        }
        let grid = Grid::new(space.clone(), shape)?;
        if space.to_plane(&space.centre()).is_none() {
            return Err(TrajectoryError::WrongSpace {
                method: "the estimate of a density",
                expected: "a space with a plane metric",
                got: space.to_string(),
            });
        }
        let samples = Samples::new(method, &grid);
        let distinct = Distinct::find(method, references, reports)?;
        let kernels = samples.kernels(&distinct.pairs)?;
        let is_inside = samples.is_inside();
        Ok(Self { grid, is_inside, kernels, paths: distinct.paths })
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The space.
    pub fn space(&self) -> &Space {
        self.grid.space()
    }

    /// How many reports there are.
    pub fn reports(&self) -> usize {
        self.paths.iter().map(|path| path.kernels.len()).sum()
    }

    /// Which cells belong to the space.
    pub(super) fn is_inside(&self) -> &[bool] {
        &self.is_inside
    }

    pub(super) fn paths(&self) -> &[Readings] {
        &self.paths
    }
}

/// Reports that differ, with the references that they were made with.
struct Distinct {
    pairs: Vec<[Place; 2]>,
    paths: Vec<Readings>,
}

impl Distinct {
    fn find(
        method: &dyn LocationMethod,
        references: References,
        reports: &[Path],
    ) -> Result<Self, TrajectoryError> {
        let total: usize = reports.iter().map(|path| path.places.len()).sum();
        if total == 0 {
            return Err(EstimateError::TooFewReports { needed: 1, got: 0 }.into());
        }
        for path in reports {
            path.check_times()?;
            for (position, report) in (1..).zip(&path.places) {
                method.space().check(report).map_err(|error| error.at(position))?;
            }
        }
        let exact = |pair: &[Place; 2]| pair.map(|place| place.map(f64::to_bits));
        if method.reads_reference() {
            if total > Evidence::MAX_REFERENCED_REPORTS {
                return Err(TrajectoryError::incompatible(format!(
                    "reports that depend on references are estimated up to {} of them: got {total}",
                    Evidence::MAX_REFERENCED_REPORTS
                )));
            }
            return Ok(Self::by_key(references, reports, exact));
        }
        let fixed = References::Fixed(method.space().centre());
        let distinct = Self::by_key(fixed, reports, exact);
        if distinct.pairs.len() <= Evidence::MAX_REPORTS {
            return Ok(distinct);
        }
        let merged = Grid::new(method.space().clone(), Evidence::MERGED)?;
        Ok(Self::by_key(fixed, reports, |[_, report]| merged.index_of(report)))
    }

    fn by_key<K: std::hash::Hash + Eq>(
        references: References,
        reports: &[Path],
        key: impl Fn(&[Place; 2]) -> K,
    ) -> Self {
        let (mut known, mut pairs) = (HashMap::new(), Vec::new());
        let mut paths = Vec::with_capacity(reports.len());
        for path in reports {
            let (mut reference, follows) = match references {
                References::PreviousReport { start } => (start, true),
                References::Fixed(place) => (place, false),
            };
            let mut kernels = Vec::with_capacity(path.places.len());
            for report in &path.places {
                let pair = [reference, *report];
                let next = pairs.len() as u32;
                let kernel = *known.entry(key(&pair)).or_insert(next);
                if kernel == next {
                    pairs.push(pair);
                }
                kernels.push(kernel);
                if follows {
                    reference = *report;
                }
            }
            paths.push(Readings { id: path.id.clone(), times: path.times.clone(), kernels });
        }
        Self { pairs, paths }
    }
}
