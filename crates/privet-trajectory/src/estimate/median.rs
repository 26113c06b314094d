//! The place with the smallest mean distance to others.

use crate::rounding::{Grid, Rounding};
use crate::space::Space;
use crate::{Place, TrajectoryError};

/// Steps of Newton's method; it needs about five.
const MAX_STEPS: usize = 50;
/// Steps shorter than this part of the softening end the search; the next one would be shorter by far.
const PRECISION: f64 = 1e-3;
/// How often a step that leads upwards is halved.
const HALVINGS: usize = 30;
/// Cells with less than this part of the largest weight are left out.
const NEGLIGIBLE: f64 = 1e-12;

/// Finds geometric medians of weights on the cells of a grid.
///
/// The distance to a cell is the root of the mean squared distance to its points, which is the distance to its middle together
/// with the spread of the cell. That makes the sum of distances smooth and strictly convex, so Newton's method finds its
/// minimum.
#[derive(Debug)]
pub(super) struct Medians<'a> {
    space: &'a Space,
    /// The middles of the cells in the plane where distances are Euclidean.
    points: Vec<[f64; 2]>,
    softening: f64,
}

impl<'a> Medians<'a> {
    pub(super) fn new(grid: &'a Grid) -> Self {
        let space = grid.space();
        let centre = |index: usize| {
            let place = grid.place(index).unwrap_or_else(|| space.centre());
            // Evidence is only gathered in spaces that have a plane.
            space.to_plane(&place).unwrap_or(place)
        };
        let points = (0..grid.count()).map(centre).collect();
        let [first, second] = grid.cell_widths();
        Self { space, points, softening: ((first * first + second * second) / 12.0).sqrt() }
    }

    /// The geometric median of cells with these weights, which need not add up to 1.
    pub(super) fn of(&self, weights: &[f64]) -> Place {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let cells: Vec<Weighted> = weights
            .iter()
            .zip(&self.points)
            .filter(|(weight, _)| **weight > NEGLIGIBLE * largest)
            .map(|(weight, point)| Weighted { weight: weight / largest, point: *point })
            .collect();
        let median = minimise(&cells, self.softening);
        self.space.place_at(median).unwrap_or_else(|| self.space.centre())
    }
}

/// The place with the smallest mean distance to given ones: what one would say of everybody, knowing only the population.
///
/// # Errors
/// When there is no place, one lies outside the space, or the space is a sphere.
pub fn geometric_median(space: &Space, places: &[Place]) -> Result<Place, TrajectoryError> {
    for (position, place) in (1..).zip(places) {
        space.check(place).map_err(|error| error.at(position))?;
    }
    let points: Option<Vec<[f64; 2]>> = places.iter().map(|place| space.to_plane(place)).collect();
    let points = points.filter(|points| !points.is_empty()).ok_or_else(|| {
        TrajectoryError::incompatible(
            "a geometric median needs at least one place in a space with a plane metric",
        )
    })?;
    let bounds = space.inner_bounds()?;
    let cells: Vec<Weighted> = points.iter().map(|point| Weighted { weight: 1.0, point: *point }).collect();
    // Small beside any distance that matters, and enough to make the sum smooth.
    let median = minimise(&cells, 1e-5 * bounds.widths()[0].hypot(bounds.widths()[1]));
    Ok(space.place_at(median).unwrap_or_else(|| space.centre()))
}

struct Weighted {
    weight: f64,
    point: [f64; 2],
}

/// The minimum of the weighted sum of softened distances, by Newton's method from the mean.
fn minimise(cells: &[Weighted], softening: f64) -> [f64; 2] {
    let total: f64 = cells.iter().map(|cell| cell.weight).sum();
    let mean = |axis: usize| cells.iter().map(|cell| cell.weight * cell.point[axis]).sum::<f64>() / total;
    let mut at = [mean(0), mean(1)];
    let mut slope = Slope::at(cells, at, softening);
    for _ in 0..MAX_STEPS {
        let step = slope.newton_step();
        if step[0].hypot(step[1]) < PRECISION * softening {
            break;
        }
        let Some((next, there)) = descend(cells, softening, at, &slope, step) else {
            break;
        };
        (at, slope) = (next, there);
    }
    at
}

/// The first of the step, its half and so on that leads downwards.
fn descend(
    cells: &[Weighted],
    softening: f64,
    at: [f64; 2],
    slope: &Slope,
    step: [f64; 2],
) -> Option<([f64; 2], Slope)> {
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let next = [at[0] + length * step[0], at[1] + length * step[1]];
        let there = Slope::at(cells, next, softening);
        if there.sum < slope.sum {
            return Some((next, there));
        }
        length /= 2.0;
    }
    None
}

/// The sum of distances with its first and second derivatives.
struct Slope {
    sum: f64,
    gradient: [f64; 2],
    /// Twice along the first axis, along both, twice along the second.
    curvature: [f64; 3],
}

impl Slope {
    fn at(cells: &[Weighted], at: [f64; 2], softening: f64) -> Self {
        let mut slope = Self { sum: 0.0, gradient: [0.0; 2], curvature: [0.0; 3] };
        let floor = softening * softening;
        for Weighted { weight, point } in cells {
            let [x, y] = [at[0] - point[0], at[1] - point[1]];
            let square = x * x + y * y + floor;
            let inverse = square.sqrt().recip();
            let pull = weight * inverse;
            let [x, y] = [x * inverse, y * inverse];
            slope.sum += pull * square;
            slope.gradient[0] += weight * x;
            slope.gradient[1] += weight * y;
            slope.curvature[0] += pull * (1.0 - x * x);
            slope.curvature[1] -= pull * x * y;
            slope.curvature[2] += pull * (1.0 - y * y);
        }
        slope
    }

    /// The way to where the gradient would vanish. The curvature is positive definite, thanks to the softening.
    fn newton_step(&self) -> [f64; 2] {
        let [first, both, second] = self.curvature;
        let determinant = first * second - both * both;
        let [down, left] = self.gradient;
        [(both * left - second * down) / determinant, (both * down - first * left) / determinant]
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

    fn mean_distance(places: &[Place], from: &Place) -> f64 {
        let distances = places.iter().map(|place| (place[0] - from[0]).hypot(place[1] - from[1]));
        distances.sum::<f64>() / places.len() as f64
    }

    #[test]
    fn three_places_meet_under_equal_angles() {
        // Fermat's point of an isosceles triangle: on its axis, where both lower sides are seen under 120 degrees.
        let places = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]];
        let [first, second] = geometric_median(&square(), &places).unwrap();
        assert!((first - 0.5).abs() < 1e-6 && (second - 0.5 / 3f64.sqrt()).abs() < 1e-6, "{first} {second}");
    }

    #[test]
    fn a_majority_is_never_left() {
        let mut places = vec![[0.2, 0.3]; 6];
        places.extend([[0.9, 0.9], [0.8, 0.1], [1.0, 0.5], [0.7, 0.7], [0.1, 0.9]]);
        let median = geometric_median(&square(), &places).unwrap();
        assert!((median[0] - 0.2).hypot(median[1] - 0.3) < 1e-4, "{median:?}");
    }

    proptest! {
        #[test]
        fn nothing_nearby_is_better(places in prop::collection::vec(prop::array::uniform2(0.0..=1.0), 1..30)) {
            let median = geometric_median(&square(), &places).unwrap();
            let least = mean_distance(&places, &median);
            for step in 0..16 {
                let (sine, cosine) = (f64::from(step) * 0.4).sin_cos();
                for length in [1e-3, 0.02, 0.3] {
                    let other = [median[0] + length * cosine, median[1] + length * sine];
                    prop_assert!(mean_distance(&places, &other) > least - 2e-5);
                }
            }
        }
    }

    #[test]
    fn metres_count_and_not_degrees() {
        // At 60 degrees a degree of longitude is half as long as one of latitude.
        let bounds = crate::space::GeographicBox { west: 0.0, east: 2.0, south: 59.5, north: 60.5 };
        let space = Space::geographic(bounds).unwrap();
        let places = [[0.0, 59.7], [2.0, 59.7], [1.0, 60.4]];
        let [longitude, latitude] = geometric_median(&space, &places).unwrap();
        // The base is 2 cos 60 = 1 degree of latitude long, so the point is 0.5 / sqrt 3 above it.
        let expected = 59.7 + 0.5 / 3f64.sqrt();
        assert!(
            (longitude - 1.0).abs() < 1e-6 && (latitude - expected).abs() < 1e-5,
            "{longitude} {latitude}"
        );
    }

    #[test]
    fn no_place_and_no_plane_are_refused() {
        assert!(geometric_median(&square(), &[]).is_err());
        assert!(geometric_median(&square(), &[[0.5, f64::NAN]]).is_err());
        assert!(geometric_median(&Space::sphere(1.0).unwrap(), &[[0.0, 0.0]]).is_err());
    }

    #[test]
    fn cells_have_an_extent() {
        let grid = Grid::new(square(), [4, 4]).unwrap();
        let mut weights = [0.0; 16];
        weights[5] = 3.0;
        let median = Medians::new(&grid).of(&weights);
        assert!((median[0] - 0.375).abs() < 1e-9 && (median[1] - 0.375).abs() < 1e-9, "{median:?}");
        // Two equal cells: anything between them has the same mean distance but for their spread, which wants the middle.
        weights[6] = 3.0;
        assert!((Medians::new(&grid).of(&weights)[1] - 0.5).abs() < 1e-6);
    }
}
