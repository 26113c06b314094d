//! What can be asked, and what is answered.

use crate::certificate::{Certificate, Setting};
use crate::channel::{Purpose, SolvedChannel};
use crate::circle::CircleProblem;
use crate::finite::FiniteProblem;
use crate::line::{LineProblem, Objective};
use crate::plane::{self, PlaneProblem};
use crate::{LimitError, Stop};
use privet_core::{DomainSpec, Epsilon};
use privet_mechanisms::analysis::{Analysis, Loss};

/// A channel that is looked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// On an interval.
    Line(LineProblem),
    /// On a circle.
    Circle(CircleProblem),
    /// On finitely many categories.
    Finite(FiniteProblem),
    /// In a rectangle, for Euclidean distances.
    Plane(PlaneProblem),
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// How many stages are done.
    pub done: usize,
    /// How many there are at most.
    pub of: usize,
    /// The best loss so far.
    pub achieved: f64,
    /// The best bound so far.
    pub lower_bound: f64,
}

/// A channel, its loss, and the proof of how good it is.
#[derive(Debug, Clone)]
pub struct Solution {
    /// What was asked.
    pub problem: Problem,
    /// The channel.
    pub channel: SolvedChannel,
    /// Its exact loss, in the units of the domain.
    pub achieved: f64,
    /// What no channel that keeps epsilon can be below.
    pub lower_bound: f64,
    /// Why.
    pub certificate: Certificate,
}

impl Problem {
    /// Finds a channel and a certificate. `on_progress` is told after every stage.
    ///
    /// # Errors
    /// When no channel satisfies the constraints, or the solver finds nothing.
    pub fn solve(&self, stop: &Stop, on_progress: &mut dyn FnMut(Progress)) -> Result<Solution, LimitError> {
        match self {
            Self::Line(line) => {
                let solved = line.solve(stop, on_progress)?;
                Ok(Solution {
                    problem: self.clone(),
                    channel: SolvedChannel::Interval {
                        purpose: line.purpose(),
                        domain: line.domain,
                        rows: solved.mechanism.rows().clone(),
                    },
                    achieved: solved.achieved,
                    lower_bound: solved.lower_bound,
                    certificate: Certificate::Line(solved.certificate),
                })
            }
            Self::Circle(circle) => {
                let CircleProblem { domain, loss, epsilon } = *circle;
                let channel = SolvedChannel::Circle { loss, domain, epsilon };
                let certificate = Certificate::Line(circle.certificate()?);
                let achieved = self.loss_of(&channel)?;
                let lower_bound = certificate.bound()? * self.scale();
                Ok(Solution { problem: self.clone(), channel, achieved, lower_bound, certificate })
            }
            Self::Finite(finite) => {
                let solved = finite.solve(stop, on_progress)?;
                Ok(Solution {
                    problem: self.clone(),
                    channel: SolvedChannel::Categories(solved.mechanism),
                    achieved: solved.achieved,
                    lower_bound: solved.lower_bound,
                    certificate: Certificate::Finite(solved.certificate),
                })
            }
            Self::Plane(problem) => {
                let mut report = |progress: plane::PlaneProgress| {
                    let (achieved, lower_bound) = (progress.upper, progress.lower);
                    on_progress(Progress { done: 0, of: 1, achieved, lower_bound });
                };
                let solved = plane::solve(problem, stop, &mut report)?;
                Ok(Solution {
                    problem: self.clone(),
                    channel: SolvedChannel::Rectangle(Box::new(solved.mechanism)),
                    achieved: solved.achieved,
                    lower_bound: solved.lower_bound,
                    certificate: Certificate::Plane(solved.certificate),
                })
            }
        }
    }

    /// What the channel must keep.
    pub fn epsilon(&self) -> Epsilon {
        match self {
            Self::Line(line) => line.epsilon,
            Self::Circle(circle) => circle.epsilon,
            Self::Finite(finite) => finite.epsilon,
            Self::Plane(problem) => problem.epsilon,
        }
    }

    /// How errors are counted, if by a distance; other losses are a matrix.
    pub fn loss(&self) -> Option<Loss> {
        match self {
            Self::Line(line) => Some(line.loss),
            Self::Circle(circle) => Some(circle.loss),
            Self::Finite(finite) => finite.losses.name(),
            Self::Plane(_) => Some(Loss::Absolute),
        }
    }

    /// Where values come from.
    pub fn domain(&self) -> DomainSpec {
        match self {
            Self::Line(line) => DomainSpec::Interval(line.domain),
            Self::Circle(circle) => DomainSpec::Circle(circle.domain),
            Self::Finite(finite) => DomainSpec::Categories(finite.categories.clone()),
            Self::Plane(problem) => DomainSpec::Rectangle(problem.rectangle),
        }
    }

    /// The exact loss of a channel, in the units of the domain.
    ///
    /// # Errors
    /// When the channel's integers do not make one, or it is on another kind of domain.
    pub fn loss_of(&self, channel: &SolvedChannel) -> Result<f64, LimitError> {
        let other_kind =
            || LimitError::File { reason: "its channel is of another kind than its domain".into() };
        if let (Self::Finite(finite), SolvedChannel::Categories(table)) = (self, channel) {
            return finite.loss_of(table);
        }
        if let (Self::Plane(problem), SolvedChannel::Rectangle(mechanism)) = (self, channel) {
            return Ok(problem.objective.loss_of(mechanism));
        }
        let numeric = channel.numeric()?.ok_or_else(other_kind)?;
        let analysis = Analysis::new(numeric.as_ref());
        match self {
            Self::Line(LineProblem { objective: Objective::Average(prior), loss, .. }) => {
                Ok(analysis.average(*loss, prior))
            }
            Self::Line(LineProblem { loss, .. }) | Self::Circle(CircleProblem { loss, .. }) => {
                Ok(analysis.worst(*loss).error)
            }
            Self::Finite(_) | Self::Plane(_) => Err(other_kind()),
        }
    }

    /// What a loss in units of the domain is in its own units.
    pub(crate) fn scale(&self) -> f64 {
        match self {
            Self::Line(line) => line.scale(),
            Self::Circle(circle) => circle.scale(),
            Self::Finite(finite) => finite.losses.unit(),
            // Certificates about rectangles are in the units of their sides.
            Self::Plane(_) => 1.0,
        }
    }

    /// Whether a certificate is about this problem.
    pub(crate) fn is_about(&self, certificate: &Certificate) -> bool {
        match (self, certificate) {
            (Self::Line(line), Certificate::Line(found)) => {
                found.setting == line.setting()
                    && found.loss == line.loss
                    && found.epsilon == line.epsilon
                    && line.has_prior_of(found)
            }
            (Self::Circle(circle), Certificate::Line(found)) => {
                found.setting == Setting::Circle
                    && found.loss == circle.loss
                    && found.epsilon == circle.epsilon
            }
            (Self::Finite(finite), Certificate::Finite(found)) => {
                found.losses == finite.losses && found.epsilon == finite.epsilon && finite.has_prior_of(found)
            }
            (Self::Plane(problem), Certificate::Plane(found)) => problem.is_about(found),
            _ => false,
        }
    }
}

impl LineProblem {
    pub(crate) fn purpose(&self) -> Purpose {
        match (&self.objective, self.unbiased, self.loss) {
            (Objective::Minimax, None, Loss::Absolute) => Purpose::MinimaxAbsolute,
            (Objective::Minimax, None, Loss::Squared) => Purpose::MinimaxSquared,
            (Objective::Minimax, Some(unbiased), Loss::Squared) if unbiased.range.is_none() => {
                Purpose::MinimaxUnbiased
            }
            _ => Purpose::Other,
        }
    }
}

/// A loss that is recomputed differs by less than this, as a share.
const SAME_LOSS: f64 = 1e-9;

impl Solution {
    /// How far the loss may be from the best, as a share of it.
    pub fn gap(&self) -> f64 {
        (self.achieved - self.lower_bound) / self.achieved
    }

    /// Checks every claim from the integers alone: that the channel keeps epsilon, that its loss is what is claimed, and that
    /// the certificate proves the bound.
    ///
    /// # Errors
    /// When a claim does not hold.
    pub fn verify(&self) -> Result<(), LimitError> {
        let wrong = |reason: String| Err(LimitError::File { reason });
        let exact = self.channel.mechanism()?.exact_epsilon();
        if exact > self.problem.epsilon().get() {
            return wrong(format!("its channel keeps only epsilon {exact}"));
        }
        if !self.problem.is_about(&self.certificate) {
            return wrong("its certificate is about another problem".into());
        }
        let achieved = self.problem.loss_of(&self.channel)?;
        if (achieved - self.achieved).abs() > SAME_LOSS * achieved {
            return wrong(format!("it claims the loss {}, but its channel has {achieved}", self.achieved));
        }
        let proved = self.certificate.bound()? * self.problem.scale();
        if proved < self.lower_bound {
            return Err(LimitError::Unproved { claimed: self.lower_bound, proved });
        }
        Ok(())
    }
}
