//! The places where most people are.

use crate::rounding::Rounding;
use crate::{Path, Place, TrajectoryError};
use std::fmt;

/// The most visited locations of a discrete space.
#[derive(Clone)]
pub struct Hotspots<'a> {
    locations: &'a dyn Rounding,
    is_hot: Vec<bool>,
}

impl<'a> Hotspots<'a> {
    /// The share `top` of all locations with the most visits in `paths`, rounded up; of two with equally many visits the first
    /// one counts as more visited. Locations that nobody visits are no hotspots.
    ///
    /// # Errors
    /// When the share is not above 0 and at most 1.
    pub fn new(locations: &'a dyn Rounding, paths: &[Path], top: f64) -> Result<Self, TrajectoryError> {
        if !(top > 0.0 && top <= 1.0) {
            return Err(TrajectoryError::incompatible(format!(
                "the share of hotspots must be above 0 and at most 1: got {top}"
            )));
        }
        let mut visits = vec![0u64; locations.count()];
        let places = paths.iter().flat_map(|path| &path.places);
        for index in places.filter_map(|place| locations.index_of(place)) {
            visits[index] += 1;
        }
        let mut order: Vec<usize> = (0..visits.len()).filter(|index| visits[*index] > 0).collect();
        order.sort_by_key(|index| std::cmp::Reverse(visits[*index]));
        // A product such as 0.2 * 1000 may be a rounding above a whole number.
        let count = (top * visits.len() as f64 * (1.0 - 1e-12)).ceil() as usize;
        let mut is_hot = vec![false; visits.len()];
        order.iter().take(count).for_each(|index| is_hot[*index] = true);
        Ok(Self { locations, is_hot })
    }

    /// Whether a place is rounded to a hotspot.
    pub fn contains(&self, place: &Place) -> bool {
        self.locations.index_of(place).is_some_and(|index| self.is_hot[index])
    }

    /// How many hotspots there are.
    pub fn count(&self) -> usize {
        self.is_hot.iter().filter(|is_hot| **is_hot).count()
    }
}

impl fmt::Debug for Hotspots<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Hotspots({} of {} locations)", self.count(), self.is_hot.len())
    }
}
