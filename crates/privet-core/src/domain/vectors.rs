//! Vectors of one public length.

use crate::error::{InputError, ParameterError};
use std::fmt;

/// How many coordinates a vector has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dimension(u32);

impl Dimension {
    /// The largest number of coordinates.
    pub const MAX: u32 = 1 << 16;
    /// A single coordinate.
    pub const ONE: Self = Self(1);

    /// Checks the number of coordinates.
    ///
    /// # Errors
    /// When it is zero or above [`Dimension::MAX`].
    pub fn new(count: u32) -> Result<Self, ParameterError> {
        if (1..=Self::MAX).contains(&count) {
            Ok(Self(count))
        } else {
            Err(ParameterError::Dimension { max: Self::MAX, got: u64::from(count) })
        }
    }

    /// The dimension of a slice.
    ///
    /// # Errors
    /// When it is empty or longer than [`Dimension::MAX`].
    pub fn of(slice: &[f64]) -> Result<Self, ParameterError> {
        let got = slice.len() as u64;
        u32::try_from(got).map_or(Err(ParameterError::Dimension { max: Self::MAX, got }), Self::new)
    }

    /// The number of coordinates.
    pub fn get(self) -> usize {
        self.0 as usize
    }

    /// The number of coordinates, for formulas.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// All vectors of finite numbers with one dimension. Which of them are told apart is the mechanism's clip set, so any length
/// and direction is inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vectors {
    dimension: Dimension,
}

impl Vectors {
    /// The vectors of a dimension.
    pub fn new(dimension: Dimension) -> Self {
        Self { dimension }
    }

    /// How many coordinates each has.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Accepts a vector of this dimension with finite coordinates.
    ///
    /// # Errors
    /// When the number of coordinates is another one, or one of them is not a finite number.
    pub fn check(&self, vector: &[f64]) -> Result<(), InputError> {
        let expected = self.dimension.get();
        if vector.len() != expected {
            return Err(InputError::Dimension { expected, got: vector.len() });
        }
        // Without an early end the machine can look at several coordinates at once.
        let is_finite = vector.iter().fold(true, |so_far, coordinate| so_far & coordinate.is_finite());
        if is_finite { Ok(()) } else { Err(self.outside()) }
    }

    /// Reads coordinates with commas or spaces between them and appends them.
    ///
    /// # Errors
    /// When they are not as many numbers as the dimension. The error does not contain the text; nothing is appended then.
    pub fn parse_into(&self, text: &str, coordinates: &mut Vec<f64>) -> Result<(), InputError> {
        let parts = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty());
        let vector: Result<Vec<f64>, _> = parts.map(str::parse).collect();
        let vector = vector.map_err(|_| self.outside())?;
        self.check(&vector)?;
        coordinates.extend_from_slice(&vector);
        Ok(())
    }

    fn outside(&self) -> InputError {
        InputError::OutsideDomain { domain: self.to_string() }
    }
}

impl fmt::Display for Vectors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "vector:{}", self.dimension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane() -> Vectors {
        Vectors::new(Dimension::new(2).unwrap())
    }

    #[test]
    fn dimensions_have_ends() {
        assert!(Dimension::new(0).is_err() && Dimension::new(Dimension::MAX + 1).is_err());
        assert_eq!(Dimension::new(Dimension::MAX).unwrap().get(), 65536);
        assert!(Dimension::of(&[]).is_err());
    }

    #[test]
    fn only_finite_vectors_of_the_dimension_are_inside() {
        assert!(plane().check(&[1e308, -1e308]).is_ok());
        for outside in [[f64::NAN, 0.0], [0.0, f64::INFINITY], [f64::NEG_INFINITY, f64::INFINITY]] {
            let message = plane().check(&outside).unwrap_err().to_string();
            assert_eq!(message, "the value lies outside the domain vector:2");
        }
        let message = plane().check(&[0.25]).unwrap_err().to_string();
        assert_eq!(message, "a vector of this domain has 2 coordinates: got 1");
    }

    #[test]
    fn vectors_are_read_with_commas_or_spaces() {
        let mut coordinates = Vec::new();
        for text in ["1,-2", " 1 -2 ", "1, -2"] {
            plane().parse_into(text, &mut coordinates).unwrap();
        }
        assert_eq!(coordinates, [1.0, -2.0, 1.0, -2.0, 1.0, -2.0]);
        for text in ["", "1", "1,2,3", "1,x", "1,NaN"] {
            assert!(plane().parse_into(text, &mut coordinates).is_err(), "{text}");
        }
        assert_eq!(coordinates.len(), 6);
    }
}
