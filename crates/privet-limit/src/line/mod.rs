//! The best channels on an interval.
//!
//! A linear programme over a grid of inputs and reports gives the distribution of the reports and the dual numbers. The
//! former becomes an integer mechanism for every real input (`decode`), the latter a certificate (`proof`). Both are
//! looked at again without the solver; finer grids follow until the two are close.

mod decode;
mod grid;
mod proof;

use crate::certificate::{LineCertificate, SCALE, Setting};
use crate::{LimitError, Progress, Stop};
use grid::Grid;
use privet_core::{Epsilon, Interval};
use privet_mechanisms::analysis::{Loss, Prior};
use privet_mechanisms::interval::SolvedInterval;
use proof::Profile;

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

/// A gap that is small enough to stop.
pub const GOOD_GAP: f64 = 0.006;

/// Into how many parts the domain is cut, one stage after the other.
const STAGES: [usize; 4] = [32, 64, 128, 256];

/// After each solution reports are added where the certificate is weakest, so many times at most.
const ROUNDS: usize = 10;

/// What the certificate may lose between the reports of the programme, as a share of the bound.
const GOOD_LOSS: f64 = 5e-4;

impl LineProblem {
    /// Finds a channel. `on_progress` is told the stage and the best so far.
    ///
    /// # Errors
    /// When no channel satisfies the constraints, or the solver finds nothing.
    pub fn solve(
        &self,
        stop: &Stop,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<LineSolution, LimitError> {
        self.check()?;
        let mut best: Option<LineSolution> = None;
        let mut reports = Vec::new();
        for (stage, parts) in STAGES.into_iter().enumerate() {
            best = better(best, self.solve_on(parts, &mut reports, stop))?;
            let Some(current) = &best else { continue };
            on_progress(Progress {
                done: stage + 1,
                of: STAGES.len(),
                achieved: current.achieved,
                lower_bound: current.lower_bound,
            });
            if current.gap() <= GOOD_GAP || stop.is_requested() {
                break;
            }
        }
        best.ok_or(LimitError::Infeasible)
    }

    /// Solves on one grid of inputs, moving the reports to where the certificate needs them. It begins with the reports of the
    /// grid before, and leaves its own.
    fn solve_on(
        &self,
        parts: usize,
        reports: &mut Vec<f64>,
        stop: &Stop,
    ) -> Result<LineSolution, LimitError> {
        let mut grid = self.grid(parts);
        // For absolute loss the certificate is weakest at the inputs themselves, which are new on every grid.
        if self.loss == Loss::Squared && !reports.is_empty() {
            let ends = [grid.outputs[0], grid.outputs[grid.outputs.len() - 1]];
            grid.outputs = std::mem::take(reports);
            grid.refine(&ends, |_| false);
        }
        let mut channel: Option<(SolvedInterval, f64)> = None;
        let mut proof: Option<(LineCertificate, f64)> = None;
        let mut rounds_without_gain = 0;
        for _ in 0..ROUNDS {
            let solved = grid.solve(stop)?;
            let certificate = proof::certificate(self, &grid, &solved);
            let found = decode::mechanism(self, &grid.outputs, &solved.floor)?;
            if channel.as_ref().is_none_or(|best| found.1 < best.1) {
                channel = Some(found);
            }
            let profile = Profile::of(&grid, &certificate);
            if proof.as_ref().is_none_or(|best| profile.bound() > best.1) {
                proof = Some((certificate, profile.bound()));
                rounds_without_gain = 0;
            } else {
                rounds_without_gain += 1;
            }
            if profile.loss() <= GOOD_LOSS || rounds_without_gain == 2 || stop.is_requested() {
                break;
            }
            grid.refine(&profile.dips(GOOD_LOSS / 2.0), |report| profile.is_idle(report));
        }
        let (Some((mechanism, achieved)), Some((certificate, _))) = (channel, proof) else {
            return Err(LimitError::Infeasible);
        };
        *reports = grid.outputs;
        let lower_bound = certificate.bound()? * self.scale();
        Ok(LineSolution { mechanism, achieved, lower_bound, certificate })
    }

    fn check(&self) -> Result<(), LimitError> {
        if self.unbiased.is_some() && self.loss != Loss::Squared {
            let reason = "unbiased channels are compared by their variance: use squared loss".to_owned();
            return Err(privet_core::ParameterError::Incompatible { reason }.into());
        }
        Ok(())
    }

    /// The inputs and the reports, evenly spaced.
    fn grid(&self, parts: usize) -> Grid {
        let [low, high] = self.output_range();
        let is_mirrored = self.objective == Objective::Minimax && (low + high - 1.0).abs() < 1e-9;
        let (inputs, shares) = match &self.objective {
            Objective::Minimax => {
                let last = if is_mirrored { parts / 2 } else { parts };
                ((0..=last).map(|index| index as f64 / parts as f64).collect(), None)
            }
            Objective::Average(prior) => {
                let (inputs, shares) = self.cells_of(prior, parts);
                (inputs, Some(shares))
            }
        };
        // Rounding to equally likely cells stretches the reports a little, and must not push them out of a given range.
        let margin = match self.unbiased {
            Some(Unbiased { range: Some(_) }) => 0.0005 * (high - low),
            _ => 0.0,
        };
        let (low, high) = (low + margin, high - margin);
        let steps = parts as f64;
        let outputs = (0..=parts).map(|index| low + (high - low) * index as f64 / steps).collect();
        Grid {
            epsilon: self.epsilon,
            loss: self.loss,
            inputs,
            shares,
            outputs,
            is_unbiased: self.unbiased.is_some(),
            is_mirrored,
        }
    }

    /// The middles of equal cells with their shares of the prior; for unbiased channels also the ends, which must be
    /// reached although nobody is there.
    fn cells_of(&self, prior: &Prior, parts: usize) -> (Vec<f64>, Vec<f64>) {
        let each = parts.div_ceil(prior.shares().len()).max(1);
        let count = each * prior.shares().len();
        let middle = |index: usize| (index as f64 + 0.5) / count as f64;
        let mut inputs: Vec<f64> = (0..count).map(middle).collect();
        let mut shares: Vec<f64> =
            (0..count).map(|index| prior.shares()[index / each] / each as f64).collect();
        if self.unbiased.is_some() {
            inputs.insert(0, 0.0);
            inputs.push(1.0);
            shares.insert(0, 0.0);
            shares.push(0.0);
        }
        (inputs, shares)
    }

    /// Where reports may lie, in units of the domain.
    fn output_range(&self) -> [f64; 2] {
        let to_unit = |value: f64| (value - self.domain.low()) / self.domain.width();
        match self.unbiased {
            None => [0.0, 1.0],
            Some(Unbiased { range: Some(range) }) => range.map(to_unit),
            Some(Unbiased { range: None }) => {
                // Two points reach the ends of the domain from this far; more points need a little more.
                let two_points = 0.5 / (self.epsilon.get() / 2.0).tanh();
                [0.5 - 1.7 * two_points, 0.5 + 1.7 * two_points]
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

/// The better mechanism and the better bound, which need not come from the same solution.
fn better(
    best: Option<LineSolution>,
    found: Result<LineSolution, LimitError>,
) -> Result<Option<LineSolution>, LimitError> {
    let Some(mut best) = best else { return found.map(Some) };
    if let Ok(found) = found {
        if found.achieved < best.achieved {
            (best.mechanism, best.achieved) = (found.mechanism, found.achieved);
        }
        if found.lower_bound > best.lower_bound {
            (best.certificate, best.lower_bound) = (found.certificate, found.lower_bound);
        }
    }
    Ok(Some(best))
}
