//! How series are told apart: by colours, by patterns of lines, and by shapes of dots and crosses.

use crate::shape::{Colour, Drawing, Pen, Shape};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

/// The palette of Okabe and Ito without its yellow, which is too pale for lines: told apart by all kinds of eyes.
pub(crate) const COLOURS: [Colour; 7] = [
    Colour([0x00, 0x72, 0xb2]),
    Colour([0xd5, 0x5e, 0x00]),
    Colour([0x00, 0x9e, 0x73]),
    Colour([0x00, 0x00, 0x00]),
    Colour([0xcc, 0x79, 0xa7]),
    Colour([0xe6, 0x9f, 0x00]),
    Colour([0x56, 0xb4, 0xe9]),
];

// The numbers of patterns and shapes have no factor in common with that of the colours, so that 42 lines, 35 dots and 35 crosses
// differ; those of dots and crosses are odd, so that every other series differs as well.
const DASHES: [&[f32]; 6] =
    [&[], &[9.0, 4.0], &[2.0, 3.0], &[12.0, 3.0, 2.0, 3.0], &[5.0, 2.0], &[12.0, 3.0, 2.0, 3.0, 2.0, 3.0]];

const DOTS: [Dot; 5] = [
    Dot::DISC,
    Dot { corners: 4, turn: FRAC_PI_4, stretch: 1.25 },
    Dot { corners: 3, turn: -FRAC_PI_2, stretch: 1.45 },
    Dot { corners: 4, turn: 0.0, stretch: 1.4 },
    Dot { corners: 3, turn: FRAC_PI_2, stretch: 1.45 },
];

// All are crosses of open strokes, so that texts may call them so and nobody takes them for dots.
const CROSSES: [Cross; 5] = [
    Cross { ends: &[[-4.5, 4.5], [4.5, -4.5], [-4.5, -4.5], [4.5, 4.5]] },
    Cross { ends: &[[-6.4, 0.0], [6.4, 0.0], [0.0, -6.4], [0.0, 6.4]] },
    Cross { ends: &[[0.0, 6.4], [-5.5, -3.2], [5.5, -3.2]] },
    Cross { ends: &[[-3.2, 5.5], [3.2, -5.5], [-3.2, -5.5], [3.2, 5.5], [-6.4, 0.0], [6.4, 0.0]] },
    Cross { ends: &[[0.0, -6.4], [-5.5, 3.2], [5.5, 3.2]] },
];

/// A regular polygon, filled; shapes with few corners are stretched, so that all seem equally large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dot {
    corners: u32,
    turn: f64,
    stretch: f64,
}

impl Dot {
    const DISC: Self = Self { corners: 24, turn: 0.0, stretch: 1.0 };

    fn draw(self, [x, y]: [f64; 2], radius: f64, colour: Colour, drawing: &mut Drawing) {
        let corner = |index: u32| {
            let angle = self.turn + TAU * f64::from(index) / f64::from(self.corners);
            [x + radius * self.stretch * angle.cos(), y + radius * self.stretch * angle.sin()]
        };
        let points = (0..self.corners).map(corner).collect();
        drawing.shapes.push(Shape::Area { points, colour, opacity: 1.0 });
    }
}

/// Strokes from a point to these ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cross {
    ends: &'static [[f64; 2]],
}

impl Cross {
    pub(crate) fn draw(self, [x, y]: [f64; 2], colour: Colour, drawing: &mut Drawing) {
        for [across, down] in self.ends {
            drawing.line(vec![[x, y], [x + across, y + down]], Pen::solid(colour, 2.0));
        }
    }
}

/// How one series looks, whatever is drawn of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Look {
    pub(crate) pen: Pen,
    dot: Dot,
    pub(crate) cross: Cross,
}

impl Look {
    /// The look of a series by its place among the others.
    pub(crate) fn of(index: usize) -> Self {
        let colour = COLOURS[index % COLOURS.len()];
        Self {
            pen: Pen { colour, width: 2.0, dashes: DASHES[index % DASHES.len()] },
            dot: DOTS[index % DOTS.len()],
            cross: CROSSES[index % CROSSES.len()],
        }
    }

    /// The line that leads from cross to cross.
    pub(crate) fn thin(&self) -> Pen {
        Pen { colour: self.pen.colour, width: 1.0, dashes: &[2.0, 3.0] }
    }

    /// A measured value: a dot that stands out from the line behind it.
    pub(crate) fn draw_dot(&self, at: [f64; 2], drawing: &mut Drawing) {
        self.dot.draw(at, 4.5, Colour::WHITE, drawing);
        self.dot.draw(at, 3.2, self.pen.colour, drawing);
    }
}

/// A filled circle.
pub(crate) fn disc(at: [f64; 2], radius: f64, colour: Colour, drawing: &mut Drawing) {
    Dot::DISC.draw(at, radius, colour, drawing);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than any chart has: the fullest ones of the papers have 11 series.
    const MOST: usize = 35;

    #[test]
    fn series_of_one_chart_differ_however_they_are_drawn() {
        for (index, other) in (0..MOST).flat_map(|index| (0..index).map(move |other| (index, other))) {
            let [one, other] = [Look::of(index), Look::of(other)];
            let is_other_colour = one.pen.colour != other.pen.colour;
            assert!(is_other_colour || one.pen.dashes != other.pen.dashes, "lines, {index}");
            assert!(is_other_colour || one.dot != other.dot, "dots, {index}");
            assert!(is_other_colour || one.cross != other.cross, "crosses, {index}");
        }
    }

    #[test]
    fn neighbours_differ_without_their_colours() {
        for index in 0..MOST {
            let [one, next, second] = [0, 1, 2].map(|further| Look::of(index + further));
            assert!(one.pen.dashes != next.pen.dashes && one.pen.dashes != second.pen.dashes, "{index}");
            assert!(one.dot != next.dot && one.dot != second.dot, "{index}");
            assert!(one.cross != next.cross && one.cross != second.cross, "{index}");
        }
    }

    #[test]
    fn forty_two_lines_differ() {
        let pens: Vec<Pen> = (0..42).map(|index| Look::of(index).pen).collect();
        for (index, pen) in pens.iter().enumerate() {
            assert!(!pens[..index].contains(pen), "{index}");
        }
    }
}
