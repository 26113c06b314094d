//! Discrete spaces: the cell or the point of interest that a report is rounded to. Rounding is public post-processing and
//! costs no privacy.

mod grid;
mod points;
mod reference;

pub use grid::Grid;
pub use points::PointsOfInterest;
pub use reference::best_reference;

use crate::{Path, Place};
use std::fmt::Debug;

/// A finite list of public places, and which of them is nearest to another place.
pub trait Rounding: Debug + Send + Sync {
    /// How many places there are.
    fn count(&self) -> usize;

    /// The place with this index; `None` beyond the last one.
    fn place(&self, index: usize) -> Option<Place>;

    /// The index of the place that another one is rounded to; `None` where a coordinate is not a finite number.
    fn index_of(&self, place: &Place) -> Option<usize>;

    /// The place that another one is rounded to. A place without finite coordinates stays as it is.
    fn round(&self, place: &Place) -> Place {
        self.index_of(place).and_then(|index| self.place(index)).unwrap_or(*place)
    }

    /// A path with every place rounded.
    fn round_path(&self, path: &Path) -> Path {
        path.with_places(path.places.iter().map(|place| self.round(place)).collect())
    }
}
