//! Places in a bounded rectangle.

use super::{Domain, DomainSpec, Interval, Values};
use crate::error::{InputError, ParameterError};
use crate::fingerprint::FingerprintBuilder;
use std::fmt;

/// The points whose first coordinate lies in one interval and whose second lies in another, the border included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    sides: [Interval; 2],
}

impl Rectangle {
    /// The rectangle over two intervals: first coordinate, second coordinate.
    ///
    /// # Errors
    /// When the diagonal is not finite, so that some distances would not be numbers.
    pub fn new(sides: [Interval; 2]) -> Result<Self, ParameterError> {
        let [first, second] = sides.map(|side| side.width());
        if first.hypot(second).is_finite() {
            Ok(Self { sides })
        } else {
            Err(ParameterError::Rectangle { widths: [first, second] })
        }
    }

    /// The interval of each coordinate.
    pub fn sides(&self) -> [Interval; 2] {
        self.sides
    }

    /// The width in each coordinate.
    pub fn widths(&self) -> [f64; 2] {
        self.sides.map(|side| side.width())
    }

    /// The point at these shares of the widths, counted from the lower ends.
    pub fn point_at(&self, shares: [f64; 2]) -> [f64; 2] {
        std::array::from_fn(|axis| {
            let side = &self.sides[axis];
            // The upper end may be missed by a rounding.
            side.nearest(side.low() + shares[axis] * side.width())
        })
    }
}

impl Domain for Rectangle {
    type Value = [f64; 2];
    const KIND: &'static str = "rectangle";

    fn contains(&self, value: &[f64; 2]) -> bool {
        self.sides.iter().zip(value).all(|(side, coordinate)| side.contains(coordinate))
    }

    fn nearest(&self, value: [f64; 2]) -> [f64; 2] {
        std::array::from_fn(|axis| self.sides[axis].nearest(value[axis]))
    }

    /// Reads two numbers with a comma or a space between them.
    fn parse(&self, text: &str) -> Result<[f64; 2], InputError> {
        let text = text.trim();
        let parts = text.split_once(',').or_else(|| text.split_once(char::is_whitespace));
        let (first, second) = parts.ok_or_else(|| self.outside())?;
        match (first.trim().parse(), second.trim().parse()) {
            (Ok(first), Ok(second)) => Ok([first, second]),
            _ => Err(self.outside()),
        }
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        self.sides.iter().for_each(|side| side.identify(builder));
    }

    fn from_spec(spec: &DomainSpec) -> Option<&Self> {
        match spec {
            DomainSpec::Rectangle(rectangle) => Some(rectangle),
            _ => None,
        }
    }

    fn select(values: &Values) -> Option<&[[f64; 2]]> {
        match values {
            Values::Points(values) => Some(values),
            _ => None,
        }
    }
}

impl fmt::Display for Rectangle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.sides;
        write!(formatter, "rectangle:{},{},{},{}", first.low(), first.high(), second.low(), second.high())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field() -> Rectangle {
        Rectangle::new([Interval::new(0.0, 2.0).unwrap(), Interval::new(-5.0, 5.0).unwrap()]).unwrap()
    }

    #[test]
    fn points_are_read_with_a_comma_or_a_space() {
        for text in ["1.5,-2", "1.5 -2", " 1.5 ,  -2 ", "1.5\t-2"] {
            assert_eq!(field().parse(text).unwrap(), [1.5, -2.0], "{text}");
        }
        for text in ["", "1.5", "1,2,3", "1 2 3", "a,b", ",", "1,,2", "1.5,"] {
            let message = field().parse(text).unwrap_err().to_string();
            assert_eq!(message, "the value lies outside the domain rectangle:0,2,-5,5", "{text}");
        }
    }

    #[test]
    fn the_border_is_inside_and_nothing_beyond_it() {
        assert!(field().contains(&[0.0, -5.0]) && field().contains(&[2.0, 5.0]));
        for outside in [[2.1, 0.0], [1.0, -5.1], [f64::NAN, 0.0], [0.0, f64::NAN], [f64::INFINITY, 0.0]] {
            assert!(field().check(&outside).is_err());
        }
        assert_eq!(field().nearest([3.0, f64::NEG_INFINITY]), [2.0, -5.0]);
        assert!(!field().contains(&field().nearest([f64::NAN, 0.0])));
    }

    #[test]
    fn shares_of_the_widths_are_points_inside() {
        assert_eq!(field().point_at([0.5, 0.25]), [1.0, -2.5]);
        let odd =
            Rectangle::new([Interval::new(0.1, 0.7).unwrap(), Interval::new(-0.3, 1e9).unwrap()]).unwrap();
        assert!(odd.contains(&odd.point_at([1.0, 1.0])) && odd.contains(&odd.point_at([0.0, 0.0])));
    }

    #[test]
    fn a_diagonal_beyond_all_numbers_is_refused() {
        let wide = Interval::new(0.0, 1.7e308).unwrap();
        assert!(matches!(Rectangle::new([wide, wide]), Err(ParameterError::Rectangle { .. })));
    }
}
