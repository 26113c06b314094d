//! Grids of places in a rectangle, and the motions that leave the rectangle as it is.

use privet_core::Rectangle;

/// A motion of the rectangle onto itself: first the coordinates may change places, then each may be turned around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Motion {
    flips: [bool; 2],
    is_swapped: bool,
}

impl Motion {
    /// Where a place goes. `widths` are those of the rectangle; only squares are moved by a swap.
    pub(super) fn place(self, place: [f64; 2], widths: [f64; 2]) -> [f64; 2] {
        self.flipped(if self.is_swapped { [place[1], place[0]] } else { place }, widths)
    }

    /// Where a place comes from.
    pub(super) fn origin(self, place: [f64; 2], widths: [f64; 2]) -> [f64; 2] {
        let flipped = self.flipped(place, widths);
        if self.is_swapped { [flipped[1], flipped[0]] } else { flipped }
    }

    fn flipped(self, place: [f64; 2], widths: [f64; 2]) -> [f64; 2] {
        std::array::from_fn(|axis| if self.flips[axis] { widths[axis] - place[axis] } else { place[axis] })
    }

    fn index(self, shape: [usize; 2], index: usize) -> usize {
        let place = [index / shape[1], index % shape[1]];
        let place = if self.is_swapped { [place[1], place[0]] } else { place };
        let moved: [usize; 2] =
            std::array::from_fn(
                |axis| {
                    if self.flips[axis] { shape[axis] - 1 - place[axis] } else { place[axis] }
                },
            );
        moved[0] * shape[1] + moved[1]
    }
}

/// Which motions leave a problem as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symmetry {
    /// None but standing still.
    None,
    /// Both coordinates can be turned around.
    Flips,
    /// They can also change places: the rectangle is a square.
    Square,
}

impl Symmetry {
    /// All motions; the first one stands still.
    pub(super) fn motions(self) -> Vec<Motion> {
        let (flips, swaps): (&[bool], &[bool]) = match self {
            Self::None => (&[false], &[false]),
            Self::Flips => (&[false, true], &[false]),
            Self::Square => (&[false, true], &[false, true]),
        };
        let mut motions = Vec::new();
        for is_swapped in swaps {
            for first in flips {
                motions.extend(
                    flips.iter().map(|second| Motion { flips: [*first, *second], is_swapped: *is_swapped }),
                );
            }
        }
        motions
    }
}

/// The sides of a rectangle in units of the longer one.
pub(super) fn relative_widths(rectangle: &Rectangle) -> [f64; 2] {
    let widths = rectangle.widths();
    let longest = widths[0].max(widths[1]);
    widths.map(|width| width / longest)
}

/// How the places of a grid lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spacing {
    /// In the middles of equal parts.
    Middles,
    /// From one end of each side to the other.
    EndToEnd,
}

/// A grid of places with the orbits of a symmetry. Coordinates are in units of the longer side.
#[derive(Debug, Clone)]
pub(super) struct Sites {
    pub(super) shape: [usize; 2],
    pub(super) places: Vec<[f64; 2]>,
    /// One place of each orbit.
    pub(super) leaders: Vec<usize>,
    /// For each place the number of its orbit.
    pub(super) orbits: Vec<usize>,
    /// How many places each orbit has.
    pub(super) sizes: Vec<f64>,
}

impl Sites {
    pub(super) fn new(shape: [usize; 2], widths: [f64; 2], spacing: Spacing, symmetry: Symmetry) -> Self {
        let coordinate = |axis: usize, index: usize| {
            let share = match spacing {
                Spacing::Middles => (index as f64 + 0.5) / shape[axis] as f64,
                Spacing::EndToEnd => index as f64 / (shape[axis] - 1).max(1) as f64,
            };
            share * widths[axis]
        };
        let count = shape[0] * shape[1];
        let places = (0..count)
            .map(|index| [coordinate(0, index / shape[1]), coordinate(1, index % shape[1])])
            .collect();
        let motions = symmetry.motions();
        let (mut leaders, mut sizes) = (Vec::new(), Vec::new());
        let mut orbits = vec![usize::MAX; count];
        for index in 0..count {
            if orbits[index] != usize::MAX {
                continue;
            }
            let orbit = leaders.len();
            leaders.push(index);
            let mut size = 0.0;
            for image in motions.iter().map(|motion| motion.index(shape, index)) {
                size += if orbits[image] == usize::MAX { 1.0 } else { 0.0 };
                orbits[image] = orbit;
            }
            sizes.push(size);
        }
        Self { shape, places, leaders, orbits, sizes }
    }
}

/// The Euclidean distance.
#[inline]
pub(super) fn distance(one: [f64; 2], other: [f64; 2]) -> f64 {
    let (first, second) = (one[0] - other[0], one[1] - other[1]);
    (first * first + second * second).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orbits_cover_the_grid_and_motions_agree_with_indices() {
        let widths = [1.0, 1.0];
        let sites = Sites::new([6, 6], widths, Spacing::Middles, Symmetry::Square);
        assert_eq!(sites.leaders.len(), 6);
        assert_eq!(sites.sizes.iter().sum::<f64>(), 36.0);
        for motion in Symmetry::Square.motions() {
            for (index, place) in sites.places.iter().enumerate() {
                let moved = motion.place(*place, widths);
                assert!(distance(moved, sites.places[motion.index(sites.shape, index)]) < 1e-12);
                assert!(distance(motion.origin(moved, widths), *place) < 1e-12);
                assert_eq!(sites.orbits[index], sites.orbits[motion.index(sites.shape, index)]);
            }
        }
        let points = Sites::new([5, 3], [1.0, 0.5], Spacing::EndToEnd, Symmetry::Flips);
        assert_eq!((points.leaders.len(), points.places[14]), (6, [1.0, 0.5]));
    }
}
