//! Where places lie: public shapes, and the coordinates in which distances are measured.

mod frame;
mod plane;
mod region;
mod shape;

pub use frame::GeographicBox;
pub use region::Region;
pub use shape::{Disc, Shape, Sphere};

use crate::{Place, TrajectoryError};
use frame::Frame;
use privet_core::{InputError, Interval, ParameterError, Rectangle};
use std::fmt;

/// A public set of places.
///
/// Places are written in the *outer* coordinates of their owner: numbers of a plane, or longitude and latitude in degrees.
/// Methods and distances work in *inner* coordinates, in which the space is a rectangle, a disc or a sphere. For a rectangle,
/// a disc and a sphere both are the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    shape: Shape,
    frame: Frame,
    region: Option<Region>,
}

/// How far beyond its border a space still holds a place, as a share of its size: rounding moves coordinates by less. Plain
/// rectangles need none.
const TOLERANCE: f64 = 1e-9;

impl Space {
    /// A rectangle of the plane, the border included.
    pub fn rectangle(rectangle: Rectangle) -> Self {
        Self { shape: Shape::Rectangle(rectangle), frame: Frame::Plain, region: None }
    }

    /// A disc of the plane, the border included.
    ///
    /// # Errors
    /// When the radius is not a finite number above zero, or the centre is not finite.
    pub fn disc(centre: Place, radius: f64) -> Result<Self, TrajectoryError> {
        Ok(Self { shape: Shape::Disc(Disc::new(centre, radius)?), frame: Frame::Plain, region: None })
    }

    /// A sphere: longitude from -180 to 180 and latitude from -90 to 90 degrees, distances along great circles.
    ///
    /// # Errors
    /// When the radius is not a finite number above zero.
    pub fn sphere(radius: f64) -> Result<Self, TrajectoryError> {
        Ok(Self { shape: Shape::Sphere(Sphere::new(radius)?), frame: Frame::Plain, region: None })
    }

    /// The parallelogram of all `origin + s first + t second` with s and t from 0 to 1. Methods see the rectangle whose sides
    /// are as long as both edges.
    ///
    /// # Errors
    /// When the edges are not finite, or almost parallel.
    pub fn parallelogram(origin: Place, first: Place, second: Place) -> Result<Self, TrajectoryError> {
        let frame = frame::Skew::new(origin, first, second)?;
        let shape = Shape::Rectangle(from_zero(frame.lengths())?);
        Ok(Self { shape, frame: Frame::Skew(frame), region: None })
    }

    /// A box of longitudes and latitudes. Inner coordinates are metres east and north of its south-western corner, as they are
    /// at its middle latitude, so distances are metres; good for cities and regions, see [`Space::sphere`] for continents.
    ///
    /// # Errors
    /// When the box is empty, or reaches beyond the poles.
    pub fn geographic(bounds: GeographicBox) -> Result<Self, TrajectoryError> {
        let frame = frame::LocalMetres::new(bounds)?;
        let shape = Shape::Rectangle(from_zero(frame.lengths())?);
        Ok(Self { shape, frame: Frame::LocalMetres(frame), region: None })
    }

    /// Only those places of a rectangle, a parallelogram or a geographic box that lie in a region. Methods perturb in the whole
    /// rectangle; a report outside the region is moved to the nearest place of it, which is public post-processing.
    ///
    /// # Errors
    /// When the space is a disc or a sphere, or the region is not inside.
    pub fn within(self, region: &Region) -> Result<Self, TrajectoryError> {
        if !matches!(self.shape, Shape::Rectangle(_)) {
            return Err(TrajectoryError::WrongSpace {
                method: "a region",
                expected: "a rectangle, a parallelogram or a geographic box",
                got: self.to_string(),
            });
        }
        let whole = Self { region: None, ..self };
        if !region.corners().all(|corner| whole.contains(&corner)) {
            return Err(TrajectoryError::incompatible(format!("the region reaches beyond {whole}")));
        }
        let inner = region.mapped(|corner| whole.to_inner(corner))?;
        Ok(Self { region: Some(inner), ..whole })
    }

    /// The smallest rectangle around a region, and only the region in it.
    ///
    /// # Errors
    /// When the region is too large for a finite diagonal.
    pub fn region(region: &Region) -> Result<Self, TrajectoryError> {
        let side = |axis: usize| {
            let coordinates = region.corners().map(move |corner| corner[axis]);
            let low = coordinates.clone().fold(f64::INFINITY, f64::min);
            Interval::new(low, coordinates.fold(f64::NEG_INFINITY, f64::max))
        };
        Self::rectangle(Rectangle::new([side(0)?, side(1)?])?).within(region)
    }

    /// The whole space around a region. Reports made there have a known law and can be estimated from; moving them into the
    /// region is left to whoever reads them.
    pub fn without_region(&self) -> Self {
        Self { region: None, ..self.clone() }
    }

    /// The shape in inner coordinates.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether the place belongs to the space.
    #[inline]
    pub fn contains(&self, place: &Place) -> bool {
        match (&self.frame, &self.region) {
            // Coordinates that are no numbers are in no shape.
            (Frame::Plain, None) => self.shape.contains(place, 0.0),
            _ => self.contains_mapped(place),
        }
    }

    fn contains_mapped(&self, place: &Place) -> bool {
        if !place.iter().all(|coordinate| coordinate.is_finite()) || !self.frame.admits(place) {
            return false;
        }
        let (inner, slack) = (self.frame.to_inner(*place), TOLERANCE * self.shape.size());
        self.shape.contains(&inner, slack)
            && self
                .region
                .as_ref()
                .is_none_or(|region| region.contains(&inner) || region.distance(&inner) <= slack)
    }

    /// The place of the space that is nearest to `place`. Coordinates that are not numbers stay as they are, and outside.
    pub fn nearest(&self, place: Place) -> Place {
        if !place.iter().all(|coordinate| coordinate.is_finite()) || self.contains(&place) {
            return place;
        }
        self.publish(self.to_inner(self.frame.nearest_admitted(place)))
    }

    /// Accepts a place of the space and refuses any other.
    ///
    /// # Errors
    /// When the place lies outside. The error does not contain it.
    pub fn check(&self, place: &Place) -> Result<(), InputError> {
        if self.contains(place) {
            Ok(())
        } else {
            Err(InputError::OutsideDomain { domain: self.to_string() })
        }
    }

    /// The distance between two places: Euclidean, in metres in a geographic box, along a great circle on a sphere.
    pub fn distance(&self, one: &Place, other: &Place) -> f64 {
        let (one, other) = (self.frame.to_inner(*one), self.frame.to_inner(*other));
        match &self.shape {
            Shape::Sphere(sphere) => sphere.distance(one, other),
            _ => {
                let edges = self.frame.to_metric([other[0] - one[0], other[1] - one[1]]);
                edges[0].hypot(edges[1])
            }
        }
    }

    /// A place in inner coordinates, moved into the shape where rounding left it outside.
    #[inline]
    pub fn to_inner(&self, place: Place) -> [f64; 2] {
        match (&self.frame, &self.shape) {
            (Frame::Plain, Shape::Sphere(_)) => Sphere::canonical(place),
            (Frame::Plain, _) => place,
            (frame, shape) => shape.nearest(frame.to_inner(place)),
        }
    }

    /// The place of the space that is nearest to a point in inner coordinates.
    #[inline]
    pub fn publish(&self, inner: [f64; 2]) -> Place {
        let inside = self.shape.nearest(inner);
        let inside = match &self.region {
            None => inside,
            Some(region) => self.shape.nearest(region.nearest(inside)),
        };
        self.frame.to_outer(inside)
    }

    /// Whether published places may differ from the point that was drawn: reports then stand for more than one draw.
    pub fn has_region(&self) -> bool {
        self.region.is_some()
    }

    /// The region in inner coordinates, where there is one.
    pub fn boundary(&self) -> Option<&Region> {
        self.region.as_ref()
    }

    /// A public place that every space has: the middle of its shape, or the place of its region nearest to that. It serves as
    /// the reference of the first place of a path.
    pub fn centre(&self) -> Place {
        self.publish(self.shape.centre())
    }

    /// The public place with the lowest inner coordinates, or the place of the space nearest to that: where the papers' paths
    /// start.
    pub fn lower_corner(&self) -> Place {
        self.publish(self.shape.lower_corner())
    }

    /// The smallest rectangle around the shape, in inner coordinates.
    ///
    /// # Errors
    /// When its sides would not be finite numbers.
    pub fn inner_bounds(&self) -> Result<Rectangle, ParameterError> {
        self.shape.bounds()
    }

    /// The rectangle in inner coordinates, for methods that work in one only.
    ///
    /// # Errors
    /// When the shape is none; the error names the method.
    pub(crate) fn need_rectangle(&self, method: &'static str) -> Result<Rectangle, TrajectoryError> {
        match &self.shape {
            Shape::Rectangle(rectangle) => Ok(*rectangle),
            _ => Err(TrajectoryError::WrongSpace {
                method,
                expected: "a rectangle, a parallelogram, a geographic box or a region of one",
                got: self.to_string(),
            }),
        }
    }
}

fn from_zero(lengths: [f64; 2]) -> Result<Rectangle, ParameterError> {
    Rectangle::new([Interval::new(0.0, lengths[0])?, Interval::new(0.0, lengths[1])?])
}

impl fmt::Display for Space {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.frame {
            Frame::Plain => write!(formatter, "{}", self.shape)?,
            frame => write!(formatter, "{frame}")?,
        }
        if self.region.is_some() { formatter.write_str(" within a region") } else { Ok(()) }
    }
}

impl From<Rectangle> for Space {
    fn from(rectangle: Rectangle) -> Self {
        Self::rectangle(rectangle)
    }
}

#[cfg(test)]
mod tests;
