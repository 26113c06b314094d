//! The best channels on finitely many categories, for any losses.
//!
//! A linear programme over all channels gives the smallest probability of each output, from which an exact channel follows,
//! and the dual numbers, which make a certificate. Nothing is approximated here but numbers, so the two meet.

mod losses;
mod table;

pub use losses::LossMatrix;

use crate::certificate::{FiniteCertificate, PricedInput};
use crate::channels::{ChannelProgramme, ChannelSolution, Matrix};
use crate::{LimitError, Objective, Progress, Stop};
use privet_core::{Categories, Epsilon, ParameterError};
use privet_mechanisms::categorical::SolvedCategories;

/// A channel on categories that is looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct FiniteProblem {
    /// Where values come from.
    pub categories: Categories,
    /// How bad each output is for each category.
    pub losses: LossMatrix,
    /// Over which categories the loss counts; a prior has a weight for each.
    pub objective: Objective,
    /// What the channel must keep.
    pub epsilon: Epsilon,
}

/// A channel on categories and the proof of how good it is.
#[derive(Debug, Clone)]
pub struct FiniteSolution {
    /// The channel.
    pub mechanism: SolvedCategories,
    /// Its loss.
    pub achieved: f64,
    /// What no channel can be below.
    pub lower_bound: f64,
    /// Why.
    pub certificate: FiniteCertificate,
}

/// Losses that differ by less than this share are equally good: it is about what solvers reach.
const AS_GOOD: f64 = 1e-7;

impl FiniteProblem {
    /// Finds a channel. `on_progress` is told once.
    ///
    /// # Errors
    /// When the parts of the problem do not fit together, it is too large, no channel is better than the same
    /// report for every category, or the solver finds nothing.
    pub fn solve(
        &self,
        stop: &Stop,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<FiniteSolution, LimitError> {
        self.check()?;
        let solved = self.programme().solve(stop)?;
        let certificate = self.certificate(&solved);
        let lower_bound = certificate.bound()? * self.losses.unit();
        let (mechanism, achieved) = self.best_table(&solved.floor)?;
        on_progress(Progress { done: 1, of: 1, achieved, lower_bound });
        Ok(FiniteSolution { mechanism, achieved, lower_bound, certificate })
    }

    /// The loss of a channel, from its integers.
    ///
    /// # Errors
    /// When its categories or outputs are not those of the problem.
    pub fn loss_of(&self, channel: &SolvedCategories) -> Result<f64, LimitError> {
        let losses = self.losses.expected(channel, channel.outputs())?;
        Ok(self.combined(losses.into_iter()))
    }

    /// What the losses of all categories come to.
    fn combined(&self, losses: impl Iterator<Item = f64>) -> f64 {
        match &self.objective {
            Objective::Minimax => losses.fold(0.0, f64::max),
            Objective::Average(prior) => losses.zip(prior.shares()).map(|(loss, share)| share * loss).sum(),
        }
    }

    fn check(&self) -> Result<(), LimitError> {
        let wrong = |reason: String| Err(LimitError::Losses { reason });
        let (count, rows) = (self.categories.count(), self.losses.rows().len());
        if rows != count as usize {
            return wrong(format!("a row is needed for each of {count} categories: got {rows}"));
        }
        if let Objective::Average(prior) = &self.objective
            && prior.shares().len() != count as usize
        {
            let got = prior.shares().len();
            return wrong(format!("a prior needs a weight for each of {count} categories: got {got}"));
        }
        if self.constant_loss() == 0.0 {
            return Err(nobody_to_ask().into());
        }
        Ok(())
    }

    /// The smallest loss that can be had by making the same report for every category.
    fn constant_loss(&self) -> f64 {
        let of_output = |output: usize| self.combined(self.losses.rows().map(|row| row[output]));
        (0..self.losses.outputs()).map(of_output).fold(f64::INFINITY, f64::min)
    }

    fn programme(&self) -> ChannelProgramme<'_> {
        let (unit, rows) = (self.losses.unit(), self.losses.rows().collect::<Vec<_>>());
        let outputs: Vec<usize> = (0..self.losses.outputs()).collect();
        ChannelProgramme {
            epsilon: self.epsilon,
            losses: Matrix::of(&rows, &outputs, |row, output| row[*output] / unit),
            shares: match &self.objective {
                Objective::Minimax => None,
                Objective::Average(prior) => Some(prior.shares()),
            },
        }
    }

    fn certificate(&self, solved: &ChannelSolution) -> FiniteCertificate {
        let inputs = solved
            .normalised_prices()
            .into_iter()
            .map(|prices| PricedInput { weight: prices.whole_weight(), price: prices.whole_price() });
        FiniteCertificate { epsilon: self.epsilon, losses: self.losses.clone(), inputs: inputs.collect() }
    }

    /// The best channel with about these floors; of equally good ones, that with the fewest reports. One that is no better
    /// than a constant spends epsilon for nothing.
    fn best_table(&self, floor: &[f64]) -> Result<(SolvedCategories, f64), LimitError> {
        let tables = table::candidates(&self.categories, &self.losses, self.epsilon, floor).flatten();
        let mut found = tables
            .map(|table| self.loss_of(&table).map(|loss| (table, loss)))
            .collect::<Result<Vec<_>, _>>()?;
        let constant = self.constant_loss();
        found.retain(|(_, loss)| *loss < constant);
        let best = found.iter().map(|(_, loss)| *loss).fold(f64::INFINITY, f64::min);
        found.retain(|(_, loss)| *loss <= best * (1.0 + AS_GOOD));
        let fewest = found.into_iter().min_by_key(|(table, _)| table.report_count());
        fewest.ok_or_else(|| nobody_to_ask().into())
    }

    /// Whether the weights of a certificate are this problem's: a bound for another prior says nothing.
    pub(crate) fn has_prior_of(&self, certificate: &FiniteCertificate) -> bool {
        let Objective::Average(prior) = &self.objective else { return true };
        let shares = prior.shares();
        // Weights are rounded down, which only makes the bound weaker.
        certificate.inputs.len() == shares.len()
            && certificate.inputs.iter().zip(shares).all(|(input, share)| input.share() <= *share)
    }
}

fn nobody_to_ask() -> ParameterError {
    let reason =
        "no channel is better than the same report for every category, for which nobody needs to be asked";
    ParameterError::Incompatible { reason: reason.to_owned() }
}
