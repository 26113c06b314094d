//! What reads the reports of an attribute, and what they add up to.

use crate::registry::AnyEstimator;
use privet_core::{EstimateError, MergeError, ReportBuffer, ReportError, Summary};
use privet_estimators::{Answer, CountSummary, Request, VectorSummary};
#[cfg(feature = "vectors")]
use {privet_core::Estimator, privet_vector::MeanVectorEstimator};

/// Reads the reports of an attribute.
#[derive(Debug)]
#[non_exhaustive]
pub enum AttributeEstimator {
    /// They are counted.
    Counts(Box<dyn AnyEstimator>),
    /// They are vectors that are added up.
    #[cfg(feature = "vectors")]
    Vectors(MeanVectorEstimator),
}

/// What the reports of an attribute add up to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PartSummary {
    /// Counters.
    Counts(CountSummary),
    /// Sums of vectors.
    Vectors(VectorSummary),
}

impl AttributeEstimator {
    /// What counts its reports, unless they are vectors.
    pub fn counts(&self) -> Option<&dyn AnyEstimator> {
        match self {
            Self::Counts(estimator) => Some(&**estimator),
            #[cfg(feature = "vectors")]
            Self::Vectors(_) => None,
        }
    }

    /// A summary of no reports.
    pub fn empty_summary(&self) -> PartSummary {
        match self {
            Self::Counts(estimator) => PartSummary::Counts(estimator.empty_summary()),
            #[cfg(feature = "vectors")]
            Self::Vectors(estimator) => PartSummary::Vectors(estimator.empty_summary()),
        }
    }

    /// Adds encoded reports; an error leaves the summary as it was.
    ///
    /// # Errors
    /// When a report cannot have been made by the mechanism, or the summary is of another kind.
    pub fn accumulate(&self, summary: &mut PartSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        match (self, summary) {
            (Self::Counts(estimator), PartSummary::Counts(summary)) => estimator.accumulate(summary, reports),
            #[cfg(feature = "vectors")]
            (Self::Vectors(estimator), PartSummary::Vectors(summary)) => {
                estimator.accumulate(summary, reports)
            }
            _ => Err(ReportError::Impossible { reason: "the summary is one of another kind of reports" }),
        }
    }

    /// Answers a request.
    ///
    /// # Errors
    /// When there are too few reports, or the summary or the request does not fit the mechanism.
    pub fn answer(&self, summary: &PartSummary, request: &Request) -> Result<Answer, EstimateError> {
        match (self, summary) {
            (Self::Counts(estimator), PartSummary::Counts(summary)) => estimator.answer(summary, request),
            #[cfg(feature = "vectors")]
            (Self::Vectors(estimator), PartSummary::Vectors(summary)) => {
                estimator.mean_vector(summary, request.target).map(Answer::Vector)
            }
            _ => Err(EstimateError::Damaged { reason: "the summary is one of another kind of reports" }),
        }
    }
}

impl PartSummary {
    /// The counters, unless its reports are vectors.
    pub fn counts(&self) -> Option<&CountSummary> {
        match self {
            Self::Counts(summary) => Some(summary),
            Self::Vectors(_) => None,
        }
    }

    /// How many reports were added.
    pub fn count(&self) -> u64 {
        match self {
            Self::Counts(summary) => summary.count(),
            Self::Vectors(summary) => summary.count(),
        }
    }

    /// About how many numbers of 64 bits it holds.
    pub(crate) fn numbers(&self) -> usize {
        match self {
            Self::Counts(summary) => summary.counts().len(),
            Self::Vectors(summary) => summary.numbers(),
        }
    }

    /// Adds another summary.
    ///
    /// # Errors
    /// When it belongs to another mechanism, or a number would overflow. The summary is then unchanged.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        match (self, other) {
            (Self::Counts(one), Self::Counts(two)) => one.merge(two),
            (Self::Vectors(one), Self::Vectors(two)) => one.merge(two),
            _ => Err(OTHER_KIND),
        }
    }

    /// Takes out reports that were added before.
    ///
    /// # Errors
    /// When the other summary is another mechanism's, or holds something that this one does not.
    pub(crate) fn subtract(&mut self, other: &Self) -> Result<(), MergeError> {
        match (self, other) {
            (Self::Counts(one), Self::Counts(two)) => one.subtract(two),
            (Self::Vectors(one), Self::Vectors(two)) => one.subtract(two),
            _ => Err(OTHER_KIND),
        }
    }

    /// The bytes to store or send.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Counts(summary) => summary.to_bytes(),
            Self::Vectors(summary) => summary.to_bytes(),
        }
    }

    /// A summary of the same mechanism that was stored.
    ///
    /// # Errors
    /// When the bytes are none.
    pub(crate) fn read_alike(&self, bytes: &[u8]) -> Result<Self, MergeError> {
        let mut read = self.clone();
        match &mut read {
            Self::Counts(summary) => summary.merge(&CountSummary::from_bytes(bytes)?)?,
            Self::Vectors(summary) => summary.merge(&VectorSummary::from_bytes(bytes)?)?,
        }
        Ok(read)
    }
}

const OTHER_KIND: MergeError =
    MergeError::Malformed { reason: "a summary of vectors and one of counters cannot be combined" };
