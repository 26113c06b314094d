//! Both coordinates, one after the other.

use super::laws::{Lines, Nodes, of_product, parts_of};
use super::part::product_guarantee;
use super::{LinePart, LocationMethod, Part, References, ReportLaws, Scope};
use crate::space::Space;
use crate::{Place, TrajectoryError};
use privet_core::{CryptoRng, Epsilon, Fraction, Guarantee};
use privet_mechanisms::plane::CrossingMasses;

/// TraCS-C: each coordinate of a place by a mechanism on an interval.
///
/// # What it protects
/// One place: any two places of the space are indistinguishable up to epsilon.
/// # Formula
/// The first and the second coordinate are reported independently, each with half of epsilon.
/// # Space
/// Rectangles, parallelograms, geographic boxes, regions of them.
/// # Guarantee
/// Pure epsilon for the whole space: the two exact ratios multiply.
/// # Cost
/// Four random words per place with the usual parts.
/// # Numerics
/// Integer-exact, as its parts; a coordinate between two nodes of their lattices is rounded to one of them at random, so its
/// mean is kept.
/// # When not to use it
/// Where accuracy matters: [`super::Window2d`] spends the whole epsilon on one window and has less error at every epsilon.
/// # Reference
/// Y. Zheng's dissertation, chapter 6, algorithm 2.
#[derive(Debug)]
pub struct TracsC {
    space: Space,
    parts: [Box<dyn Part>; 2],
    guarantee: Guarantee,
}

impl TracsC {
    /// What programs call it.
    pub const ID: &'static str = "tracs-c";

    /// With the piecewise mechanisms of the paper.
    ///
    /// # Errors
    /// When the space is no rectangle inside, or epsilon is too small for 64-bit weights.
    pub fn new(space: Space, epsilon: Epsilon) -> Result<Self, TrajectoryError> {
        Self::with_part(space, epsilon, LinePart::OptimalPiecewise)
    }

    /// With another mechanism for both coordinates.
    ///
    /// # Errors
    /// As for [`TracsC::new`].
    pub fn with_part(space: Space, epsilon: Epsilon, part: LinePart) -> Result<Self, TrajectoryError> {
        let [first, second] = space.need_rectangle(Self::ID)?.sides();
        let half = epsilon.divided(2)?;
        let parts = [part.build(first, half, None)?, part.build(second, half, None)?];
        Self::from_parts(space, parts)
    }

    /// With any mechanisms on both sides of the space's inner rectangle.
    ///
    /// # Errors
    /// When the space is no rectangle inside.
    pub fn from_parts(space: Space, parts: [Box<dyn Part>; 2]) -> Result<Self, TrajectoryError> {
        space.need_rectangle(Self::ID)?;
        let guarantee = product_guarantee([parts[0].as_ref(), parts[1].as_ref()])?;
        Ok(Self { space, parts, guarantee })
    }

    /// The mechanisms of both coordinates.
    pub fn parts(&self) -> [&dyn Part; 2] {
        [self.parts[0].as_ref(), self.parts[1].as_ref()]
    }

    /// The exact probability that both coordinates are reported as these cells.
    ///
    /// # Errors
    /// When the place lies outside the space.
    pub fn probability(&self, place: &Place, cells: [u32; 2]) -> Result<Fraction, TrajectoryError> {
        self.space.check(place)?;
        let inner = self.space.to_inner(*place);
        Ok(&self.parts[0].probability(inner[0], cells[0]) * &self.parts[1].probability(inner[1], cells[1]))
    }

    /// The place that two cells stand for.
    pub fn place_of(&self, cells: [u32; 2]) -> Place {
        self.space.publish([self.parts[0].value(cells[0]), self.parts[1].value(cells[1])])
    }
}

impl LocationMethod for TracsC {
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
        let inner = self.space.to_inner(*place);
        let cells = [self.parts[0].draw(inner[0], rng)?, self.parts[1].draw(inner[1], rng)?];
        Ok(self.place_of(cells))
    }

    fn likelihood(&self, place: &Place, _: &Place, report: &Place) -> Option<f64> {
        if self.space.has_region() || self.space.check(place).is_err() {
            return None;
        }
        let (inner, seen) = (self.space.to_inner(*place), self.space.to_inner(*report));
        let mass = |axis: usize| self.parts[axis].mass(inner[axis], self.parts[axis].cells_at(seen[axis]));
        Some(mass(0) * mass(1))
    }

    fn crossing_likelihood(&self, lines: [&[f64]; 2], report: &Place) -> Option<CrossingMasses> {
        if self.space.has_region() {
            return None;
        }
        let seen = self.space.to_inner(*report);
        let factors = std::array::from_fn(|axis| {
            let cells = self.parts[axis].cells_at(seen[axis]);
            lines[axis].iter().map(|line| self.parts[axis].mass(*line, cells.clone())).collect()
        });
        Some(CrossingMasses { base: 0.0, factors })
    }

    fn report_laws(&self, _: References, shape: [u32; 2]) -> Result<ReportLaws<'_>, TrajectoryError> {
        let edges: [Vec<u32>; 2] = std::array::from_fn(|axis| self.parts[axis].edges(parts_of(shape[axis])));
        let sides = self.space.need_rectangle(Self::ID)?.sides();
        let keys = std::array::from_fn(|axis| {
            let (part, side) = (&self.parts[axis], sides[axis]);
            let share = |value: f64| (value - side.low()) / side.width();
            let nodes = Nodes {
                stretches: (0..part.nodes()).map(|node| part.stretch(node).map(share)).collect(),
                numbers: (0..part.nodes()).map(|node| part.law(node, &edges[axis])).collect(),
            };
            nodes.keys(&Lines::new(shape[axis]))
        });
        let rows = edges[1].len() as u32;
        let laws = of_product(vec![0.0; edges[0].len() * edges[1].len()], 1.0, keys);
        let group_of = move |report: &Place| {
            let seen = self.space.to_inner(*report);
            let part = |axis: usize| self.parts[axis].part_of(seen[axis], &edges[axis]);
            part(0) * rows + part(1)
        };
        Ok(ReportLaws { group_of: Box::new(group_of), laws })
    }
}
