//! Where pieces of given heights end best.
//!
//! The heights and their order from left to right are given, the boundaries are free as long as the density adds
//! up to one. If a boundary between heights A and B moves by t, the error changes by (A - B) L(y) t and the mass
//! by (A - B) t. At the best boundaries the quotient of the two, L(y), is the same everywhere: all boundaries
//! inside the outputs have the same distance from the input. So there are at most two, and at most three pieces
//! are not empty, however many heights there are. What is left is to try all choices of one, two or three heights;
//! the mass determines the rest.

use super::view::View;

/// Rounding that may make a density miss one, or a boundary leave the outputs.
const SLACK: f64 = 1e-10;

/// A density as seen from an input: boundaries, and one height less.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    pub ends: Vec<f64>,
    pub heights: Vec<f64>,
    pub error: f64,
}

/// The best boundaries, or nothing if these heights cannot add up to one.
pub(super) fn best_placement(view: &View, heights: &[f64]) -> Option<Placed> {
    let mut best: Option<Placed> = None;
    let mut consider = |heights: &[f64], ends: Option<Vec<f64>>| {
        let Some(ends) = ends else { return };
        let error = error_of(view, heights, &ends);
        if best.as_ref().is_none_or(|known| error < known.error) {
            best = Some(Placed { ends, heights: heights.to_vec(), error });
        }
    };
    for (first, a) in heights.iter().enumerate() {
        consider(&[*a], alone(view, *a));
        for (second, b) in heights.iter().enumerate().skip(first + 1) {
            consider(&[*a, *b], two(view, *a, *b));
            for c in &heights[second + 1..] {
                consider(&[*a, *b, *c], three(view, [*a, *b, *c]));
            }
        }
    }
    best
}

fn error_of(view: &View, heights: &[f64], ends: &[f64]) -> f64 {
    heights.iter().zip(ends.windows(2)).map(|(height, end)| height * view.integral(end[0], end[1])).sum()
}

fn alone(view: &View, height: f64) -> Option<Vec<f64>> {
    ((height * view.width() - 1.0).abs() <= SLACK).then(|| vec![view.low, view.high])
}

fn two(view: &View, left: f64, right: f64) -> Option<Vec<f64>> {
    let length = (1.0 - right * view.width()) / (left - right);
    let fits = length >= -SLACK * view.width() && length <= (1.0 + SLACK) * view.width();
    fits.then(|| vec![view.low, (view.low + length).clamp(view.low, view.high), view.high])
}

fn three(view: &View, [left, middle, right]: [f64; 3]) -> Option<Vec<f64>> {
    let radius = (1.0 + left * view.low - right * view.high) / (2.0 * middle - left - right);
    let fits = radius >= 0.0 && -radius >= view.low && radius <= view.high;
    fits.then(|| vec![view.low, -radius, radius, view.high])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_centred_or_shifted_inside() {
        let view = |x: f64| View { low: -x, high: 1.0 - x, power: 1.0 };
        let heights = [0.5, 1.5, 0.5];
        let middle = best_placement(&view(0.5), &heights).unwrap();
        assert_eq!(middle.ends, [-0.5, -0.25, 0.25, 0.5]);
        let left = best_placement(&view(0.1), &heights).unwrap();
        assert_eq!(left.heights, [1.5, 0.5]);
        assert!((left.ends[1] - 0.4).abs() < 1e-15);
    }

    #[test]
    fn heights_that_cannot_add_up_are_refused() {
        let view = View { low: -0.5, high: 0.5, power: 2.0 };
        assert_eq!(best_placement(&view, &[1.5, 2.0, 1.1]), None);
        assert_eq!(best_placement(&view, &[0.5, 0.9]), None);
        assert_eq!(best_placement(&view, &[]), None);
        assert_eq!(best_placement(&view, &[1.0, 1.0]).unwrap().heights, [1.0]);
    }
}
