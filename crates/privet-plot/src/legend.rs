//! What the colours, patterns and shapes of a chart mean.

use crate::chart::{Chart, Series, TEXT};
use crate::font;
use crate::heat::{draw_bar, draw_gradient};
use crate::look::{Look, disc};
use crate::map::ring;
use crate::page::escape;
use crate::shape::{Anchor, Drawing, Pen, Shape};

const ROW: f64 = 21.0;
const SWATCH: f64 = 34.0;
/// The name, the bar and the numbers of a scale of tints.
const BAR_ROWS: f64 = 3.0;
/// Numbers at the ends of the bar hang over by half.
const BAR_MARGIN: f64 = 22.0;

impl Chart {
    /// What the colours mean, as a list for a page; nothing if there is nothing to tell apart.
    pub fn legend_html(&self) -> String {
        if !self.has_legend() {
            return String::new();
        }
        let row = |(index, series): (usize, &Series)| {
            let mut sample = Drawing {
                width: SWATCH,
                height: TEXT,
                title: String::new(),
                description: String::new(),
                shapes: Vec::new(),
            };
            draw_sample(series, &Look::of(index), [0.0, TEXT / 2.0], &mut sample);
            format!("<li>{}{}</li>", crate::svg::swatch(&sample), escape(&series.label))
        };
        let rows: String = self.series.iter().enumerate().map(row).collect();
        format!("<ul class=\"key\">{rows}</ul>\n")
    }

    pub(crate) fn has_legend(&self) -> bool {
        self.series.iter().any(|series| !series.label.is_empty())
    }

    pub(crate) fn legend_height(&self) -> f64 {
        self.series.iter().map(|series| if series.cells.is_empty() { ROW } else { BAR_ROWS * ROW }).sum()
    }

    pub(crate) fn legend_width(&self, margin: f64) -> f64 {
        let widths = self.series.iter().map(|series| font::width(&series.label, TEXT));
        margin + SWATCH + 8.0 + widths.fold(0.0, f64::max)
    }

    /// Draws the legend with its upper left corner at a place.
    pub(crate) fn draw_legend(&self, [left, top]: [f64; 2], width: f64, drawing: &mut Drawing) {
        let mut top = top;
        for (index, series) in self.series.iter().enumerate() {
            if series.cells.is_empty() {
                let middle = top + 0.5 * ROW;
                draw_sample(series, &Look::of(index), [left, middle], drawing);
                drawing.text(&series.label, [left + SWATCH + 8.0, middle + 4.0], Anchor::Start, TEXT);
                top += ROW;
            } else {
                draw_bar(series, [left + BAR_MARGIN, top], width - 2.0 * BAR_MARGIN, drawing);
                top += BAR_ROWS * ROW;
            }
        }
    }
}

/// A sample of everything that is drawn of a series, with its left end in the middle of a row.
fn draw_sample(series: &Series, look: &Look, [left, middle]: [f64; 2], drawing: &mut Drawing) {
    let (right, centre) = (left + SWATCH, left + SWATCH / 2.0);
    let colour = look.pen.colour;
    let mut tint = |half: [f64; 2], opacity: f64| {
        let points = ring([left, middle - half[0]], [right, middle + half[1]]);
        drawing.shapes.push(Shape::Area { points, colour, opacity });
    };
    if has_wide_band(series) {
        tint([6.0, 6.0], 0.2);
    }
    if series.is_filled && !series.line.is_empty() {
        tint([0.0, 6.0], 0.1);
    }
    if !series.cells.is_empty() {
        draw_gradient([left, middle - TEXT / 2.0], SWATCH, drawing);
    }
    if !series.line.is_empty() {
        drawing.line(vec![[left, middle], [right, middle]], look.pen);
    } else if !series.stems.is_empty() {
        drawing
            .line(vec![[centre, middle + 6.0], [centre, middle - 3.0]], Pen::solid(colour, look.pen.width));
        disc([centre, middle - 3.0], 3.0, colour, drawing);
    }
    if !series.dots.is_empty() {
        disc([centre, middle], 4.0, colour, drawing);
    }
    if !series.measured.is_empty() {
        if series.measured.iter().any(|[_, low, _, high]| low < high) {
            drawing.line(vec![[centre, middle - 6.0], [centre, middle + 6.0]], Pen::solid(colour, 1.2));
        }
        look.draw_dot([centre, middle], drawing);
    }
    if !series.crosses.is_empty() {
        if series.crosses.len() > 1 {
            drawing.line(vec![[left, middle], [right, middle]], look.thin());
        }
        look.cross.draw([centre, middle], colour, drawing);
    }
}

/// Whether the band is seen beside its line somewhere.
fn has_wide_band(series: &Series) -> bool {
    const SEEN: f64 = 0.005;
    let highest = series.band.iter().map(|[_, _, high]| high.abs()).fold(0.0, f64::max);
    series.line.is_empty() && !series.band.is_empty()
        || series.band.iter().any(|[_, low, high]| high - low > SEEN * highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(series: &Series) -> Vec<Shape> {
        let mut drawing = Drawing {
            width: SWATCH,
            height: TEXT,
            title: String::new(),
            description: String::new(),
            shapes: Vec::new(),
        };
        draw_sample(series, &Look::of(0), [0.0, TEXT / 2.0], &mut drawing);
        drawing.shapes
    }

    fn lines(shapes: &[Shape]) -> usize {
        shapes.iter().filter(|shape| matches!(shape, Shape::Line { .. })).count()
    }

    #[test]
    fn samples_look_like_their_series() {
        let line = Series { line: vec![[0.0, 0.0], [1.0, 1.0]], ..Series::default() };
        assert_eq!(sample(&line).len(), 1);
        let band = |low: f64| sample(&Series { band: vec![[0.0, low, 1.0]], ..line.clone() });
        assert!(matches!(band(0.9)[..], [Shape::Area { .. }, Shape::Line { .. }]));
        assert!(matches!(band(0.999)[..], [Shape::Line { .. }]), "a band that its line hides");
        // A dot without a line; its bar only where there is something to show.
        let measured = |ends: [f64; 2]| {
            sample(&Series { measured: vec![[0.0, ends[0], 0.5, ends[1]]], ..Series::default() })
        };
        assert_eq!((lines(&measured([0.5, 0.5])), lines(&measured([0.4, 0.6]))), (0, 1));
        // Four strokes, and the line that leads to the next cross if there is one.
        let crosses =
            |count: usize| sample(&Series { crosses: vec![[0.0, 0.0]; count], ..Series::default() });
        assert_eq!((lines(&crosses(1)), lines(&crosses(2))), (4, 5));
    }
}
