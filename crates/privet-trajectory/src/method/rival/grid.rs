//! Cells of a grid as categories, and a uniform place in the reported cell.

use crate::method::laws::parts_of;
use crate::method::{LocationMethod, References, ReportLaws, Scope};
use crate::space::Space;
use crate::{Place, TrajectoryError};
use privet_core::sampling::{AliasTable, PeakedRow, WeightRow, WorstRatio};
use privet_core::{CryptoRng, Epsilon, Guarantee, ParameterError, Rectangle};
use privet_mechanisms::plane::PlaneLaws;

/// Equal cells of a rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Grid {
    rectangle: Rectangle,
    shape: [u32; 2],
}

impl Grid {
    fn new(space: &Space, shape: [u32; 2], most: u64, method: &'static str) -> Result<Self, TrajectoryError> {
        let rectangle = space.need_rectangle(method)?;
        let cells = u64::from(shape[0]) * u64::from(shape[1]);
        if (2..=most).contains(&cells) {
            return Ok(Self { rectangle, shape });
        }
        Err(TrajectoryError::incompatible(format!("{method} takes between 2 and {most} cells: got {cells}")))
    }

    fn cells(&self) -> u32 {
        self.shape[0] * self.shape[1]
    }

    fn cell_of(&self, inner: [f64; 2]) -> u32 {
        let part = |axis: usize| {
            let side = self.rectangle.sides()[axis];
            let share = (inner[axis] - side.low()) / side.width();
            ((share * f64::from(self.shape[axis])) as u32).min(self.shape[axis] - 1)
        };
        part(0) * self.shape[1] + part(1)
    }

    /// A cell, in shares of the sides of the rectangle.
    fn place_of(&self, cell: u32) -> [[f64; 2]; 2] {
        let place = [cell / self.shape[1], cell % self.shape[1]];
        std::array::from_fn(|axis| {
            [place[axis], place[axis] + 1].map(|edge| f64::from(edge) / f64::from(self.shape[axis]))
        })
    }

    /// A point of a cell, at these shares of its sides.
    fn point(&self, cell: u32, shares: [f64; 2]) -> [f64; 2] {
        let place = [cell / self.shape[1], cell % self.shape[1]];
        let share = |axis: usize| (f64::from(place[axis]) + shares[axis]) / f64::from(self.shape[axis]);
        self.rectangle.point_at([share(0), share(1)])
    }

    /// One of 2^32 x 2^32 points of a cell, all equally likely.
    fn uniform_point(&self, cell: u32, rng: &mut dyn CryptoRng) -> [f64; 2] {
        let word = rng.next_u64();
        let share = |half: u32| (f64::from(half) + 0.5) / 2f64.powi(32);
        self.point(cell, [share((word >> 32) as u32), share(word as u32)])
    }
}

/// Neighbouring cells of a grid that are counted together where there are many.
#[derive(Debug, Clone, Copy)]
struct Parts {
    cells: [u32; 2],
    shape: [u32; 2],
}

impl Parts {
    fn new(grid: &Grid, shape: [u32; 2]) -> Self {
        let parts = std::array::from_fn(|axis| grid.shape[axis].min(parts_of(shape[axis])));
        Self { cells: grid.shape, shape: parts }
    }

    fn count(&self) -> u32 {
        self.shape[0] * self.shape[1]
    }

    fn of_cell(&self, cell: u32) -> u32 {
        let place = [cell / self.cells[1], cell % self.cells[1]];
        let part = |axis: usize| {
            (u64::from(place[axis]) * u64::from(self.shape[axis]) / u64::from(self.cells[axis])) as u32
        };
        part(0) * self.shape[1] + part(1)
    }

    /// From which cell of a side to which a part goes.
    fn ends(&self, part: u32) -> [[u32; 2]; 2] {
        let place = [part / self.shape[1], part % self.shape[1]];
        std::array::from_fn(|axis| {
            let start = |part: u32| {
                (u64::from(part) * u64::from(self.cells[axis])).div_ceil(u64::from(self.shape[axis])) as u32
            };
            [start(place[axis]), start(place[axis] + 1)]
        })
    }

    fn size(&self, part: u32) -> f64 {
        self.ends(part).iter().map(|[from, to]| f64::from(to - from)).product()
    }

    /// In shares of the sides.
    fn place(&self, part: u32) -> [[f64; 2]; 2] {
        let ends = self.ends(part);
        std::array::from_fn(|axis| ends[axis].map(|end| f64::from(end) / f64::from(self.cells[axis])))
    }
}

/// Randomised response on the cells of a grid, uniform inside the reported cell.
///
/// # What it protects
/// One place of the space.
/// # Formula
/// k cells; the own one with probability e^epsilon / (k - 1 + e^epsilon), each other one with 1 / (k - 1 + e^epsilon).
/// # Space
/// Rectangles, parallelograms, geographic boxes, regions of them.
/// # Guarantee
/// Pure epsilon for the whole space, tight: what happens inside a cell does not depend on the place.
/// # Cost
/// Two random words per place.
/// # Numerics
/// Integer-exact.
/// # When not to use it
/// Where the distance matters: a neighbouring cell is as unlikely as one at the other end.
/// # Reference
/// Y. Zheng's dissertation, appendix D.2.3, with [`PeakedRow`] as k-RR.
#[derive(Debug)]
pub struct GridRandomizedResponse2d {
    space: Space,
    grid: Grid,
    row: PeakedRow,
    guarantee: Guarantee,
}

impl GridRandomizedResponse2d {
    /// What programs call it.
    pub const ID: &'static str = "grid-rr";

    /// On a grid of `shape[0]` x `shape[1]` cells.
    ///
    /// # Errors
    /// When the space is no rectangle inside, there are too few or too many cells, or epsilon is too small.
    pub fn new(space: Space, shape: [u32; 2], epsilon: Epsilon) -> Result<Self, TrajectoryError> {
        let grid = Grid::new(&space, shape, 1 << 24, Self::ID)?;
        let row = PeakedRow::calibrate(grid.cells(), epsilon)?;
        let guarantee = Guarantee::Pure { epsilon: Epsilon::new(row.ratio().log_rounded_up())? };
        Ok(Self { space, grid, row, guarantee })
    }
}

impl LocationMethod for GridRandomizedResponse2d {
    fn id(&self) -> &'static str {
        Self::ID
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn guarantee(&self) -> Option<Guarantee> {
        Some(self.guarantee)
    }

    fn scope(&self) -> Scope {
        Scope::WholeSpace
    }

    fn perturb(&self, place: &Place, _: &Place, rng: &mut dyn CryptoRng) -> Result<Place, TrajectoryError> {
        self.space.check(place)?;
        let cell = self.row.draw(self.grid.cell_of(self.space.to_inner(*place)), rng);
        Ok(self.space.publish(self.grid.uniform_point(cell, rng)))
    }

    fn likelihood(&self, place: &Place, _: &Place, report: &Place) -> Option<f64> {
        if self.space.has_region() || !self.space.contains(place) {
            return None;
        }
        let [own, seen] = [place, report].map(|place| self.grid.cell_of(self.space.to_inner(*place)));
        Some(self.row.weight(own, seen) as f64 / 2f64.powi(128))
    }

    fn report_laws(&self, _: References, shape: [u32; 2]) -> Result<ReportLaws<'_>, TrajectoryError> {
        let parts = Parts::new(&self.grid, shape);
        let total = f64::from(self.grid.cells());
        let [own, other] = [0, 1].map(|cell| self.row.weight(0, cell) as f64);
        let all = own + (total - 1.0) * other;
        // Cells of one part have the same law of parts.
        let law = |part: u32| {
            let mass = |seen: u32| parts.size(seen) * other + if seen == part { own - other } else { 0.0 };
            (0..parts.count()).map(|seen| mass(seen) / all).collect()
        };
        let boxes = (0..parts.count()).map(|part| parts.place(part)).collect();
        let laws = PlaneLaws::of_boxes(boxes, (0..parts.count()).map(law).collect());
        let group_of = move |report: &Place| parts.of_cell(self.grid.cell_of(self.space.to_inner(*report)));
        Ok(ReportLaws { group_of: Box::new(group_of), laws })
    }
}

/// The exponential mechanism on the cells of a grid, uniform inside the reported cell.
///
/// # What it protects
/// One place of the space.
/// # Formula
/// P(cell) in proportion to e^(-rate d), where d is the distance between the middles of both cells. The rate is the largest for
/// which the exact worst ratio keeps epsilon, instead of epsilon / (2 D), which spends about half of it.
/// # Space
/// Rectangles, parallelograms, geographic boxes, regions of them.
/// # Guarantee
/// Pure epsilon for the whole space: the ratio is taken over all pairs of rows.
/// # Cost
/// Two random words and a look-up per place; 24 bytes of memory for each pair of cells.
/// # Numerics
/// Integer-exact: each row is a table of integers that add up to 2^64.
/// # When not to use it
/// Where [`crate::method::Window2d`] can be used: it needs no cells to be chosen and has less error at every epsilon.
/// # Reference
/// Y. Zheng's dissertation, appendix D.2.3.
#[derive(Debug)]
pub struct GridExponential2d {
    space: Space,
    grid: Grid,
    rows: Vec<WeightRow>,
    tables: Vec<AliasTable>,
    guarantee: Guarantee,
}

impl GridExponential2d {
    /// What programs call it.
    pub const ID: &'static str = "grid-exponential";
    /// The largest number of cells.
    pub const MAX_CELLS: u64 = 1 << 10;

    /// On a grid of `shape[0]` x `shape[1]` cells.
    ///
    /// # Errors
    /// When the space is no rectangle inside, there are too few or too many cells, or epsilon is too small.
    pub fn new(space: Space, shape: [u32; 2], epsilon: Epsilon) -> Result<Self, TrajectoryError> {
        let grid = Grid::new(&space, shape, Self::MAX_CELLS, Self::ID)?;
        let distances = distances(&grid);
        let rate = fitting_rate(&distances, epsilon.get().min(30.0));
        // Rounding to integers costs the last bits of epsilon, so the rate steps back, by eight times more each time.
        let mut step = 1e-9;
        while step < 1.0 {
            let rows = rows(&distances, rate * (1.0 - step))?;
            let worst = WorstRatio::of(&rows).ratio;
            if worst.is_at_most_exp(epsilon) {
                let guarantee = Guarantee::Pure { epsilon: Epsilon::new(worst.log_rounded_up())? };
                let tables = rows.iter().map(AliasTable::new).collect();
                return Ok(Self { space, grid, rows, tables, guarantee });
            }
            step *= 8.0;
        }
        Err(ParameterError::EpsilonTooSmall { got: epsilon.get() }.into())
    }
}

/// From each cell to each other one, with the diagonal as the unit.
fn distances(grid: &Grid) -> Vec<Vec<f64>> {
    let middles: Vec<[f64; 2]> = (0..grid.cells()).map(|cell| grid.point(cell, [0.5, 0.5])).collect();
    let [first, second] = grid.rectangle.widths();
    let unit = first.hypot(second);
    let row = |from: &[f64; 2]| {
        middles.iter().map(|to| ((from[0] - to[0]) / unit).hypot((from[1] - to[1]) / unit)).collect()
    };
    middles.iter().map(row).collect()
}

fn rows(distances: &[Vec<f64>], rate: f64) -> Result<Vec<WeightRow>, ParameterError> {
    let row = |from: &Vec<f64>| {
        let relative: Vec<f64> = from.iter().map(|distance| (-rate * distance).exp()).collect();
        WeightRow::from_relative(&relative)
    };
    distances.iter().map(row).collect()
}

/// The rate at which the worst log-ratio is epsilon. It grows with the rate.
fn fitting_rate(distances: &[Vec<f64>], epsilon: f64) -> f64 {
    let log_ratio = |rate: f64| {
        let sums: Vec<f64> =
            distances.iter().map(|from| from.iter().map(|distance| (-rate * distance).exp()).sum()).collect();
        let of_outcome = |to: usize| {
            let log = |from: usize| -rate * distances[from][to] - f64::ln(sums[from]);
            let logs = (0..sums.len()).map(log);
            logs.clone().fold(f64::NEG_INFINITY, f64::max) - logs.fold(f64::INFINITY, f64::min)
        };
        (0..sums.len()).map(of_outcome).fold(0.0, f64::max)
    };
    let (mut rate, mut step) = (epsilon, 0);
    while step < 12 {
        let ratio = log_ratio(rate);
        if (ratio / epsilon - 1.0).abs() < 1e-10 {
            break;
        }
        rate *= epsilon / ratio;
        step += 1;
    }
    rate
}

impl LocationMethod for GridExponential2d {
    fn id(&self) -> &'static str {
        Self::ID
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn guarantee(&self) -> Option<Guarantee> {
        Some(self.guarantee)
    }

    fn scope(&self) -> Scope {
        Scope::WholeSpace
    }

    fn perturb(&self, place: &Place, _: &Place, rng: &mut dyn CryptoRng) -> Result<Place, TrajectoryError> {
        self.space.check(place)?;
        let own = self.grid.cell_of(self.space.to_inner(*place));
        let cell = self.tables[own as usize].draw(rng);
        Ok(self.space.publish(self.grid.uniform_point(cell, rng)))
    }

    fn likelihood(&self, place: &Place, _: &Place, report: &Place) -> Option<f64> {
        if self.space.has_region() || !self.space.contains(place) {
            return None;
        }
        let [own, seen] = [place, report].map(|place| self.grid.cell_of(self.space.to_inner(*place)));
        Some(self.rows[own as usize].weights()[seen as usize] as f64 / 2f64.powi(128))
    }

    fn report_laws(&self, _: References, shape: [u32; 2]) -> Result<ReportLaws<'_>, TrajectoryError> {
        let parts = Parts::new(&self.grid, shape);
        let law = |row: &WeightRow| {
            let weights = row.weights();
            let total = weights.iter().map(|weight| *weight as f64).sum::<f64>();
            let mut law = vec![0.0; parts.count() as usize];
            for (cell, weight) in (0..).zip(weights) {
                law[parts.of_cell(cell) as usize] += *weight as f64 / total;
            }
            law
        };
        let boxes = (0..self.grid.cells()).map(|cell| self.grid.place_of(cell)).collect();
        let laws = PlaneLaws::of_boxes(boxes, self.rows.iter().map(law).collect());
        let group_of = move |report: &Place| parts.of_cell(self.grid.cell_of(self.space.to_inner(*report)));
        Ok(ReportLaws { group_of: Box::new(group_of), laws })
    }
}
