//! The best channel in a rectangle for Euclidean distances, and the proof.
//!
//! 1. A measure on a grid of outputs, and radii for a grid of people, are found together by descent: the two sides of the
//!    same convex problem (`descent`).
//! 2. The radii become a [`PlaneCertificate`], which is checked in the continuous rectangle.
//! 3. The measure becomes equally likely cells, which leave the grid and move to better places (`cells`).
//! 4. The cells become the integers of a [`PlaneWindow`], whose loss over all places is computed, not sampled.
//!
//! Steps 1 and 3 may be as inexact as they like: they decide how good the results are, not whether they are true.

mod cells;
mod certificate;
mod descent;
mod search;
mod sites;

pub use certificate::{People, PlaneCertificate};

use crate::{LimitError, Stop};
use privet_core::{Epsilon, Rectangle};
use privet_mechanisms::plane::{PlaneErrors, PlanePrior, PlaneWindow};
use search::Search;

/// What is to be made small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaneObjective {
    /// The expected distance when places come from a public prior.
    Average(PlanePrior),
    /// The largest expected distance over all places.
    Minimax,
}

impl PlaneObjective {
    /// What a mechanism has of it, exactly up to floating-point rounding.
    pub fn loss_of(&self, mechanism: &PlaneWindow) -> f64 {
        match self {
            Self::Average(prior) => mechanism.average_loss(prior),
            Self::Minimax => mechanism.worst_loss().0,
        }
    }
}

/// A channel that is looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneProblem {
    /// Where the people are.
    pub rectangle: Rectangle,
    /// What may be spent.
    pub epsilon: Epsilon,
    /// What is to be made small.
    pub objective: PlaneObjective,
}

impl PlaneProblem {
    /// Whether a certificate is about this problem: for an average the people must be those of the prior; for the worst case
    /// they may be anywhere.
    pub(crate) fn is_about(&self, certificate: &PlaneCertificate) -> bool {
        let same_people = match (&self.objective, certificate.people()) {
            (PlaneObjective::Average(prior), People::Prior { prior: found, .. }) => prior == found,
            (PlaneObjective::Average(_), People::Points { .. }) => false,
            (PlaneObjective::Minimax, _) => true,
        };
        same_people && *certificate.rectangle() == self.rectangle && certificate.epsilon() == self.epsilon
    }
}

/// What was found, and how near it is to the best.
#[derive(Debug, Clone)]
pub struct PlaneSolved {
    /// The mechanism.
    pub mechanism: PlaneWindow,
    /// Its loss over all places of the rectangle, from its integers.
    pub achieved: f64,
    /// Why no channel does much better.
    pub certificate: PlaneCertificate,
    /// What the certificate proves.
    pub lower_bound: f64,
}

impl PlaneSolved {
    /// The share of the loss that a better channel might save.
    pub fn gap(&self) -> f64 {
        (self.achieved - self.lower_bound) / self.achieved
    }
}

/// How far the search is: bounds as they are seen on grids, which prove nothing yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaneProgress {
    /// What is being done, in a few words.
    pub stage: &'static str,
    /// No channel is expected to be better than this.
    pub lower: f64,
    /// There is a channel that is expected to be this good.
    pub upper: f64,
}

/// Looks for the best channel. If the end is asked for, the best so far is rounded and certified.
///
/// # Errors
/// When the grids would not fit into memory, or epsilon is too small for 64-bit weights.
pub fn solve(
    problem: &PlaneProblem,
    stop: &Stop,
    progress: &mut dyn FnMut(PlaneProgress),
) -> Result<PlaneSolved, LimitError> {
    run(&Search::new(problem)?, problem, stop, progress)
}

fn run(
    search: &Search<'_>,
    problem: &PlaneProblem,
    stop: &Stop,
    progress: &mut dyn FnMut(PlaneProgress),
) -> Result<PlaneSolved, LimitError> {
    let found = search.descend(stop, progress);
    let certificate = search.certify(&found)?;
    let lower_bound = certificate.check();
    let mechanism = search.mechanism(&search.place(&found, stop, progress)?)?;
    let achieved = problem.objective.loss_of(&mechanism);
    Ok(PlaneSolved { mechanism, achieved, certificate, lower_bound })
}

#[cfg(test)]
mod tests;
