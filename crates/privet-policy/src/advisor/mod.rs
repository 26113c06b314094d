//! Which mechanism, which epsilon: all that fit a domain and a goal, compared by expected errors that are computed from their
//! channels.

pub mod candidate;
mod expected;
mod search;

pub use expected::Question;
pub(crate) use expected::share_error_of;
pub use search::{Advice, Candidate, LeftOut, Wish, advise, curve};

use crate::registry::{self, AnyEstimator, MechanismRow};
use privet_core::{BuildOptions, DomainSpec, Epsilon, ParameterError};
use privet_limit::{Solution, SolvedChannel};
use privet_mechanisms::analysis::Loss;
use privet_mechanisms::plane::PlaneErrors;
use privet_mechanisms::registry::AnyMechanism;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What is to be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// The mean of numbers, or the mean direction of angles.
    Mean,
    /// The distribution of numbers, angles or places.
    Distribution,
    /// How often each category is held.
    Frequency,
    /// Each value by itself, from its one report.
    Point,
}

impl Goal {
    /// Every goal, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Mean, Self::Distribution, Self::Frequency, Self::Point];

    /// The name that programs use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Distribution => "distribution",
            Self::Frequency => "frequency",
            Self::Point => "point",
        }
    }
}

/// More bins than this cannot be told apart at any usual epsilon.
const DEFAULT_BINS: usize = 8;

impl Question {
    /// What is asked about a domain, with absolute errors and eight bins.
    ///
    /// # Errors
    /// When the goal is about other domains.
    pub fn about(domain: &DomainSpec, goal: Goal, users: u64) -> Result<Self, AdvisorError> {
        let is_number = matches!(domain, DomainSpec::Interval(_) | DomainSpec::Circle(_));
        let fits = match (goal, domain) {
            (Goal::Frequency, DomainSpec::Categories(_)) => true,
            (Goal::Frequency, _) => false,
            (Goal::Point, DomainSpec::Rectangle(_)) => true,
            _ => is_number,
        };
        if fits {
            Ok(Self { goal, users, loss: Loss::Absolute, bins: DEFAULT_BINS })
        } else {
            Err(AdvisorError::Goal { goal, domain: domain.to_string() })
        }
    }
}

/// A mechanism by name, or one that was solved for before and has a domain and an epsilon of its own.
#[derive(Debug, Clone, Copy)]
pub enum Choice<'a> {
    /// By name.
    Row(&'static MechanismRow),
    /// Solved before.
    Solved(&'a Solution),
}

impl Choice<'_> {
    /// What it is called.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Row(row) => row.info.id,
            Self::Solved(solution) => solution.channel.id(),
        }
    }

    /// The mechanism, for the device.
    ///
    /// # Errors
    /// When the parameters do not fit.
    pub fn mechanism(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Box<dyn AnyMechanism>, ParameterError> {
        match self {
            Self::Row(row) => row.build_with(domain, epsilon, options),
            Self::Solved(solution) => {
                options.refuse_unless(false, false)?;
                solution.channel.mechanism()
            }
        }
    }

    /// Its estimator, for the collector.
    ///
    /// # Errors
    /// When the parameters do not fit.
    pub fn estimator(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Box<dyn AnyEstimator>, ParameterError> {
        match self {
            Self::Row(row) => registry::find_estimator(row.info.id)?.build_with(domain, epsilon, options),
            Self::Solved(solution) => {
                options.refuse_unless(false, false)?;
                solution.channel.estimator()
            }
        }
    }

    /// The errors of a mechanism on places; `None` for all other mechanisms.
    ///
    /// # Errors
    /// When the parameters do not fit.
    pub fn plane_errors(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
    ) -> Result<Option<Box<dyn PlaneErrors>>, ParameterError> {
        match self {
            Self::Row(row) => row.plane_errors(domain, epsilon),
            Self::Solved(solution) => Ok(match &solution.channel {
                SolvedChannel::Rectangle(plane) => Some(plane.clone()),
                _ => None,
            }),
        }
    }
}

/// Why there is no advice.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AdvisorError {
    /// A parameter that fits no mechanism.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A goal that the domain does not have.
    #[error(
        "the goal {} is about {}: got {domain}",
        goal.as_str(),
        match goal {
            Goal::Frequency => "categories",
            Goal::Point => "numbers, angles and places",
            Goal::Mean | Goal::Distribution => "numbers and angles",
        }
    )]
    Goal {
        /// The goal.
        goal: Goal,
        /// The domain, as people write it.
        domain: String,
    },
    /// No mechanism is for such a domain.
    #[error("no mechanism works on {domain}")]
    NoMechanism {
        /// The domain, as people write it.
        domain: String,
    },
    /// A parameter that would be dropped silently.
    #[error("none of these mechanisms takes a {name}")]
    Untaken {
        /// What the parameter is called.
        name: &'static str,
    },
    /// No mechanism is left.
    #[error("{reason}")]
    Nothing {
        /// The nearest that there is.
        reason: String,
    },
}

impl AdvisorError {
    /// What to do about it, where that is not obvious.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Parameter(error) => error.hint(),
            Self::Goal { goal: Goal::Frequency, .. } => {
                Some("for numbers and angles the goal is distribution, mean or point")
            }
            Self::Goal { .. } => Some("for categories the goal is frequency"),
            Self::Nothing { .. } => Some("more people make the errors of means and shares smaller"),
            Self::NoMechanism { .. } | Self::Untaken { .. } => None,
        }
    }
}
