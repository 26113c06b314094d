//! A drawing as SVG.

use crate::look::COLOURS;
use crate::page::escape;
use crate::shape::{Anchor, Colour, Drawing, Shape};

/// Fonts with about the same widths as the one that the layout measures.
const FONTS: &str = "DejaVu Sans, Verdana, sans-serif";

/// How the colours of shapes are written.
#[derive(Debug, Clone, Copy)]
enum Paint {
    /// As numbers, for a file that stands alone.
    Numbers,
    /// As classes of a page's style sheet, which has light and dark ones.
    Classes,
}

/// A file of its own, that asks for nothing outside.
pub(crate) fn write(drawing: &Drawing) -> String {
    let Drawing { width, height, title, description, shapes } = drawing;
    let body: String = shapes.iter().map(|one| shape(one, Paint::Numbers)).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title text\" font-family=\"{FONTS}\">\n\
         <title id=\"title\">{}</title>\n<desc id=\"text\">{}</desc>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}</svg>\n",
        escape(title),
        escape(description)
    )
}

/// A part of a page.
pub(crate) fn inline(drawing: &Drawing, id: &str) -> String {
    let Drawing { width, height, title, description, shapes } = drawing;
    let body: String = shapes.iter().map(|one| shape(one, Paint::Classes)).collect();
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-text\">\n\
         <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-text\">{}</desc>\n{body}</svg>\n",
        escape(title),
        escape(description),
        id = escape(id),
    )
}

/// A sample for a legend, which those who do not see it need not hear about.
pub(crate) fn swatch(drawing: &Drawing) -> String {
    let Drawing { width, height, shapes, .. } = drawing;
    let body: String = shapes.iter().map(|one| shape(one, Paint::Classes)).collect();
    format!(
        "<svg class=\"swatch\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         aria-hidden=\"true\">{body}</svg>"
    )
}

fn shape(shape: &Shape, paint: Paint) -> String {
    match shape {
        Shape::Line { points, pen } => {
            let dashes: Vec<String> = pen.dashes.iter().map(f32::to_string).collect();
            let dashes = if dashes.is_empty() {
                String::new()
            } else {
                format!(" stroke-dasharray=\"{}\"", dashes.join(" "))
            };
            format!(
                "<polyline points=\"{}\" {} stroke-width=\"{}\" stroke-linejoin=\"round\"{dashes}/>\n",
                places(points),
                paint.line(pen.colour),
                pen.width
            )
        }
        Shape::Area { points, colour, opacity } => format!(
            "<polygon points=\"{}\" {} fill-opacity=\"{opacity}\"/>\n",
            places(points),
            paint.area(*colour)
        ),
        Shape::Text { at: [x, y], anchor, size, colour, content } => format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" {} text-anchor=\"{}\">{}</text>\n",
            paint.area(*colour),
            match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            },
            escape(content)
        ),
    }
}

impl Paint {
    fn line(self, colour: Colour) -> String {
        match self {
            Self::Numbers => format!("fill=\"none\" stroke=\"{}\"", hex(colour)),
            Self::Classes => format!("class=\"line {}\"", class(colour)),
        }
    }

    fn area(self, colour: Colour) -> String {
        match self {
            Self::Numbers => format!("fill=\"{}\"", hex(colour)),
            Self::Classes => format!("class=\"area {}\"", class(colour)),
        }
    }
}

/// The name of a colour in a page's style sheet.
fn class(colour: Colour) -> String {
    let named =
        [(Colour::WHITE, "ground"), (Colour::BLACK, "ink"), (Colour::GREY, "quiet"), (Colour::PALE, "rule")];
    if let Some((_, name)) = named.iter().find(|(known, _)| *known == colour) {
        return (*name).to_owned();
    }
    let index = COLOURS.iter().position(|known| *known == colour).unwrap_or_default();
    format!("hue-{index}")
}

fn places(points: &[[f64; 2]]) -> String {
    points.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

fn hex(Colour([red, green, blue]): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
