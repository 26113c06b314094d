//! The collector's half: what reports add up to, and what is estimated from it.

use crate::error::{EstimateError, MergeError, ReportError};
use crate::fingerprint::Fingerprint;
use crate::report::ReportBuffer;
use std::fmt::Debug;
use std::str::FromStr;

/// What a collector keeps of the reports: enough to estimate, and no more.
///
/// Merging is commutative and associative, the empty summary is neutral, and any split of the reports gives
/// the same bytes.
pub trait Summary: Clone + Debug + PartialEq + Send + Sync {
    /// The mechanism whose reports were added.
    fn fingerprint(&self) -> Fingerprint;

    /// How many reports were added.
    fn count(&self) -> u64;

    /// Adds another summary.
    ///
    /// # Errors
    /// When it belongs to another mechanism, or a counter would overflow. The summary is then unchanged.
    fn merge(&mut self, other: &Self) -> Result<(), MergeError>;

    /// The bytes to store or send.
    fn to_bytes(&self) -> Vec<u8>;

    /// A summary that was stored.
    ///
    /// # Errors
    /// When the bytes are not a summary.
    fn from_bytes(bytes: &[u8]) -> Result<Self, MergeError>;
}

/// Turns reports into a summary and a summary into an estimate, with the parameters that made the reports.
pub trait Estimator: Debug + Send + Sync {
    /// What is kept.
    type Summary: Summary;
    /// What is learned.
    type Estimate;

    /// A summary of no reports.
    fn empty_summary(&self) -> Self::Summary;

    /// Adds encoded reports. An error leaves the summary as it was.
    ///
    /// # Errors
    /// When a report cannot have been made by this mechanism.
    fn accumulate(&self, summary: &mut Self::Summary, reports: &ReportBuffer) -> Result<(), ReportError>;

    /// Estimates from what was added.
    ///
    /// # Errors
    /// When there are too few reports, or the summary belongs to another mechanism.
    fn estimate(&self, summary: &Self::Summary) -> Result<Self::Estimate, EstimateError>;
}

/// Which people an estimate is about.
///
/// The two have the same value and different errors: what the people who reported are like is uncertain by the noise of their
/// reports alone, what everybody is like also by who happened to report. Mixing them is the usual way to be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Target {
    /// The people who reported. Where a lottery decided who answers which question, all who took part in it.
    #[default]
    Reported,
    /// The population that they were drawn from, each independently of the others. Comparisons and tests are about this one.
    Population,
}

impl Target {
    /// Both, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Reported, Self::Population];

    /// The name that programs use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Population => "population",
        }
    }

    /// The name that people see.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Reported => "among the people who reported",
            Self::Population => "in the population they were drawn from",
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|target| target.as_str() == text);
        found.ok_or_else(|| format!("a target is reported or population: got {text:?}"))
    }
}

/// A number that was learned, and how well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The best single number. It lies in the interval.
    pub value: f64,
    /// The standard deviation of the estimate over what is random: the draws of the reports, and what else the target says.
    pub standard_error: f64,
    /// How far the mean of the estimate can be from the truth, whatever the people are like. Zero if it is unbiased.
    pub bias_bound: f64,
    /// Where the truth lies, with 95 % confidence, whatever the people are like.
    pub interval: [f64; 2],
    /// How many reports it rests on.
    pub n: u64,
    /// How it was computed.
    pub method: &'static str,
    /// Which people it is about.
    pub target: Target,
}

impl Estimate {
    /// How far the truth may be from the value, with 95 % confidence: noise and bias together.
    pub fn margin(&self) -> f64 {
        (self.interval[1] - self.value).max(self.value - self.interval[0])
    }
}
