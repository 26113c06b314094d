//! Lines, steps and stems on two axes.

use crate::axis::Axis;
use crate::font;
use crate::heat::{HeatCell, draw_cells};
use crate::look::{Look, disc};
use crate::shape::{Anchor, Colour, Drawing, Pen, Shape};

/// What the horizontal axis spans.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// From one number to another.
    Line([f64; 2]),
    /// A circle of this length, from zero.
    Turn(f64),
    /// From one number above zero to another, spaced by factors.
    Factors([f64; 2]),
    /// Things that have no order, by their names; they lie at 1, 2, 3 and so on.
    Names(&'static [&'static str]),
}

/// One colour of a chart: what it is called, and what is drawn in it.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// What it is called.
    pub label: String,
    /// A line through these points.
    pub line: Vec<[f64; 2]>,
    /// Whether the area under the line is tinted.
    pub is_filled: bool,
    /// Where the line lies for certain: a place, the lower and the upper end.
    pub band: Vec<[f64; 3]>,
    /// Measured values with their intervals: a place, the lower end, the value and the upper end.
    pub measured: Vec<[f64; 4]>,
    /// Values to hold the line against.
    pub crosses: Vec<[f64; 2]>,
    /// Probabilities of single numbers, on an axis of their own.
    pub stems: Vec<[f64; 2]>,
    /// Points that are worth a dot.
    pub dots: Vec<[f64; 2]>,
    /// A number that is marked below the axis.
    pub mark: Option<f64>,
    /// Tinted cells behind everything else; such a series has a scale of tints in the legend.
    pub cells: Vec<HeatCell>,
}

impl Series {
    /// Everything that has a place on the axis of the lines.
    fn values(&self) -> impl Iterator<Item = f64> {
        let band = self.band.iter().flat_map(|[_, ends @ ..]| ends);
        let measured = self.measured.iter().flat_map(|[_, ends @ ..]| ends);
        let points = self.line.iter().chain(&self.crosses).map(|[_, value]| value);
        let cells = self.cells.iter().flat_map(|cell| &cell.upwards);
        points.chain(band).chain(measured).chain(cells).copied()
    }
}

/// A chart before it is laid out.
#[derive(Debug, Clone)]
pub struct Chart {
    /// What it is called.
    pub title: String,
    /// What it shows, for those who do not see it.
    pub description: String,
    /// What the horizontal axis shows.
    pub x_name: String,
    /// What the horizontal axis spans.
    pub x_range: Range,
    /// What the lines show. Without a name for them and for stems, heights mean nothing and have no numbers.
    pub y_name: String,
    /// What the stems show.
    pub stem_name: String,
    /// Whether the vertical axis may be logarithmic, where that shows more.
    pub may_be_logarithmic: bool,
    /// What is drawn, from the back to the front.
    pub series: Vec<Series>,
}

/// What surrounds a chart.
#[derive(Debug, Clone, Copy)]
struct Frame {
    width: f64,
    height: f64,
    /// Above the axes.
    top: f64,
    margin: f64,
    /// Whether title and legend stand in the picture. A page has them around it, and leaves away numbers that would overlap.
    is_alone: bool,
}

impl Frame {
    const FILE: Self = Self { width: 800.0, height: 480.0, top: 66.0, margin: 20.0, is_alone: true };
    /// As wide as a telephone, so that letters keep their size there; on larger screens the drawing grows.
    const PAGE: Self = Self { width: 360.0, height: 270.0, top: 28.0, margin: 6.0, is_alone: false };
}

const TITLE: f64 = 15.0;
pub(crate) const TEXT: f64 = 12.0;
const BOTTOM: f64 = 58.0;
/// Neighbouring stems of several series stand this far apart.
const STEM_GAP: f64 = 8.0;
/// Measured values of several series at one place stand this far apart.
const MEASURED_GAP: f64 = 6.0;
/// More stems than this have no numbers beside them.
const MOST_STEM_LABELS: usize = 6;
/// Values that differ by more than this factor are told apart on a logarithmic axis only.
pub(crate) const LOGARITHMIC_FROM: f64 = 12.0;

/// Where the parts lie.
struct Layout {
    frame: Frame,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Axis,
    /// For lines, if there are any.
    y: Option<Axis>,
    /// For stems, if there are any.
    stems: Option<Axis>,
}

impl Chart {
    /// Lays the chart out for a file, with its title and its legend.
    pub fn draw(&self) -> Drawing {
        self.draw_in(Frame::FILE)
    }

    /// Lays the chart out for a page, which has the title and the legend ([`Chart::legend_html`]) around it.
    pub fn draw_for_page(&self) -> Drawing {
        self.draw_in(Frame::PAGE)
    }

    fn draw_in(&self, frame: Frame) -> Drawing {
        let layout = self.layout(frame);
        let mut drawing = Drawing {
            width: frame.width,
            height: layout.bottom + BOTTOM,
            title: self.title.clone(),
            description: self.description.clone(),
            shapes: Vec::new(),
        };
        if frame.is_alone {
            drawing.text(&self.title, [frame.margin, 28.0], Anchor::Start, TITLE);
        }
        if let Some(y) = &layout.y {
            let place = |[x, value]: [f64; 2]| layout.point(y, x, value);
            self.series.iter().for_each(|series| draw_cells(series, place, &mut drawing));
        }
        self.draw_axes(&layout, &mut drawing);
        for (index, series) in self.series.iter().enumerate() {
            draw_band(series, &Look::of(index), &layout, &mut drawing);
        }
        for (index, series) in self.series.iter().enumerate() {
            draw_line(series, &Look::of(index), &layout, &mut drawing);
        }
        for (index, series) in self.series.iter().enumerate() {
            let look = Look::of(index);
            let place = index as f64 - (self.series.len() as f64 - 1.0) / 2.0;
            draw_stems(series, &look, place * STEM_GAP, &layout, &mut drawing);
            draw_measured(series, &look, place * MEASURED_GAP, &layout, &mut drawing);
            draw_crosses(series, &look, &layout, &mut drawing);
            draw_marks(series, &look, &layout, &mut drawing);
        }
        if frame.is_alone && self.has_legend() {
            let (width, margin) = (self.legend_width(frame.margin), frame.margin);
            self.draw_legend([frame.width - width, layout.top], width - margin, &mut drawing);
        }
        drawing
    }

    /// Whether the heights mean nothing: then no numbers stand beside them.
    fn has_bare_rows(&self) -> bool {
        self.y_name.is_empty() && self.stem_name.is_empty()
    }

    fn layout(&self, frame: Frame) -> Layout {
        let Frame { width, height, top, margin, .. } = frame;
        let has_legend = frame.is_alone && self.has_legend();
        let rows = if has_legend { self.legend_height() } else { 0.0 };
        let bottom = (height - BOTTOM).max(top + rows);
        let extent = bottom - top;
        let values = || self.series.iter().flat_map(Series::values);
        let masses = || self.series.iter().flat_map(|series| series.stems.iter().map(|stem| stem[1]));
        let is_logarithmic = self.may_be_logarithmic && spread(values()) > LOGARITHMIC_FROM;
        let vertical = if is_logarithmic {
            Axis::logarithmic(values(), extent)
        } else {
            Axis::from_zero(values(), extent)
        };
        let y = values().next().map(|_| vertical);
        let stems = masses().next().map(|_| Axis::from_zero(masses(), extent));
        let (left_axis, right_axis) =
            if y.is_some() { (y.as_ref(), stems.as_ref()) } else { (stems.as_ref(), None) };
        let left_axis = left_axis.filter(|_| !self.has_bare_rows());
        let left = margin + left_axis.map_or(0.0, label_width) + 8.0;
        let beside = right_axis.map_or(0.0, |axis| label_width(axis) + 8.0);
        let legend = if has_legend { self.legend_width(margin) } else { 0.0 };
        let right = width - margin - beside - legend;
        let x_axis = |right: f64| match self.x_range {
            Range::Line([low, high]) => Axis::between(low, high, right - left),
            Range::Turn(period) => Axis::turn(period, right - left),
            Range::Factors(ends) => Axis::logarithmic(ends, right - left),
            Range::Names(names) => Axis::names(names, right - left),
        };
        // In a page half of the last number may hang over the end of the axis.
        let overhang =
            if frame.is_alone { 0.0 } else { (label_width(&x_axis(right)) / 2.0 - beside).max(0.0) };
        let right = right - overhang;
        let x = x_axis(right);
        Layout { frame, left, right, top, bottom, x, y, stems }
    }

    fn draw_axes(&self, layout: &Layout, drawing: &mut Drawing) {
        let Layout { frame, left, right, top, bottom, x, y, stems } = layout;
        let (left_axis, left_name) = match (y, stems) {
            (None, Some(stems)) => (Some(stems), &self.stem_name),
            (y, _) => (y.as_ref(), &self.y_name),
        };
        let level = |axis: &Axis, value: f64| bottom - axis.place(value);
        if let Some(axis) = left_axis.filter(|_| !self.has_bare_rows()) {
            for (value, text) in axis.ticks() {
                let at = level(axis, value);
                drawing.line(vec![[*left, at], [*right, at]], Pen::solid(Colour::PALE, 1.0));
                drawing.text(text, [left - 8.0, at + 4.0], Anchor::End, TEXT);
            }
            drawing.text(left_name, [frame.margin, top - 16.0], Anchor::Start, TEXT);
        }
        if let (Some(_), Some(axis)) = (y, stems) {
            for (value, text) in axis.ticks() {
                let at = level(axis, value);
                drawing.line(vec![[*right, at], [right + 4.0, at]], Pen::solid(Colour::GREY, 1.0));
                drawing.text(text, [right + 8.0, at + 4.0], Anchor::Start, TEXT);
            }
            let end = right + 8.0 + label_width(axis);
            drawing.text(&self.stem_name, [end, top - 16.0], Anchor::End, TEXT);
        }
        for (value, text) in layout.x_ticks() {
            let at = left + x.place(value);
            drawing.line(vec![[at, *bottom], [at, bottom + 5.0]], Pen::solid(Colour::GREY, 1.0));
            drawing.text(text, [at, bottom + 22.0], Anchor::Middle, TEXT);
        }
        drawing.line(vec![[*left, *bottom], [*right, *bottom]], Pen::solid(Colour::GREY, 1.0));
        drawing.text(&self.x_name, [f64::midpoint(*left, *right), bottom + 44.0], Anchor::Middle, TEXT);
    }
}

/// How many times the largest of some values is the smallest one above zero.
pub(crate) fn spread(values: impl Iterator<Item = f64>) -> f64 {
    let usable = values.filter(|value| value.is_finite() && *value > 0.0);
    let [low, high] =
        usable.fold([f64::INFINITY, 0.0f64], |[low, high], value| [low.min(value), high.max(value)]);
    high / low
}

pub(crate) fn label_width(axis: &Axis) -> f64 {
    axis.ticks().iter().map(|(_, text)| font::width(text, TEXT)).fold(0.0, f64::max)
}

impl Layout {
    /// The numbers below the axis: in a page, only as many as there is room for.
    fn x_ticks(&self) -> Vec<(f64, String)> {
        let ticks = self.x.ticks();
        let room = (self.right - self.left) / ticks.len().max(1) as f64;
        let stride = ((label_width(&self.x) + 6.0) / room).ceil().max(1.0) as usize;
        let stride = if self.frame.is_alone { 1 } else { stride };
        ticks.into_iter().step_by(stride).collect()
    }

    /// Where a point of a line lies on the page.
    fn point(&self, y: &Axis, x: f64, value: f64) -> [f64; 2] {
        [self.left + self.x.place(x), self.bottom - y.place(value)]
    }
}

fn draw_band(series: &Series, look: &Look, layout: &Layout, drawing: &mut Drawing) {
    let Some(y) = &layout.y else { return };
    let lower = series.band.iter().map(|[x, low, _]| layout.point(y, *x, *low));
    let upper = series.band.iter().rev().map(|[x, _, high]| layout.point(y, *x, *high));
    let points: Vec<[f64; 2]> = lower.chain(upper).collect();
    if series.band.len() > 1 {
        drawing.shapes.push(Shape::Area { points, colour: look.pen.colour, opacity: 0.2 });
    } else if !points.is_empty() {
        drawing.line(points, Pen::solid(look.pen.colour, 7.0));
    }
}

/// Dots with whiskers.
fn draw_measured(series: &Series, look: &Look, shift: f64, layout: &Layout, drawing: &mut Drawing) {
    let Some(y) = &layout.y else { return };
    for [x, low, value, high] in &series.measured {
        let [low, middle, high] = [low, value, high].map(|value| {
            let [x, y] = layout.point(y, *x, *value);
            [x + shift, y]
        });
        drawing.line(vec![low, high], Pen::solid(look.pen.colour, 1.2));
        look.draw_dot(middle, drawing);
    }
}

/// Crosses on a thin line.
fn draw_crosses(series: &Series, look: &Look, layout: &Layout, drawing: &mut Drawing) {
    let Some(y) = &layout.y else { return };
    let points: Vec<[f64; 2]> = series.crosses.iter().map(|[x, value]| layout.point(y, *x, *value)).collect();
    for point in &points {
        look.cross.draw(*point, look.pen.colour, drawing);
    }
    if !points.is_empty() {
        drawing.line(points, look.thin());
    }
}

fn draw_line(series: &Series, look: &Look, layout: &Layout, drawing: &mut Drawing) {
    let Some(y) = &layout.y else { return };
    let place = |[x, value]: &[f64; 2]| layout.point(y, *x, *value);
    let points: Vec<[f64; 2]> = series.line.iter().map(place).collect();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    if series.is_filled {
        let mut area = vec![[first[0], layout.bottom]];
        area.extend(&points);
        area.push([last[0], layout.bottom]);
        drawing.shapes.push(Shape::Area { points: area, colour: look.pen.colour, opacity: 0.1 });
    }
    drawing.line(points, look.pen);
    for dot in &series.dots {
        disc(place(dot), 4.0, look.pen.colour, drawing);
    }
}

fn draw_stems(series: &Series, look: &Look, shift: f64, layout: &Layout, drawing: &mut Drawing) {
    let Some(axis) = &layout.stems else { return };
    let has_numbers = series.stems.len() <= MOST_STEM_LABELS;
    for [value, mass] in &series.stems {
        let x = layout.left + layout.x.place(*value) + shift;
        let top = layout.bottom - axis.place(*mass);
        drawing.line(vec![[x, layout.bottom], [x, top]], Pen { dashes: &[], ..look.pen });
        disc([x, top], if has_numbers { 4.5 } else { 2.5 }, look.pen.colour, drawing);
        if has_numbers {
            let text = format!("{mass:.3}");
            // Towards the middle, where there is room.
            let is_left = x < f64::midpoint(layout.left, layout.right);
            let (at, anchor) = if is_left { (x + 9.0, Anchor::Start) } else { (x - 9.0, Anchor::End) };
            // Pale behind the number, so that lines do not cross it out.
            let width = font::width(&text, TEXT);
            let start = if is_left { at } else { at - width };
            let (low, high) = (top + 1.0, top - 14.0);
            let points = vec![[start, low], [start + width, low], [start + width, high], [start, high]];
            drawing.shapes.push(Shape::Area { points, colour: Colour::WHITE, opacity: 0.8 });
            drawing.text(text, [at, top - 3.0], anchor, TEXT);
        }
    }
}

/// A triangle below the axis that points at a number.
fn draw_marks(series: &Series, look: &Look, layout: &Layout, drawing: &mut Drawing) {
    let Some(value) = series.mark else { return };
    // The beginning of a circle is its end.
    let again = match layout.x {
        Axis::Turn { period, .. } if value == 0.0 => Some(period),
        _ => None,
    };
    for value in [value].into_iter().chain(again) {
        let (x, y) = (layout.left + layout.x.place(value), layout.bottom + 1.0);
        let points = vec![[x, y], [x + 5.5, y + 9.0], [x - 5.5, y + 9.0]];
        drawing.shapes.push(Shape::Area { points, colour: look.pen.colour, opacity: 1.0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pixels, svg};

    fn chart(series: Vec<Series>) -> Chart {
        Chart {
            title: "Errors".into(),
            description: "How large they are".into(),
            x_name: "value".into(),
            x_range: Range::Line([0.0, 1.0]),
            y_name: "error".into(),
            stem_name: "probability".into(),
            may_be_logarithmic: false,
            series,
        }
    }

    fn line(label: &str) -> Series {
        Series { label: label.into(), line: vec![[0.0, 0.1], [1.0, 0.3]], ..Series::default() }
    }

    #[test]
    fn a_drawing_says_what_it_is_and_holds_hostile_labels() {
        let text = svg::write(&chart(vec![line("</svg><script>"), line("b")]).draw());
        assert!(text.contains("<title id=\"title\">Errors</title>"));
        assert!(text.contains("<desc id=\"text\">How large they are</desc>"));
        assert!(text.contains("stroke-dasharray") && !text.contains("<script>"));
        assert!(!text.contains("NaN") && !text.contains("inf\""));
    }

    #[test]
    fn long_legends_make_the_page_longer() {
        let many = chart((0..40).map(|index| line(&index.to_string())).collect());
        assert_eq!(chart(vec![line("one")]).draw().height, Frame::FILE.height);
        assert!(many.draw().height > Frame::FILE.height);
    }

    #[test]
    fn bands_measures_and_crosses_lie_on_the_axis_of_the_lines() {
        let series = Series {
            band: vec![[0.0, 0.2, 0.4], [1.0, 0.5, 1.0]],
            measured: vec![[0.5, 0.1, 0.3, 0.6]],
            crosses: vec![[1.0, 0.5]],
            ..Series::default()
        };
        let text = svg::write(&chart(vec![series]).draw());
        // The axis goes from 0 at 422 to 1 at 66. The band goes forth below and back above; whiskers end at the ends.
        assert!(text.contains(",350.80 780.00,244.00 780.00,66.00 "), "{text}");
        assert!(text.contains(",208.40\" fill=\"none\""), "{text}");
        assert!(text.contains("<polyline points=\"780.00,244.00 784.50,239.50\""), "{text}");
    }

    #[test]
    fn pixels_need_no_fonts_and_no_data() {
        for series in [vec![], vec![line("one")], vec![Series { stems: vec![[0.5, 0.4]], ..line("") }]] {
            let png = pixels::png(&chart(series).draw()).unwrap();
            assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        }
    }
}
