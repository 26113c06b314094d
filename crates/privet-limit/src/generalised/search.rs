//! The search for the best density of m pieces at one input.
//!
//! It knows the loss and nothing about windows: heights and boundaries of all m pieces are free.
//!
//! Let q be the smallest height and g the heights in units of q, between 1 and E = e^epsilon. A density adds up to
//! one by the choice of q, so its error is a quotient, (sum of g_i C_i) / (sum of g_i w_i), with C_i the integral
//! of the loss over piece i and w_i its length. Such a quotient is below a number `rate` exactly if the sum of g_i
//! (C_i - rate w_i) is negative. For given boundaries each height then decides for itself: E if its bracket is
//! negative, otherwise 1. The boundaries are chosen by dynamic programming over all ways to cut the outputs into m
//! pieces at given points. The quotient of the best cut is the next rate, until it falls no more (Dinkelbach's
//! method); after that the points become finer around the boundaries found, and it begins again.

use super::view::View;
use std::iter;

/// Into how many cells the outputs are cut at first.
const CELLS: u32 = 64;
/// How much finer the points around each boundary become from round to round.
const ZOOM: f64 = 8.0;
/// How exact the boundaries shall be, in units of the width times e^(-epsilon/2).
const RESOLUTION: f64 = 1e-9;
/// Dinkelbach's method ends after about five steps; this many are never needed.
const MOST_STEPS: usize = 100;

/// A cut of the outputs and its error.
#[derive(Debug, Clone)]
pub(super) struct Cut {
    /// The ends of the pieces as offsets: one more than there are pieces.
    pub ends: Vec<f64>,
    /// Whether each piece has the larger height.
    pub high: Vec<bool>,
    /// The expected loss, with the best heights.
    pub error: f64,
}

/// Where a piece may end.
#[derive(Debug, Clone, Copy)]
struct Point {
    offset: f64,
    cumulative: f64,
}

/// The best cut into exactly `pieces` pieces, none of them empty.
pub(super) fn best_cut(view: &View, epsilon: f64, pieces: usize) -> Cut {
    let mut spacing = view.width() / f64::from(CELLS);
    let finest = RESOLUTION * view.width() * (-epsilon / 2.0).exp();
    let mut best = settle(&points(view, &[], spacing), view.total() / view.width(), epsilon, pieces);
    while spacing > finest {
        best = settle(&points(view, &best.ends, spacing), best.error, epsilon, pieces);
        spacing /= ZOOM;
    }
    best
}

/// Evenly spaced points, the boundaries, and finer points around each boundary.
fn points(view: &View, boundaries: &[f64], spacing: f64) -> Vec<Point> {
    let even = (0..=CELLS).map(|cell| view.low + view.width() * f64::from(cell) / f64::from(CELLS));
    let around = |end: &f64| {
        let (end, zoom) = (*end, ZOOM as i32);
        (-zoom..=zoom).map(move |step| end + spacing * f64::from(step) / ZOOM)
    };
    let finer = boundaries.iter().flat_map(around);
    let mut offsets: Vec<f64> = even.chain(finer).filter(|at| *at > view.low && *at < view.high).collect();
    offsets.extend([view.low, view.high]);
    offsets.sort_by(f64::total_cmp);
    offsets.dedup();
    offsets.into_iter().map(|offset| Point { offset, cumulative: view.cumulative(offset) }).collect()
}

/// The best cut at these points, beginning with an error that a coarser one has.
fn settle(points: &[Point], error: f64, epsilon: f64, pieces: usize) -> Cut {
    let mut cut = cut_for_rate(points, error, epsilon, pieces);
    let mut rate = error;
    for _ in 0..MOST_STEPS {
        // The last cut is kept even if its error is the same to the last digit: its boundaries are finer.
        if cut.error >= rate {
            break;
        }
        rate = cut.error;
        cut = cut_for_rate(points, rate, epsilon, pieces);
    }
    cut
}

/// The cut with the smallest sum of g_i (C_i - rate w_i).
///
/// As the brackets of all pieces add up to the same for every cut, the smallest sum has the largest total of the
/// negative brackets, the *savings*; epsilon plays no part.
fn cut_for_rate(points: &[Point], rate: f64, epsilon: f64, pieces: usize) -> Cut {
    let saving = |from: usize, to: usize| {
        let (from, to) = (points[from], points[to]);
        (rate * (to.offset - from.offset) - (to.cumulative - from.cumulative)).max(0.0)
    };
    let last = points.len() - 1;
    // savings[to]: the largest total up to the point `to` with the pieces so far, the last one ending there.
    let mut savings: Vec<f64> = (0..=last).map(|to| saving(0, to)).collect();
    savings[0] = f64::NEG_INFINITY;
    let mut begins: Vec<Vec<usize>> = Vec::new();
    for _ in 1..pieces {
        let best_begin = |to: usize| {
            (0..to)
                .map(|from| (savings[from] + saving(from, to), from))
                .fold((f64::NEG_INFINITY, 0), |best, next| if next.0 > best.0 { next } else { best })
        };
        let (next, begin) = (0..=last).map(best_begin).unzip();
        savings = next;
        begins.push(begin);
    }
    let mut at = last;
    let inner = begins.iter().rev().map(|begin| {
        at = begin[at];
        at
    });
    let mut ends: Vec<usize> = iter::once(last).chain(inner).chain([0]).collect();
    ends.reverse();
    let high: Vec<bool> = ends.windows(2).map(|piece| saving(piece[0], piece[1]) > 0.0).collect();
    let ends: Vec<Point> = ends.into_iter().map(|index| points[index]).collect();
    Cut { error: quotient(&ends, &high, epsilon), ends: ends.iter().map(|end| end.offset).collect(), high }
}

/// The error of a cut with these heights.
fn quotient(ends: &[Point], high: &[bool], epsilon: f64) -> f64 {
    let gain = epsilon.exp_m1();
    let (mut loss, mut mass) = (0.0, 0.0);
    for (piece, is_high) in ends.windows(2).zip(high) {
        let height = if *is_high { 1.0 + gain } else { 1.0 };
        loss += height * (piece[1].cumulative - piece[0].cumulative);
        mass += height * (piece[1].offset - piece[0].offset);
    }
    loss / mass
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;
    use crate::generalised::window::Window;
    use crate::programme::Programme;

    /// The best density that is constant on each of `cells` equal cells, by a linear programme: heights are free,
    /// and so is the smallest height, the last variable.
    fn best_of_cells(view: &View, epsilon: f64, cells: usize) -> f64 {
        let cell = view.width() / cells as f64;
        let mut programme = Programme::new(cells + 1);
        for index in 0..cells {
            let from = view.low + index as f64 * cell;
            programme.cost(index, view.integral(from, from + cell));
            programme.at_most([(cells, 1.0), (index, -1.0)], 0.0);
            programme.at_most([(index, 1.0), (cells, -epsilon.exp())], 0.0);
        }
        programme.equal((0..cells).map(|index| (index, cell)), 1.0);
        let values = programme.solve(&Stop::default()).unwrap().values;
        (0..cells)
            .map(|index| {
                values[index]
                    * view.integral(view.low + index as f64 * cell, view.low + (index + 1) as f64 * cell)
            })
            .sum()
    }

    #[test]
    fn a_linear_programme_over_all_densities_finds_the_same() {
        for (low, high, power, epsilon) in
            [(-0.2, 0.8, 1.0, 1.0), (-0.5, 0.5, 2.0, 3.0), (0.0, 1.0, 1.5, 0.3), (-0.9, 0.1, 1.0, 5.0)]
        {
            let view = View { low, high, power };
            let cut = best_cut(&view, epsilon, 4);
            let programme = best_of_cells(&view, epsilon, 400);
            assert!(programme > cut.error - 1e-7, "{programme} {}", cut.error);
            assert!(programme < cut.error * 1.001, "{programme} {}", cut.error);
        }
    }

    #[test]
    fn three_pieces_reach_the_bound_at_every_epsilon_and_power() {
        for (low, high) in [(0.0, 1.0), (-0.3, 0.7), (-0.5, 0.5), (0.2, 1.0)] {
            for power in [1.0, 1.7, 2.0, 6.0] {
                for epsilon in [1e-6f64, 0.1, 1.0, 5.0, 10.0, 32.0] {
                    let view = View { low, high, power };
                    let bound = Window { view, gain: epsilon.exp_m1() }.lower_bound();
                    let error = best_cut(&view, epsilon, 3).error;
                    assert!((error / bound - 1.0).abs() < 1e-9, "{low} {power} {epsilon}: {error} {bound}");
                }
            }
        }
    }

    #[test]
    fn two_pieces_are_the_best_of_all_boundaries() {
        let view = View { low: -0.35, high: 0.65, power: 1.0 };
        let ratio = 2f64.exp();
        let error = |boundary: f64, left: f64, right: f64| {
            let mass = left * (boundary - view.low) + right * (view.high - boundary);
            (left * view.integral(view.low, boundary) + right * view.integral(boundary, view.high)) / mass
        };
        let by_hand = (1..20_000)
            .map(|index| view.low + f64::from(index) / 20_000.0)
            .map(|boundary| error(boundary, ratio, 1.0).min(error(boundary, 1.0, ratio)))
            .fold(f64::INFINITY, f64::min);
        let cut = best_cut(&view, 2.0, 2);
        assert!(cut.error <= by_hand && by_hand - cut.error < 1e-8, "{} {by_hand}", cut.error);
        assert!(cut.error > 1.05 * best_cut(&view, 2.0, 3).error);
    }
}
