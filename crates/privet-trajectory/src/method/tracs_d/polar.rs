//! The laws of all reports that are seen from one place.

use super::{TracsD, angle_of, length};
use crate::method::laws::{Keys, Lines, Nodes, of_product, parts_of};
use crate::method::{Part, ReportLaws};
use crate::space::Shape;
use crate::{Place, TrajectoryError};
use privet_core::Rectangle;
use std::f64::consts::TAU;

/// A space in directions and distances from one reference. There the law of a report is a product, and places are boxes of
/// directions and shares of the way to the border.
pub(super) struct Polar<'a> {
    method: &'a TracsD,
    from: [f64; 2],
    /// The first reports of groups, of directions and of distances.
    edges: [Vec<u32>; 2],
}

/// Directions and distances are looked at in so many parts at least, so that the places of each are close together.
const PARTS: [u32; 2] = [64, 32];

impl<'a> Polar<'a> {
    /// # Errors
    /// When the reference lies outside or on the border: several draws then give the same report.
    pub(super) fn new(
        method: &'a TracsD,
        reference: Place,
        shape: [u32; 2],
    ) -> Result<Self, TrajectoryError> {
        method.space.check(&reference)?;
        let from = method.space.to_inner(reference);
        let headings = (0..PARTS[0]).map(|part| (TAU * f64::from(part) / f64::from(PARTS[0])).sin_cos());
        let is_inside = headings.into_iter().all(|(sine, cosine)| method.reach(from, [cosine, sine]) > 0.0);
        let starts_at_zero = method.distance.value(0) == 0.0;
        if !is_inside || starts_at_zero {
            return Err(TrajectoryError::NoIntervals {
                method: method.id,
                why: "from a reference at the border different draws are the same report",
                instead: "report from a fixed reference inside, or by window-2d or tracs-c",
            });
        }
        let parts = parts_of(shape[0].max(shape[1]));
        let edges = [method.direction.edges(parts), method.distance.edges(parts)];
        Ok(Self { method, from, edges })
    }

    pub(super) fn laws(self) -> Result<ReportLaws<'a>, TrajectoryError> {
        let directions = self.keys(self.method.direction.as_ref(), 0);
        let distances = self.keys(self.method.distance.as_ref(), 1);
        let bounds = self.method.space.inner_bounds()?;
        let boxes = directions.stretches.iter().flat_map(|angles| {
            let (polar, bounds) = (&self, &bounds);
            distances.stretches.iter().map(move |shares| polar.places(*angles, *shares, bounds))
        });
        let boxes: Vec<[[f64; 2]; 2]> = boxes.collect();
        let groups = self.edges[0].len() * self.edges[1].len();
        let laws = of_product(vec![0.0; groups], 1.0, [directions, distances]).in_boxes(boxes);
        Ok(ReportLaws { group_of: Box::new(move |report| self.group_of(report)), laws })
    }

    /// Directions are shares of a turn.
    fn keys(&self, part: &dyn Part, axis: usize) -> Keys {
        let unit = if axis == 0 { TAU } else { 1.0 };
        let mut nodes = Nodes {
            stretches: (0..part.nodes()).map(|node| part.stretch(node).map(|end| end / unit)).collect(),
            numbers: (0..part.nodes()).map(|node| part.law(node, &self.edges[axis])).collect(),
        };
        if axis == 0 {
            // The last node of a turn is the first one again.
            nodes.stretches.push(nodes.stretches[0].map(|end| end + 1.0));
            nodes.numbers.push(nodes.numbers[0].clone());
        }
        nodes.keys(&Lines::of_steps(PARTS[axis]))
    }

    /// A box around all places in these directions, in shares of a turn, at these shares of the way to the border.
    fn places(&self, angles: [f64; 2], shares: [f64; 2], bounds: &Rectangle) -> [[f64; 2]; 2] {
        let border = |angle: f64| {
            let (sine, cosine) = angle.sin_cos();
            let reach = self.method.reach(self.from, [cosine, sine]);
            [reach * cosine, reach * sine]
        };
        let is_between = |offset: [f64; 2]| {
            let turn = angle_of(offset) / TAU;
            (-1..=1).map(f64::from).any(|whole| (angles[0]..=angles[1]).contains(&(turn + whole)))
        };
        // Between two of its corners the border goes one way in each coordinate.
        let ends = angles.map(|angle| border(angle * TAU));
        let corners = self.corners(bounds).into_iter().filter(|corner| is_between(*corner));
        let offsets: Vec<[f64; 2]> = ends.into_iter().chain(corners).collect();
        let sides = bounds.sides();
        std::array::from_fn(|axis| {
            let along = offsets.iter().flat_map(|offset| shares.map(|share| share * offset[axis]));
            let [low, high] = along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], offset| {
                [low.min(offset), high.max(offset)]
            });
            [low, high].map(|offset| (self.from[axis] + offset - sides[axis].low()) / sides[axis].width())
        })
    }

    /// Where the border turns around in one of the coordinates, from the reference.
    fn corners(&self, bounds: &Rectangle) -> [[f64; 2]; 4] {
        let shares = match self.method.space.shape() {
            Shape::Disc(_) => [[0.5, 0.0], [1.0, 0.5], [0.5, 1.0], [0.0, 0.5]],
            _ => [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        };
        shares.map(|share| {
            let corner = bounds.point_at(share);
            [corner[0] - self.from[0], corner[1] - self.from[1]]
        })
    }

    fn group_of(&self, report: &Place) -> u32 {
        let seen = self.method.space.to_inner(*report);
        let offset = [seen[0] - self.from[0], seen[1] - self.from[1]];
        let direction = &self.method.direction;
        let heading = self.method.heading(direction.cells_at(angle_of(offset)).start);
        let share = length(offset) / self.method.reach(self.from, heading);
        let [directions, distances] = &self.edges;
        let rows = distances.len() as u32;
        direction.part_of(angle_of(offset), directions) * rows
            + self.method.distance.part_of(share, distances)
    }
}
