//! What a drawing consists of.

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) [u8; 3]);

impl Colour {
    pub(crate) const WHITE: Self = Self([0xff, 0xff, 0xff]);
    pub(crate) const BLACK: Self = Self([0x22, 0x22, 0x22]);
    pub(crate) const GREY: Self = Self([0x66, 0x66, 0x66]);
    pub(crate) const PALE: Self = Self([0xe0, 0xe0, 0xe0]);
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pen {
    pub(crate) colour: Colour,
    pub(crate) width: f64,
    /// The lengths of strokes and gaps in turn; empty for a whole line.
    pub(crate) dashes: &'static [f32],
}

impl Pen {
    pub(crate) fn solid(colour: Colour, width: f64) -> Self {
        Self { colour, width, dashes: &[] }
    }
}

/// Where a text stands around its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// One part of a drawing; y grows downwards.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// A line through points.
    Line { points: Vec<[f64; 2]>, pen: Pen },
    /// The area inside points.
    Area { points: Vec<[f64; 2]>, colour: Colour, opacity: f64 },
    /// One line of text; the place is on its base line.
    Text { at: [f64; 2], anchor: Anchor, size: f64, colour: Colour, content: String },
}

/// Shapes on a white page, from the back to the front.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) title: String,
    /// What it shows, for those who do not see it.
    pub(crate) description: String,
    pub(crate) shapes: Vec<Shape>,
}

impl Drawing {
    /// A file of SVG, that asks for nothing outside.
    pub fn svg(&self) -> String {
        crate::svg::write(self)
    }

    /// A part of a page: its colours are classes of the page's style sheet. `id` distinguishes it from others on the page.
    pub fn inline_svg(&self, id: &str) -> String {
        crate::svg::inline(self, id)
    }

    /// A file of PNG.
    ///
    /// # Errors
    /// When the drawing has no size, or too large a one.
    pub fn png(&self) -> Result<Vec<u8>, crate::PictureError> {
        crate::pixels::png(self)
    }

    pub(crate) fn line(&mut self, points: Vec<[f64; 2]>, pen: Pen) {
        self.shapes.push(Shape::Line { points, pen });
    }

    pub(crate) fn text(&mut self, content: impl Into<String>, at: [f64; 2], anchor: Anchor, size: f64) {
        let (content, colour) = (content.into(), Colour::BLACK);
        self.shapes.push(Shape::Text { at, anchor, size, colour, content });
    }
}
