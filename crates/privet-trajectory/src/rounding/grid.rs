//! Equal cells.

use super::Rounding;
use crate::space::Space;
use crate::{Place, TrajectoryError};

/// The smallest rectangle around a space, cut into equal cells in its inner coordinates; the second coordinate runs fastest.
#[derive(Debug, Clone)]
pub struct Grid {
    space: Space,
    shape: [u32; 2],
    low: [f64; 2],
    cell: [f64; 2],
}

impl Grid {
    /// The largest number of cells.
    pub const MAX_CELLS: u64 = 1 << 20;

    /// Cuts the sides into this many parts.
    ///
    /// # Errors
    /// When there are no cells or too many.
    pub fn new(space: Space, shape: [u32; 2]) -> Result<Self, TrajectoryError> {
        let cells = u64::from(shape[0]) * u64::from(shape[1]);
        if cells == 0 || cells > Self::MAX_CELLS {
            return Err(TrajectoryError::incompatible(format!(
                "a grid has between 1 and {} cells: got {} x {}",
                Self::MAX_CELLS,
                shape[0],
                shape[1]
            )));
        }
        let bounds = space.inner_bounds()?;
        let (sides, widths) = (bounds.sides(), bounds.widths());
        let low = [sides[0].low(), sides[1].low()];
        let cell = std::array::from_fn(|axis| widths[axis] / f64::from(shape[axis]));
        Ok(Self { space, shape, low, cell })
    }

    /// The space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Into how many parts each side is cut.
    pub fn shape(&self) -> [u32; 2] {
        self.shape
    }

    /// The sides of a cell, in inner coordinates.
    pub fn cell_widths(&self) -> [f64; 2] {
        self.cell
    }

    /// The middle of a cell in inner coordinates, whether or not it belongs to the space.
    pub(crate) fn inner_centre(&self, index: usize) -> [f64; 2] {
        let columns = self.shape[1] as usize;
        let place = [index / columns, index % columns];
        std::array::from_fn(|axis| self.low[axis] + (place[axis] as f64 + 0.5) * self.cell[axis])
    }

    /// Column and row of a place.
    #[inline]
    fn part(&self, place: &Place) -> [u32; 2] {
        let inner = self.space.to_inner(*place);
        // A conversion saturates, so nothing lies before the first part.
        std::array::from_fn(|axis| {
            (((inner[axis] - self.low[axis]) / self.cell[axis]) as u32).min(self.shape[axis] - 1)
        })
    }
}

impl Rounding for Grid {
    fn count(&self) -> usize {
        self.shape[0] as usize * self.shape[1] as usize
    }

    /// The middle of a cell, or the place of the space nearest to it.
    fn place(&self, index: usize) -> Option<Place> {
        (index < self.count()).then(|| self.space.publish(self.inner_centre(index)))
    }

    /// The cell that contains a place, in constant time; for a place beyond the border the cell at the border.
    #[inline]
    fn index_of(&self, place: &Place) -> Option<usize> {
        if !place.iter().all(|coordinate| coordinate.is_finite()) {
            return None;
        }
        let [first, second] = self.part(place);
        Some(first as usize * self.shape[1] as usize + second as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Interval, Rectangle};

    fn field() -> Space {
        Rectangle::new([Interval::new(0.0, 2.0).unwrap(), Interval::new(-5.0, 5.0).unwrap()]).unwrap().into()
    }

    #[test]
    fn places_fall_into_the_cell_that_contains_them() {
        let grid = Grid::new(field(), [2, 5]).unwrap();
        assert_eq!((grid.count(), grid.cell_widths()), (10, [1.0, 2.0]));
        for (place, index) in [
            ([0.0, -5.0], 0),
            ([0.999, -3.001], 0),
            ([0.999, -3.0], 1),
            ([1.0, 0.0], 7),
            ([2.0, 5.0], 9),
            ([7.0, -9.0], 5),
        ] {
            assert_eq!(grid.index_of(&place), Some(index), "{place:?}");
        }
        assert_eq!(grid.round(&[1.1, 4.9]), [1.5, 4.0]);
        assert_eq!((0..11).filter(|index| grid.place(*index).is_some()).count(), 10);
    }

    #[test]
    fn every_middle_is_in_its_own_cell() {
        let disc = Space::disc([3.0, -1.0], 2.0).unwrap();
        for space in [field(), disc] {
            let grid = Grid::new(space, [7, 13]).unwrap();
            for index in 0..grid.count() {
                let inner = grid.inner_centre(index);
                assert_eq!(grid.index_of(&inner), Some(index));
            }
        }
    }

    #[test]
    fn what_is_no_number_stays() {
        let grid = Grid::new(field(), [2, 5]).unwrap();
        assert_eq!(grid.index_of(&[f64::NAN, 0.0]), None);
        assert!(grid.round(&[0.0, f64::INFINITY])[1].is_infinite());
        assert!(Grid::new(field(), [0, 5]).is_err());
        assert!(Grid::new(field(), [2048, 2048]).is_err());
    }
}
