//! Two pieces for all inputs: the density stands still.
//!
//! With two heights the boundary is where the mass is one, whatever the input. So the density is the same for all
//! inputs, its error is convex in the input, and the worst one is at an end.

use super::view::View;

/// Into how many parts the places of the boundary are cut in each round.
const PARTS: u32 = 256;
/// After so many rounds, each 64 times finer, the boundary is known to about 1e-12.
const ROUNDS: usize = 7;

/// The two heights, from left to right, with the smallest error at the worse end of the inputs.
pub(super) fn best_heights(ends: [View; 2], ratio: f64) -> [f64; 2] {
    let (mut low, mut high) = (0.0, 1.0);
    let mut best = Still { heights: [1.0 / ends[0].width(); 2], error: uniform_error(ends) };
    for _ in 0..ROUNDS {
        let step = (high - low) / f64::from(PARTS);
        let mut centre = None;
        for part in 0..=PARTS {
            let share = low + step * f64::from(part);
            let still = best_at(ends, ratio, share);
            if still.error < best.error {
                best = still;
                centre = Some(share);
            }
        }
        // A round without progress has nothing to look at more closely.
        let Some(centre) = centre else { break };
        (low, high) = ((centre - 2.0 * step).max(0.0), (centre + 2.0 * step).min(1.0));
    }
    best.heights
}

fn uniform_error(ends: [View; 2]) -> f64 {
    ends.map(|view| view.total() / view.width()).into_iter().fold(0.0, f64::max)
}

struct Still {
    heights: [f64; 2],
    error: f64,
}

/// The best heights if the left piece has this share of the outputs.
///
/// The right height follows from the left one, and each end's error is linear in it: the smallest maximum of two
/// lines is at an end of the range or where they cross.
fn best_at(ends: [View; 2], ratio: f64, share: f64) -> Still {
    let width = ends[0].width();
    let (left_length, right_length) = (share * width, (1.0 - share) * width);
    let right = |left: f64| (1.0 - left * left_length) / right_length;
    let error = |view: &View, left: f64| {
        let boundary = view.low + left_length;
        left * view.integral(view.low, boundary) + right(left) * view.integral(boundary, view.high)
    };
    let worse = |left: f64| error(&ends[0], left).max(error(&ends[1], left));
    let least = 1.0 / (left_length + ratio * right_length);
    let most = ratio / (ratio * left_length + right_length);
    let lead = |left: f64| error(&ends[0], left) - error(&ends[1], left);
    let crossing = least + (most - least) * lead(least) / (lead(least) - lead(most));
    let mut best = Still { heights: [1.0 / width; 2], error: f64::INFINITY };
    for left in [least, most, crossing] {
        let error = worse(left);
        if (least..=most).contains(&left) && error < best.error {
            best = Still { heights: [left, right(left)], error };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(input: [f64; 2], output: [f64; 2], power: f64) -> [View; 2] {
        input.map(|x| View { low: output[0] - x, high: output[1] - x, power })
    }

    #[test]
    fn on_its_own_interval_nothing_beats_the_uniform_density() {
        for power in [1.0, 2.0, 3.5] {
            for ratio in [1.1, 3.0, 50.0] {
                let heights = best_heights(ends([0.0, 1.0], [0.0, 1.0], power), ratio);
                assert!(heights.iter().all(|height| (height - 1.0).abs() < 1e-9), "{heights:?}");
            }
        }
    }

    #[test]
    fn far_outputs_get_the_small_height() {
        // Inputs in [0, .2], outputs in [0, 1]: the left piece is the window at the input .1 or near it.
        let [left, right] = best_heights(ends([0.0, 0.2], [0.0, 1.0], 1.0), 4.0);
        assert!((left / right - 4.0).abs() < 1e-9 && left > 1.0, "{left} {right}");
    }
}
