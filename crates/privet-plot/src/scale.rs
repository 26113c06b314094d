//! Axes: where a value lies, and which values to write beside it.

/// A linear axis with round numbers beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    step: f64,
    /// How far the axis reaches, in the units of the drawing.
    extent: f64,
}

/// About how many steps an axis has.
const STEPS: f64 = 5.0;

/// As [`STEPS`], for a long axis with given ends.
const FINE_STEPS: f64 = 8.0;

/// No axis has more ticks, whatever its numbers are.
const MOST_TICKS: f64 = 20.0;

impl Scale {
    /// The smallest axis that holds all the values and zero, and begins and ends at round numbers; what is not finite is
    /// left out.
    pub fn over(values: impl IntoIterator<Item = f64>, extent: f64) -> Self {
        let (mut low, mut high) = (0.0f64, 0.0f64);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if high - low < f64::MIN_POSITIVE {
            high = 1.0;
        }
        let step = round_step((high - low) / STEPS);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step, extent }
    }

    /// The axis with exactly these ends.
    pub fn between(low: f64, high: f64, extent: f64) -> Self {
        let high = if high > low { high } else { low + low.abs().max(1.0) };
        Self {
            low,
            high,
            step: round_step((high / FINE_STEPS - low / FINE_STEPS).max(f64::MIN_POSITIVE)),
            extent,
        }
    }

    /// Where the value lies, between zero and the extent.
    pub fn place(&self, value: f64) -> f64 {
        // Halves of the largest numbers still have a difference.
        let share = (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0);
        if share.is_finite() { share.clamp(0.0, 1.0) * self.extent } else { 0.0 }
    }

    /// The round values, from low to high.
    pub fn ticks(&self) -> Vec<f64> {
        // An end that is round belongs to the axis although the division may come out a little beside it.
        let first = (self.low / self.step - 1e-9).ceil();
        let last = (self.high / self.step + 1e-9).floor();
        let count = (last - first).clamp(0.0, MOST_TICKS) as u32;
        (0..=count).map(|index| (first + f64::from(index)) * self.step + 0.0).collect()
    }

    /// A tick's number, with as many decimals as its neighbours need.
    pub fn number(&self, value: f64) -> String {
        let digits = -self.step.log10().floor();
        let largest = self.low.abs().max(self.high.abs());
        if value == 0.0 {
            "0".to_owned()
        } else if (-5.0..=5.0).contains(&digits) && largest < 1e7 {
            format!("{:.*}", digits.max(0.0) as usize, value)
        } else {
            let decimals = (value.abs() / self.step).log10().round().clamp(0.0, 16.0) as usize;
            format!("{value:.decimals$e}")
        }
    }

    /// A share in percent, with as many decimals as neighbouring ticks need.
    pub fn percent(&self, value: f64) -> String {
        let decimals = (-(100.0 * self.step).log10().floor()).clamp(0.0, 9.0) as usize;
        // Adding zero turns minus zero into zero.
        let rounded = (value / self.step).round() * self.step + 0.0;
        format!("{:.decimals$} %", 100.0 * rounded)
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least this.
fn round_step(at_least: f64) -> f64 {
    let power = 10f64.powf(at_least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= at_least).unwrap_or(10.0);
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64]) -> Vec<String> {
        let scale = Scale::over(values.iter().copied(), 100.0);
        scale.ticks().into_iter().map(|tick| scale.percent(tick)).collect()
    }

    #[test]
    fn axes_are_round_and_hold_zero() {
        assert_eq!(labels(&[0.31, 0.69]), ["0 %", "20 %", "40 %", "60 %", "80 %"]);
        assert_eq!(labels(&[-0.01, 0.03]), ["-1 %", "0 %", "1 %", "2 %", "3 %"]);
        assert_eq!(labels(&[0.004]), ["0.0 %", "0.1 %", "0.2 %", "0.3 %", "0.4 %"]);
        assert_eq!(labels(&[]).first().map(String::as_str), Some("0 %"));
    }

    fn numbers(low: f64, high: f64) -> Vec<String> {
        let scale = Scale::between(low, high, 100.0);
        scale.ticks().into_iter().map(|tick| scale.number(tick)).collect()
    }

    #[test]
    fn axes_with_given_ends_have_round_numbers_inside() {
        assert_eq!(numbers(-0.1, 1.1), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(numbers(0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(numbers(-5.0, 20.0), ["-5", "0", "5", "10", "15", "20"]);
        assert_eq!(numbers(0.0, 8e-9)[..3], ["0", "1e-9", "2e-9"]);
        for (low, high) in [(-1e308, 1e308), (0.0, 1e-300), (0.0, 5e-324), (1e9, 1e9 + 1.0), (3.0, 3.0)] {
            assert!(!numbers(low, high).is_empty(), "{low} {high}");
        }
    }

    #[test]
    fn odd_values_stay_on_the_axis() {
        let scale = Scale::over([f64::NAN, f64::INFINITY, -3.0, 1e12], 200.0);
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300, 0.0, 1e300] {
            assert!((0.0..=200.0).contains(&scale.place(value)), "{value}");
        }
        assert!(scale.ticks().len() < 12);
    }
}
