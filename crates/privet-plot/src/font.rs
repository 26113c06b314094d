//! The font that is part of the program: how wide a text is, and what its letters look like.

use tiny_skia::PathBuilder;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Letters of European languages and Greek, from DejaVu Sans.
const FONT: &[u8] = include_bytes!("../assets/DejaVuSans-subset.ttf");

/// The font in one size.
pub(crate) struct Font {
    face: Face<'static>,
    /// How many units of the drawing one unit of the font is.
    scale: f32,
}

impl Font {
    /// The font in this size, or none if the bytes in the program are no font.
    pub(crate) fn of_size(size: f64) -> Option<Self> {
        let face = Face::parse(FONT, 0).ok()?;
        let scale = size as f32 / f32::from(face.units_per_em());
        Some(Self { face, scale })
    }

    /// The glyph of a letter; the replacement sign for letters that the font does not have.
    fn glyph(&self, letter: char) -> GlyphId {
        let find = |letter| self.face.glyph_index(letter);
        find(letter).or_else(|| find('\u{fffd}')).unwrap_or_default()
    }

    fn advance(&self, glyph: GlyphId) -> f32 {
        f32::from(self.face.glyph_hor_advance(glyph).unwrap_or_default()) * self.scale
    }

    /// How wide a text is.
    pub(crate) fn width(&self, text: &str) -> f32 {
        text.chars().map(|letter| self.advance(self.glyph(letter))).sum()
    }

    /// The outlines of a text whose base line begins here.
    pub(crate) fn outline(&self, text: &str, at: [f32; 2]) -> PathBuilder {
        let [mut x, y] = at;
        let mut pen = Outline { builder: PathBuilder::new(), scale: self.scale, at: [x, y] };
        for letter in text.chars() {
            let glyph = self.glyph(letter);
            pen.at[0] = x;
            // A space has no outline.
            let _ = self.face.outline_glyph(glyph, &mut pen);
            x += self.advance(glyph);
        }
        pen.builder
    }
}

/// How wide a text is in this size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    Font::of_size(size).map_or(0.0, |font| f64::from(font.width(text)))
}

/// Draws glyphs, in which y grows upwards, at their place.
struct Outline {
    builder: PathBuilder,
    scale: f32,
    at: [f32; 2],
}

impl Outline {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.at[0] + x * self.scale, self.at[1] - y * self.scale)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.builder.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_widths() {
        assert!((width("0.25", 12.0) - 26.7).abs() < 0.2, "{}", width("0.25", 12.0));
        assert_eq!(width("", 12.0), 0.0);
        assert_eq!(width("\u{4e2d}", 12.0), width("\u{fffd}", 12.0));
    }

    #[test]
    fn all_letters_that_charts_use_are_there() {
        let font = Font::of_size(12.0).unwrap();
        for letter in " abcxyzABCXYZ0123456789.,:;+-=/%()[]|π≤≥−\u{fffd}".chars() {
            assert!(font.face.glyph_index(letter).is_some(), "{letter}");
        }
    }
}
