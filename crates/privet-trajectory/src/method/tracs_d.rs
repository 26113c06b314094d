//! A direction, and a distance in it.

mod polar;

use super::part::product_guarantee;
use super::{LinePart, LocationMethod, Part, References, ReportLaws, RingPart, Scope};
use crate::space::{Shape, Space};
use crate::{Place, TrajectoryError};
use polar::Polar;
use privet_core::{Circle, CryptoRng, Epsilon, Fraction, Generator, Guarantee, Interval};
use std::f64::consts::{PI, TAU};

/// How epsilon is divided between direction and distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Split {
    /// pi / (pi + 1) for the direction, as in the paper.
    Paper,
    /// This share, between 0 and 1, for the direction.
    Share(f64),
    /// The share with the smallest average error for uniform places in the space, seen from uniform references.
    Optimised,
}

/// TraCS-D: from a public reference, the direction of the place by a mechanism on the circle, and its distance, as a share of
/// the way to the border, by one on an interval.
///
/// # What it protects
/// One place, given a public reference: any two places of the space are indistinguishable up to epsilon.
/// # Formula
/// phi is the direction from the reference to the place and r its distance divided by the distance from the reference to the
/// border in direction phi. Both are reported independently: phi' with epsilon times the split, r' with the rest. The report
/// lies in direction phi' at r' times the distance from the reference to the border in direction phi'. The reference is the
/// report before, or a fixed place. Where the place is the reference, phi and r are zero; where the reference lies on the
/// border and phi' points outwards, the report is the reference.
/// # Space
/// Rectangles, parallelograms, geographic boxes, regions of them, discs.
/// # Guarantee
/// Pure epsilon for the whole space and any reference: the two exact ratios multiply, and a report is a function of the two
/// parts and the reference.
/// # Cost
/// Four random words per place with the usual parts.
/// # Numerics
/// Integer-exact, as its parts. Direction and share are computed in floating point before anything is drawn, which costs
/// accuracy and no privacy.
/// # When not to use it
/// For places anywhere in a rectangle: [`super::TracsC`] has less error, [`super::Window2d`] far less. It is good where the
/// space is long and places move along its short side, and on discs.
/// # Reference
/// Y. Zheng's dissertation, chapter 6, algorithm 1; appendix D.2.7 for discs. With [`RingPart::Sectors`] it is the strawman of
/// section 6.2.2, with the correct probability of lying, (k - 1) / (k - 1 + e^epsilon).
#[derive(Debug)]
pub struct TracsD {
    id: &'static str,
    space: Space,
    direction: Box<dyn Part>,
    distance: Box<dyn Part>,
    guarantee: Guarantee,
}

impl TracsD {
    /// What programs call it.
    pub const ID: &'static str = "tracs-d";
    /// What programs call it with sectors.
    pub const STRAWMAN_ID: &'static str = "strawman";

    /// With the mechanisms and the split of the paper.
    ///
    /// # Errors
    /// When the space is a sphere, or epsilon is too small for 64-bit weights.
    pub fn new(space: Space, epsilon: Epsilon) -> Result<Self, TrajectoryError> {
        Self::with(space, epsilon, Split::Paper, RingPart::OptimalPiecewise, LinePart::OptimalPiecewise)
    }

    /// Randomised response on sectors of the direction, and otherwise the same.
    ///
    /// # Errors
    /// As for [`TracsD::new`], and when the number of sectors is not allowed.
    pub fn strawman(space: Space, epsilon: Epsilon, sectors: u32) -> Result<Self, TrajectoryError> {
        let direction = RingPart::Sectors(sectors);
        Self::with(space, epsilon, Split::Paper, direction, LinePart::OptimalPiecewise)
    }

    /// With everything that can be chosen.
    ///
    /// # Errors
    /// As for [`TracsD::new`], and when the share is not between 0 and 1.
    pub fn with(
        space: Space,
        epsilon: Epsilon,
        split: Split,
        direction: RingPart,
        distance: LinePart,
    ) -> Result<Self, TrajectoryError> {
        let at = |share: f64| {
            let [towards, along] = divided(epsilon, share)?;
            let direction = direction.build(Circle::new(TAU)?, towards, None)?;
            Self::from_parts(space.clone(), direction, distance.build(Interval::new(0.0, 1.0)?, along, None)?)
        };
        match split {
            Split::Paper => at(PI / (PI + 1.0)),
            Split::Share(share) => at(share),
            Split::Optimised => {
                let mut best: Option<(f64, Self)> = None;
                for step in 4..20 {
                    let candidate = at(f64::from(step) / 20.0)?;
                    let error = candidate.simulated_error()?;
                    if best.as_ref().is_none_or(|(least, _)| error < *least) {
                        best = Some((error, candidate));
                    }
                }
                best.map(|(_, method)| method)
                    .ok_or_else(|| TrajectoryError::incompatible("no split was found"))
            }
        }
    }

    /// With any mechanism on the circle of period 2 pi and any on [0, 1].
    ///
    /// # Errors
    /// When the space is a sphere.
    pub fn from_parts(
        space: Space,
        direction: Box<dyn Part>,
        distance: Box<dyn Part>,
    ) -> Result<Self, TrajectoryError> {
        if matches!(space.shape(), Shape::Sphere(_)) {
            let expected = "a rectangle, a parallelogram, a geographic box, a region of one or a disc";
            let got = space.to_string();
            return Err(TrajectoryError::WrongSpace { method: Self::ID, expected, got });
        }
        let guarantee = product_guarantee([direction.as_ref(), distance.as_ref()])?;
        let is_strawman = direction.info().id == "sector-randomized-response";
        let id = if is_strawman { Self::STRAWMAN_ID } else { Self::ID };
        Ok(Self { id, space, direction, distance, guarantee })
    }

    /// The mechanisms of direction and distance.
    pub fn parts(&self) -> [&dyn Part; 2] {
        [self.direction.as_ref(), self.distance.as_ref()]
    }

    /// The exact probability that direction and distance are reported as these cells.
    ///
    /// # Errors
    /// When the place or the reference lies outside the space.
    pub fn probability(
        &self,
        place: &Place,
        reference: &Place,
        cells: [u32; 2],
    ) -> Result<Fraction, TrajectoryError> {
        let [angle, share] = self.polar(place, reference)?;
        Ok(&self.direction.probability(angle, cells[0]) * &self.distance.probability(share, cells[1]))
    }

    /// The place that two cells stand for, seen from a reference.
    pub fn place_of(&self, cells: [u32; 2], reference: &Place) -> Place {
        let from = self.space.to_inner(*reference);
        let heading = self.heading(cells[0]);
        let distance = self.distance.value(cells[1]) * self.reach(from, heading);
        self.space.publish([from[0] + distance * heading[0], from[1] + distance * heading[1]])
    }

    fn heading(&self, cell: u32) -> [f64; 2] {
        let (sine, cosine) = self.direction.value(cell).sin_cos();
        [cosine, sine]
    }

    /// The distance to the border; zero where it is so short that rounding would decide.
    fn reach(&self, from: [f64; 2], heading: [f64; 2]) -> f64 {
        let reach = self.space.shape().reach(from, heading).unwrap_or(0.0);
        if reach > 1e-12 * (from[0].abs() + from[1].abs() + 1e-300) { reach } else { 0.0 }
    }

    /// The direction from the reference to the place, and how far it is on the way to the border.
    fn polar(&self, place: &Place, reference: &Place) -> Result<[f64; 2], TrajectoryError> {
        self.space.check(place)?;
        self.space.check(reference)?;
        let (to, from) = (self.space.to_inner(*place), self.space.to_inner(*reference));
        let offset = [to[0] - from[0], to[1] - from[1]];
        let distance = length(offset);
        if distance == 0.0 {
            return Ok([0.0, 0.0]);
        }
        let reach = self.reach(from, offset.map(|coordinate| coordinate / distance));
        // Rounding may put a place beyond the border, or a reference on it.
        let share = if reach > 0.0 { (distance / reach).min(1.0) } else { 1.0 };
        Ok([angle_of(offset), share])
    }

    /// The probability of a report that is its reference: all directions that lead outwards, and the distance zero.
    fn mass_at_reference(&self, [angle, share]: [f64; 2], from: [f64; 2]) -> f64 {
        let zero = self.distance.cells_at(0.0);
        let stays =
            if self.distance.value(zero.start) == 0.0 { self.distance.mass(share, zero) } else { 0.0 };
        let of_direction = |cell: u32| {
            let factor = if self.reach(from, self.heading(cell)) == 0.0 { 1.0 } else { stays };
            if factor == 0.0 { 0.0 } else { factor * self.direction.mass(angle, cell..cell + 1) }
        };
        (0..self.direction.cells()).map(of_direction).sum()
    }

    /// The average error over uniform places and references. Nothing private goes in: with the same words everybody finds the
    /// same number, and two splits are compared on the same draws.
    fn simulated_error(&self) -> Result<f64, TrajectoryError> {
        const DRAWS: u32 = 6000;
        let mut rng = Generator::from_entropy([0; 32]);
        let bounds = self.space.inner_bounds()?;
        // Two additive sequences that cover the square evenly (powers of the root of x^5 = x + 1).
        let point = |index: u32, rates: [f64; 2]| {
            bounds.point_at(rates.map(|rate| (0.5 + f64::from(index) * rate).fract()))
        };
        let mut total = 0.0;
        for index in 0..DRAWS {
            let place = self.space.publish(point(index, [0.856_674_883_854_502_9, 0.733_891_856_627_126]));
            let reference = self.space.publish(point(index, [0.628_706_721_037_81, 0.538_597_257_223_613_8]));
            total += self.space.distance(&place, &self.perturb(&place, &reference, &mut rng)?);
        }
        Ok(total / f64::from(DRAWS))
    }
}

/// The length of a vector: by a root where squares are ordinary numbers, because that is faster.
#[inline]
fn length(offset: [f64; 2]) -> f64 {
    let square = offset[0] * offset[0] + offset[1] * offset[1];
    if (1e-280..1e280).contains(&square) { square.sqrt() } else { offset[0].hypot(offset[1]) }
}

/// The direction of a vector, from 0 up to a full turn.
#[inline]
fn angle_of(offset: [f64; 2]) -> f64 {
    let angle = offset[1].atan2(offset[0]);
    let turned = if angle < 0.0 { angle + TAU } else { angle };
    // A tiny negative angle is rounded to the full turn, which is no angle of the circle.
    if turned >= TAU { 0.0 } else { turned }
}

/// Epsilon for the direction and for the distance, together not above the whole.
fn divided(epsilon: Epsilon, share: f64) -> Result<[Epsilon; 2], TrajectoryError> {
    if !(share > 0.0 && share < 1.0) {
        return Err(TrajectoryError::incompatible(format!(
            "the share of the direction must be greater than 0 and below 1: got {share}"
        )));
    }
    let parts = epsilon.shared(&[share, 1.0 - share])?;
    Ok([parts[0], parts[1]])
}

impl LocationMethod for TracsD {
    fn id(&self) -> &'static str {
        self.id
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

    fn reads_reference(&self) -> bool {
        true
    }

    fn perturb(
        &self,
        place: &Place,
        reference: &Place,
        rng: &mut dyn CryptoRng,
    ) -> Result<Place, TrajectoryError> {
        let [angle, share] = self.polar(place, reference)?;
        let cells = [self.direction.draw(angle, rng)?, self.distance.draw(share, rng)?];
        Ok(self.place_of(cells, reference))
    }

    fn likelihood(&self, place: &Place, reference: &Place, report: &Place) -> Option<f64> {
        if self.space.has_region() {
            return None;
        }
        let [angle, share] = self.polar(place, reference).ok()?;
        let (from, seen) = (self.space.to_inner(*reference), self.space.to_inner(*report));
        let offset = [seen[0] - from[0], seen[1] - from[1]];
        let distance = length(offset);
        if distance == 0.0 {
            return Some(self.mass_at_reference([angle, share], from));
        }
        let directions = self.direction.cells_at(angle_of(offset));
        let reach = self.reach(from, self.heading(directions.start));
        let shares = self.distance.cells_at(if reach > 0.0 { distance / reach } else { 1.0 });
        Some(self.direction.mass(angle, directions) * self.distance.mass(share, shares))
    }

    fn report_laws(
        &self,
        references: References,
        shape: [u32; 2],
    ) -> Result<ReportLaws<'_>, TrajectoryError> {
        Polar::new(self, references.need_fixed(self.id)?, shape)?.laws()
    }
}
