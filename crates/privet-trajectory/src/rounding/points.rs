//! Points of interest in buckets.

use super::Rounding;
use crate::space::Space;
use crate::{Place, TrajectoryError};

/// A public list of places with an index that finds the nearest one.
///
/// The index is a grid of square buckets with about one point in each. It is searched from the bucket of the place outwards,
/// ring by ring, until no bucket further out can hold a nearer point. Of several equally near points the first of the list
/// counts.
#[derive(Debug, Clone)]
pub struct PointsOfInterest {
    space: Space,
    places: Vec<Place>,
    low: [f64; 2],
    /// The side of a bucket.
    side: f64,
    shape: [usize; 2],
    /// Where the points of each bucket begin, and where the last ones end.
    starts: Vec<u32>,
    /// The points in the order of their buckets.
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    point: [f64; 2],
    index: u32,
}

impl PointsOfInterest {
    /// The largest number of points.
    pub const MAX_POINTS: usize = 1 << 24;

    /// Indexes the points.
    ///
    /// # Errors
    /// When there are none or too many, one lies outside the space, or the space is a sphere.
    pub fn new(space: Space, places: Vec<Place>) -> Result<Self, TrajectoryError> {
        if places.is_empty() || places.len() > Self::MAX_POINTS {
            return Err(TrajectoryError::incompatible(format!(
                "there must be between 1 and {} points of interest: got {}",
                Self::MAX_POINTS,
                places.len()
            )));
        }
        for (position, place) in (1..).zip(&places) {
            space.check(place).map_err(|error| error.at(position))?;
        }
        let points: Option<Vec<[f64; 2]>> = places.iter().map(|place| space.to_plane(place)).collect();
        let points = points.ok_or_else(|| TrajectoryError::WrongSpace {
            method: "an index of points of interest",
            expected: "a space with a plane metric",
            got: space.to_string(),
        })?;
        let buckets = Buckets::around(&points);
        let (starts, entries) = buckets.sort(&points);
        let Buckets { low, side, shape } = buckets;
        Ok(Self { space, places, low, side, shape, starts, entries })
    }

    /// The space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The points in the order in which they were given.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The nearest point to a point of the plane.
    fn nearest(&self, point: [f64; 2]) -> usize {
        let home: [usize; 2] = std::array::from_fn(|axis| {
            (((point[axis] - self.low[axis]) / self.side) as usize).min(self.shape[axis] - 1)
        });
        // How far the nearest border of the home bucket is; negative for points outside all buckets.
        let margin = (0..2)
            .map(|axis| {
                let inside = point[axis] - self.low[axis] - home[axis] as f64 * self.side;
                inside.min(self.side - inside)
            })
            .fold(f64::INFINITY, f64::min);
        let mut best = (f64::INFINITY, u32::MAX);
        for ring in 0..self.shape[0].max(self.shape[1]) {
            // Everything in this ring is at least so far away.
            let reach = margin + (ring as f64 - 1.0) * self.side;
            if reach > 0.0 && reach * reach > best.0 {
                break;
            }
            self.look_around(point, home, ring, &mut best);
        }
        best.1 as usize
    }

    /// Looks at the buckets that are `ring` columns or rows away from the home bucket.
    #[inline]
    fn look_around(&self, point: [f64; 2], home: [usize; 2], ring: usize, best: &mut (f64, u32)) {
        let last = [self.shape[0] - 1, self.shape[1] - 1];
        let columns = home[1].saturating_sub(ring)..=(home[1] + ring).min(last[1]);
        for row in home[0].saturating_sub(ring)..=(home[0] + ring).min(last[0]) {
            if row.abs_diff(home[0]) == ring {
                self.look_at(point, row, *columns.start(), *columns.end(), best);
                continue;
            }
            if home[1] >= ring {
                self.look_at(point, row, home[1] - ring, home[1] - ring, best);
            }
            if home[1] + ring <= last[1] {
                self.look_at(point, row, home[1] + ring, home[1] + ring, best);
            }
        }
    }

    /// Looks at the points of neighbouring buckets of one row, which lie one after the other.
    #[inline]
    fn look_at(&self, point: [f64; 2], row: usize, first: usize, last: usize, best: &mut (f64, u32)) {
        let start = row * self.shape[1];
        let (from, to) = (self.starts[start + first] as usize, self.starts[start + last + 1] as usize);
        for entry in &self.entries[from..to] {
            let (across, along) = (entry.point[0] - point[0], entry.point[1] - point[1]);
            let square = across * across + along * along;
            if square < best.0 || (square == best.0 && entry.index < best.1) {
                *best = (square, entry.index);
            }
        }
    }
}

impl Rounding for PointsOfInterest {
    fn count(&self) -> usize {
        self.places.len()
    }

    fn place(&self, index: usize) -> Option<Place> {
        self.places.get(index).copied()
    }

    fn index_of(&self, place: &Place) -> Option<usize> {
        let point = self.space.to_plane(place)?;
        let is_near_enough = |coordinate: &f64| coordinate.abs() < f64::MAX.sqrt() / 4.0;
        point.iter().all(is_near_enough).then(|| self.nearest(point))
    }
}

/// How the plane is cut.
struct Buckets {
    low: [f64; 2],
    side: f64,
    shape: [usize; 2],
}

impl Buckets {
    /// About as many square buckets as there are points.
    fn around(points: &[[f64; 2]]) -> Self {
        let ends = |axis: usize| {
            let coordinates = points.iter().map(|point| point[axis]);
            coordinates.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), coordinate| {
                (low.min(coordinate), high.max(coordinate))
            })
        };
        let ends = [ends(0), ends(1)];
        let widths = ends.map(|(low, high)| high - low);
        let count = points.len() as f64;
        // On a line, buckets as wide as the mean distance between neighbours would be too many the other way round.
        let side = (widths[0] * widths[1] / count).sqrt().max(widths[0].max(widths[1]) / count);
        let side = if side > 0.0 { side } else { 1.0 };
        let shape = widths.map(|width| (width / side) as usize + 1);
        Self { low: ends.map(|(low, _)| low), side, shape }
    }

    fn bucket(&self, point: &[f64; 2]) -> usize {
        let [row, column] = std::array::from_fn(|axis| {
            (((point[axis] - self.low[axis]) / self.side) as usize).min(self.shape[axis] - 1)
        });
        row * self.shape[1] + column
    }

    /// Points in the order of their buckets, by counting.
    fn sort(&self, points: &[[f64; 2]]) -> (Vec<u32>, Vec<Entry>) {
        let mut starts = vec![0u32; self.shape[0] * self.shape[1] + 1];
        for point in points {
            starts[self.bucket(point) + 1] += 1;
        }
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![Entry { point: [0.0; 2], index: 0 }; points.len()];
        for (index, point) in (0u32..).zip(points) {
            let slot = &mut next[self.bucket(point)];
            entries[*slot as usize] = Entry { point: *point, index };
            *slot += 1;
        }
        (starts, entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Interval, Rectangle};
    use proptest::prelude::*;

    fn square() -> Space {
        Space::rectangle(Rectangle::new([Interval::new(0.0, 1.0).unwrap(); 2]).unwrap())
    }

    fn by_looking_at_all(points: &[Place], place: &Place) -> usize {
        let distance = |other: &Place| (other[0] - place[0]).powi(2) + (other[1] - place[1]).powi(2);
        let best = points.iter().map(&distance).fold(f64::INFINITY, f64::min);
        points.iter().position(|point| distance(point) == best).unwrap()
    }

    proptest! {
        #[test]
        fn the_nearest_is_found(
            points in prop::collection::vec(prop::array::uniform2(0.0..=1.0), 1..200),
            places in prop::collection::vec(prop::array::uniform2(-0.5..=1.5), 20),
        ) {
            let index = PointsOfInterest::new(square(), points.clone()).unwrap();
            for place in &places {
                prop_assert_eq!(index.index_of(place), Some(by_looking_at_all(&points, place)));
            }
        }

        #[test]
        fn clusters_lines_and_repeated_points_are_found(
            points in prop::collection::vec((0u8..4, 0u8..3), 1..80),
            squeeze in prop::sample::select(vec![[1e-9, 1.0], [1.0, 1e-9], [0.0, 1.0], [0.0, 0.0], [1.0, 1.0]]),
            places in prop::collection::vec(prop::array::uniform2(0.0..=1.0), 20),
        ) {
            let points: Vec<Place> = points.iter()
                .map(|(row, column)| [f64::from(*row) / 4.0 * squeeze[0], f64::from(*column) / 3.0 * squeeze[1]])
                .collect();
            let index = PointsOfInterest::new(square(), points.clone()).unwrap();
            for place in &places {
                prop_assert_eq!(index.index_of(place), Some(by_looking_at_all(&points, place)));
            }
        }
    }

    #[test]
    fn impossible_lists_and_places_are_refused() {
        assert!(PointsOfInterest::new(square(), vec![]).is_err());
        let message = PointsOfInterest::new(square(), vec![[0.5, 0.5], [2.0, 0.0]]).unwrap_err().to_string();
        assert!(message.contains("number 2") && !message.contains("2, 0"), "{message}");
        let sphere = Space::sphere(1.0).unwrap();
        assert!(matches!(
            PointsOfInterest::new(sphere, vec![[0.0, 0.0]]),
            Err(TrajectoryError::WrongSpace { .. })
        ));
        let one = PointsOfInterest::new(square(), vec![[0.5, 0.5]]).unwrap();
        assert_eq!(one.index_of(&[f64::NAN, 0.0]), None);
        assert_eq!(one.index_of(&[1e300, 0.0]), None);
        assert_eq!(one.index_of(&[-7.0, 40.0]), Some(0));
    }
}
