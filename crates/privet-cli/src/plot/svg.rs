//! A drawing as SVG.

use super::shape::{Anchor, Colour, Drawing, Shape};
use crate::page::escape;

/// Fonts with about the same widths as the one that the layout measures.
const FONTS: &str = "DejaVu Sans, Verdana, sans-serif";

/// A file of its own, that asks for nothing outside.
pub(super) fn write(drawing: &Drawing) -> String {
    let Drawing { width, height, title, description, shapes } = drawing;
    let body: String = shapes.iter().map(shape).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title text\" font-family=\"{FONTS}\">\n\
         <title id=\"title\">{}</title>\n<desc id=\"text\">{}</desc>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}</svg>\n",
        escape(title),
        escape(description)
    )
}

fn shape(shape: &Shape) -> String {
    match shape {
        Shape::Line { points, pen } => {
            let dashes: Vec<String> = pen.dashes.iter().map(f32::to_string).collect();
            let dashes = if dashes.is_empty() {
                String::new()
            } else {
                format!(" stroke-dasharray=\"{}\"", dashes.join(" "))
            };
            format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" \
                 stroke-linejoin=\"round\"{dashes}/>\n",
                places(points),
                hex(pen.colour),
                pen.width
            )
        }
        Shape::Area { points, colour, opacity } => format!(
            "<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{opacity}\"/>\n",
            places(points),
            hex(*colour)
        ),
        Shape::Text { at: [x, y], anchor, size, colour, content } => format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{}\" text-anchor=\"{}\">{}</text>\n",
            hex(*colour),
            match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            },
            escape(content)
        ),
    }
}

fn places(points: &[[f64; 2]]) -> String {
    points.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

fn hex(Colour([red, green, blue]): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
