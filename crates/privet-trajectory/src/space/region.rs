//! Polygons with holes, and several of them.

use crate::{Place, TrajectoryError};

/// A region bounded by closed rings, one or many, in any orientation.
///
/// A point is inside if a ray from it crosses the rings an odd number of times. So a ring inside another one is a hole, rings
/// beside each other are separate parts, and a ring that crosses itself is the set of points that it encloses oddly often: a
/// figure of eight has two loops, and where loops overlap twice there is a hole.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    rings: Vec<Vec<Place>>,
}

impl Region {
    /// The largest number of corners: projection looks at every edge.
    pub const MAX_CORNERS: usize = 1 << 20;

    /// Checks the rings. The last corner of a ring may repeat the first.
    ///
    /// # Errors
    /// When there is no ring, one has fewer than three different corners or no extent, or a coordinate is not finite.
    pub fn new(rings: Vec<Vec<Place>>) -> Result<Self, TrajectoryError> {
        let corners: usize = rings.iter().map(Vec::len).sum();
        if rings.is_empty() || corners > Self::MAX_CORNERS {
            let most = Self::MAX_CORNERS;
            return Err(TrajectoryError::incompatible(format!(
                "a region needs at least one ring and at most {most} corners: got {corners} corners"
            )));
        }
        let rings: Vec<Vec<Place>> = rings.into_iter().map(open).collect();
        for ring in &rings {
            if ring.iter().flatten().any(|coordinate| !coordinate.is_finite()) {
                return Err(TrajectoryError::incompatible("the corners of a region must be finite"));
            }
            if ring.len() < 3 || is_flat(ring) {
                return Err(TrajectoryError::incompatible(format!(
                    "a ring needs three corners that are not on one line: got a flat one with {} corners",
                    ring.len()
                )));
            }
        }
        Ok(Self { rings })
    }

    /// The corners of all rings.
    pub fn corners(&self) -> impl Iterator<Item = Place> + Clone + '_ {
        self.rings.iter().flatten().copied()
    }

    /// The rings, without repeated last corners.
    pub fn rings(&self) -> &[Vec<Place>] {
        &self.rings
    }

    pub(super) fn mapped(&self, map: impl Fn(Place) -> Place) -> Result<Self, TrajectoryError> {
        let ring = |ring: &Vec<Place>| ring.iter().map(|corner| map(*corner)).collect();
        Self::new(self.rings.iter().map(ring).collect())
    }

    fn edges(&self) -> impl Iterator<Item = [Place; 2]> + '_ {
        self.rings.iter().flat_map(|ring| {
            let next = ring.iter().cycle().skip(1);
            ring.iter().zip(next).map(|(from, to)| [*from, *to])
        })
    }

    /// Whether a point is inside; on the border it may be either.
    pub fn contains(&self, point: &Place) -> bool {
        let crosses = |[from, to]: &[Place; 2]| {
            // Half-open in the second coordinate, so that a ray through a corner is counted once.
            if (from[1] > point[1]) == (to[1] > point[1]) {
                return false;
            }
            let share = (point[1] - from[1]) / (to[1] - from[1]);
            point[0] < from[0] + share * (to[0] - from[0])
        };
        self.edges().filter(crosses).count() % 2 == 1
    }

    /// The point itself if it is inside, and otherwise the nearest point of the border. Of several the first counts.
    pub fn nearest(&self, point: Place) -> Place {
        if self.contains(&point) {
            return point;
        }
        let mut best = (f64::INFINITY, point);
        for edge in self.edges() {
            let candidate = nearest_on_edge(edge, point);
            let distance = (candidate[0] - point[0]).hypot(candidate[1] - point[1]);
            if distance < best.0 {
                best = (distance, candidate);
            }
        }
        best.1
    }

    /// How far a point is from the region.
    pub(super) fn distance(&self, point: &Place) -> f64 {
        let nearest = self.nearest(*point);
        (nearest[0] - point[0]).hypot(nearest[1] - point[1])
    }
}

/// A ring without a last corner that repeats the first, and without corners that repeat the one before.
fn open(mut ring: Vec<Place>) -> Vec<Place> {
    ring.dedup();
    if ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
    ring
}

/// Whether all corners are on one line.
fn is_flat(ring: &[Place]) -> bool {
    let Some((first, rest)) = ring.split_first() else { return true };
    let offsets: Vec<[f64; 2]> =
        rest.iter().map(|corner| [corner[0] - first[0], corner[1] - first[1]]).collect();
    let length = |offset: &[f64; 2]| offset[0].hypot(offset[1]);
    let Some(longest) = offsets.iter().copied().max_by(|a, b| length(a).total_cmp(&length(b))) else {
        return true;
    };
    let reach = length(&longest);
    let aside = |offset: &[f64; 2]| (longest[0] / reach * offset[1] - longest[1] / reach * offset[0]).abs();
    offsets.iter().all(|offset| aside(offset) <= 1e-12 * reach)
}

fn nearest_on_edge([from, to]: [Place; 2], point: Place) -> Place {
    let along = [to[0] - from[0], to[1] - from[1]];
    let square = along[0] * along[0] + along[1] * along[1];
    let dot = (point[0] - from[0]) * along[0] + (point[1] - from[1]) * along[1];
    let share = if square > 0.0 { (dot / square).clamp(0.0, 1.0) } else { 0.0 };
    std::array::from_fn(|axis| from[axis] + share * along[axis])
}
