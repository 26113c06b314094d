//! A public list of places that reports are chosen from.

use crate::method::ReportLaws;
use crate::method::laws::parts_of;
use crate::space::{Shape, Space};
use crate::{Place, TrajectoryError};
use privet_mechanisms::plane::PlaneLaws;

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

    /// How likely groups of candidates are from all places, where each candidate has this law of all candidates. Neighbouring
    /// ones are counted together where there are many.
    pub(super) fn laws(
        &self,
        shape: [u32; 2],
        law_of: impl Fn(usize) -> Vec<f64>,
    ) -> Result<ReportLaws<'_>, TrajectoryError> {
        let parts = shape.map(parts_of);
        let is_merged = self.len() > (parts[0] * parts[1]) as usize;
        let groups = if is_merged { (parts[0] * parts[1]) as usize } else { self.len() };
        let shares: Vec<[f64; 2]> =
            self.inner.iter().map(|point| self.share(*point)).collect::<Result<_, _>>()?;
        let group = move |candidate: usize, share: [f64; 2]| {
            let part = |axis: usize| ((share[axis] * f64::from(parts[axis])) as u32).min(parts[axis] - 1);
            if is_merged { part(0) * parts[1] + part(1) } else { candidate as u32 }
        };
        let group_of: Vec<u32> =
            shares.iter().enumerate().map(|(index, share)| group(index, *share)).collect();
        let law = |candidate: usize| {
            let mut law = vec![0.0; groups];
            for (mass, group) in law_of(candidate).into_iter().zip(&group_of) {
                law[*group as usize] += mass;
            }
            law
        };
        let boxes =
            (0..self.len()).map(|candidate| self.nearest_places(candidate)).collect::<Result<_, _>>()?;
        let laws = PlaneLaws::of_boxes(boxes, (0..self.len()).map(law).collect());
        // Reports are candidates themselves.
        let read = move |report: &Place| self.nearest(report).map_or(0, |seen| group_of[seen]);
        Ok(ReportLaws { group_of: Box::new(read), laws })
    }

    /// In shares of the sides of the smallest rectangle around the space.
    fn share(&self, inner: [f64; 2]) -> Result<[f64; 2], TrajectoryError> {
        let sides = self.space.inner_bounds()?.sides();
        Ok(std::array::from_fn(|axis| (inner[axis] - sides[axis].low()) / sides[axis].width()))
    }

    /// The smallest box around all places that are nearest to a candidate, in shares: the rectangle, cut by the lines halfway
    /// to the others.
    fn nearest_places(&self, own: usize) -> Result<[[f64; 2]; 2], TrajectoryError> {
        let bounds = self.space.inner_bounds()?;
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let mut polygon: Vec<[f64; 2]> = corners.iter().map(|corner| bounds.point_at(*corner)).collect();
        let mut others: Vec<(f64, usize)> =
            (0..self.len()).map(|other| (self.between(own, other), other)).collect();
        others.sort_by(|one, two| one.0.total_cmp(&two.0));
        let middle = self.inner[own];
        for (distance, other) in others.into_iter().filter(|(distance, _)| *distance > 0.0) {
            let reach = polygon.iter().map(|corner| (corner[0] - middle[0]).hypot(corner[1] - middle[1]));
            // Whoever is more than twice as far as all of the polygon cuts nothing off.
            if distance > 2.0 * reach.fold(0.0, f64::max) {
                break;
            }
            polygon = nearer_part(&polygon, middle, self.inner[other]);
        }
        let corners = polygon.into_iter().map(|corner| self.share(corner)).collect::<Result<Vec<_>, _>>()?;
        Ok(std::array::from_fn(|axis| {
            let along = corners.iter().map(|corner| corner[axis]);
            [along.clone().fold(f64::INFINITY, f64::min), along.fold(f64::NEG_INFINITY, f64::max)]
        }))
    }
}

/// The part of a convex polygon that is not nearer to the other point.
fn nearer_part(polygon: &[[f64; 2]], own: [f64; 2], other: [f64; 2]) -> Vec<[f64; 2]> {
    let towards = [other[0] - own[0], other[1] - own[1]];
    let halfway = [f64::midpoint(own[0], other[0]), f64::midpoint(own[1], other[1])];
    let beyond =
        |corner: [f64; 2]| (corner[0] - halfway[0]) * towards[0] + (corner[1] - halfway[1]) * towards[1];
    let mut part = Vec::with_capacity(polygon.len() + 1);
    for (index, from) in polygon.iter().enumerate() {
        let to = polygon[(index + 1) % polygon.len()];
        let (start, end) = (beyond(*from), beyond(to));
        if start <= 0.0 {
            part.push(*from);
        }
        if (start < 0.0) != (end < 0.0) && start != end {
            let share = (start / (start - end)).clamp(0.0, 1.0);
            part.push([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]);
        }
    }
    part
}
