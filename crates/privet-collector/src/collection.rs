//! One collection: its policy and everything that is made from it once.

use crate::counters::Counters;
use crate::estimates::only_the_mean;
use crate::store::CollectionKey;
use crate::tokens::SubmissionKey;
use privet_core::{EstimateError, ParameterError, ReportBuffer, ReportError};
use privet_estimators::Watch;
use privet_policy::{
    AttributeEstimator, DecodedReport, PolicySummary, ReportCodec, ResolvedPolicy, SubmissionError, Tally,
    TallyError,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A collection that is ready to take reports.
#[derive(Debug)]
pub(crate) struct Collection {
    pub(crate) key: CollectionKey,
    pub(crate) policy: Arc<ResolvedPolicy>,
    pub(crate) codec: ReportCodec,
    pub(crate) tally: Tally,
    pub(crate) estimators: Vec<AttributeEstimator>,
    /// Vectors have none: any sum of them is that of some population.
    pub(crate) watches: Vec<Option<Watch>>,
    /// If each report needs a one-time token, the key that signs and checks them.
    pub(crate) tokens: Option<SubmissionKey>,
}

impl Collection {
    pub(crate) fn new(
        key: CollectionKey,
        policy: Arc<ResolvedPolicy>,
        tokens: Option<SubmissionKey>,
    ) -> Result<Self, ParameterError> {
        let estimators = policy
            .attributes()
            .iter()
            .map(|attribute| attribute.estimator())
            .collect::<Result<Vec<_>, _>>()?;
        let watches = estimators.iter().map(|estimator| estimator.counts().map(Watch::new)).collect();
        let (codec, tally) = (ReportCodec::new(Arc::clone(&policy)), Tally::new(Arc::clone(&policy))?);
        Ok(Self { key, policy, codec, tally, estimators, watches, tokens })
    }

    /// How many bytes one submission has: a report, and its token where one is needed.
    pub(crate) fn item_bytes(&self) -> usize {
        self.codec.report_bytes() + self.tokens.as_ref().map_or(0, |_| SubmissionKey::TOKEN_BYTES)
    }

    /// Counters of no reports.
    pub(crate) fn no_counters(&self) -> Counters {
        let watched = self.watches.iter().map(|watch| watch.as_ref().map(Watch::empty_summary)).collect();
        Counters { summary: self.tally.empty_summary(), watched }
    }

    /// Refuses a summary of others that no reports add up to.
    pub(crate) fn check_summary(&self, summary: &PolicySummary) -> Result<(), EstimateError> {
        for (attribute, estimator) in self.estimators.iter().enumerate() {
            for part in self.tally.slices().into_iter().filter_map(|slice| summary.part(attribute, slice)) {
                match estimator.answer(part, &only_the_mean()) {
                    // A single vector is sound, but shows no spread.
                    Ok(_) | Err(EstimateError::TooFewReports { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Counts sound reports by epoch.
    pub(crate) fn count<'a>(
        &self,
        reports: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<BTreeMap<u32, Counters>, TallyError> {
        let mut epochs: BTreeMap<u32, Vec<DecodedReport<'_>>> = BTreeMap::new();
        let decoded: Vec<&[u8]> = reports.into_iter().collect();
        for bytes in &decoded {
            let report = self.codec.decode(bytes)?;
            epochs.entry(report.epoch()).or_default().push(report);
        }
        epochs.into_iter().map(|(epoch, reports)| Ok((epoch, self.count_epoch(&reports)?))).collect()
    }

    fn count_epoch(&self, reports: &[DecodedReport<'_>]) -> Result<Counters, TallyError> {
        let mut counters = self.no_counters();
        self.tally.accumulate(&mut counters.summary, reports.iter().copied())?;
        for (index, (watch, watched)) in self.watches.iter().zip(&mut counters.watched).enumerate() {
            let (Some(watch), Some(watched)) = (watch, watched) else { continue };
            // Most mechanisms have nothing that looks the same for everybody.
            if watched.counts().is_empty() {
                continue;
            }
            let attribute = &self.policy.attributes()[index];
            let mut buffer = ReportBuffer::new(attribute.report_bytes());
            let mut add = || -> Result<(), ReportError> {
                reports
                    .iter()
                    .filter_map(|report| report.attribute(index))
                    .try_for_each(|part| buffer.push(part))?;
                watch.accumulate(watched, &buffer)
            };
            add().map_err(|source| {
                let attribute = attribute.terms().name.clone();
                TallyError::Report(SubmissionError::Attribute { attribute, source })
            })?;
        }
        Ok(counters)
    }
}
