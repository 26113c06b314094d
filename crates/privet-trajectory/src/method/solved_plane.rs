//! The solved window of the plane as a method.

use super::{LocationMethod, References, ReportLaws, Scope};
use crate::space::Space;
use crate::{Place, TrajectoryError};
use privet_core::{Category, CryptoRng, Guarantee, Mechanism};
use privet_mechanisms::plane::{PlaneLayout, PlaneReports, PlaneWindow};
use std::collections::HashMap;

/// [`PlaneWindow`] in a space: cells that a solver has placed.
///
/// # Space
/// Rectangles, parallelograms, geographic boxes, regions of them; the channel must have been made for the inner rectangle.
/// # Guarantee
/// Pure epsilon for the whole space.
/// # Numerics
/// Integer-exact, as the channel. Places are mapped to the rectangle in floating point before anything is drawn, which costs
/// accuracy and no privacy.
#[derive(Debug)]
pub struct SolvedPlane {
    space: Space,
    channel: PlaneWindow,
    /// The cells at each position.
    cells: HashMap<[u32; 2], Vec<u32>>,
}

impl SolvedPlane {
    /// What programs call it.
    pub const ID: &'static str = PlaneWindow::INFO.id;

    /// Uses a channel on the inner rectangle of a space.
    ///
    /// # Errors
    /// When the space is no rectangle inside, or another one than the channel's.
    pub fn new(space: Space, channel: PlaneWindow) -> Result<Self, TrajectoryError> {
        let rectangle = space.need_rectangle(Self::ID)?;
        if rectangle != *channel.domain() {
            return Err(TrajectoryError::incompatible(format!(
                "the channel was made for {} and not for {rectangle}",
                channel.domain()
            )));
        }
        let mut cells: HashMap<[u32; 2], Vec<u32>> = HashMap::new();
        for (cell, position) in (0..).zip(channel.layout().positions()) {
            cells.entry(*position).or_default().push(cell);
        }
        Ok(Self { space, channel, cells })
    }

    /// The channel.
    pub fn channel(&self) -> &PlaneWindow {
        &self.channel
    }

    /// The cells that are published as a report.
    fn cells_at(&self, report: &Place) -> Option<&Vec<u32>> {
        let (seen, sides) = (self.space.to_inner(*report), self.channel.domain().sides());
        let position = std::array::from_fn(|axis| {
            let share = (seen[axis] - sides[axis].low()) / sides[axis].width();
            (share * f64::from(PlaneLayout::UNIT)).round() as u32
        });
        self.cells.get(&position)
    }
}

impl LocationMethod for SolvedPlane {
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
        let report = self.channel.randomize(&self.space.to_inner(*place), rng)?;
        Ok(self.space.publish(self.channel.output_value(report.0)))
    }

    fn likelihood(&self, place: &Place, _: &Place, report: &Place) -> Option<f64> {
        if self.space.has_region() || !self.space.contains(place) {
            return None;
        }
        let node = self.channel.node_of(self.space.to_inner(*place));
        let weight = |cell: &u32| self.channel.weight(node, *cell) as f64;
        let sum: f64 = self.cells_at(report)?.iter().map(weight).sum();
        Some(sum / self.channel.row().total() as f64)
    }

    fn report_laws(&self, _: References, shape: [u32; 2]) -> Result<ReportLaws<'_>, TrajectoryError> {
        let group_of = |report: &Place| {
            let cell = self.cells_at(report).and_then(|cells| cells.first()).map_or(0, |cell| *cell);
            let mut slot = vec![0; self.channel.bytes_of_report()];
            self.channel.encode(&Category(cell), &mut slot);
            self.channel.group_of(&slot).map_or(0, |group| group as u32)
        };
        Ok(ReportLaws { group_of: Box::new(group_of), laws: self.channel.place_laws(shape[0]) })
    }
}
