//! What a channel on numbers or angles does to a value, computed from its integer weights. Nothing is simulated.
//!
//! [`AnyNumeric`] is the face of such a channel for programs that learn its name at run time; [`Analysis`] answers
//! questions about it: the error at a value ([`Law`]), the worst and the average error, and how much a report tells.
//!
//! ```
//! use privet_core::{Epsilon, Interval};
//! use privet_mechanisms::analysis::{Analysis, Loss};
//! use privet_mechanisms::interval::OptimalPiecewise;
//!
//! let mechanism = OptimalPiecewise::new(Interval::new(0.0, 1.0)?, Epsilon::new(1.0)?)?;
//! let worst = Analysis::new(&mechanism).worst(Loss::Absolute);
//! assert!((worst.error - 0.37754).abs() < 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decoder;
mod information;
mod law;
mod numeric;
pub mod parts;
mod row;
mod scan;
#[cfg(test)]
mod tests;

pub use information::{ValueStretch, bin_rows, value_stretches};
pub use law::{DensityPiece, Law};
pub use numeric::{AnyNumeric, Space};

use decoder::Decoder;
use privet_core::{InputError, ParameterError};
use std::str::FromStr;

/// How a wrong report is counted. On a circle the distance is the shorter way around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The distance between report and value.
    Absolute,
    /// The square of the distance.
    Squared,
}

impl Loss {
    /// Both, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Absolute, Self::Squared];

    /// The name that programs use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Absolute => "absolute",
            Self::Squared => "squared",
        }
    }

    /// What a loss in units of the domain is in units of its values.
    fn scale(self, width: f64) -> f64 {
        match self {
            Self::Absolute => width,
            Self::Squared => width * width,
        }
    }
}

impl FromStr for Loss {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|loss| loss.as_str() == text);
        found.ok_or_else(|| format!("a loss is absolute or squared: got {text:?}"))
    }
}

/// The error of one report at one input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorReport {
    /// The expected loss.
    pub error: f64,
    /// The input.
    pub input: f64,
    /// The mean report less the input; on a circle the mean signed distance, the shorter way around.
    pub bias: f64,
    /// The variance of the report; on a circle that of the signed distance.
    pub variance: f64,
}

/// The error of one report of a value that is drawn from a prior.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AverageError {
    /// The expected loss.
    pub error: f64,
    /// The mean over all values of what [`ErrorReport::bias`] is for one.
    pub bias: f64,
    /// The mean over all values of what [`ErrorReport::variance`] is for one.
    pub variance: f64,
}

/// Where values come from: equal bins of the domain with a weight each, and no preference inside a bin.
#[derive(Debug, Clone, PartialEq)]
pub struct Prior {
    shares: Vec<f64>,
}

impl Prior {
    /// Every value alike.
    pub fn uniform() -> Self {
        Self { shares: vec![1.0] }
    }

    /// A weight for each of as many equal bins as there are weights. They need not add up to one.
    ///
    /// # Errors
    /// When there is no weight, one is negative or not finite, or all are zero.
    pub fn new(weights: &[f64]) -> Result<Self, ParameterError> {
        let total: f64 = weights.iter().sum();
        let sound = weights.iter().all(|weight| *weight >= 0.0) && total.is_finite() && total > 0.0;
        if !sound {
            let reason = "a prior needs weights that are finite, not negative and not all zero".to_owned();
            return Err(ParameterError::Incompatible { reason });
        }
        Ok(Self { shares: weights.iter().map(|weight| weight / total).collect() })
    }

    /// Shares that add up to one already, taken as they are.
    ///
    /// # Errors
    /// As for [`Prior::new`], and when they do not add up to one.
    pub fn of_shares(shares: &[f64]) -> Result<Self, ParameterError> {
        Self::new(shares)?;
        let total: f64 = shares.iter().sum();
        if (total - 1.0).abs() > 1e-9 {
            let reason = format!("the shares of a prior must add up to one: they add up to {total}");
            return Err(ParameterError::Incompatible { reason });
        }
        Ok(Self { shares: shares.to_vec() })
    }

    /// The share of each bin.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }
}

/// Answers about one channel. Making it reads every report's number once.
#[derive(Debug)]
pub struct Analysis<'a> {
    channel: &'a dyn AnyNumeric,
    decoder: Decoder,
    space: Space,
}

impl<'a> Analysis<'a> {
    /// Prepares the answers.
    pub fn new(channel: &'a dyn AnyNumeric) -> Self {
        Self { channel, decoder: Decoder::of(channel), space: channel.space() }
    }

    /// The law of the report of one input.
    ///
    /// # Errors
    /// When the input lies outside the domain.
    pub fn law(&self, input: f64) -> Result<Law<'_>, InputError> {
        self.channel.check(input)?;
        Ok(self.law_of(input))
    }

    /// As [`Analysis::law`], for an input that is known to be inside.
    fn law_of(&self, input: f64) -> Law<'_> {
        let placement = self.channel.place(input);
        let up = placement.up as f64 / 2f64.powi(64);
        let mut rows = vec![(1.0 - up, self.channel.runs(placement.node))];
        if placement.up > 0 {
            rows.push((up, self.channel.runs(self.channel.next_node(placement.node))));
        }
        Law {
            decoder: &self.decoder,
            space: self.space,
            unit: self.space.to_unit(input),
            input,
            total: self.channel.row_total() as f64,
            rows,
        }
    }

    /// Whether the mean report is the value, for every value, up to `tolerance` of the domain's width.
    pub fn is_unbiased(&self, tolerance: f64) -> bool {
        let parts = f64::from(self.channel.input_cells());
        let at = |node: u32| self.law_of(self.channel.node_value(node));
        // Between nodes the mean is a straight line, so nodes are enough; a few hundred of them show any bend.
        let step = (self.channel.nodes() / 256).max(1);
        let nodes = (0..self.channel.nodes()).step_by(step as usize).chain([self.channel.nodes() - 1]);
        let unbiased = |node: u32| at(node).bias().abs() <= tolerance * self.space.width();
        let linear = |node: u32| {
            let middle = self.channel.node_value(node) + self.space.width() / parts / 2.0;
            !self.space.holds(middle) || self.law_of(middle).bias().abs() <= tolerance * self.space.width()
        };
        nodes.clone().all(unbiased) && nodes.into_iter().all(linear)
    }
}
