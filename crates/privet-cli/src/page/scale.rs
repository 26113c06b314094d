//! Axes: where a value lies, and which values to write beside it.

/// A linear axis that begins and ends at round numbers and contains zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    step: f64,
    /// How far the axis reaches, in the units of the drawing.
    extent: f64,
}

/// About how many steps an axis has.
const STEPS: f64 = 5.0;

impl Scale {
    /// The smallest such axis that holds all the values; what is not finite is left out.
    pub(crate) fn over(values: impl IntoIterator<Item = f64>, extent: f64) -> Self {
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

    /// Where the value lies, between zero and the extent.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        if share.is_finite() { share.clamp(0.0, 1.0) * self.extent } else { 0.0 }
    }

    /// The round values, from low to high.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let count = ((self.high - self.low) / self.step).round() as u32;
        (0..=count).map(|index| self.low + f64::from(index) * self.step).collect()
    }

    /// A share in percent, with as many decimals as neighbouring ticks need.
    pub(crate) fn percent(&self, value: f64) -> String {
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

    #[test]
    fn odd_values_stay_on_the_axis() {
        let scale = Scale::over([f64::NAN, f64::INFINITY, -3.0, 1e12], 200.0);
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300, 0.0, 1e300] {
            assert!((0.0..=200.0).contains(&scale.place(value)), "{value}");
        }
        assert!(scale.ticks().len() < 12);
    }
}
