//! The sets that private values come from.

mod categories;
mod circle;
mod interval;
mod rectangle;
mod spec;
mod vectors;
mod words;

pub use categories::Categories;
pub use circle::Circle;
pub use interval::Interval;
pub use rectangle::Rectangle;
pub use spec::DomainSpec;
pub use vectors::{Dimension, Vectors};
pub use words::{Word, Words};

use crate::error::InputError;
use crate::fingerprint::FingerprintBuilder;
use std::fmt::{Debug, Display};

/// A public set of possible values. It fixes everything that is visible in a report.
///
/// `Display` writes the domain as the command line reads it, as long as no label has a comma.
pub trait Domain: Clone + Debug + Display + PartialEq + Send + Sync {
    /// One private value.
    type Value: Copy + Send + Sync;

    /// What kind of domain this is, for messages and tables.
    const KIND: &'static str;

    /// Whether the value belongs to the domain.
    fn contains(&self, value: &Self::Value) -> bool;

    /// The value of the domain that is nearest to `value`; a value without a nearest one (not a number)
    /// stays as it is, and stays outside.
    fn nearest(&self, value: Self::Value) -> Self::Value;

    /// Reads a value from its written form. Whether it belongs to the domain is checked later.
    ///
    /// # Errors
    /// When the text is no value of this kind. The error does not contain the text.
    fn parse(&self, text: &str) -> Result<Self::Value, InputError>;

    /// Adds everything that distinguishes this domain to a fingerprint.
    fn identify(&self, builder: &mut FingerprintBuilder);

    /// This domain out of a written one, if the kinds agree.
    fn from_spec(spec: &DomainSpec) -> Option<&Self>;

    /// The values of this kind in a column, if it holds them.
    fn select(values: &Values) -> Option<&[Self::Value]>;

    /// The error for a value outside this domain.
    fn outside(&self) -> InputError {
        InputError::OutsideDomain { domain: self.to_string() }
    }

    /// Accepts a value of the domain and refuses any other.
    ///
    /// # Errors
    /// When the value lies outside.
    fn check(&self, value: &Self::Value) -> Result<(), InputError> {
        if self.contains(value) { Ok(()) } else { Err(self.outside()) }
    }
}

/// A column of private values of one kind. `Debug` shows how many there are, never what they are.
#[derive(Clone)]
pub enum Values {
    /// Category indices.
    Categories(Vec<u32>),
    /// Numbers or angles.
    Numbers(Vec<f64>),
    /// Points of the plane.
    Points(Vec<[f64; 2]>),
    /// Words from an unknown dictionary.
    Words(Vec<Word>),
    /// Vectors of one dimension, one after the other.
    Vectors {
        /// How many coordinates each has.
        dimension: Dimension,
        /// All coordinates.
        coordinates: Vec<f64>,
    },
}

impl Values {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Categories(values) => values.len(),
            Self::Numbers(values) => values.len(),
            Self::Points(values) => values.len(),
            Self::Words(values) => values.len(),
            Self::Vectors { dimension, coordinates } => coordinates.len() / dimension.get(),
        }
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets the values and keeps the memory.
    pub fn clear(&mut self) {
        match self {
            Self::Categories(values) => values.clear(),
            Self::Numbers(values) => values.clear(),
            Self::Points(values) => values.clear(),
            Self::Words(values) => values.clear(),
            Self::Vectors { coordinates, .. } => coordinates.clear(),
        }
    }
}

impl Debug for Values {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Values({} private values)", self.len())
    }
}
