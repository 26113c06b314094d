//! Why no private channel in a rectangle does better, and the check of it.
//!
//! # The argument
//!
//! Let places x have the law p (a density that is constant on the parts of a grid, or masses on finitely many points), let
//! E = e^epsilon and let r be any function of the place. A channel that keeps epsilon has a measure q on the outputs with
//! q <= P(. given x) <= E q for every x. An output may be moved to the nearest point y of the rectangle: that brings it
//! nearer to every x. Then
//!
//! ```text
//! loss = sum_x p(x) r(x) + sum_x p(x) sum_y P(y given x) (|x - y| - r(x))
//!     >= sum_x p(x) r(x) + sum_y q(y) G(y),   G(y) = sum_x p(x) f(|x - y| - r(x)),   f(t) = min(t, E t).
//! ```
//!
//! The measure q has at most the mass 1. So if G >= -d everywhere in the rectangle, for some d >= 0, every channel has an
//! average loss of at least sum p r - d under p. The worst case is not below the average, whatever p is.
//!
//! # The check
//!
//! It remains to bound G from below. Take a small box B of outputs with the middle b and a part S of the grid (or a point)
//! with the middle m, and let u be a vector no longer than 1 that points from b to m. Then |x - y| >= u (x - y) for all x
//! and y, and f is rising and concave, so
//!
//! ```text
//! G(y) >= H(y) = sum_S p(S) mean over x in S of f(u (x - y) - r).
//! ```
//!
//! H is concave in y: its smallest value over B is at a corner of B. And the mean of a concave function over a rectangle is
//! at least the mean of its values at the four corners, which holds for each patch of a finer division as well. Where the
//! sign of the argument does not change over S and B, the mean over S is the value at m.
//!
//! Rounding: coordinates, radii and distances are at most 2 in units of the longer side, each term of a corner's sum takes
//! fewer than 100 operations, and adding n terms loses at most n units in the last place of the sum of their sizes. The margin
//! (n + 256) 2^-50 E (2 + largest r) covers all of it many times over. Nothing rests on how the radii were found.

use super::sites::relative_widths;
use crate::LimitError;
use crate::certificate::Enclosure;
use privet_core::{Epsilon, ParameterError, Rectangle};
use privet_mechanisms::plane::PlanePrior;

/// Where the people of a certificate are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum People {
    /// Anywhere, with the density of a prior, which is seen on a finer grid of this shape.
    Prior {
        /// The prior.
        prior: PlanePrior,
        /// The grid: a multiple of the prior's shape along each side.
        grid: [u32; 2],
    },
    /// At the crossings of a grid that reaches from end to end, with these relative weights; the second coordinate runs
    /// fastest. Such people are chosen by the solver to be as hard to serve as possible.
    Points {
        /// How many points there are along each side.
        grid: [u32; 2],
        /// Their weights.
        weights: Vec<u32>,
    },
}

/// A lower bound on the loss of every private channel in a rectangle, with the numbers that prove it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneCertificate {
    rectangle: Rectangle,
    epsilon: Epsilon,
    people: People,
    radii: Vec<u32>,
}

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Examined {
    /// The bound that is proved.
    pub(super) bound: f64,
    /// A lower bound on G: what is below zero had to be bought off.
    pub(super) balance: f64,
}

/// One part of the grid, or one point.
#[derive(Debug, Clone, Copy)]
struct Site {
    middle: [f64; 2],
    probability: f64,
    radius: f64,
}

impl PlaneCertificate {
    /// Radii are whole numbers of which this many make the longer side.
    pub const RADIUS_UNIT: u32 = 1 << 30;
    /// The largest number of parts or points.
    pub const MAX_SITES: u64 = 1 << 16;
    /// Into how many boxes the longer side is cut for the check.
    const BOXES: u32 = 192;
    /// Parts on which the sign changes are looked at on this many patches along each side.
    const PATCHES: u32 = 4;

    /// Checks the shape of the numbers; [`PlaneCertificate::check`] says what they prove.
    ///
    /// # Errors
    /// When the grid does not fit the prior, or the number of radii or weights is not that of the grid.
    pub fn new(
        rectangle: Rectangle,
        epsilon: Epsilon,
        people: People,
        radii: Vec<u32>,
    ) -> Result<Self, LimitError> {
        let refuse =
            |reason: &str| Err(LimitError::Parameter(ParameterError::Incompatible { reason: reason.into() }));
        let (grid, smallest, is_fitting) = match &people {
            People::Prior { prior, grid } => {
                let shape = prior.shape();
                let is_multiple = (0..2).all(|axis| grid[axis].is_multiple_of(shape[axis]));
                (*grid, 1, is_multiple)
            }
            People::Points { grid, weights } => {
                let count = u64::from(grid[0]) * u64::from(grid[1]);
                let has_mass = weights.iter().any(|weight| *weight > 0);
                (*grid, 2, weights.len() as u64 == count && has_mass)
            }
        };
        let count = u64::from(grid[0]) * u64::from(grid[1]);
        if grid.iter().any(|side| *side < smallest) || count > Self::MAX_SITES {
            return refuse("the grid of a certificate has too few or too many parts");
        }
        if !is_fitting {
            return refuse("the grid of a certificate does not fit its people");
        }
        if radii.len() as u64 != count {
            return refuse("a certificate needs one radius for each part of its grid");
        }
        Ok(Self { rectangle, epsilon, people, radii })
    }

    /// The rectangle that it is about.
    pub fn rectangle(&self) -> &Rectangle {
        &self.rectangle
    }

    /// The epsilon that it is about.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// The people whose average loss it bounds.
    pub fn people(&self) -> &People {
        &self.people
    }

    /// The radius of each part or point, in units of the longer side over [`PlaneCertificate::RADIUS_UNIT`].
    pub fn radii(&self) -> &[u32] {
        &self.radii
    }

    /// The lower bound that these numbers prove: no channel that keeps epsilon has a smaller average loss for these people,
    /// nor a smaller worst case.
    pub fn check(&self) -> f64 {
        self.examine().bound
    }

    pub(super) fn examine(&self) -> Examined {
        let sites = self.sites();
        let radius: f64 = sites.iter().map(|site| site.probability * site.radius).sum();
        let largest = sites.iter().map(|site| site.radius).fold(0.0, f64::max);
        let margin = (sites.len() as f64 + 256.0) * 2f64.powi(-50) * self.factor() * (2.0 + largest);
        let balance = self.smallest_balance(&sites) - margin;
        // The relative widths are off by half a unit in the last place, and so are the few operations around them.
        let relative = (radius - balance.min(0.0).abs() - margin) * (1.0 - 2f64.powi(-48));
        let [first, second] = self.rectangle.widths();
        Examined { bound: (relative * first.max(second)).max(0.0), balance }
    }

    /// A number not below e^epsilon.
    fn factor(&self) -> f64 {
        Enclosure::exp(self.epsilon).high()
    }

    fn grid(&self) -> [u32; 2] {
        match &self.people {
            People::Prior { grid, .. } | People::Points { grid, .. } => *grid,
        }
    }

    fn sites(&self) -> Vec<Site> {
        let (grid, widths) = (self.grid(), relative_widths(&self.rectangle));
        let unit = f64::from(Self::RADIUS_UNIT);
        let places = (0..grid[0]).flat_map(|first| (0..grid[1]).map(move |second| [first, second]));
        let total: f64 = match &self.people {
            People::Prior { .. } => 1.0,
            People::Points { weights, .. } => {
                weights.iter().map(|weight| u64::from(*weight)).sum::<u64>() as f64
            }
        };
        let site = |(place, radius): ([u32; 2], &u32)| {
            let share = |axis: usize| match &self.people {
                People::Prior { .. } => (f64::from(place[axis]) + 0.5) / f64::from(grid[axis]),
                People::Points { .. } => f64::from(place[axis]) / f64::from(grid[axis] - 1),
            };
            let probability = match &self.people {
                People::Prior { prior, .. } => {
                    let finer = [grid[0] / prior.shape()[0], grid[1] / prior.shape()[1]];
                    prior.probability([place[0] / finer[0], place[1] / finer[1]])
                        / f64::from(finer[0] * finer[1])
                }
                People::Points { weights, .. } => {
                    f64::from(weights[(place[0] * grid[1] + place[1]) as usize]) / total
                }
            };
            let middle = [share(0) * widths[0], share(1) * widths[1]];
            Site { middle, probability, radius: f64::from(*radius) / unit }
        };
        places.zip(&self.radii).map(site).collect()
    }

    /// A lower bound on G over the whole rectangle.
    fn smallest_balance(&self, sites: &[Site]) -> f64 {
        let (grid, widths) = (self.grid(), relative_widths(&self.rectangle));
        let half_parts = match &self.people {
            People::Prior { .. } => std::array::from_fn(|axis| widths[axis] / f64::from(2 * grid[axis])),
            People::Points { .. } => [0.0; 2],
        };
        // An even number along each side: then flips take boxes to boxes.
        let counts = widths.map(|width| 2 * ((width * f64::from(Self::BOXES) / 2.0).ceil() as u32).max(4));
        let half_box = std::array::from_fn(|axis| widths[axis] / f64::from(2 * counts[axis]));
        let balance = Balance { sites, factor: self.factor(), half_parts, half_box, patches: Self::PATCHES };
        let is_flipped = [self.is_kept_by_flip(0), self.is_kept_by_flip(1)];
        let is_swapped = widths[0] == widths[1] && grid[0] == grid[1] && self.is_kept_by_swap();
        let reach = |axis: usize| if is_flipped[axis] { counts[axis] / 2 } else { counts[axis] };
        let boxes: Vec<[f64; 2]> = (0..reach(0))
            .flat_map(|first| (0..reach(1)).map(move |second| [first, second]))
            .filter(|[first, second]| !(is_swapped && first > second))
            .map(|place| std::array::from_fn(|axis| f64::from(2 * place[axis] + 1) * half_box[axis]))
            .collect();
        privet_core::parallel::map(&boxes, |middle| balance.over_box(*middle))
            .into_iter()
            .fold(f64::INFINITY, f64::min)
    }

    /// Whether turning one coordinate around leaves weights and radii as they are. Then G is the same on both halves.
    fn is_kept_by_flip(&self, axis: usize) -> bool {
        let grid = self.grid();
        self.is_kept_by(|place| {
            let mut moved = place;
            moved[axis] = grid[axis] - 1 - place[axis];
            moved
        })
    }

    fn is_kept_by_swap(&self) -> bool {
        self.is_kept_by(|[first, second]| [second, first])
    }

    fn is_kept_by(&self, motion: impl Fn([u32; 2]) -> [u32; 2]) -> bool {
        let grid = self.grid();
        let index = |place: [u32; 2]| (place[0] * grid[1] + place[1]) as usize;
        let weight = |place: [u32; 2]| match &self.people {
            People::Prior { prior, .. } => {
                let shape = prior.shape();
                let part: [u32; 2] = std::array::from_fn(|axis| place[axis] / (grid[axis] / shape[axis]));
                prior.weights()[(part[0] * shape[1] + part[1]) as usize]
            }
            People::Points { weights, .. } => weights[index(place)],
        };
        (0..grid[0]).flat_map(|first| (0..grid[1]).map(move |second| [first, second])).all(|place| {
            let moved = motion(place);
            self.radii[index(place)] == self.radii[index(moved)] && weight(place) == weight(moved)
        })
    }
}

/// What is needed to bound G over a box.
struct Balance<'a> {
    sites: &'a [Site],
    factor: f64,
    half_parts: [f64; 2],
    half_box: [f64; 2],
    patches: u32,
}

impl Balance<'_> {
    /// A lower bound on G over the box around `middle`, apart from rounding.
    fn over_box(&self, middle: [f64; 2]) -> f64 {
        // Terms whose sign does not change add up to one linear function; the others are added corner by corner.
        let (mut level, mut slope) = (0.0, [0.0; 2]);
        let mut corners = [0.0; 4];
        let reach: [f64; 2] = std::array::from_fn(|axis| self.half_parts[axis] + self.half_box[axis]);
        for site in self.sites {
            let way = [site.middle[0] - middle[0], site.middle[1] - middle[1]];
            let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
            // A little shorter than 1, whatever rounding does.
            let scale = if length > 0.0 { (1.0 - 2f64.powi(-40)) / length } else { 0.0 };
            let unit = [way[0] * scale, way[1] * scale];
            let excess = unit[0] * way[0] + unit[1] * way[1] - site.radius;
            let spread = unit[0].abs() * reach[0] + unit[1].abs() * reach[1];
            if excess.abs() > spread + 2f64.powi(-40) {
                let weight = if excess < 0.0 { site.probability * self.factor } else { site.probability };
                level += weight * excess;
                slope[0] -= weight * unit[0];
                slope[1] -= weight * unit[1];
            } else if site.probability > 0.0 {
                for (corner, sum) in CORNERS.iter().zip(&mut corners) {
                    let shift =
                        unit[0] * corner[0] * self.half_box[0] + unit[1] * corner[1] * self.half_box[1];
                    *sum += site.probability * self.mean_over_part(excess - shift, unit);
                }
            }
        }
        let value = |corner: &[f64; 2], sum: f64| {
            level + sum + slope[0] * corner[0] * self.half_box[0] + slope[1] * corner[1] * self.half_box[1]
        };
        CORNERS.iter().zip(corners).map(|(corner, sum)| value(corner, sum)).fold(f64::INFINITY, f64::min)
    }

    /// At most the mean of f(excess + unit (x - m)) over a part: each patch has at least the mean of its corners.
    fn mean_over_part(&self, excess: f64, unit: [f64; 2]) -> f64 {
        let bent = |value: f64| value.min(self.factor * value);
        if self.half_parts == [0.0; 2] {
            return bent(excess);
        }
        let steps: [f64; 2] = std::array::from_fn(|axis| 2.0 * unit[axis] * self.half_parts[axis]);
        let patches = f64::from(self.patches);
        let mut sum = 0.0;
        for first in 0..=self.patches {
            for second in 0..=self.patches {
                let at_end = |step: u32| step == 0 || step == self.patches;
                let weight = if at_end(first) { 0.5 } else { 1.0 } * if at_end(second) { 0.5 } else { 1.0 };
                let value = excess
                    + steps[0] * (f64::from(first) / patches - 0.5)
                    + steps[1] * (f64::from(second) / patches - 0.5);
                sum += weight * bent(value);
            }
        }
        sum / (patches * patches)
    }
}

const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];

#[cfg(test)]
mod tests;
