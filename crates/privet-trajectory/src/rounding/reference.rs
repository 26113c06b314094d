//! A public reference for the direction and the distance of TraCS-D.

use super::PointsOfInterest;
use crate::space::Space;
use crate::{Place, TrajectoryError};

/// How many references are tried on each side.
const TRIED: u32 = 17;

/// The reference from which the way through a point of interest to the border is shortest on average (section 6.2.4 of the
/// dissertation): the error of a distance grows with the length of its way. References on an even grid, border included, are
/// tried. Points of interest are public, so the choice is public as well.
///
/// # Errors
/// When the space is a sphere, or no reference of the grid lies in it.
pub fn best_reference(points: &PointsOfInterest) -> Result<Place, TrajectoryError> {
    let space = points.space();
    let bounds = space.inner_bounds()?;
    let targets: Vec<[f64; 2]> = points.places().iter().map(|place| space.to_inner(*place)).collect();
    let share = |step: u32| f64::from(step) / f64::from(TRIED - 1);
    let candidates =
        (0..TRIED * TRIED).map(|index| bounds.point_at([share(index / TRIED), share(index % TRIED)]));
    let scored = candidates
        .filter(|candidate| space.contains(&space.publish(*candidate)))
        .filter_map(|candidate| Some((mean_way(space, candidate, &targets)?, candidate)));
    let best = scored.min_by(|one, other| one.0.total_cmp(&other.0));
    best.map(|(_, reference)| space.publish(reference)).ok_or_else(|| TrajectoryError::WrongSpace {
        method: "a reference",
        expected: "a space with a border",
        got: space.to_string(),
    })
}

/// The mean length of the ways from a reference through the targets to the border. Targets at the reference have no way.
fn mean_way(space: &Space, from: [f64; 2], targets: &[[f64; 2]]) -> Option<f64> {
    let mut total = 0.0;
    for target in targets {
        let offset = [target[0] - from[0], target[1] - from[1]];
        let distance = offset[0].hypot(offset[1]);
        if distance > 0.0 {
            let reach = space.shape().reach(from, offset.map(|coordinate| coordinate / distance))?;
            // Rounding may end the way before the target.
            total += reach.max(distance);
        }
    }
    Some(total / targets.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Interval, Rectangle};

    fn square() -> Space {
        Space::rectangle(Rectangle::new([Interval::new(0.0, 1.0).unwrap(); 2]).unwrap())
    }

    #[test]
    fn ways_end_at_the_border() {
        let way = |from, to| mean_way(&square(), from, &[to]).unwrap();
        assert_eq!(way([0.25, 0.5], [0.3, 0.5]), 0.75);
        assert!((way([0.0, 0.0], [0.2, 0.2]) - 2f64.sqrt()).abs() < 1e-12);
        assert_eq!(way([0.5, 0.5], [0.5, 0.5]), 0.0);
    }

    #[test]
    fn a_reference_beside_a_crowd_at_the_border_looks_outwards() {
        // The crowd is at the right border: from just left of it all ways are short.
        let crowd: Vec<Place> = (0..50).map(|index| [0.97, 0.3 + 0.008 * f64::from(index)]).collect();
        let points = PointsOfInterest::new(square(), crowd.clone()).unwrap();
        let reference = best_reference(&points).unwrap();
        let mean = |from| mean_way(&square(), from, &crowd).unwrap();
        assert!(mean(reference) < 0.5 * mean([0.5, 0.5]), "{reference:?}");
        for step in 0..17u32 * 17 {
            let other = [f64::from(step / 17) / 16.0, f64::from(step % 17) / 16.0];
            assert!(mean(reference) <= mean(other));
        }
    }

    #[test]
    fn discs_have_references_too() {
        let disc = Space::disc([0.0, 0.0], 1.0).unwrap();
        let points = PointsOfInterest::new(disc.clone(), vec![[0.9, 0.0], [0.95, 0.01]]).unwrap();
        let reference = best_reference(&points).unwrap();
        assert!(disc.contains(&reference) && reference[0] > 0.5, "{reference:?}");
    }
}
