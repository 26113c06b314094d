//! Paths in a plane: the border of their space, lines of equal coordinates, a scale bar, and no tiles from anywhere.

use crate::axis::round_numbers;
use crate::font;
use crate::look::{COLOURS, disc};
use crate::shape::{Anchor, Colour, Drawing, Pen, Shape};

/// One colour of a map: what it is called, and the paths that are drawn in it.
#[derive(Debug, Clone)]
pub struct Layer {
    /// What it is called.
    pub label: String,
    /// Its paths.
    pub paths: Vec<Vec<[f64; 2]>>,
}

/// Points with the same first or second coordinate.
#[derive(Debug, Clone)]
pub struct GridLine {
    /// Where it begins and ends.
    pub ends: [[f64; 2]; 2],
    /// The coordinate.
    pub text: String,
    /// Whether the line goes upwards, so that its text stands below.
    pub is_upright: bool,
}

/// A part of the plane with a tint between 0 and 1.
#[derive(Debug, Clone)]
pub struct Tint {
    /// The corners of the part.
    pub corners: Vec<[f64; 2]>,
    /// How strong the tint is.
    pub share: f64,
}

/// What the scale bar counts.
#[derive(Debug, Clone)]
pub enum Unit {
    /// One unit of the plane has so many metres.
    Metres(f64),
    /// Units of the plane, by their name.
    Named(String),
    /// Nobody knows: there is no scale bar.
    Unsaid,
}

/// A map before it is laid out. The second coordinate grows upwards.
#[derive(Debug, Clone)]
pub struct Map {
    /// What it is called.
    pub title: String,
    /// What it shows, for those who do not see it.
    pub description: String,
    /// The lowest and the highest coordinates.
    pub bounds: [[f64; 2]; 2],
    /// Closed lines around what belongs to the space.
    pub borders: Vec<Vec<[f64; 2]>>,
    /// Lines of equal coordinates.
    pub grid: Vec<GridLine>,
    /// What the scale bar counts.
    pub unit: Unit,
    /// Tinted parts.
    pub tints: Vec<Tint>,
    /// What the full tint stands for.
    pub tint_label: String,
    /// What lies on the map; the first one in front.
    pub layers: Vec<Layer>,
}

const MARGIN: f64 = 20.0;
const LEFT: f64 = 72.0;
/// What a title takes, above the legend.
const TITLE_HEIGHT: f64 = 28.0;
/// What the legend takes, above the map.
const LEGEND_HEIGHT: f64 = 46.0;
const BELOW: f64 = 70.0;
/// What the scale bar takes of that.
const SCALE_BAR: f64 = 38.0;
const TITLE: f64 = 15.0;
const TEXT: f64 = 12.0;
const SWATCH: f64 = 28.0;
/// The largest sides of the mapped part.
const MOST: [f64; 2] = [860.0, 640.0];
/// The same in a page, where letters have to be read on a telephone.
const MOST_IN_PAGE: [f64; 2] = [290.0, 320.0];
/// Narrower maps have no room for a legend and a scale bar.
const LEAST_WIDTH: f64 = 420.0;
/// Shorter sides have no scale.
const LEAST_SIDE: f64 = 1e-300;
const TINT: Colour = Colour([0xe6, 0x9f, 0x00]);
/// Lines still show through.
const FULL_TINT: f64 = 0.85;

/// Where points of the plane lie on the page.
struct Layout {
    top: f64,
    low: [f64; 2],
    scale: f64,
    left: f64,
    bottom: f64,
    width: f64,
}

impl Layout {
    fn of(map: &Map, heading: Heading) -> Self {
        let [low, high] = map.bounds;
        let sides: [f64; 2] = std::array::from_fn(|axis| (high[axis] - low[axis]).max(LEAST_SIDE));
        let (most, least_width, left) = match heading {
            Heading::OnPage => (MOST_IN_PAGE, MOST_IN_PAGE[0], LEFT - MARGIN),
            Heading::InPicture | Heading::Elsewhere => (MOST, LEAST_WIDTH, LEFT),
        };
        let scale = (most[0] / sides[0]).min(most[1] / sides[1]);
        let width = (sides[0] * scale).max(least_width);
        let top = if heading == Heading::InPicture { TITLE_HEIGHT } else { 0.0 };
        Self { top, low, scale, left, bottom: top + LEGEND_HEIGHT + sides[1] * scale, width }
    }

    fn place(&self, point: &[f64; 2]) -> [f64; 2] {
        let along = |axis: usize| (point[axis] - self.low[axis]) * self.scale;
        [self.left + along(0), self.bottom - along(1)]
    }

    fn places(&self, points: &[[f64; 2]]) -> Vec<[f64; 2]> {
        points.iter().map(|point| self.place(point)).collect()
    }
}

/// Where the title stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heading {
    /// In the picture.
    InPicture,
    /// Outside of the picture.
    Elsewhere,
    /// Outside of a picture that is as wide as a telephone.
    OnPage,
}

impl Map {
    /// Lays the map out.
    pub fn draw(&self, heading: Heading) -> Drawing {
        let layout = Layout::of(self, heading);
        let mut drawing = Drawing {
            width: (layout.left + layout.width + MARGIN).ceil(),
            height: (layout.bottom + self.below()).ceil(),
            title: self.title.clone(),
            description: self.description.clone(),
            shapes: Vec::new(),
        };
        if heading == Heading::InPicture {
            drawing.text(&self.title, [MARGIN, layout.top], Anchor::Start, TITLE);
            drawing.width = drawing.width.max(2.0 * MARGIN + font::width(&self.title, TITLE)).ceil();
        }
        for Tint { corners, share } in &self.tints {
            let points = layout.places(corners);
            drawing.shapes.push(Shape::Area { points, colour: TINT, opacity: FULL_TINT * share });
        }
        self.draw_grid(&layout, &mut drawing);
        self.draw_layers(&layout, &mut drawing);
        self.draw_legend(&layout, &mut drawing);
        self.draw_scale_bar(&layout, &mut drawing);
        drawing
    }

    /// What numbers and the scale bar take, below the map.
    fn below(&self) -> f64 {
        if matches!(self.unit, Unit::Unsaid) { BELOW - SCALE_BAR } else { BELOW }
    }

    fn draw_grid(&self, layout: &Layout, drawing: &mut Drawing) {
        for GridLine { ends, text, is_upright } in &self.grid {
            let [start, end] = ends.map(|end| layout.place(&end));
            drawing.line(vec![start, end], Pen::solid(Colour::PALE, 1.0));
            if *is_upright {
                drawing.text(text, [start[0], layout.bottom + 18.0], Anchor::Middle, TEXT);
            } else {
                drawing.text(text, [layout.left - 8.0, start[1] + 4.0], Anchor::End, TEXT);
            }
        }
        for border in &self.borders {
            let mut border = layout.places(border);
            border.extend(border.first().copied());
            drawing.line(border, Pen::solid(Colour::GREY, 1.5));
        }
    }

    /// The last layer lies at the back, and the dots of a layer on its lines.
    fn draw_layers(&self, layout: &Layout, drawing: &mut Drawing) {
        for (index, layer) in self.layers.iter().enumerate().rev() {
            let colour = colour_of(index);
            let pen = if index == 0 { Pen::solid(colour, 1.6) } else { Pen::solid(pale(colour), 0.9) };
            for path in &layer.paths {
                let places = layout.places(path);
                if places.len() > 1 {
                    drawing.line(places.clone(), pen);
                }
                places.iter().for_each(|place| disc(*place, 2.2, colour, drawing));
            }
        }
    }

    /// Layers without a path are not named.
    fn draw_legend(&self, layout: &Layout, drawing: &mut Drawing) {
        let (mut at, line) = (MARGIN, layout.top + 22.0);
        for (index, layer) in self.layers.iter().enumerate().filter(|(_, layer)| !layer.paths.is_empty()) {
            let colour = colour_of(index);
            drawing.line(vec![[at, line], [at + SWATCH, line]], Pen::solid(colour, 1.6));
            disc([at + SWATCH / 2.0, line], 2.6, colour, drawing);
            drawing.text(&layer.label, [at + SWATCH + 6.0, line + 4.0], Anchor::Start, TEXT);
            at += SWATCH + 26.0 + font::width(&layer.label, TEXT);
        }
        if !self.tints.is_empty() {
            let corners = |from: f64| ring([from, line - 6.0], [from + SWATCH / 4.0, line + 6.0]);
            for step in 1..=4u32 {
                let points = corners(at + SWATCH / 4.0 * f64::from(step - 1));
                let opacity = FULL_TINT * f64::from(step) / 4.0;
                drawing.shapes.push(Shape::Area { points, colour: TINT, opacity });
            }
            drawing.text(&self.tint_label, [at + SWATCH + 6.0, line + 4.0], Anchor::Start, TEXT);
            at += SWATCH + 26.0 + font::width(&self.tint_label, TEXT);
        }
        drawing.width = drawing.width.max(at.ceil());
    }

    fn draw_scale_bar(&self, layout: &Layout, drawing: &mut Drawing) {
        let metres = match self.unit {
            Unit::Metres(metres) => metres,
            Unit::Named(_) => 1.0,
            Unit::Unsaid => return,
        };
        let most = layout.width / layout.scale * metres / 4.0;
        let Some(length) = round_numbers(most / 10.0, most).last().copied() else { return };
        let (start, at) = (layout.left, layout.bottom + 44.0);
        let end = start + length / metres * layout.scale;
        let pen = Pen::solid(Colour::BLACK, 1.6);
        drawing.line(vec![[start, at - 4.0], [start, at], [end, at], [end, at - 4.0]], pen);
        let text = match &self.unit {
            Unit::Named(name) => format!("{length} {name}"),
            Unit::Metres(_) if length >= 1000.0 => format!("{} km", length / 1000.0),
            Unit::Metres(_) => format!("{length} m"),
            Unit::Unsaid => return,
        };
        drawing.text(text, [end + 8.0, at + 4.0], Anchor::Start, TEXT);
    }
}

/// The corners of a rectangle.
pub fn ring(low: [f64; 2], high: [f64; 2]) -> Vec<[f64; 2]> {
    vec![low, [high[0], low[1]], high, [low[0], high[1]]]
}

/// The first layer is black, the others have colours.
fn colour_of(index: usize) -> Colour {
    if index == 0 { Colour::BLACK } else { COLOURS[(index - 1) % 3] }
}

/// Half way to white.
fn pale(Colour(parts): Colour) -> Colour {
    Colour(parts.map(|part| part / 2 + 128))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pixels, svg};

    fn map(paths: Vec<Vec<[f64; 2]>>) -> Map {
        let corners = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]];
        Map {
            title: "Paths".into(),
            description: "Where they go".into(),
            bounds: [[0.0, 0.0], [2.0, 1.0]],
            borders: vec![corners.clone()],
            grid: vec![GridLine { ends: [[1.0, 0.0], [1.0, 1.0]], text: "1".into(), is_upright: true }],
            unit: Unit::Metres(1000.0),
            tints: vec![Tint { corners, share: 0.5 }],
            tint_label: "many".into(),
            layers: vec![Layer { label: "</svg><script>".into(), paths }],
        }
    }

    #[test]
    fn maps_hold_what_they_are_given() {
        let text = svg::write(
            &map(vec![vec![[0.5, 0.5], [1.5, 0.25]], vec![[1.0, 1.0]], vec![]]).draw(Heading::InPicture),
        );
        // 430 units of the page for each of the plane, upwards from 74 + 430.
        assert!(text.contains("points=\"287.00,289.00 717.00,396.50\""), "{text}");
        assert!(text.contains("<title id=\"title\">Paths</title>") && !text.contains("<script>"));
        assert!(text.contains(">0.5 km<") || text.contains(">500 m<"), "{text}");
        assert!(text.contains(">many<"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf"));
        assert_eq!(text.matches(">Paths<").count(), 2);
    }

    #[test]
    fn a_title_that_stands_elsewhere_is_not_drawn() {
        let text = svg::write(&map(vec![vec![[0.5, 0.5]]]).draw(Heading::Elsewhere));
        // Only those who do not see the picture are told its name.
        assert_eq!(text.matches(">Paths<").count(), 1);
    }

    #[test]
    fn odd_maps_are_still_pictures() {
        let flat = Map { bounds: [[0.0, 0.0], [0.0, 0.0]], ..map(vec![]) };
        for map in [map(vec![]), flat] {
            assert_eq!(&pixels::png(&map.draw(Heading::InPicture)).unwrap()[..8], b"\x89PNG\r\n\x1a\n");
        }
    }
}
