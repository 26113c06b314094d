//! Horizontal bars, drawn as SVG that stands inside a page.

use crate::page::escape;
use crate::scale::Scale;
use std::fmt::Write;

/// One row of a chart. All numbers are shares between zero and one, or estimates of such.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is.
    pub label: String,
    /// How long it is.
    pub value: f64,
    /// A whisker around the end of the bar.
    pub interval: Option<[f64; 2]>,
    /// A mark of its own, to compare the bar with.
    pub mark: Option<f64>,
    /// Whether the bar is in the background.
    pub is_faint: bool,
}

impl Bar {
    /// A bar and nothing else.
    pub fn new(label: impl Into<String>, value: f64) -> Self {
        Self { label: label.into(), value, interval: None, mark: None, is_faint: false }
    }
}

/// What the parts of the rows mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Legend {
    /// The bar.
    pub bar: &'static str,
    /// The whisker.
    pub interval: &'static str,
    /// The mark, if rows have one.
    pub mark: Option<&'static str>,
}

/// Rows of bars above one axis in percent.
#[derive(Debug)]
pub struct BarChart<'a> {
    /// Distinguishes the chart from others on its page.
    pub id: &'a str,
    /// What it is called.
    pub title: &'a str,
    /// What the chart shows, for those who do not see it.
    pub description: &'a str,
    /// The rows.
    pub bars: &'a [Bar],
    /// What the parts of the rows mean, if that is to be said.
    pub legend: Option<Legend>,
}

/// As wide as a telephone, so that letters keep their size there; on larger screens the drawing grows.
const WIDTH: f64 = 360.0;
const ROW: f64 = 22.0;
const BAR: f64 = 12.0;
const AXIS: f64 = 24.0;
const LEGEND: f64 = 24.0;
/// Half of the last tick's label hangs over the end of the axis.
const MARGIN: f64 = 24.0;
const GAP: f64 = 8.0;
/// How wide a letter of a wide font is on average.
const LETTER: f64 = 7.4;
const MAX_LETTERS: usize = 20;

/// Where the parts of a chart lie.
struct Layout {
    scale: Scale,
    /// Where the axis begins, right of the labels.
    left: f64,
    /// Where the first row begins, below the legend.
    top: f64,
    /// Where the last row ends.
    bottom: f64,
}

impl BarChart<'_> {
    /// The drawing.
    pub fn svg(&self) -> String {
        let layout = self.layout();
        let height = layout.bottom + AXIS;
        let mut svg = String::new();
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-text\">\n\
             <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-text\">{}</desc>\n",
            escape(self.title),
            escape(self.description),
            id = escape(self.id),
        );
        if let Some(legend) = self.legend {
            svg.push_str(&draw_legend(legend));
        }
        svg.push_str(&layout.axis());
        for (index, bar) in self.bars.iter().enumerate() {
            svg.push_str(&layout.row(index, bar));
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn layout(&self) -> Layout {
        let letters = self.bars.iter().map(|bar| bar.label.chars().count().min(MAX_LETTERS)).max();
        let left = letters.unwrap_or(0) as f64 * LETTER + GAP;
        let values = self.bars.iter().flat_map(|bar| {
            let ends = bar.interval.unwrap_or([bar.value; 2]);
            [Some(bar.value), Some(ends[0]), Some(ends[1]), bar.mark].into_iter().flatten()
        });
        let scale = Scale::over(values, WIDTH - left - MARGIN);
        let top = if self.legend.is_some() { LEGEND } else { 2.0 };
        Layout { scale, left, top, bottom: top + self.bars.len() as f64 * ROW }
    }
}

impl Layout {
    fn x(&self, value: f64) -> f64 {
        self.left + self.scale.place(value)
    }

    /// Lines and labels at the round values.
    fn axis(&self) -> String {
        let (top, bottom) = (self.top, self.bottom + 2.0);
        let tick = |value: f64| {
            let class = if value.abs() < 1e-12 { "zero" } else { "grid" };
            format!(
                "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>\n",
                bottom + 15.0,
                self.scale.percent(value),
                x = self.x(value),
            )
        };
        self.scale.ticks().into_iter().map(tick).collect()
    }

    fn row(&self, index: usize, bar: &Bar) -> String {
        let middle = self.top + (index as f64 + 0.5) * ROW;
        let (zero, end) = (self.x(0.0), self.x(bar.value));
        let mut row = format!(
            "<text class=\"label\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\
             <rect class=\"{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\"/>",
            self.left - GAP,
            middle + 4.5,
            label(&bar.label),
            if bar.is_faint { "bar faint" } else { "bar" },
            zero.min(end),
            middle - BAR / 2.0,
            (end - zero).abs(),
        );
        if let Some([low, high]) = bar.interval {
            row.push_str(&whisker(self.x(low), self.x(high), middle));
        }
        if let Some(mark) = bar.mark {
            row.push_str(&diamond(self.x(mark), middle));
        }
        row.push('\n');
        row
    }
}

/// A label that fits, with the whole of it behind the pointer.
fn label(text: &str) -> String {
    if text.chars().count() <= MAX_LETTERS {
        return escape(text);
    }
    let short: String = text.chars().take(MAX_LETTERS - 1).collect();
    format!("{}\u{2026}<title>{}</title>", escape(&short), escape(text))
}

/// A line with a bar at each end.
pub(crate) fn whisker(low: f64, high: f64, middle: f64) -> String {
    let (top, bottom) = (middle - 4.0, middle + 4.0);
    format!(
        "<path class=\"whisker\" d=\"M{low:.1} {top:.1}V{bottom:.1}M{high:.1} {top:.1}V{bottom:.1}M{low:.1} {middle:.1}H{high:.1}\"/>"
    )
}

pub(crate) fn diamond(x: f64, middle: f64) -> String {
    format!("<path class=\"mark\" d=\"M{x:.1} {:.1}l4.5 5.5l-4.5 5.5l-4.5 -5.5z\"/>", middle - 5.5)
}

fn draw_legend(legend: Legend) -> String {
    let middle = 9.0;
    let mut drawn = String::from("<g class=\"legend\">");
    let mut x = 2.0;
    let mut entry = |symbol: &dyn Fn(f64) -> String, name: &str| {
        let _ = write!(
            drawn,
            "{}<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            symbol(x),
            x + 26.0,
            middle + 4.5,
            escape(name)
        );
        x += 26.0 + name.chars().count() as f64 * LETTER + 16.0;
    };
    if let Some(mark) = legend.mark {
        entry(&|x| diamond(x + 11.0, middle), mark);
    }
    entry(
        &|x| {
            format!(
                "<rect class=\"bar\" x=\"{x:.1}\" y=\"{:.1}\" width=\"22\" height=\"{BAR}\"/>",
                middle - BAR / 2.0
            )
        },
        legend.bar,
    );
    entry(&|x| whisker(x + 1.0, x + 21.0, middle), legend.interval);
    drawn.push_str("</g>\n");
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(bars: &[Bar]) -> String {
        BarChart { id: "c", title: "Shares", description: "How many", bars, legend: None }.svg()
    }

    #[test]
    fn a_chart_says_what_it_is() {
        let svg = chart(&[Bar::new("yes", 0.4)]);
        assert!(svg.contains("aria-labelledby=\"c-title c-text\""));
        assert!(svg.contains("<title id=\"c-title\">Shares</title>"));
        assert!(svg.contains("<desc id=\"c-text\">How many</desc>"));
    }

    #[test]
    fn negative_estimates_reach_to_the_left_of_zero() {
        let mut bar = Bar::new("rare", -0.01);
        bar.interval = Some([-0.02, 0.0]);
        bar.mark = Some(0.001);
        let svg = chart(&[bar, Bar::new("common", 0.04)]);
        assert!(svg.contains("-2 %"), "{svg}");
        assert!(!svg.contains("width=\"-"), "{svg}");
    }

    #[test]
    fn numbers_that_are_none_do_not_reach_the_drawing() {
        let mut bar = Bar::new("odd", f64::NAN);
        bar.interval = Some([f64::NEG_INFINITY, f64::INFINITY]);
        let svg = chart(&[bar]);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn long_labels_are_cut_and_kept_behind_the_pointer() {
        let long = "a label that is much longer than there is room for".to_owned();
        let svg = chart(&[Bar::new(long.clone(), 0.5)]);
        assert!(svg.contains('\u{2026}') && svg.contains(&format!("<title>{long}</title>")));
    }
}
