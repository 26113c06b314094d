//! Proofs that no private channel does better, and the small functions that check them without the solver.

mod enclosure;
mod finite;
mod line;

pub use enclosure::Enclosure;
pub use finite::{FiniteCertificate, PricedInput};
pub use line::{Cell, LineCertificate, Point, SCALE, Setting};

use crate::LimitError;
use crate::plane::PlaneCertificate;
use line::LARGEST;

/// Numbers from which a lower bound follows.
#[derive(Debug, Clone, PartialEq)]
pub enum Certificate {
    /// On an interval or a circle.
    Line(LineCertificate),
    /// On finitely many categories.
    Finite(FiniteCertificate),
    /// In a rectangle.
    Plane(PlaneCertificate),
}

impl Certificate {
    /// The bound: in units of the domain; in a rectangle, in the units of its sides.
    ///
    /// # Errors
    /// When the numbers are out of range.
    pub fn bound(&self) -> Result<f64, LimitError> {
        match self {
            Self::Line(line) => line.bound(),
            Self::Finite(finite) => finite.bound(),
            Self::Plane(plane) => Ok(plane.check()),
        }
    }
}
