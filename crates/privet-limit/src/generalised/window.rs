//! The best window: one height inside, one outside.

use super::view::{View, crossing};

/// Heights in the ratio `gain + 1`, one inside a window of a given length and the other outside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// What is seen from the input.
    pub view: View,
    /// e^epsilon - 1.
    pub gain: f64,
}

impl Window {
    /// The `length` outputs that are nearest to the input, as a range of offsets.
    pub(super) fn range(&self, length: f64) -> (f64, f64) {
        let from = (-length / 2.0).min(self.view.high - length).max(self.view.low);
        (from, from + length)
    }

    /// The lower height that makes the density add up to one.
    pub(super) fn low_height(&self, length: f64) -> f64 {
        1.0 / (self.view.width() + self.gain * length)
    }

    /// The expected loss.
    pub(super) fn error(&self, length: f64) -> f64 {
        let (from, to) = self.range(length);
        (self.view.total() + self.gain * self.view.integral(from, to)) * self.low_height(length)
    }

    /// Whether a longer window would have a smaller error.
    ///
    /// The longer window takes in outputs at its farthest end; that helps while their loss is below the average.
    pub(super) fn should_grow(&self, length: f64) -> bool {
        let (from, to) = self.range(length);
        self.view.loss(from.abs().max(to.abs())) < self.error(length)
    }

    /// The largest number that the dual proves to be below the error of every density with this ratio.
    ///
    /// For any number mu and any density f between q and e^epsilon q, the error less mu is the integral of (L -
    /// mu) f, at least q times the integral of (L - mu)+ - e^epsilon (mu - L)+. Where that is not negative, mu is
    /// a bound.
    pub(super) fn lower_bound(&self) -> f64 {
        let proves = |radius: f64| {
            let (from, to) = ((-radius).max(self.view.low), radius.min(self.view.high));
            let bound = self.view.loss(radius);
            let below = if from < to { bound * (to - from) - self.view.integral(from, to) } else { 0.0 };
            self.view.total() - bound * self.view.width() >= self.gain * below
        };
        self.view.loss(crossing(0.0, 1.0, proves))
    }
}

/// The length of the window whose larger error at the two ends of the inputs is smallest.
///
/// Both errors are convex in the lower height, which falls as the length grows; so the larger one tells the
/// direction.
pub(super) fn best_length(ends: [Window; 2]) -> f64 {
    let should_grow = |length: f64| {
        let worse = if ends[0].error(length) >= ends[1].error(length) { &ends[0] } else { &ends[1] };
        worse.should_grow(length)
    };
    crossing(0.0, ends[0].view.width(), should_grow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(low: f64, high: f64, power: f64, epsilon: f64) -> Window {
        Window { view: View { low, high, power }, gain: f64::exp_m1(epsilon) }
    }

    #[test]
    fn the_best_window_meets_its_bound() {
        for (low, high) in [(0.0, 1.0), (-0.2, 0.8), (-0.5, 0.5), (0.1, 0.9), (-1.0, -0.3)] {
            for power in [1.0, 1.3, 2.0, 7.0] {
                for epsilon in [1e-6, 0.5, 1.0, 4.0, 12.0, 32.0] {
                    let window = window(low, high, power, epsilon);
                    let error = window.error(best_length([window; 2]));
                    let bound = window.lower_bound();
                    // Narrow windows far from the input lose digits.
                    let allowed = if low * high > 0.0 { 1e-9 } else { 1e-13 };
                    assert!((error / bound - 1.0).abs() < allowed, "{error} {bound}");
                }
            }
        }
    }

    #[test]
    fn at_an_end_the_absolute_error_has_its_closed_form() {
        for epsilon in [0.1f64, 1.0, 2.0, 4.0, 10.0] {
            let wanted = 1.0 / (1.0 + (epsilon / 2.0).exp());
            assert!((window(0.0, 1.0, 1.0, epsilon).lower_bound() - wanted).abs() < 1e-15);
        }
    }
}
