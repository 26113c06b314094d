//! Axes of a chart: linear, around a circle, logarithmic, or with names.

use crate::scale::Scale;
use std::f64::consts::TAU;

/// Where values lie along one side of a chart.
#[derive(Debug, Clone)]
pub(crate) enum Axis {
    Linear(Scale),
    /// A turn in eighths.
    Turn {
        scale: Scale,
        period: f64,
    },
    /// From one to another power of ten, or a part of that.
    Logarithmic {
        low: f64,
        high: f64,
        extent: f64,
    },
    /// Names at 1, 2, 3 and so on.
    Names {
        scale: Scale,
        names: &'static [&'static str],
    },
}

impl Axis {
    /// Exactly this range.
    pub(crate) fn between(low: f64, high: f64, extent: f64) -> Self {
        Self::Linear(Scale::between(low, high, extent))
    }

    /// One turn of a circle.
    pub(crate) fn turn(period: f64, extent: f64) -> Self {
        Self::Turn { scale: Scale::between(0.0, period, extent), period }
    }

    /// Places with names: half a place of room is left at both ends.
    pub(crate) fn names(names: &'static [&'static str], extent: f64) -> Self {
        Self::Names { scale: Scale::between(0.5, names.len() as f64 + 0.5, extent), names }
    }

    /// Zero and all the values.
    pub(crate) fn from_zero(values: impl IntoIterator<Item = f64>, extent: f64) -> Self {
        Self::Linear(Scale::over(values, extent))
    }

    /// All the values that have a logarithm.
    pub(crate) fn logarithmic(values: impl IntoIterator<Item = f64>, extent: f64) -> Self {
        let usable = values.into_iter().filter(|value| value.is_finite() && *value > 0.0);
        let [low, high] =
            usable.fold([f64::INFINITY, 0.0f64], |[low, high], value| [low.min(value), high.max(value)]);
        if low > high {
            return Self::Logarithmic { low: 0.1, high: 1.0, extent };
        }
        let marks = round_numbers(low / 10.0, high * 10.0);
        let below = marks.iter().rev().find(|mark| **mark <= low * (1.0 + 1e-9));
        let above = marks.iter().find(|mark| **mark >= high * (1.0 - 1e-9));
        let (low, high) = (below.copied().unwrap_or(low), above.copied().unwrap_or(high));
        Self::Logarithmic { low, high: if high > low { high } else { 10.0 * low }, extent }
    }

    /// Where a value lies, between zero and the extent.
    pub(crate) fn place(&self, value: f64) -> f64 {
        match self {
            Self::Linear(scale) | Self::Turn { scale, .. } | Self::Names { scale, .. } => scale.place(value),
            Self::Logarithmic { low, high, extent } => {
                let share = (value.max(f64::MIN_POSITIVE) / low).ln() / (high / low).ln();
                if share.is_finite() { share.clamp(0.0, 1.0) * extent } else { 0.0 }
            }
        }
    }

    /// The values to write beside the axis, with their texts.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        match self {
            Self::Linear(scale) => {
                scale.ticks().into_iter().map(|value| (value, scale.number(value))).collect()
            }
            Self::Names { names, .. } => {
                (1u32..).zip(*names).map(|(place, name)| (f64::from(place), (*name).to_owned())).collect()
            }
            Self::Turn { period, .. } => (0..=8).map(|eighth| eighth_of(*period, eighth)).collect(),
            Self::Logarithmic { low, high, .. } => {
                let all = round_numbers(*low, *high);
                // Over many powers of ten there is no room for the numbers in between.
                let is_kept = |value: &f64| (high / low) < 2e3 || value.log10().fract().abs() < 1e-6;
                all.into_iter().filter(is_kept).map(|value| (value, short(value))).collect()
            }
        }
    }
}

/// 1, 2 and 5 times powers of ten in a range.
pub(crate) fn round_numbers(low: f64, high: f64) -> Vec<f64> {
    let powers = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
    let numbers = powers.flat_map(|power| ["1", "2", "5"].map(|digit| format!("{digit}e{power}")));
    let values = numbers.filter_map(|text| text.parse::<f64>().ok());
    values.filter(|value| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(value)).collect()
}

fn short(value: f64) -> String {
    if (1e-4..1e6).contains(&value) { format!("{value}") } else { format!("{value:e}") }
}

/// A place on a circle: in parts of pi where a turn is two of them.
fn eighth_of(period: f64, eighth: u32) -> (f64, String) {
    let value = period * f64::from(eighth) / 8.0;
    if (period - TAU).abs() > 1e-9 * TAU {
        // Four digits, without zeros at the end.
        let text =
            format!("{value:.3e}").parse().map_or_else(|_| String::new(), |value: f64| short_or_zero(value));
        return (value, text);
    }
    let words = ["0", "π/4", "π/2", "3π/4", "π", "5π/4", "3π/2", "7π/4", "2π"];
    (value, words.get(eighth as usize).copied().unwrap_or_default().to_owned())
}

fn short_or_zero(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { short(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn logarithms_have_round_numbers() {
        assert_eq!(
            texts(&Axis::logarithmic([0.018, 0.43], 1.0)),
            ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5"]
        );
        assert_eq!(texts(&Axis::logarithmic([1e-6, 1.0], 1.0)).len(), 7);
        assert!(!texts(&Axis::logarithmic([], 1.0)).is_empty());
        assert!(!texts(&Axis::logarithmic([3.0], 1.0)).is_empty());
    }

    #[test]
    fn turns_are_cut_into_eighths() {
        assert_eq!(texts(&Axis::turn(360.0, 1.0))[..4], ["0", "45", "90", "135"]);
        assert_eq!(texts(&Axis::turn(TAU, 1.0))[4], "π");
        assert_eq!(Axis::turn(24.0, 100.0).place(6.0), 25.0);
    }

    #[test]
    fn names_stand_in_the_middle_of_their_places() {
        let axis = Axis::names(&["one", "other"], 100.0);
        assert_eq!(axis.ticks(), [(1.0, "one".to_owned()), (2.0, "other".to_owned())]);
        assert_eq!([axis.place(1.0), axis.place(2.0)], [25.0, 75.0]);
    }

    #[test]
    fn odd_values_stay_on_the_axis() {
        let axis = Axis::logarithmic([0.1, 1.0], 10.0);
        for value in [f64::NAN, -1.0, 0.0, 1e300, f64::INFINITY] {
            assert!((0.0..=10.0).contains(&axis.place(value)), "{value}");
        }
    }
}
