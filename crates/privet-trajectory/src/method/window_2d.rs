//! One window in two dimensions, with the whole epsilon.

use super::laws::{Lines, Nodes, equal_parts, of_product, part_at, parts_of};
use super::{LocationMethod, References, ReportLaws, Scope};
use crate::space::Space;
use crate::{Place, TrajectoryError};
use privet_core::{CryptoRng, Domain, Epsilon, Guarantee, Mechanism};
use privet_mechanisms::plane::{CrossingMasses, SquareWindow};

/// [`SquareWindow`] in a space.
///
/// # Space
/// Rectangles, parallelograms, geographic boxes, regions of them. In a parallelogram the window is square in the rectangle that
/// it is mapped to, and readings are best for distances there.
/// # Guarantee
/// Pure epsilon for the whole space.
/// # Numerics
/// Integer-exact, as the channel. Places are mapped to the rectangle in floating point before anything is drawn, which costs
/// accuracy and no privacy.
#[derive(Debug)]
pub struct Window2d {
    space: Space,
    channel: SquareWindow,
}

impl Window2d {
    /// What programs call it.
    pub const ID: &'static str = SquareWindow::INFO.id;

    /// The window and the readings with the smallest average error for uniform places.
    ///
    /// # Errors
    /// When the space is no rectangle inside, or epsilon is too small for 64-bit weights.
    pub fn new(space: Space, epsilon: Epsilon) -> Result<Self, TrajectoryError> {
        let channel = SquareWindow::new(space.need_rectangle(Self::ID)?, epsilon)?;
        Ok(Self { space, channel })
    }

    /// The channel in inner coordinates.
    pub fn channel(&self) -> &SquareWindow {
        &self.channel
    }
}

impl LocationMethod for Window2d {
    fn id(&self) -> &'static str {
        Self::ID
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn guarantee(&self) -> Option<Guarantee> {
        Some(Mechanism::guarantee(&self.channel))
    }

    fn scope(&self) -> Scope {
        Scope::WholeSpace
    }

    fn perturb(&self, place: &Place, _: &Place, rng: &mut dyn CryptoRng) -> Result<Place, TrajectoryError> {
        self.space.check(place)?;
        let cell = self.channel.draw_cell(&self.space.to_inner(*place), rng);
        Ok(self.space.publish(self.channel.read(cell)))
    }

    fn likelihood(&self, place: &Place, _: &Place, report: &Place) -> Option<f64> {
        if self.space.has_region() || !self.space.contains(place) {
            return None;
        }
        Some(self.channel.mass(&self.space.to_inner(*place), &self.space.to_inner(*report)))
    }

    fn crossing_likelihood(&self, lines: [&[f64]; 2], report: &Place) -> Option<CrossingMasses> {
        if self.space.has_region() {
            return None;
        }
        Some(self.channel.crossing_masses(lines, &self.space.to_inner(*report)))
    }

    fn report_laws(&self, _: References, shape: [u32; 2]) -> Result<ReportLaws<'_>, TrajectoryError> {
        let axes = [0, 1].map(|axis| Columns::new(&self.channel, axis, parts_of(shape[axis])));
        let keys = [0, 1].map(|axis: usize| axes[axis].nodes().keys(&Lines::new(shape[axis])));
        let (row, [first, second]) = (self.channel.row(), axes);
        let [low, high] = [row.low(), row.high()].map(|weight| weight as f64 / row.total() as f64);
        let sizes = first.sizes().into_iter().flat_map(|columns| {
            second.sizes().into_iter().map(move |rows| low * columns * rows).collect::<Vec<f64>>()
        });
        let laws = of_product(sizes.collect(), high - low, keys);
        let group_of = move |report: &Place| {
            let seen = self.space.to_inner(*report);
            let part = |columns: &Columns, axis: usize| {
                columns.part_of[self.channel.cells_at(axis, seen[axis])[0] as usize]
            };
            part(&first, 0) * second.parts + part(&second, 1)
        };
        Ok(ReportLaws { group_of: Box::new(group_of), laws })
    }
}

/// The columns of the lattice along one axis, in parts. Columns that are read alike are in the same one.
struct Columns {
    part_of: Vec<u32>,
    parts: u32,
    window: u32,
}

impl Columns {
    fn new(channel: &SquareWindow, axis: usize, parts: u32) -> Self {
        let (cells, side) = (channel.lattice()[axis], channel.domain().sides()[axis]);
        let edges = equal_parts(cells, parts);
        let part_of = |cell: u32| {
            let reading = channel.read(if axis == 0 { [cell, 0] } else { [0, cell] })[axis];
            part_at(channel.cells_at(axis, side.nearest(reading))[0], &edges)
        };
        let part_of = (0..cells).map(part_of).collect();
        Self { part_of, parts: edges.len() as u32, window: channel.window()[axis] }
    }

    /// How many columns each part has.
    fn sizes(&self) -> Vec<f64> {
        let mut sizes = vec![0.0; self.parts as usize];
        self.part_of.iter().for_each(|part| sizes[*part as usize] += 1.0);
        sizes
    }

    /// For each window the number of its columns in each part.
    fn nodes(&self) -> Nodes {
        let (cells, window) = (self.part_of.len(), self.window as usize);
        let last = cells - window;
        let mut inside = vec![0.0; self.parts as usize];
        self.part_of[..window].iter().for_each(|part| inside[*part as usize] += 1.0);
        let mut numbers = vec![inside.clone()];
        for start in 0..last {
            inside[self.part_of[start] as usize] -= 1.0;
            inside[self.part_of[start + window] as usize] += 1.0;
            numbers.push(inside.clone());
        }
        // A window is centred on its place, and kept inside.
        let share = |start: usize| (start as f64 + 0.5 * window as f64 - 0.5) / cells as f64;
        let stretch = |start: usize| {
            let low = if start == 0 { 0.0 } else { share(start).max(0.0) };
            [low, if start == last { 1.0 } else { share(start + 1).min(1.0) }]
        };
        Nodes { stretches: (0..=last).map(stretch).collect(), numbers }
    }
}
