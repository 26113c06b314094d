//! The best channels on an interval.
//!
//! A search over dual numbers (`search`) gives a certificate (`proof`) and the distribution of the reports, which becomes an
//! integer mechanism for every real input (`decode`). Both are looked at again without the search; finer ones follow until
//! the two are close (`solve`).
//!
//! Inputs are taken in cells, over which everything is integrated. So the number of cells has to follow how fast the best
//! numbers change along the domain and not how narrow the windows are, and a large epsilon needs few more than a small one.

#[cfg(feature = "solver")]
mod decode;
#[cfg(feature = "solver")]
mod layout;
#[cfg(feature = "solver")]
mod newton;
#[cfg(feature = "solver")]
mod proof;
#[cfg(feature = "solver")]
mod search;
#[cfg(feature = "solver")]
mod solve;
#[cfg(feature = "solver")]
mod term;

use crate::certificate::{LineCertificate, SCALE, Setting};
#[cfg(not(feature = "solver"))]
use crate::{LimitError, Progress, Stop};
use privet_core::{Epsilon, Interval};
use privet_mechanisms::analysis::{Loss, Prior};
use privet_mechanisms::interval::SolvedInterval;

/// Over which inputs the loss counts.
#[derive(Debug, Clone, PartialEq)]
pub enum Objective {
    /// The worst of them.
    Minimax,
    /// The average under a public prior.
    Average(Prior),
}

/// A channel on an interval that is looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct LineProblem {
    /// Where values come from.
    pub domain: Interval,
    /// How errors are counted.
    pub loss: Loss,
    /// Over which inputs.
    pub objective: Objective,
    /// What the channel must keep.
    pub epsilon: Epsilon,
    /// Whether, and how, the mean report must be the value.
    pub unbiased: Option<Unbiased>,
}

/// The mean report must be the value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Unbiased {
    /// Between which numbers reports must lie, in the units of the domain; without, wherever they are best.
    pub range: Option<[f64; 2]>,
}

/// A channel on an interval and the proof of how good it is.
#[derive(Debug, Clone)]
pub struct LineSolution {
    /// The channel.
    pub mechanism: SolvedInterval,
    /// Its loss, in the units of the domain.
    pub achieved: f64,
    /// What no channel can be below, in the units of the domain.
    pub lower_bound: f64,
    /// Why.
    pub certificate: LineCertificate,
}

impl LineSolution {
    /// How far the loss may be from the best, as a share of it.
    pub fn gap(&self) -> f64 {
        (self.achieved - self.lower_bound) / self.achieved
    }
}

impl LineProblem {
    /// Without a solver nothing is found.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "solver"))]
    pub fn solve(&self, _: &Stop, _: &mut dyn FnMut(Progress)) -> Result<LineSolution, LimitError> {
        Err(LimitError::Solver { reason: "this build has none".into() })
    }

    /// Where reports may lie, in units of the domain.
    fn output_range(&self) -> [f64; 2] {
        let to_unit = |value: f64| (value - self.domain.low()) / self.domain.width();
        match self.unbiased {
            None => [0.0, 1.0],
            Some(Unbiased { range: Some(range) }) => range.map(to_unit),
            Some(Unbiased { range: None }) => {
                // Two points reach the ends of the domain from this far. More of them need more, most where few people count.
                let two_points = 0.5 / (self.epsilon.get() / 2.0).tanh();
                [0.5 - 2.2 * two_points, 0.5 + 2.2 * two_points]
            }
        }
    }

    pub(crate) fn setting(&self) -> Setting {
        match self.unbiased {
            None => Setting::Interval,
            Some(Unbiased { range: None }) => Setting::Unbiased { range: None },
            // Rounded outwards: a bound for more reports is one for fewer.
            Some(Unbiased { range: Some(_) }) => {
                let [low, high] = self.output_range();
                Setting::Unbiased {
                    range: Some([(low * SCALE).floor() as i64, (high * SCALE).ceil() as i64]),
                }
            }
        }
    }

    /// Whether the weights of a certificate are this problem's: a bound for another prior says nothing.
    pub(crate) fn has_prior_of(&self, certificate: &LineCertificate) -> bool {
        let Objective::Average(prior) = &self.objective else { return true };
        let shares = prior.shares();
        let each = certificate.cells.len() / shares.len();
        if each == 0 || !certificate.cells.len().is_multiple_of(shares.len()) {
            return false;
        }
        // Weights are rounded down, which only makes the bound weaker.
        let holds = |index: usize, weight: i64| weight as f64 / SCALE <= shares[index / each] / each as f64;
        certificate.cells.iter().enumerate().all(|(index, cell)| holds(index, cell.weight))
            && certificate.points.iter().all(|point| point.weight == 0)
    }

    /// What a loss in units of the domain is in the domain's own units.
    pub(crate) fn scale(&self) -> f64 {
        let width = self.domain.width();
        if self.loss == Loss::Absolute { width } else { width * width }
    }
}
