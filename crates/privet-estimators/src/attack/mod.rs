//! What forgers can do: attacks on made-up collections, and what the estimates and the watch make of them.
//!
//! ```
//! use privet_core::{Epsilon, Generator, Probability, Values};
//! use privet_estimators::attack::{Attack, Scenario, Target};
//! use privet_estimators::registry as estimators;
//! use privet_mechanisms::registry as mechanisms;
//!
//! let (domain, epsilon) = ("categories:8".parse()?, Epsilon::new(1.0)?);
//! let scenario = Scenario {
//!     mechanism: &*mechanisms::find("oue")?.build(&domain, epsilon)?,
//!     estimator: &*estimators::find("oue")?.build(&domain, epsilon)?,
//!     honest: &Values::Categories((0..2000).map(|person| person % 7).collect()),
//!     target: Target::Categories(vec![7]),
//!     fakes: Probability::new(0.05)?,
//!     alpha: Probability::new(0.001)?,
//! };
//! let outcome = scenario.run(Attack::MaximalGain, &mut Generator::from_insecure_seed(1))?;
//! // Nobody holds the last category; one forged report in twenty makes it look held by many.
//! assert!(outcome.rows[7].shift() > 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod forge;
#[cfg(test)]
mod tests;

use crate::plausibility::{Plausibility, Watch};
use crate::registry::AnyEstimator;
use crate::summary::CountSummary;
use crate::{Answer, Request};
use forge::forge;
use privet_core::{EstimateError, Generator, InputError, Probability, ReportBuffer, ReportError, Values};
use privet_mechanisms::registry::AnyMechanism;
use std::str::FromStr;
use thiserror::Error;

/// What forgers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attack {
    /// They claim to hold the target and follow the mechanism. Nobody can see that, and no estimator can undo it.
    InputPoisoning,
    /// They send reports that speak for the target, without the noise.
    OutputPoisoning,
    /// They send the reports that move the estimates of all targets furthest, and otherwise look like honest ones: with as
    /// many ones, and under different seeds.
    MaximalGain,
}

impl Attack {
    /// Every attack, from the weakest to the strongest.
    pub const ALL: [Self; 3] = [Self::InputPoisoning, Self::OutputPoisoning, Self::MaximalGain];

    /// The name that programs use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InputPoisoning => "input-poisoning",
            Self::OutputPoisoning => "output-poisoning",
            Self::MaximalGain => "maximal-gain",
        }
    }
}

impl FromStr for Attack {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|attack| attack.as_str() == text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|attack| attack.as_str()).collect();
            format!("an attack is one of {}: got {text:?}", names.join(", "))
        })
    }
}

/// What forgers want.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// That these categories look frequent.
    Categories(Vec<u32>),
    /// That the mean comes to lie towards this number.
    Number(f64),
}

/// A collection that is attacked. The people are made up: nothing here is private.
#[derive(Debug, Clone)]
pub struct Scenario<'a> {
    /// What makes the reports.
    pub mechanism: &'a dyn AnyMechanism,
    /// What reads them.
    pub estimator: &'a dyn AnyEstimator,
    /// What honest people hold.
    pub honest: &'a Values,
    /// What forgers want.
    pub target: Target,
    /// The share of all reports that is forged.
    pub fakes: Probability,
    /// At which probability of a false alarm the watch speaks.
    pub alpha: Probability,
}

/// What an attack did.
#[derive(Debug, Clone, PartialEq)]
pub struct AttackOutcome {
    /// Which one.
    pub attack: Attack,
    /// How many reports are honest.
    pub honest: u64,
    /// How many are forged.
    pub forged: u64,
    /// One for each category, or one for the mean.
    pub rows: Vec<AttackRow>,
    /// The watch's word on the honest reports alone.
    pub before: Plausibility,
    /// Its word on all reports.
    pub after: Plausibility,
}

/// What an attack did to one number.
#[derive(Debug, Clone, PartialEq)]
pub struct AttackRow {
    /// The category, or `mean`.
    pub label: String,
    /// Whether forgers aim at it.
    pub is_target: bool,
    /// The raw and the robust estimate from the honest reports alone.
    pub clean: [f64; 2],
    /// The raw and the robust estimate from all reports.
    pub attacked: [f64; 2],
    /// Between which numbers the raw estimate from the honest reports must lie, if the share of forged ones is known.
    pub bounds: Option<[f64; 2]>,
}

impl AttackRow {
    /// How far the raw estimate moved.
    pub fn shift(&self) -> f64 {
        self.attacked[0] - self.clean[0]
    }

    /// How far the robust estimate moved.
    pub fn robust_shift(&self) -> f64 {
        self.attacked[1] - self.clean[1]
    }
}

/// An attack that cannot be tried.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AttackError {
    /// The target is not one of this mechanism's.
    #[error("the target does not fit the mechanism: {reason}")]
    Target {
        /// What is allowed.
        reason: String,
    },
    /// All reports would be forged.
    #[error("the share of forged reports must be below one: got {got}")]
    Share {
        /// What was received.
        got: f64,
    },
    /// What honest people hold does not fit the mechanism.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A report that the mechanism cannot have written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Nothing can be estimated.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
}

/// A raw and a robust number with its name and bounds.
struct Estimated {
    label: String,
    numbers: [f64; 2],
    bounds: Option<[f64; 2]>,
}

impl Scenario<'_> {
    /// Draws honest reports, forges the others, and estimates without and with them.
    ///
    /// # Errors
    /// When the target, the people or the share do not fit, or the mechanism is about words or angles.
    pub fn run(&self, attack: Attack, rng: &mut Generator) -> Result<AttackOutcome, AttackError> {
        let share = self.fakes.get();
        if share >= 1.0 {
            return Err(AttackError::Share { got: share });
        }
        let honest = self.honest.len() as u64;
        let forged = (honest as f64 * share / (1.0 - share)).round() as usize;
        let watch = Watch::new(self.estimator);
        let (mut summary, mut watched) = (self.estimator.empty_summary(), watch.empty_summary());
        let mut add = |reports: &ReportBuffer| -> Result<_, AttackError> {
            self.estimator.accumulate(&mut summary, reports)?;
            watch.accumulate(&mut watched, reports)?;
            Ok((self.estimated(&summary)?, watch.judge(&summary, &watched, self.alpha)?))
        };
        let mut reports = ReportBuffer::new(self.mechanism.report_bytes());
        self.mechanism.randomize_batch(self.honest, rng, &mut reports)?;
        let (clean, before) = add(&reports)?;
        let (attacked, after) = add(&forge(self, attack, forged, rng)?)?;
        let rows = clean.into_iter().zip(attacked).enumerate().map(|(index, (clean, attacked))| AttackRow {
            is_target: match &self.target {
                Target::Categories(targets) => targets.contains(&(index as u32)),
                Target::Number(_) => true,
            },
            label: clean.label,
            clean: clean.numbers,
            attacked: attacked.numbers,
            bounds: attacked.bounds,
        });
        let rows = rows.collect();
        Ok(AttackOutcome { attack, honest, forged: forged as u64, rows, before, after })
    }

    fn estimated(&self, summary: &CountSummary) -> Result<Vec<Estimated>, EstimateError> {
        let robust = self.estimator.robust(summary, self.fakes)?.rows;
        // Only the mean is asked for.
        let request = Request { bins: 1, quantiles: Vec::new(), ..Request::default() };
        let raw: Vec<f64> = match self.estimator.answer(summary, &request)? {
            Answer::Frequencies(frequencies) => {
                frequencies.rows.iter().map(|row| row.estimate.value).collect()
            }
            Answer::Numbers(numbers) => vec![numbers.mean.value],
            Answer::Places(places) => places.cells.iter().map(|cell| cell.estimate.value).collect(),
            Answer::Angles(_) | Answer::Vector(_) => Vec::new(),
        };
        let both = |(row, raw): (crate::RobustRow, f64)| Estimated {
            label: row.label,
            numbers: [raw, row.value],
            bounds: row.bounds,
        };
        Ok(robust.into_iter().zip(raw).map(both).collect())
    }
}
