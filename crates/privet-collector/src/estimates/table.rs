//! Estimates of attributes, as a whole or by the values of a public field.

use super::cache::{Age, Key};
use super::judged::{Judged, Trust};
use super::{AnswerError, Caches};
use crate::collection::Collection;
use crate::counters::Counters;
use crate::records::Holdings;
use privet_core::{EstimateError, Probability, Summary, Target};
use privet_estimators::numeric::Method;
use privet_estimators::{CountSummary, Plausibility, Reading, Request, Robust};
use privet_policy::{AttributeEstimate, PartSummary, Repetition, Slice};
use std::sync::Arc;

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) attributes: Vec<usize>,
    pub(crate) slices: Vec<Slice>,
    /// One epoch, or all of them.
    pub(crate) epoch: Option<u32>,
    /// The share of forged reports that robust estimates allow for.
    pub(crate) fakes: Probability,
    /// Into how many parts distributions are cut.
    pub(crate) bins: usize,
    /// Which people it is about.
    pub(crate) target: Target,
    /// Whether distributions may be older than the newest report.
    pub(crate) age: Age,
}

/// The probability of a warning although all reports are honest.
const ALARM: f64 = 0.001;

/// Answers a question from counters.
pub(crate) fn answer(
    collection: &Arc<Collection>,
    caches: &Caches,
    holdings: &Holdings,
    question: &Question,
) -> Result<Vec<Judged>, AnswerError> {
    let whole = holdings.whole(collection)?;
    let empty = collection.no_counters();
    let mut answers = Vec::new();
    for slice in &question.slices {
        for attribute in &question.attributes {
            let epoch = question.epoch.or_else(|| separate_epoch(collection, holdings, *attribute, *slice));
            let epochs = if epoch.is_some() { 1 } else { holdings.epochs.len() };
            collection.tally.check_target(question.target, epochs)?;
            let counters = epoch.map_or(&whole, |epoch| holdings.epochs.get(&epoch).unwrap_or(&empty));
            let of = Of { collection, counters, epoch, attribute: *attribute, slice: *slice };
            answers.push(of.judged(caches, question)?);
        }
    }
    Ok(answers)
}

/// The permanent noise of one person does not average out over epochs, so permanent answers are estimated from a single epoch: the last one
/// that has enough reports.
fn separate_epoch(
    collection: &Collection,
    holdings: &Holdings,
    attribute: usize,
    slice: Slice,
) -> Option<u32> {
    let terms = collection.policy.terms();
    let is_permanent = terms.attributes.get(attribute)?.epsilon_forever.is_some();
    if !is_permanent || terms.answers == Repetition::Once {
        return None;
    }
    let enough = |counters: &Counters| {
        let n = counters.summary.part(attribute, slice).map_or(0, PartSummary::count);
        n >= u64::from(terms.minimum_reports)
    };
    let epochs = &holdings.epochs;
    let last = epochs.iter().rev().find(|(_, counters)| enough(counters));
    last.or_else(|| epochs.last_key_value()).map(|(epoch, _)| *epoch)
}

/// Which reports an estimate is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Of<'a> {
    pub(crate) collection: &'a Arc<Collection>,
    /// Those of the epoch, or of all epochs.
    pub(crate) counters: &'a Counters,
    pub(crate) epoch: Option<u32>,
    pub(crate) attribute: usize,
    pub(crate) slice: Slice,
}

/// Frequencies, places without their likelihood, or the mean: what takes no distribution. It is never older than the counters.
pub(crate) fn quick(caches: &Caches, of: Of<'_>, target: Target) -> Result<AttributeEstimate, AnswerError> {
    let request = Request { target, ..only_the_mean() };
    caches.quick.fresh(of.key(&format!("{target:?}")), of.hash(), || of.estimate(&request))
}

/// What is quickly answered: the mean does not need a distribution.
pub(crate) fn only_the_mean() -> Request {
    Request { bins: 1, method: Method::Histogram, quantiles: Vec::new(), ..Request::default() }
}

impl Of<'_> {
    fn part(&self) -> Option<&CountSummary> {
        self.counters.summary.part(self.attribute, self.slice).and_then(PartSummary::counts)
    }

    /// Epochs are told apart, so that one does not stand in for the other.
    fn key(&self, question: &str) -> Key {
        let policy = self.collection.policy.id();
        let about = format!("{policy:?} {:?} {} {:?} {question}", self.epoch, self.attribute, self.slice);
        blake3::hash(about.as_bytes())
    }

    /// Changes with everything that an estimate depends on: its own counters, and, for lotteries of questions, how many people answered
    /// others.
    fn hash(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        for attribute in 0..self.collection.policy.attributes().len() {
            let n = self.counters.summary.part(attribute, self.slice).map_or(0, PartSummary::count);
            hasher.update(&n.to_le_bytes());
        }
        if let Some(part) = self.counters.summary.part(self.attribute, self.slice) {
            hasher.update(&part.to_bytes());
        }
        hasher.finalize()
    }

    fn estimate(&self, request: &Request) -> Result<AttributeEstimate, AnswerError> {
        let tally = &self.collection.tally;
        let estimate = tally.estimate(&self.counters.summary, self.attribute, self.slice, request)?;
        Ok(AttributeEstimate { epoch: self.epoch, ..estimate })
    }

    fn judged(&self, caches: &Caches, question: &Question) -> Result<Judged, AnswerError> {
        let reading = self.collection.estimators[self.attribute].counts().map(|counts| counts.reading());
        let enough = u64::from(self.collection.policy.terms().minimum_reports);
        let part = self.part().filter(|part| part.count() >= enough);
        if let (Some(Reading::Places(_)), Some(part)) = (reading, part) {
            let mut judged = self.slow(caches, question)?;
            if let Some(trust) = &mut judged.trust {
                trust.plausibility = self.plausibility(part)?;
            }
            return Ok(Judged { distribution_n: Some(judged.estimate.n), ..judged }.with_noise_in_bounds());
        }
        let estimate = quick(caches, *self, question.target)?;
        let judged = Judged { estimate, trust: None, distribution_n: None };
        let (Some(_), Some(part)) = (judged.answer(), part) else { return Ok(judged) };
        let mut trust =
            Trust { plausibility: self.plausibility(part)?, influence: self.influence(part)?, robust: None };
        if matches!(reading, Some(Reading::Numbers(_))) {
            let slow = self.slow(caches, question)?;
            trust.robust = slow.trust.as_ref().and_then(|trust| trust.robust.clone());
            let judged = Judged { trust: Some(trust), ..judged };
            return Ok(judged.with_distribution_of(&slow).with_noise_in_bounds());
        }
        trust.robust = self.robust(part, question.fakes)?;
        Ok(Judged { trust: Some(trust), ..judged }.with_noise_in_bounds())
    }

    fn plausibility(&self, part: &CountSummary) -> Result<Option<Plausibility>, AnswerError> {
        let Some(watch) = &self.collection.watches[self.attribute] else { return Ok(None) };
        let nothing = watch.empty_summary();
        let watched = match (self.slice, &self.counters.watched[self.attribute]) {
            (Slice::All, Some(watched)) => watched,
            // Nothing is kept by the values of public fields.
            _ => &nothing,
        };
        Ok(Some(watch.judge(part, watched, Probability::new(ALARM)?)?))
    }

    /// What takes longer, from the cache. Whether reports are plausible is not part of it.
    fn slow(&self, caches: &Caches, question: &Question) -> Result<Judged, AnswerError> {
        let Question { fakes, bins, target, age, .. } = *question;
        let (key, hash) = (self.key(&format!("{fakes:?} {bins} {target:?}")), self.hash());
        let (collection, counters) = (Arc::clone(self.collection), self.counters.clone());
        let Self { epoch, attribute, slice, .. } = *self;
        caches.slow.answer(key, hash, age, move || {
            let of = Of { collection: &collection, counters: &counters, epoch, attribute, slice };
            let estimate = of.estimate(&Request { bins, target, ..Request::default() })?;
            let judged = Judged { estimate, trust: None, distribution_n: None };
            let (Some(_), Some(part)) = (judged.answer(), of.part()) else { return Ok(judged) };
            let (influence, robust) = (of.influence(part)?, of.robust(part, fakes)?);
            Ok(Judged { trust: Some(Trust { plausibility: None, influence, robust }), ..judged })
        })
    }

    fn influence(&self, part: &CountSummary) -> Result<Option<f64>, AnswerError> {
        let Some(estimator) = self.collection.estimators[self.attribute].counts() else { return Ok(None) };
        Ok(possible(estimator.influence(part))?.map(|influence| influence.largest()))
    }

    fn robust(&self, part: &CountSummary, fakes: Probability) -> Result<Option<Robust>, AnswerError> {
        let Some(estimator) = self.collection.estimators[self.attribute].counts() else { return Ok(None) };
        Ok(possible(estimator.robust(part, fakes))?)
    }
}

/// What a mechanism has no answer to is left out.
fn possible<T>(answer: Result<T, EstimateError>) -> Result<Option<T>, EstimateError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(
            EstimateError::Step { .. }
            | EstimateError::NotIdentifiable { .. }
            | EstimateError::TooFewReports { .. },
        ) => Ok(None),
        Err(error) => Err(error),
    }
}
