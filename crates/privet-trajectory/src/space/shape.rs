//! Rectangle, disc and sphere.

use crate::{Place, TrajectoryError};
use privet_core::{Domain, Interval, ParameterError, Rectangle};
use std::f64::consts::TAU;
use std::fmt;

/// What a space is in inner coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Between two pairs of ends.
    Rectangle(Rectangle),
    /// Around a centre.
    Disc(Disc),
    /// Longitude and latitude in degrees.
    Sphere(Sphere),
}

impl Shape {
    #[inline]
    pub(super) fn contains(&self, inner: &[f64; 2], slack: f64) -> bool {
        match self {
            Self::Rectangle(rectangle) if slack == 0.0 => rectangle.contains(inner),
            Self::Rectangle(rectangle) => {
                let sides = rectangle.sides();
                let beyond = |axis: usize| (sides[axis].nearest(inner[axis]) - inner[axis]).abs();
                beyond(0) <= slack && beyond(1) <= slack
            }
            Self::Disc(disc) => disc.contains(inner),
            Self::Sphere(_) => inner[0].abs() <= 180.0 && inner[1].abs() <= 90.0,
        }
    }

    #[inline]
    pub(super) fn nearest(&self, inner: [f64; 2]) -> [f64; 2] {
        match self {
            Self::Rectangle(rectangle) => rectangle.nearest(inner),
            Self::Disc(disc) => disc.nearest(inner),
            Self::Sphere(_) => [wrapped(inner[0]), inner[1].clamp(-90.0, 90.0)],
        }
    }

    /// The largest distance between two coordinates.
    pub(super) fn size(&self) -> f64 {
        match self {
            Self::Rectangle(rectangle) => rectangle.widths()[0].max(rectangle.widths()[1]),
            Self::Disc(disc) => 2.0 * disc.radius,
            Self::Sphere(_) => 360.0,
        }
    }

    pub(super) fn centre(&self) -> [f64; 2] {
        match self {
            Self::Rectangle(rectangle) => rectangle.point_at([0.5, 0.5]),
            Self::Disc(disc) => disc.centre,
            Self::Sphere(_) => [0.0, 0.0],
        }
    }

    /// The lower ends of both coordinates, which may lie outside.
    pub(super) fn lower_corner(&self) -> [f64; 2] {
        match self {
            Self::Rectangle(rectangle) => rectangle.point_at([0.0, 0.0]),
            Self::Disc(Disc { centre, radius }) => centre.map(|middle| middle - radius),
            Self::Sphere(_) => [-180.0, -90.0],
        }
    }

    pub(super) fn bounds(&self) -> Result<Rectangle, ParameterError> {
        match self {
            Self::Rectangle(rectangle) => Ok(*rectangle),
            Self::Disc(Disc { centre, radius }) => {
                let side = |middle: f64| Interval::new(middle - radius, middle + radius);
                Rectangle::new([side(centre[0])?, side(centre[1])?])
            }
            Self::Sphere(_) => Rectangle::new([Interval::new(-180.0, 180.0)?, Interval::new(-90.0, 90.0)?]),
        }
    }

    /// How far it is from a point to the border, in a direction given by its cosine and sine; zero from the border outwards,
    /// and `None` on a sphere, which has no border.
    #[inline]
    pub fn reach(&self, from: [f64; 2], heading: [f64; 2]) -> Option<f64> {
        match self {
            Self::Rectangle(rectangle) => {
                let sides = rectangle.sides();
                let along = |axis: usize| {
                    let (low, high) = (sides[axis].low(), sides[axis].high());
                    let end = if heading[axis] > 0.0 { high } else { low };
                    if heading[axis] == 0.0 { f64::INFINITY } else { (end - from[axis]) / heading[axis] }
                };
                Some(along(0).min(along(1)).max(0.0))
            }
            Self::Disc(disc) => Some(disc.reach(from, heading)),
            Self::Sphere(_) => None,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rectangle(rectangle) => write!(formatter, "{rectangle}"),
            Self::Disc(Disc { centre, radius }) => {
                write!(formatter, "disc:{},{},{radius}", centre[0], centre[1])
            }
            Self::Sphere(Sphere { radius }) => write!(formatter, "sphere:{radius}"),
        }
    }
}

/// All points that are no further from a centre than a radius.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disc {
    centre: Place,
    radius: f64,
}

impl Disc {
    pub(super) fn new(centre: Place, radius: f64) -> Result<Self, TrajectoryError> {
        let is_finite = centre.iter().all(|coordinate| (coordinate.abs() + 2.0 * radius).is_finite());
        if radius > 0.0 && is_finite {
            return Ok(Self { centre, radius });
        }
        Err(TrajectoryError::incompatible(format!(
            "a disc needs a finite centre and a finite radius greater than 0: got the radius {radius}"
        )))
    }

    /// The middle.
    pub fn centre(&self) -> Place {
        self.centre
    }

    /// The distance from the middle to the border.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    fn offset(&self, point: &[f64; 2]) -> [f64; 2] {
        [point[0] - self.centre[0], point[1] - self.centre[1]]
    }

    fn contains(&self, point: &[f64; 2]) -> bool {
        let [first, second] = self.offset(point);
        // Points that were moved to the border may miss it by a rounding.
        first.hypot(second) <= self.radius * (1.0 + 1e-12)
    }

    fn nearest(&self, point: [f64; 2]) -> [f64; 2] {
        let offset = self.offset(&point);
        let distance = offset[0].hypot(offset[1]);
        if distance <= self.radius {
            return point;
        }
        std::array::from_fn(|axis| self.centre[axis] + offset[axis] / distance * self.radius)
    }

    fn reach(&self, from: [f64; 2], heading: [f64; 2]) -> f64 {
        let offset = self.offset(&self.nearest(from));
        let along = offset[0] * heading[0] + offset[1] * heading[1];
        let across = offset[0] * heading[1] - offset[1] * heading[0];
        ((self.radius * self.radius - across * across).max(0.0).sqrt() - along).max(0.0)
    }
}

/// All directions from a centre, as longitude and latitude in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    radius: f64,
}

impl Sphere {
    /// The mean radius of the Earth in metres.
    pub const EARTH: f64 = 6_371_008.8;

    pub(super) fn new(radius: f64) -> Result<Self, TrajectoryError> {
        if radius > 0.0 && (radius * TAU).is_finite() {
            return Ok(Self { radius });
        }
        Err(TrajectoryError::incompatible(format!(
            "the radius of a sphere must be finite and greater than 0: got {radius}"
        )))
    }

    /// The distance from the centre.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// One pair of numbers for each point: 180 and -180 are the same longitude, and the poles have longitude 0.
    pub(super) fn canonical(place: Place) -> Place {
        [if place[1].abs() == 90.0 { 0.0 } else { wrapped(place[0]) }, place[1]]
    }

    /// Along the great circle (haversine formula).
    pub(super) fn distance(&self, one: Place, other: Place) -> f64 {
        let [latitude, beyond] = [one[1].to_radians(), other[1].to_radians()];
        let across = ((other[0] - one[0]).to_radians() / 2.0).sin();
        let along = ((beyond - latitude) / 2.0).sin();
        let square = along * along + latitude.cos() * beyond.cos() * across * across;
        2.0 * self.radius * square.clamp(0.0, 1.0).sqrt().asin()
    }
}

/// A longitude between -180 (included) and 180 (not included).
#[inline]
pub(super) fn wrapped(longitude: f64) -> f64 {
    if (-180.0..180.0).contains(&longitude) {
        return longitude;
    }
    let turned = (longitude + 180.0).rem_euclid(360.0) - 180.0;
    // Rounding can complete the turn.
    if turned >= 180.0 { -180.0 } else { turned }
}
