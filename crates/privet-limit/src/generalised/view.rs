//! The outputs as seen from one input, and the loss in closed form.

/// A range of outputs, measured from an input in a unit that makes every distance at most one.
///
/// Offsets instead of positions keep all digits of a narrow window around the input.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// The lower end of the outputs, less the input.
    pub low: f64,
    /// The upper end of the outputs, less the input.
    pub high: f64,
    /// The power p of the loss |offset|^p.
    pub power: f64,
}

impl View {
    pub(super) fn width(&self) -> f64 {
        self.high - self.low
    }

    pub(super) fn loss(&self, offset: f64) -> f64 {
        offset.abs().powf(self.power)
    }

    /// The integral of the loss from the input to `offset`, negative to the left of it.
    pub(super) fn cumulative(&self, offset: f64) -> f64 {
        offset * self.loss(offset) / (self.power + 1.0)
    }

    /// The integral of the loss between two offsets.
    pub(super) fn integral(&self, from: f64, to: f64) -> f64 {
        self.cumulative(to) - self.cumulative(from)
    }

    /// The integral of the loss over all outputs.
    pub(super) fn total(&self) -> f64 {
        self.integral(self.low, self.high)
    }
}

/// The place in `[low, high]` where a function that rises through zero does so, to the last digit.
///
/// The lower neighbour is given: the function is not above zero there unless it is so everywhere.
pub(super) fn crossing(low: f64, high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    let (mut below, mut above) = (low, high);
    loop {
        let middle = below.midpoint(above);
        if middle <= below || middle >= above {
            return below;
        }
        if is_below(middle) {
            below = middle;
        } else {
            above = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrals_are_sums() {
        for (low, high, power) in [(-0.3, 0.7, 1.0), (-0.9, 0.1, 2.0), (0.2, 1.0, 1.5), (-1.0, -0.4, 3.7)] {
            let view = View { low, high, power };
            let cells = 20_000;
            let cell = view.width() / f64::from(cells);
            let sum: f64 =
                (0..cells).map(|index| view.loss(low + (f64::from(index) + 0.5) * cell) * cell).sum();
            assert!((view.total() - sum).abs() < 1e-8, "{} {sum}", view.total());
        }
    }

    #[test]
    fn a_crossing_is_found_to_the_last_digit() {
        assert!((crossing(0.0, 2.0, |x| x * x < 2.0) - 2f64.sqrt()).abs() < 1e-15);
        assert!((crossing(0.0, 1.0, |x| x < 1e-12) - 1e-12).abs() < 1e-27);
    }
}
