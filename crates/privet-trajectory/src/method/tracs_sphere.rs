//! Longitude around the circle, latitude between the poles.

use super::part::product_guarantee;
use super::{LinePart, LocationMethod, Part, RingPart, Scope};
use crate::space::{Shape, Space};
use crate::{Place, TrajectoryError};
use privet_core::{Circle, CryptoRng, Epsilon, Fraction, Guarantee, Interval};

/// TraCS on a sphere: the longitude by a mechanism on a circle, the latitude by one on an interval.
///
/// # What it protects
/// One place on the sphere: any two are indistinguishable up to epsilon.
/// # Formula
/// Longitude and latitude are reported independently, each with half of epsilon. 180 and -180 are the same longitude, and a pole
/// counts as longitude 0, so that one place has one law however it is written.
/// # Space
/// Spheres.
/// # Guarantee
/// Pure epsilon for the whole sphere: the two exact ratios multiply.
/// # Cost
/// Four random words per place with the usual parts.
/// # Numerics
/// Integer-exact, as its parts.
/// # When not to use it
/// Near the poles, where a small step is a large longitude; within a city, where [`super::Window2d`] in a geographic box has less
/// error.
/// # Reference
/// Y. Zheng's dissertation, section 6.2.5.
#[derive(Debug)]
pub struct TracsSphere {
    space: Space,
    longitude: Box<dyn Part>,
    latitude: Box<dyn Part>,
    guarantee: Guarantee,
}

impl TracsSphere {
    /// What programs call it.
    pub const ID: &'static str = "tracs-sphere";

    /// With the piecewise mechanisms of the paper.
    ///
    /// # Errors
    /// When the space is no sphere, or epsilon is too small for 64-bit weights.
    pub fn new(space: Space, epsilon: Epsilon) -> Result<Self, TrajectoryError> {
        Self::with_lattice(space, epsilon, None)
    }

    /// On a lattice of this many parts for each coordinate. Coarse ones can be checked exhaustively.
    ///
    /// # Errors
    /// As for [`TracsSphere::new`].
    pub fn with_lattice(
        space: Space,
        epsilon: Epsilon,
        lattice: Option<u32>,
    ) -> Result<Self, TrajectoryError> {
        if !matches!(space.shape(), Shape::Sphere(_)) {
            let got = space.to_string();
            return Err(TrajectoryError::WrongSpace { method: Self::ID, expected: "a sphere", got });
        }
        let half = epsilon.divided(2)?;
        let longitude = RingPart::OptimalPiecewise.build(Circle::new(360.0)?, half, lattice)?;
        let latitude = LinePart::OptimalPiecewise.build(Interval::new(-90.0, 90.0)?, half, lattice)?;
        let guarantee = product_guarantee([longitude.as_ref(), latitude.as_ref()])?;
        Ok(Self { space, longitude, latitude, guarantee })
    }

    /// The mechanisms of longitude and latitude.
    pub fn parts(&self) -> [&dyn Part; 2] {
        [self.longitude.as_ref(), self.latitude.as_ref()]
    }

    /// The exact probability that longitude and latitude are reported as these cells.
    ///
    /// # Errors
    /// When the place lies outside the space.
    pub fn probability(&self, place: &Place, cells: [u32; 2]) -> Result<Fraction, TrajectoryError> {
        self.space.check(place)?;
        let [angle, latitude] = self.coordinates(*place);
        Ok(&self.longitude.probability(angle, cells[0]) * &self.latitude.probability(latitude, cells[1]))
    }

    /// The longitude as an angle from 0 up to 360, and the latitude.
    fn coordinates(&self, place: Place) -> [f64; 2] {
        let [longitude, latitude] = self.space.to_inner(place);
        // The sum is below 360 and not above it: the longitude is below 180.
        [(longitude + 180.0).min(360f64.next_down()), latitude]
    }
}

impl LocationMethod for TracsSphere {
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
        let [angle, latitude] = self.coordinates(*place);
        let cells = [self.longitude.draw(angle, rng)?, self.latitude.draw(latitude, rng)?];
        Ok(self.space.publish([self.longitude.value(cells[0]) - 180.0, self.latitude.value(cells[1])]))
    }

    fn likelihood(&self, place: &Place, _: &Place, report: &Place) -> Option<f64> {
        self.space.check(place).ok()?;
        let (truth, seen) = (self.coordinates(*place), self.coordinates(*report));
        let mass = |part: &dyn Part, axis: usize| part.mass(truth[axis], part.cells_at(seen[axis]));
        Some(mass(self.longitude.as_ref(), 0) * mass(self.latitude.as_ref(), 1))
    }
}
