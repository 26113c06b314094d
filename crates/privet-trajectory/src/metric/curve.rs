//! Distances between whole paths, which need not have the same number of places.

use crate::Place;
use crate::space::Space;

/// The smallest sum of distances over all ways to walk both paths together: in each step one of both goes on to its next
/// place, or both do. `None` if a path is empty.
pub fn dynamic_time_warping(space: &Space, one: &[Place], other: &[Place]) -> Option<f64> {
    walk_together(space, one, other, |so_far, here| so_far + here)
}

/// The discrete Frechet distance: the smallest largest distance over all ways to walk both paths together. `None` if a path is
/// empty.
pub fn frechet(space: &Space, one: &[Place], other: &[Place]) -> Option<f64> {
    walk_together(space, one, other, f64::max)
}

/// The best way to come to the ends of both paths. One row of the table is kept, so memory grows with one path only.
fn walk_together(
    space: &Space,
    one: &[Place],
    other: &[Place],
    extend: impl Fn(f64, f64) -> f64,
) -> Option<f64> {
    let mut row = vec![f64::INFINITY; other.len()];
    for (index, place) in one.iter().enumerate() {
        // The entries to the left in this row, and to the left in the row before.
        let (mut left, mut diagonal) = (f64::INFINITY, f64::INFINITY);
        for (column, opposite) in other.iter().enumerate() {
            let here = space.distance(place, opposite);
            let before = left.min(diagonal).min(row[column]);
            let is_start = index == 0 && column == 0;
            diagonal = row[column];
            left = if is_start { here } else { extend(before, here) };
            row[column] = left;
        }
    }
    if one.is_empty() { None } else { row.last().copied() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Interval, Rectangle};
    use proptest::prelude::*;

    fn plane() -> Space {
        Space::rectangle(Rectangle::new([Interval::new(-9.0, 9.0).unwrap(); 2]).unwrap())
    }

    fn euclidean(one: &Place, other: &Place) -> f64 {
        (one[0] - other[0]).hypot(one[1] - other[1])
    }

    /// Tries every way: the best over all that continue from these two indices.
    fn by_trying(one: &[Place], other: &[Place], extend: &dyn Fn(f64, f64) -> f64) -> f64 {
        let here = euclidean(&one[0], &other[0]);
        let steps = [(1, 0), (0, 1), (1, 1)];
        let rest = steps.iter().filter(|(a, b)| *a < one.len() && *b < other.len());
        let rest =
            rest.map(|(a, b)| by_trying(&one[*a..], &other[*b..], extend)).fold(f64::INFINITY, f64::min);
        if one.len() == 1 && other.len() == 1 { here } else { extend(rest, here) }
    }

    fn paths() -> impl Strategy<Value = Vec<Place>> {
        prop::collection::vec(prop::array::uniform2(-1.0..1.0), 1..6)
    }

    proptest! {
        #[test]
        fn no_way_is_better(one in paths(), other in paths()) {
            let warped = dynamic_time_warping(&plane(), &one, &other).unwrap();
            prop_assert!((warped - by_trying(&one, &other, &|a, b| a + b)).abs() < 1e-12);
            prop_assert_eq!(frechet(&plane(), &one, &other).unwrap(), by_trying(&one, &other, &f64::max));
            // Both are symmetric.
            prop_assert!((warped - dynamic_time_warping(&plane(), &other, &one).unwrap()).abs() < 1e-12);
            prop_assert_eq!(frechet(&plane(), &one, &other), frechet(&plane(), &other, &one));
        }
    }

    #[test]
    fn small_paths_by_hand() {
        let line = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]];
        let above = [[0.0, 1.0], [2.0, 1.0]];
        // The middle place waits with either end at distance sqrt 2.
        let warped = dynamic_time_warping(&plane(), &line, &above).unwrap();
        assert!((warped - (2.0 + 2f64.sqrt())).abs() < 1e-15);
        assert_eq!(frechet(&plane(), &line, &above), Some(2f64.sqrt()));
        // A place that is repeated costs nothing.
        assert_eq!(dynamic_time_warping(&plane(), &[[3.0, 4.0]], &[[0.0, 0.0]; 1]), Some(5.0));
        assert_eq!(dynamic_time_warping(&plane(), &[[3.0, 4.0]], &[[3.0, 4.0]; 9]), Some(0.0));
        assert_eq!(frechet(&plane(), &[[3.0, 4.0]], &[[0.0, 0.0], [3.0, 0.0]]), Some(5.0));
    }

    #[test]
    fn empty_paths_have_no_distance() {
        for (one, other) in [(&[][..], &[][..]), (&[[0.0; 2]][..], &[][..]), (&[][..], &[[0.0; 2]][..])] {
            assert_eq!(dynamic_time_warping(&plane(), one, other), None);
            assert_eq!(frechet(&plane(), one, other), None);
        }
    }
}
