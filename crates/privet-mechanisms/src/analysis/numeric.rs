//! Channels on numbers with their types erased.

use crate::lattice::{LatticeChannel, NumberDomain, Placement, Run};
use privet_core::{
    Category, Domain, Fingerprint, Guarantee, InputError, Mechanism, MechanismInfo, ReportError,
};
use std::fmt::Debug;

/// Where values lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Space {
    /// Between two ends.
    Line {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// Around a circle, from zero.
    Ring {
        /// The length of one turn.
        period: f64,
    },
}

impl Space {
    /// The distance between the ends, or the length of one turn.
    pub fn width(self) -> f64 {
        match self {
            Self::Line { low, high } => high - low,
            Self::Ring { period } => period,
        }
    }

    /// The lowest value.
    pub fn low(self) -> f64 {
        match self {
            Self::Line { low, .. } => low,
            Self::Ring { .. } => 0.0,
        }
    }

    /// Whether the ends are joined.
    pub fn is_ring(self) -> bool {
        matches!(self, Self::Ring { .. })
    }

    /// A value as a fraction of the width. Reports outside the domain give fractions outside 0 to 1.
    pub fn to_unit(self, value: f64) -> f64 {
        (value - self.low()) / self.width()
    }

    /// The value at a fraction of the width.
    pub fn from_unit(self, fraction: f64) -> f64 {
        self.low() + fraction * self.width()
    }

    pub(super) fn holds(self, value: f64) -> bool {
        let unit = self.to_unit(value);
        if self.is_ring() { (0.0..1.0).contains(&unit) } else { (0.0..=1.0).contains(&unit) }
    }
}

/// A lattice channel on numbers or angles behind one face: everything that analysis and estimation need.
pub trait AnyNumeric: Debug + Send + Sync {
    /// What is said about the mechanism.
    fn info(&self) -> MechanismInfo;

    /// What one report promises.
    fn guarantee(&self) -> Guarantee;

    /// The mechanism with all its parameters, in short.
    fn fingerprint(&self) -> Fingerprint;

    /// Where values lie.
    fn space(&self) -> Space;

    /// Refuses a value outside the domain.
    ///
    /// # Errors
    /// When the value lies outside.
    fn check(&self, value: f64) -> Result<(), InputError>;

    /// The cell that an encoded report names.
    ///
    /// # Errors
    /// When the mechanism cannot have written it.
    fn decode(&self, slot: &[u8]) -> Result<Category, ReportError>;

    /// See [`LatticeChannel::input_cells`].
    fn input_cells(&self) -> u32;

    /// See [`LatticeChannel::nodes`].
    fn nodes(&self) -> u32;

    /// See [`LatticeChannel::node_value`].
    fn node_value(&self, node: u32) -> f64;

    /// See [`LatticeChannel::next_node`].
    fn next_node(&self, node: u32) -> u32;

    /// See [`LatticeChannel::output_cells`].
    fn output_cells(&self) -> u32;

    /// See [`LatticeChannel::output_value`].
    fn output_value(&self, cell: u32) -> f64;

    /// See [`LatticeChannel::runs`].
    fn runs(&self, node: u32) -> Vec<Run>;

    /// See [`LatticeChannel::row_total`].
    fn row_total(&self) -> u128;

    /// See [`LatticeChannel::place`].
    fn place(&self, value: f64) -> Placement;
}

impl<M> AnyNumeric for M
where
    M: LatticeChannel,
    M::Domain: NumberDomain,
{
    fn info(&self) -> MechanismInfo {
        M::INFO
    }

    fn guarantee(&self) -> Guarantee {
        Mechanism::guarantee(self)
    }

    fn fingerprint(&self) -> Fingerprint {
        Mechanism::fingerprint(self)
    }

    fn space(&self) -> Space {
        let (start, length) = (self.domain().start(), self.domain().length());
        if M::Domain::IS_RING {
            Space::Ring { period: length }
        } else {
            Space::Line { low: start, high: start + length }
        }
    }

    fn check(&self, value: f64) -> Result<(), InputError> {
        self.domain().check(&value)
    }

    fn decode(&self, slot: &[u8]) -> Result<Category, ReportError> {
        Mechanism::decode(self, slot)
    }

    fn input_cells(&self) -> u32 {
        LatticeChannel::input_cells(self)
    }

    fn nodes(&self) -> u32 {
        LatticeChannel::nodes(self)
    }

    fn node_value(&self, node: u32) -> f64 {
        LatticeChannel::node_value(self, node)
    }

    fn next_node(&self, node: u32) -> u32 {
        LatticeChannel::next_node(self, node)
    }

    fn output_cells(&self) -> u32 {
        LatticeChannel::output_cells(self)
    }

    fn output_value(&self, cell: u32) -> f64 {
        LatticeChannel::output_value(self, cell)
    }

    fn runs(&self, node: u32) -> Vec<Run> {
        LatticeChannel::runs(self, node)
    }

    fn row_total(&self) -> u128 {
        LatticeChannel::row_total(self)
    }

    fn place(&self, value: f64) -> Placement {
        LatticeChannel::place(self, value)
    }
}
