//! Tinted cells behind the lines of a chart, and the bar that says what the tints mean.

use crate::axis::Axis;
use crate::chart::{LOGARITHMIC_FROM, Series, TEXT, label_width, spread};
use crate::map::ring;
use crate::shape::{Anchor, Colour, Drawing, Pen, Shape};

/// A rectangle with a number that its tint shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatCell {
    /// Its ends along the horizontal axis.
    pub across: [f64; 2],
    /// Its ends along the vertical axis.
    pub upwards: [f64; 2],
    /// The number.
    pub value: f64,
}

/// Grey is a scale for all kinds of eyes, and lines of every colour are seen on it.
const TINT: Colour = Colour::GREY;
/// Even the palest cells are seen as such.
const OPACITIES: [f64; 2] = [0.05, 0.75];
const BAR_STEPS: u32 = 32;
const BAR_HEIGHT: f64 = 12.0;

/// Which tint a number has.
pub(crate) struct Shades {
    axis: Axis,
}

impl Shades {
    /// From the smallest number to the largest; nothing without cells.
    pub(crate) fn of(cells: &[HeatCell], extent: f64) -> Option<Self> {
        let values = || cells.iter().map(|cell| cell.value).filter(|value| value.is_finite());
        let [low, high] = values()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)]);
        let is_logarithmic = low > 0.0 && spread(values()) > LOGARITHMIC_FROM;
        let axis = if is_logarithmic {
            Axis::logarithmic([low, high], extent)
        } else {
            Axis::between(low, high, extent)
        };
        (low <= high).then_some(Self { axis })
    }

    fn tint(share: f64, points: Vec<[f64; 2]>) -> Shape {
        let [least, most] = OPACITIES;
        Shape::Area { points, colour: TINT, opacity: least + (most - least) * share }
    }
}

/// Draws the cells of a series; `place` says where points lie.
pub(crate) fn draw_cells(series: &Series, place: impl Fn([f64; 2]) -> [f64; 2], drawing: &mut Drawing) {
    let Some(shades) = Shades::of(&series.cells, 1.0) else { return };
    for HeatCell { across, upwards, value } in &series.cells {
        // Whole pixels, so that no seams show between neighbours.
        let corner = |end: usize| place([across[end], upwards[end]]).map(f64::round);
        drawing.shapes.push(Shades::tint(shades.axis.place(*value), ring(corner(0), corner(1))));
    }
}

/// Pale to dark in a rectangle.
pub(crate) fn draw_gradient([left, top]: [f64; 2], width: f64, drawing: &mut Drawing) {
    for step in 0..BAR_STEPS {
        let at = |step: u32| (left + width * f64::from(step) / f64::from(BAR_STEPS)).round();
        let points = ring([at(step), top], [at(step + 1), top + BAR_HEIGHT]);
        drawing.shapes.push(Shades::tint((f64::from(step) + 0.5) / f64::from(BAR_STEPS), points));
    }
}

/// The bar with its name above and its numbers below; as many as there is room for.
pub(crate) fn draw_bar(series: &Series, [left, top]: [f64; 2], width: f64, drawing: &mut Drawing) {
    let Some(Shades { axis }) = Shades::of(&series.cells, width) else { return };
    drawing.text(&series.label, [left, top + TEXT], Anchor::Start, TEXT);
    let (bar, bottom) = (top + TEXT + 8.0, top + TEXT + 8.0 + BAR_HEIGHT);
    draw_gradient([left, bar], width, drawing);
    let ticks = axis.ticks();
    let room = width / ticks.len().saturating_sub(1).max(1) as f64;
    let stride = ((label_width(&axis) + 8.0) / room).ceil().max(1.0) as usize;
    for (value, text) in ticks.into_iter().step_by(stride) {
        let at = left + axis.place(value);
        drawing.line(vec![[at, bottom], [at, bottom + 4.0]], Pen::solid(Colour::GREY, 1.0));
        drawing.text(text, [at, bottom + 17.0], Anchor::Middle, TEXT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(values: [f64; 3]) -> Vec<HeatCell> {
        values.map(|value| HeatCell { across: [0.0, 1.0], upwards: [0.0, 1.0], value }).to_vec()
    }

    #[test]
    fn larger_numbers_are_darker_and_wide_ranges_go_by_factors() {
        let shares = |values: [f64; 3]| {
            let shades = Shades::of(&cells(values), 1.0).unwrap();
            values.map(|value| shades.axis.place(value))
        };
        assert_eq!(shares([2.0, 3.0, 4.0]), [0.0, 0.5, 1.0]);
        let [low, middle, high] = shares([1.0, 10.0, 100.0]);
        assert!(low == 0.0 && (middle - 0.5).abs() < 1e-12 && high == 1.0);
        assert!(Shades::of(&[], 1.0).is_none());
    }

    #[test]
    fn the_bar_says_what_the_tints_mean() {
        let series =
            Series { label: "variance".into(), cells: cells([1.0, 10.0, 100.0]), ..Series::default() };
        let mut drawing = Drawing {
            width: 200.0,
            height: 60.0,
            title: String::new(),
            description: String::new(),
            shapes: vec![],
        };
        draw_bar(&series, [0.0, 0.0], 200.0, &mut drawing);
        let text = drawing.svg();
        assert!(text.contains(">variance<") && text.contains(">1<") && text.contains(">100<"), "{text}");
    }
}
