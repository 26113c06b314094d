//! The collector's half: what reports add up to, and what is estimated from it.

use crate::error::{EstimateError, MergeError, ReportError};
use crate::fingerprint::Fingerprint;
use crate::report::ReportBuffer;
use std::fmt::Debug;

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

/// A number that was learned, and how well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The best single number.
    pub value: f64,
    /// The standard deviation of that number over the draws of the reports.
    pub standard_error: f64,
    /// Where the truth lies, with 95 % confidence.
    pub interval: [f64; 2],
    /// How many reports it rests on.
    pub n: u64,
    /// How it was computed.
    pub method: &'static str,
}
