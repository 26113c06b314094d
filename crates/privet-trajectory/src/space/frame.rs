//! From the coordinates of places to those in which a space is a plain shape, and back.

use super::shape::{Sphere, wrapped};
use crate::{Place, TrajectoryError};
use std::fmt;

/// A coordinate system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Frame {
    Plain,
    Skew(Skew),
    LocalMetres(LocalMetres),
}

impl Frame {
    /// Whether coordinates mean anything here: only latitudes between the poles and longitudes of one turn do.
    pub(super) fn admits(&self, place: &Place) -> bool {
        match self {
            Self::LocalMetres(_) => place[0].abs() <= 180.0 && place[1].abs() <= 90.0,
            _ => true,
        }
    }

    /// The nearest coordinates that mean something.
    pub(super) fn nearest_admitted(&self, place: Place) -> Place {
        match self {
            Self::LocalMetres(_) => [wrapped(place[0]), place[1].clamp(-90.0, 90.0)],
            _ => place,
        }
    }

    #[inline]
    pub(super) fn to_inner(self, place: Place) -> [f64; 2] {
        match self {
            Self::Plain => place,
            Self::Skew(skew) => skew.to_inner(place),
            Self::LocalMetres(metres) => metres.to_inner(place),
        }
    }

    #[inline]
    pub(super) fn to_outer(self, inner: [f64; 2]) -> Place {
        match self {
            Self::Plain => inner,
            Self::Skew(skew) => skew.to_outer(inner),
            Self::LocalMetres(metres) => metres.to_outer(inner),
        }
    }

    /// A difference of inner coordinates as a vector whose length is a distance.
    pub(super) fn to_metric(self, difference: [f64; 2]) -> [f64; 2] {
        match self {
            Self::Skew(skew) => skew.vector(difference),
            _ => difference,
        }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => formatter.write_str("plane"),
            Self::Skew(Skew { origin, edges, .. }) => write!(
                formatter,
                "parallelogram:{},{},{},{},{},{}",
                origin[0], origin[1], edges[0][0], edges[0][1], edges[1][0], edges[1][1]
            ),
            Self::LocalMetres(LocalMetres { bounds, .. }) => write!(
                formatter,
                "geographic:{},{},{},{}",
                bounds.west, bounds.east, bounds.south, bounds.north
            ),
        }
    }
}

/// A linear map from a rectangle to a parallelogram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Skew {
    origin: Place,
    edges: [Place; 2],
    lengths: [f64; 2],
    /// The determinant of both unit vectors along the edges.
    sine: f64,
}

impl Skew {
    pub(super) fn new(origin: Place, first: Place, second: Place) -> Result<Self, TrajectoryError> {
        let edges = [first, second];
        let lengths = edges.map(|edge| edge[0].hypot(edge[1]));
        let unit = |index: usize| edges[index].map(|coordinate| coordinate / lengths[index]);
        let (one, other) = (unit(0), unit(1));
        let sine = one[0] * other[1] - one[1] * other[0];
        let corner_is_finite =
            (0..2).all(|axis| (origin[axis].abs() + first[axis].abs() + second[axis].abs()).is_finite());
        if corner_is_finite && sine.abs() > 1e-6 {
            return Ok(Self { origin, edges, lengths, sine });
        }
        Err(TrajectoryError::incompatible(
            "a parallelogram needs finite edges that are not parallel (an angle of at least 0.0001 degrees)",
        ))
    }

    pub(super) fn lengths(&self) -> [f64; 2] {
        self.lengths
    }

    fn unit(&self, index: usize) -> [f64; 2] {
        self.edges[index].map(|coordinate| coordinate / self.lengths[index])
    }

    fn to_inner(self, place: Place) -> [f64; 2] {
        let offset = [place[0] - self.origin[0], place[1] - self.origin[1]];
        let (one, other) = (self.unit(0), self.unit(1));
        [
            (offset[0] * other[1] - offset[1] * other[0]) / self.sine,
            (one[0] * offset[1] - one[1] * offset[0]) / self.sine,
        ]
    }

    fn to_outer(self, inner: [f64; 2]) -> Place {
        let vector = self.vector(inner);
        [self.origin[0] + vector[0], self.origin[1] + vector[1]]
    }

    fn vector(&self, inner: [f64; 2]) -> [f64; 2] {
        let (one, other) = (self.unit(0), self.unit(1));
        std::array::from_fn(|axis| inner[0] * one[axis] + inner[1] * other[axis])
    }
}

/// Longitudes from `west` eastwards to `east`, latitudes from `south` to `north`, in degrees. A box over the 180th meridian
/// has a `west` above its `east`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeographicBox {
    /// The first longitude, from -180 to 180.
    pub west: f64,
    /// The last longitude, from -180 to 180.
    pub east: f64,
    /// The lowest latitude, from -90 to 90.
    pub south: f64,
    /// The highest latitude, from -90 to 90.
    pub north: f64,
}

/// Metres east and north of the south-western corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LocalMetres {
    bounds: GeographicBox,
    /// Degrees from west to east.
    turn: f64,
    /// Metres for each degree of longitude and of latitude.
    scales: [f64; 2],
}

impl LocalMetres {
    pub(super) fn new(bounds: GeographicBox) -> Result<Self, TrajectoryError> {
        let GeographicBox { west, east, south, north } = bounds;
        let are_degrees = west.abs() <= 180.0 && east.abs() <= 180.0 && south >= -90.0 && north <= 90.0;
        let turn = if west < east { east - west } else { east - west + 360.0 };
        if !are_degrees || south >= north || west == east || turn <= 0.0 {
            return Err(TrajectoryError::incompatible(format!(
                "a geographic box needs longitudes between -180 and 180 that differ and latitudes between -90 and 90 with \
                 south below north: got west {west}, east {east}, south {south}, north {north}"
            )));
        }
        let degree = Sphere::EARTH.to_radians();
        let middle = (0.5 * (south + north)).to_radians();
        Ok(Self { bounds, turn, scales: [degree * middle.cos(), degree] })
    }

    pub(super) fn lengths(&self) -> [f64; 2] {
        [self.turn * self.scales[0], (self.bounds.north - self.bounds.south) * self.scales[1]]
    }

    fn to_inner(self, place: Place) -> [f64; 2] {
        let ahead = (place[0] - self.bounds.west).rem_euclid(360.0);
        // What is not inside lies just before the western end or just behind the eastern one, whichever is nearer.
        let beyond = ahead - self.turn;
        let east = if beyond > 0.0 && 360.0 - ahead < beyond { ahead - 360.0 } else { ahead };
        [east * self.scales[0], (place[1] - self.bounds.south) * self.scales[1]]
    }

    fn to_outer(self, inner: [f64; 2]) -> Place {
        let longitude = self.bounds.west + inner[0] / self.scales[0];
        // 180 itself may be the eastern end; it stays what it is.
        let longitude = if longitude > 180.0 { longitude - 360.0 } else { longitude };
        [longitude, (self.bounds.south + inner[1] / self.scales[1]).clamp(-90.0, 90.0)]
    }
}
