//! The labels of a classifier over two features, with boxes and a point.

use crate::axis::Axis;
use crate::font;
use crate::look::{COLOURS, disc};
use crate::shape::{Anchor, Colour, Drawing, Pen, Shape};

/// Ends of a box along both axes, with what the box is.
#[derive(Debug, Clone)]
pub struct LabelledBox {
    /// What it is.
    pub label: String,
    /// Its ends along both axes.
    pub ends: [[f64; 2]; 2],
}

/// The unit square before it is laid out.
#[derive(Debug, Clone)]
pub struct Region {
    /// What it is called.
    pub title: String,
    /// What it shows, for those who do not see it.
    pub description: String,
    /// What the horizontal and the vertical axis are.
    pub names: [String; 2],
    /// How many cells each side has.
    pub resolution: usize,
    /// The class of each cell; the horizontal place grows from row to row, the vertical one along a row.
    pub classes: Vec<usize>,
    /// The class of the record.
    pub own: usize,
    /// Where the record lies.
    pub record: [f64; 2],
    /// Boxes around it.
    pub boxes: Vec<LabelledBox>,
}

const SIDE: f64 = 440.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 74.0;
const BELOW: f64 = 58.0;
const MARGIN: f64 = 20.0;
const TITLE: f64 = 15.0;
const TEXT: f64 = 12.0;
const SWATCH: f64 = 24.0;
const ROW: f64 = 23.0;
/// Solid around the first box, dashed around the second.
const BOX_DASHES: [&[f32]; 2] = [&[], &[7.0, 4.0]];

impl Region {
    /// Lays the square out.
    pub fn draw(&self) -> Drawing {
        let legend = self.legend();
        let widest = legend.iter().map(|(_, text)| font::width(text, TEXT)).fold(0.0, f64::max);
        let width = LEFT + SIDE + 2.0 * MARGIN + SWATCH + 8.0 + widest;
        let mut drawing = Drawing {
            width: width.max(2.0 * MARGIN + font::width(&self.title, TITLE)).ceil(),
            height: TOP + SIDE + BELOW,
            title: self.title.clone(),
            description: self.description.clone(),
            shapes: Vec::new(),
        };
        drawing.text(&self.title, [MARGIN, 28.0], Anchor::Start, TITLE);
        self.draw_classes(&mut drawing);
        self.draw_axes(&mut drawing);
        for (index, one) in self.boxes.iter().enumerate() {
            let [[left, right], [low, high]] = one.ends;
            let corners = [[left, low], [right, low], [right, high], [left, high], [left, low]];
            drawing.line(corners.map(place).to_vec(), box_pen(index));
        }
        draw_record(place(self.record), &mut drawing);
        self.draw_legend(&legend, &mut drawing);
        drawing
    }

    /// Neighbouring cells of one class are one area; areas reach under the next ones, so that no seams show.
    fn draw_classes(&self, drawing: &mut Drawing) {
        let side = 1.0 / self.resolution.max(1) as f64;
        for (row, classes) in self.classes.chunks(self.resolution.max(1)).enumerate() {
            let [left, right] = [row as f64 * side, ((row + 2) as f64 * side).min(1.0)];
            let mut start = 0;
            for run in classes.chunk_by(|one, other| one == other) {
                let [low, high] = [start as f64 * side, (start + run.len()) as f64 * side];
                let corners = [[left, low], [right, low], [right, high], [left, high]].map(place);
                let colour = self.colour(run[0]);
                drawing.shapes.push(Shape::Area { points: corners.to_vec(), colour, opacity: 1.0 });
                start += run.len();
            }
        }
    }

    fn draw_axes(&self, drawing: &mut Drawing) {
        let axis = Axis::between(0.0, 1.0, 1.0);
        let bottom = TOP + SIDE;
        for (value, text) in axis.ticks() {
            let [x, y] = place([value, value]);
            let pen = Pen::solid(Colour::GREY, 1.0);
            drawing.line(vec![[x, bottom], [x, bottom + 5.0]], pen);
            drawing.text(&text, [x, bottom + 20.0], Anchor::Middle, TEXT);
            drawing.line(vec![[LEFT - 5.0, y], [LEFT, y]], pen);
            drawing.text(text, [LEFT - 9.0, y + 4.0], Anchor::End, TEXT);
        }
        let frame = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]].map(place);
        drawing.line(frame.to_vec(), Pen::solid(Colour::GREY, 1.0));
        let [horizontal, vertical] = &self.names;
        drawing.text(horizontal, [LEFT + SIDE / 2.0, bottom + 42.0], Anchor::Middle, TEXT);
        drawing.text(vertical, [MARGIN, TOP - 16.0], Anchor::Start, TEXT);
    }

    fn legend(&self) -> Vec<(Sign, String)> {
        let mut classes = self.classes.clone();
        classes.push(self.own);
        classes.sort_unstable();
        classes.dedup();
        let class = |class: usize| {
            let whose = if class == self.own { ", as the record" } else { "" };
            (Sign::Class(class), format!("class {class}{whose}"))
        };
        let boxes = self.boxes.iter().enumerate().map(|(index, one)| (Sign::Box(index), one.label.clone()));
        let classes = classes.into_iter().map(class).chain(boxes);
        classes.chain([(Sign::Record, "the record".to_owned())]).collect()
    }

    fn draw_legend(&self, legend: &[(Sign, String)], drawing: &mut Drawing) {
        let start = LEFT + SIDE + MARGIN;
        for (index, (sign, text)) in legend.iter().enumerate() {
            let middle = TOP + (index as f64 + 0.5) * ROW;
            let [left, right] = [start, start + SWATCH];
            let [low, high] = [middle + 7.0, middle - 7.0];
            let corners = vec![[left, low], [right, low], [right, high], [left, high], [left, low]];
            match sign {
                Sign::Class(class) => {
                    let colour = self.colour(*class);
                    drawing.shapes.push(Shape::Area { points: corners, colour, opacity: 1.0 });
                }
                Sign::Box(index) => drawing.line(corners, box_pen(*index)),
                Sign::Record => draw_record([f64::midpoint(left, right), middle], drawing),
            }
            drawing.text(text, [right + 8.0, middle + 4.0], Anchor::Start, TEXT);
        }
    }

    /// The record's class has the first colour, the others have the next ones.
    fn colour(&self, class: usize) -> Colour {
        let index = match class {
            class if class == self.own => 0,
            class if class < self.own => class + 1,
            class => class,
        };
        pale(COLOURS[index % COLOURS.len()])
    }
}

/// What a row of the legend explains.
enum Sign {
    Class(usize),
    Box(usize),
    Record,
}

fn place([x, y]: [f64; 2]) -> [f64; 2] {
    [LEFT + SIDE * x, TOP + SIDE * (1.0 - y)]
}

fn box_pen(index: usize) -> Pen {
    Pen { colour: Colour::BLACK, width: 2.2, dashes: BOX_DASHES[index % BOX_DASHES.len()] }
}

fn draw_record(at: [f64; 2], drawing: &mut Drawing) {
    disc(at, 7.0, Colour::WHITE, drawing);
    disc(at, 5.0, Colour::BLACK, drawing);
}

/// Three fifths of the way to white, so that lines and the record are seen on it.
fn pale(Colour(parts): Colour) -> Colour {
    Colour(parts.map(|part| (0.4 * f64::from(part) + 0.6 * 255.0) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pixels, svg};

    fn region(classes: Vec<usize>) -> Region {
        Region {
            title: "Region".into(),
            description: "Where the answer stays".into(),
            names: ["</svg><script>".into(), "bmi".into()],
            resolution: 2,
            classes,
            own: 1,
            record: [0.75, 0.25],
            boxes: vec![LabelledBox { label: "certified".into(), ends: [[0.5, 1.0], [0.0, 1.0]] }],
        }
    }

    #[test]
    fn cells_boxes_and_the_record_lie_where_they_should() {
        let text = svg::write(&region(vec![0, 0, 1, 1]).draw());
        // The left half is of class 0 (and goes on under the right one), the right half of the record's class.
        assert!(text.contains("points=\"62.00,514.00 502.00,514.00 502.00,74.00 62.00,74.00\""), "{text}");
        assert!(text.contains("points=\"282.00,514.00 502.00,514.00 502.00,74.00 282.00,74.00\""), "{text}");
        assert!(text.contains("class 1, as the record") && text.contains(">class 0<"), "{text}");
        assert!(text.contains(">certified<") && !text.contains("<script>") && !text.contains("NaN"));
    }

    #[test]
    fn odd_regions_are_still_pictures() {
        for region in [Region { resolution: 0, ..region(vec![]) }, region(vec![9, 0, 1, usize::MAX])] {
            assert_eq!(&pixels::png(&region.draw()).unwrap()[..8], b"\x89PNG\r\n\x1a\n");
        }
    }
}
