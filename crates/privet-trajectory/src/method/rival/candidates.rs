//! A public list of places that reports are chosen from.

use crate::space::{Shape, Space};
use crate::{Place, TrajectoryError};

/// The candidates of a discrete method. Private places are first moved to the nearest of them, so what holds for any two
/// candidates holds for any two places.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    space: Space,
    places: Vec<Place>,
    /// In inner coordinates.
    inner: Vec<[f64; 2]>,
    /// The longest side of the space, in inner coordinates.
    longest: f64,
    /// No two points of the space are further from each other.
    diameter: f64,
}

impl Candidates {
    /// The largest number of candidates.
    pub const MAX: usize = 1 << 13;

    /// Checks the places.
    ///
    /// # Errors
    /// When there are fewer than two or too many, one lies outside the space, or the space is a sphere.
    pub fn new(space: Space, places: Vec<Place>) -> Result<Self, TrajectoryError> {
        let (count, most) = (places.len(), Self::MAX);
        if !(2..=most).contains(&count) {
            return Err(TrajectoryError::incompatible(format!(
                "between 2 and {most} candidates are needed: got {count}"
            )));
        }
        if matches!(space.shape(), Shape::Sphere(_)) {
            let expected = "a rectangle, a parallelogram, a geographic box, a region of one or a disc";
            let got = space.to_string();
            return Err(TrajectoryError::WrongSpace { method: "a list of candidates", expected, got });
        }
        for (position, place) in (1..).zip(&places) {
            space.check(place).map_err(|error| error.at(position))?;
        }
        let inner = places.iter().map(|place| space.to_inner(*place)).collect();
        let [first, second] = space.inner_bounds()?.widths();
        Ok(Self { space, places, inner, longest: first.max(second), diameter: first.hypot(second) })
    }

    /// The middles of `columns` x `rows` equal cells of the space's inner rectangle.
    ///
    /// # Errors
    /// When the space is no rectangle inside, or there are too few or too many cells.
    pub fn grid(space: Space, columns: u32, rows: u32) -> Result<Self, TrajectoryError> {
        let rectangle = space.need_rectangle("a grid")?;
        let cells = u64::from(columns) * u64::from(rows);
        if cells > Self::MAX as u64 {
            return Err(TrajectoryError::incompatible(format!(
                "a grid has at most {} cells: got {cells}",
                Self::MAX
            )));
        }
        let middle = |place: u32, count: u32| (f64::from(place) + 0.5) / f64::from(count);
        let cell =
            |index: u32| rectangle.point_at([middle(index / rows, columns), middle(index % rows, rows)]);
        let places = (0..columns * rows).map(|index| space.publish(cell(index))).collect();
        Self::new(space, places)
    }

    /// Where they lie.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The candidates.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn longest(&self) -> f64 {
        self.longest
    }

    /// No two points of the space are further from each other.
    pub(super) fn diameter(&self) -> f64 {
        self.diameter
    }

    pub(super) fn inner(&self, index: usize) -> [f64; 2] {
        self.inner[index]
    }

    pub(super) fn between(&self, one: usize, other: usize) -> f64 {
        let (one, other) = (self.inner[one], self.inner[other]);
        (one[0] - other[0]).hypot(one[1] - other[1])
    }

    /// The candidate nearest to a place of the space; of several the first.
    ///
    /// # Errors
    /// When the place lies outside.
    pub(super) fn nearest(&self, place: &Place) -> Result<usize, TrajectoryError> {
        self.space.check(place)?;
        let point = self.space.to_inner(*place);
        let mut best = (f64::INFINITY, 0);
        for (index, candidate) in self.inner.iter().enumerate() {
            let distance = (candidate[0] - point[0]).hypot(candidate[1] - point[1]);
            if distance < best.0 {
                best = (distance, index);
            }
        }
        Ok(best.1)
    }
}
