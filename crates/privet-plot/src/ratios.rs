//! Ratios as horizontal bars that begin at one, on a logarithmic axis: twice as fast is as far to the right as half as fast to the left.

use crate::bars::{diamond, whisker};
use crate::page::escape;
use std::fmt::Write;

/// One row of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratio {
    /// What it is.
    pub label: String,
    /// How large it is.
    pub value: f64,
    /// A whisker around the end of the bar.
    pub interval: [f64; 2],
    /// A mark of its own, to compare the bar with.
    pub mark: Option<f64>,
}

/// Rows of ratios above one axis.
#[derive(Debug)]
pub struct RatioChart<'a> {
    /// Distinguishes the chart from others on its page.
    pub id: &'a str,
    /// What it is called.
    pub title: &'a str,
    /// What the chart shows, for those who do not see it.
    pub description: &'a str,
    /// The rows.
    pub rows: &'a [Ratio],
}

const WIDTH: f64 = 860.0;
const ROW: f64 = 20.0;
const BAR: f64 = 11.0;
const AXIS: f64 = 24.0;
const TOP: f64 = 4.0;
const GAP: f64 = 8.0;
/// How wide a letter of a label is on average.
const LETTER: f64 = 6.8;
const MAX_LETTERS: usize = 40;
/// Room for the number at the end of a row.
const NUMBER: f64 = 62.0;

/// Beyond these powers of ten a ratio is drawn at the end of the axis.
const POWERS: [f64; 2] = [-6.0, 6.0];

/// Where the parts of a chart lie.
struct Layout {
    left: f64,
    right: f64,
    bottom: f64,
    /// The powers of ten at both ends.
    powers: [f64; 2],
}

impl RatioChart<'_> {
    /// The drawing.
    pub fn svg(&self) -> String {
        let layout = self.layout();
        let mut svg = String::new();
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<svg class=\"chart\" style=\"max-width:58rem\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-text\">\n<title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-text\">{}</desc>\n",
            escape(self.title),
            escape(self.description),
            height = layout.bottom + AXIS,
            id = escape(self.id),
        );
        svg.push_str(&layout.axis());
        self.rows.iter().enumerate().for_each(|(index, row)| svg.push_str(&layout.row(index, row)));
        svg.push_str("</svg>\n");
        svg
    }

    fn layout(&self) -> Layout {
        let letters =
            self.rows.iter().map(|row| row.label.chars().count().min(MAX_LETTERS)).max().unwrap_or(0);
        let drawn = |row: &Ratio| {
            let [low, high] = row.interval;
            [Some(row.value), Some(low), Some(high), row.mark].into_iter().flatten()
        };
        let logarithms = self.rows.iter().flat_map(drawn).map(f64::log10).filter(|power| power.is_finite());
        let (low, high) =
            logarithms.fold((0.0f64, 0.0f64), |(low, high), power| (low.min(power), high.max(power)));
        let powers = [low.floor(), high.ceil()].map(|power| power.clamp(POWERS[0], POWERS[1]));
        let powers = if powers == [0.0, 0.0] { [-1.0, 0.0] } else { powers };
        Layout {
            left: letters as f64 * LETTER + GAP,
            right: WIDTH - NUMBER - GAP,
            bottom: TOP + self.rows.len() as f64 * ROW,
            powers,
        }
    }
}

impl Layout {
    fn x(&self, ratio: f64) -> f64 {
        let [low, high] = self.powers;
        // A logarithm that is none belongs to a ratio of zero or less.
        let power = ratio.log10();
        let power = if power.is_nan() { low } else { power.clamp(low, high) };
        self.left + (power - low) / (high - low) * (self.right - self.left)
    }

    /// Lines at the powers of ten.
    fn axis(&self) -> String {
        let bottom = self.bottom + 2.0;
        let [low, high] = self.powers.map(|power| power as i32);
        let tick = |power: i32| {
            let class = if power == 0 { "zero" } else { "grid" };
            let ratio = 10f64.powi(power);
            format!(
                "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP:.1}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\">{ratio}\u{d7}</text>\n",
                bottom + 15.0,
                x = self.x(ratio),
            )
        };
        (low..=high).map(tick).collect()
    }

    fn row(&self, index: usize, row: &Ratio) -> String {
        let middle = TOP + (index as f64 + 0.5) * ROW;
        let (one, end) = (self.x(1.0), self.x(row.value));
        let text = |class: &str, x: f64, text: String| {
            format!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{:.1}\">{text}</text>", middle + 4.5)
        };
        let mut drawn = text("label", self.left - GAP, escape(&shortened(&row.label)));
        let _ = write!(
            drawn,
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\"/>",
            one.min(end),
            middle - BAR / 2.0,
            (end - one).abs(),
        );
        let [low, high] = row.interval.map(|end| self.x(end));
        drawn.push_str(&whisker(low, high, middle));
        if let Some(mark) = row.mark {
            drawn.push_str(&diamond(self.x(mark), middle));
        }
        drawn.push_str(&text("label", WIDTH - 2.0, ratio_text(row.value)));
        drawn.push('\n');
        drawn
    }
}

fn shortened(label: &str) -> String {
    if label.chars().count() <= MAX_LETTERS {
        return label.to_owned();
    }
    label.chars().take(MAX_LETTERS - 1).chain(['\u{2026}']).collect()
}

/// A ratio with three digits.
pub fn ratio_text(ratio: f64) -> String {
    if !ratio.is_finite() {
        return "-".to_owned();
    }
    let decimals = if ratio > 0.0 { (2.0 - ratio.log10().floor()).clamp(0.0, 6.0) as usize } else { 0 };
    format!("{ratio:.decimals$}\u{d7}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(label: &str, value: f64) -> Ratio {
        Ratio { label: label.to_owned(), value, interval: [value / 1.1, value * 1.1], mark: None }
    }

    fn chart(rows: &[Ratio]) -> String {
        RatioChart { id: "c", title: "Speed", description: "How fast", rows }.svg()
    }

    /// Where the bars begin, and how long they are.
    fn bars(svg: &str) -> Vec<[f64; 2]> {
        let number = |text: &str, name: &str| -> f64 {
            let start = text.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
            text[start..].split('"').next().unwrap().parse().unwrap()
        };
        svg.split("<rect ").skip(1).map(|bar| [number(bar, "x"), number(bar, "width")]).collect()
    }

    #[test]
    fn equal_factors_are_equally_long_on_both_sides_of_one() {
        let svg = chart(&[ratio("quick", 4.0), ratio("slow", 0.25)]);
        let found = bars(&svg);
        assert!((found[0][1] - found[1][1]).abs() < 0.2, "{found:?}");
        assert!((found[1][0] + found[1][1] - found[0][0]).abs() < 0.2, "{found:?}");
        for label in ["0.1\u{d7}", "1\u{d7}", "10\u{d7}", "4.00\u{d7}", "0.250\u{d7}", "quick"] {
            assert!(svg.contains(label), "{label}");
        }
    }

    #[test]
    fn numbers_that_are_none_do_not_reach_the_drawing() {
        for value in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300, 1e-300] {
            let mut row = ratio("odd", value);
            row.mark = Some(value);
            let svg = chart(&[row]);
            assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("width=\"-"), "{svg}");
        }
        assert!(chart(&[]).contains("0.1\u{d7}"));
    }

    #[test]
    fn marks_and_hostile_labels_are_drawn() {
        let mut row = ratio("<b>", 0.5);
        assert!(!chart(std::slice::from_ref(&row)).contains("class=\"mark\""));
        row.mark = Some(0.6);
        let svg = chart(&[row]);
        assert!(svg.contains("class=\"mark\"") && svg.contains("&lt;b&gt;") && !svg.contains("<b>"));
    }

    #[test]
    fn ratios_have_three_digits() {
        let texts = [0.00123, 0.456, 1.0, 28.31, 1234.6].map(ratio_text);
        assert_eq!(texts, ["0.00123\u{d7}", "0.456\u{d7}", "1.00\u{d7}", "28.3\u{d7}", "1235\u{d7}"]);
        assert_eq!(ratio_text(f64::NAN), "-");
    }
}
