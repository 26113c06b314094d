//! Coordinates in which distances are Euclidean.

use super::frame::Frame;
use super::{Shape, Space};
use crate::Place;

impl Space {
    /// Coordinates of a place in a plane where the space's distances are Euclidean; `None` on a sphere, which has none.
    #[inline]
    pub fn to_plane(&self, place: &Place) -> Option<[f64; 2]> {
        match (&self.shape, &self.frame) {
            (Shape::Sphere(_), _) => None,
            (_, Frame::LocalMetres(_)) => Some(self.frame.to_inner(*place)),
            _ => Some(*place),
        }
    }

    /// The place of the space that is nearest to a point of that plane; `None` on a sphere.
    pub fn place_at(&self, point: [f64; 2]) -> Option<Place> {
        match (&self.shape, &self.frame) {
            (Shape::Sphere(_), _) => None,
            (_, Frame::LocalMetres(_)) => Some(self.publish(point)),
            _ => Some(self.nearest(point)),
        }
    }
}
