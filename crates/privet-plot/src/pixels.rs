//! A drawing as PNG.

use crate::font::Font;
use crate::shape::{Anchor, Colour, Drawing, Pen, Shape};
use thiserror::Error;
use tiny_skia::{Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};

/// How many pixels one unit has, along each side: sharp on dense screens and in print.
const DENSITY: f64 = 2.0;

/// A drawing that cannot be a picture of pixels.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the picture cannot be drawn: {0}")]
pub struct PictureError(String);

/// The bytes of the file.
pub(crate) fn png(drawing: &Drawing) -> Result<Vec<u8>, PictureError> {
    let [width, height] = [drawing.width, drawing.height].map(|side| (side * DENSITY).ceil() as u32);
    let mut pixmap = Pixmap::new(width, height).ok_or_else(|| failed("the picture has no size"))?;
    pixmap.fill(Color::WHITE);
    for shape in &drawing.shapes {
        draw(&mut pixmap, shape);
    }
    pixmap.encode_png().map_err(failed)
}

fn failed(problem: impl ToString) -> PictureError {
    PictureError(problem.to_string())
}

fn draw(pixmap: &mut Pixmap, shape: &Shape) {
    let whole = Transform::from_scale(DENSITY as f32, DENSITY as f32);
    match shape {
        Shape::Line { points, pen } => {
            if let Some(path) = path(points, false) {
                pixmap.stroke_path(&path, &paint(pen.colour, 1.0), &stroke(pen), whole, None);
            }
        }
        Shape::Area { points, colour, opacity } => {
            if let Some(path) = path(points, true) {
                pixmap.fill_path(&path, &paint(*colour, *opacity), FillRule::Winding, whole, None);
            }
        }
        Shape::Text { at, anchor, size, colour, content } => {
            let Some(font) = Font::of_size(*size) else { return };
            let share = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => 0.5,
                Anchor::End => 1.0,
            };
            let [x, y] = at.map(|place| place as f32);
            let outline = font.outline(content, [x - share * font.width(content), y]);
            if let Some(path) = outline.finish() {
                pixmap.fill_path(&path, &paint(*colour, 1.0), FillRule::Winding, whole, None);
            }
        }
    }
}

fn path(points: &[[f64; 2]], is_closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for (index, [x, y]) in points.iter().enumerate() {
        let (x, y) = (*x as f32, *y as f32);
        if index == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
    }
    if is_closed {
        builder.close();
    }
    builder.finish()
}

fn paint(Colour([red, green, blue]): Colour, opacity: f64) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, (255.0 * opacity).round() as u8);
    paint
}

fn stroke(pen: &Pen) -> Stroke {
    Stroke {
        width: pen.width as f32,
        line_join: LineJoin::Round,
        dash: StrokeDash::new(pen.dashes.to_vec(), 0.0),
        ..Stroke::default()
    }
}
