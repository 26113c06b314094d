//! What reports say about where they come from.

use super::kernels::Kernels;
use crate::method::{CrossingLikelihood, LocationMethod, References};
use crate::rounding::{Grid, Rounding};
use crate::space::Space;
use crate::{Path, Place, TrajectoryError};
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

/// One path: its public id, and which kernel each of its reports has.
#[derive(Debug)]
pub(super) struct Readings {
    pub id: String,
    pub kernels: Vec<u32>,
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
    /// When there is no report, one lies outside the space, no place can have sent it, the method does not say how likely its
    /// reports are, or there are more reports than it can handle.
    pub fn gather(
        method: &dyn LocationMethod,
        references: References,
        reports: &[Path],
        shape: [u32; 2],
    ) -> Result<Self, TrajectoryError> {
        let space = method.space();
        let grid = Grid::new(space.clone(), shape)?;
        if space.to_plane(&space.centre()).is_none() {
            return Err(TrajectoryError::WrongSpace {
                method: "the estimate of a density",
                expected: "a space with a plane metric",
                got: space.to_string(),
            });
        }
        let cells = Cells::new(method, &grid);
        let distinct = Distinct::find(method, references, reports)?;
        let mut kernels = Kernels::new(shape[1] as usize);
        for (position, pair) in (1u64..).zip(&distinct.pairs) {
            let likelihoods = cells.likelihoods(pair).ok_or_else(|| TrajectoryError::WrongSpace {
                method: "the estimate of a density",
                expected: "a method and a space in which the probability of each report is known",
                got: format!("{} in {}", method.id(), method.space()),
            })?;
            if !kernels.push(&likelihoods) {
                return Err(TrajectoryError::incompatible(format!(
                    "no cell of the grid can have sent report number {position} of those that differ"
                )));
            }
        }
        let is_inside = cells.centres.iter().map(Option::is_some).collect();
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

/// How likely reports are from the cells of a grid.
struct Cells<'a> {
    method: &'a dyn LocationMethod,
    /// The middles of the cells that belong to the space.
    centres: Vec<Option<Place>>,
    /// Evenly spaced lines through the cells, the same number through each, in inner coordinates.
    lines: [Vec<f64>; 2],
}

/// How many lines go through a cell in each coordinate. Windows end somewhere inside of cells.
const LINES: usize = 4;

impl<'a> Cells<'a> {
    fn new(method: &'a dyn LocationMethod, grid: &Grid) -> Self {
        let widths = grid.cell_widths();
        let low = grid.inner_centre(0);
        let line = |axis: usize, index: usize| {
            let parts = (index as f64 + 0.5) / LINES as f64;
            low[axis] + (parts - 0.5) * widths[axis]
        };
        let lines = std::array::from_fn(|axis| {
            (0..grid.shape()[axis] as usize * LINES).map(|index| line(axis, index)).collect()
        });
        Self { method, centres: inside_centres(grid), lines }
    }

    fn likelihoods(&self, [reference, report]: &[Place; 2]) -> Option<Vec<f64>> {
        let lines = [&self.lines[0][..], &self.lines[1][..]];
        if let Some(crossings) = self.method.crossing_likelihood(lines, report) {
            return Some(self.averages(&crossings));
        }
        let likelihood = |centre: &Option<Place>| match centre {
            None => Some(0.0),
            Some(centre) => self.method.likelihood(centre, reference, report),
        };
        self.centres.iter().map(likelihood).collect()
    }

    /// The average over the crossings in each cell. The average of a product over all pairs is the product of the averages.
    fn averages(&self, crossings: &CrossingLikelihood) -> Vec<f64> {
        let average = |factors: &Vec<f64>| -> Vec<f64> {
            factors.chunks_exact(LINES).map(|lines| lines.iter().sum::<f64>() / LINES as f64).collect()
        };
        let [first, second] = [average(&crossings.factors[0]), average(&crossings.factors[1])];
        let products = first.iter().flat_map(|one| second.iter().map(move |two| crossings.base + one * two));
        let inside = self.centres.iter().map(Option::is_some);
        products.zip(inside).map(|(product, is_inside)| if is_inside { product } else { 0.0 }).collect()
    }
}

fn inside_centres(grid: &Grid) -> Vec<Option<Place>> {
    let [first, second] = grid.cell_widths();
    let tolerance = 1e-6 * (first + second);
    let centre = |index: usize| {
        let inner = grid.inner_centre(index);
        let place = grid.space().publish(inner);
        let back = grid.space().to_inner(place);
        ((back[0] - inner[0]).abs() + (back[1] - inner[1]).abs() <= tolerance).then_some(place)
    };
    (0..grid.count()).map(centre).collect()
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
            return Err(TrajectoryError::incompatible("an estimate needs at least 1 report: got 0"));
        }
        for path in reports {
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
            paths.push(Readings { id: path.id.clone(), kernels });
        }
        Self { pairs, paths }
    }
}
