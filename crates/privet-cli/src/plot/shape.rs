//! What a drawing consists of.

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour(pub(super) [u8; 3]);

impl Colour {
    pub(super) const WHITE: Self = Self([0xff, 0xff, 0xff]);
    pub(super) const BLACK: Self = Self([0x22, 0x22, 0x22]);
    pub(super) const GREY: Self = Self([0x66, 0x66, 0x66]);
    pub(super) const PALE: Self = Self([0xe0, 0xe0, 0xe0]);
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pen {
    pub(super) colour: Colour,
    pub(super) width: f64,
    /// The lengths of strokes and gaps in turn; empty for a whole line.
    pub(super) dashes: &'static [f32],
}

impl Pen {
    pub(super) fn solid(colour: Colour, width: f64) -> Self {
        Self { colour, width, dashes: &[] }
    }
}

/// Where a text stands around its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// One part of a drawing; y grows downwards.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// A line through points.
    Line { points: Vec<[f64; 2]>, pen: Pen },
    /// The area inside points.
    Area { points: Vec<[f64; 2]>, colour: Colour, opacity: f64 },
    /// One line of text; the place is on its base line.
    Text { at: [f64; 2], anchor: Anchor, size: f64, colour: Colour, content: String },
}

/// Shapes on a white page, from the back to the front.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: String,
    /// What it shows, for those who do not see it.
    pub(super) description: String,
    pub(super) shapes: Vec<Shape>,
}

impl Drawing {
    pub(super) fn line(&mut self, points: Vec<[f64; 2]>, pen: Pen) {
        self.shapes.push(Shape::Line { points, pen });
    }

    pub(super) fn text(&mut self, content: impl Into<String>, at: [f64; 2], anchor: Anchor, size: f64) {
        let (content, colour) = (content.into(), Colour::BLACK);
        self.shapes.push(Shape::Text { at, anchor, size, colour, content });
    }
}
