//! Estimates of attributes, as a whole or by the values of a public field.

use super::AnswerError;
use super::cache::{Age, Cache};
use crate::collection::Collection;
use crate::counters::Counters;
use crate::records::Holdings;
use privet_core::{EstimateError, Probability, Summary};
use privet_estimators::numeric::Method;
use privet_estimators::{CountSummary, Influence, Reading, Request, Robust, Verdict};
use privet_policy::{AttributeEstimate, Outcome, PolicySummary, Repetition, Slice};
use serde_json::{Value, json};
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
    /// Whether distributions may be older than the newest report.
    pub(crate) age: Age,
}

/// The probability of a warning although all reports are honest.
const ALARM: f64 = 0.001;

/// Answers a question from counters.
pub(crate) fn answer(
    collection: &Arc<Collection>,
    cache: &Cache,
    holdings: &Holdings,
    question: &Question,
) -> Result<Vec<Value>, AnswerError> {
    let whole = holdings.whole(collection)?;
    let empty = collection.no_counters();
    let mut answers = Vec::new();
    for slice in &question.slices {
        for attribute in &question.attributes {
            let epoch = question.epoch.or_else(|| separate_epoch(collection, holdings, *attribute, *slice));
            let counters = epoch.map_or(&whole, |epoch| holdings.epochs.get(&epoch).unwrap_or(&empty));
            let one = One { collection, cache, counters, attribute: *attribute, slice: *slice };
            let mut document = one.document(question)?;
            document["epoch"] = json!(epoch);
            document["public"] = public_json(collection, *slice);
            answers.push(document);
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
        let n = counters.summary.part(attribute, slice).map_or(0, Summary::count);
        n >= u64::from(terms.minimum_reports)
    };
    let epochs = &holdings.epochs;
    let last = epochs.iter().rev().find(|(_, counters)| enough(counters));
    last.or_else(|| epochs.last_key_value()).map(|(epoch, _)| *epoch)
}

fn public_json(collection: &Collection, slice: Slice) -> Value {
    let Slice::Public { field, value } = slice else { return Value::Null };
    let field = collection.policy.terms().public.get(field);
    field.map_or(Value::Null, |field| json!({ "field": field.name, "value": field.values.get(value) }))
}

/// One attribute of one slice.
struct One<'a> {
    collection: &'a Arc<Collection>,
    cache: &'a Cache,
    counters: &'a Counters,
    attribute: usize,
    slice: Slice,
}

impl One<'_> {
    fn document(&self, question: &Question) -> Result<Value, AnswerError> {
        let is_numeric = matches!(self.collection.estimators[self.attribute].reading(), Reading::Numbers(_));
        let estimate = self.estimate(&self.counters.summary, &only_the_mean())?;
        let mut document = estimate.to_json();
        let part = self.counters.summary.part(self.attribute, self.slice);
        let (Outcome::Answer(_), Some(part)) = (&estimate.outcome, part) else { return Ok(document) };
        document["plausibility"] = self.plausibility(part)?;
        document["influence"] = self.influence(part)?;
        if is_numeric {
            let slow = self.distribution(part, question)?;
            for key in
                ["distribution", "distribution_method", "distribution_n", "quantiles", "ranges", "robust"]
            {
                document[key] = slow[key].clone();
            }
        } else {
            document["robust"] = robust_json(self.collection, self.attribute, part, question.fakes)?;
        }
        Ok(document)
    }

    fn estimate(
        &self,
        summary: &PolicySummary,
        request: &Request,
    ) -> Result<AttributeEstimate, EstimateError> {
        self.collection.tally.estimate(summary, self.attribute, self.slice, request)
    }

    fn plausibility(&self, part: &CountSummary) -> Result<Value, AnswerError> {
        let watch = &self.collection.watches[self.attribute];
        let watched = match self.slice {
            Slice::All => &self.counters.watched[self.attribute],
            // Nothing is kept by the values of public fields.
            Slice::Public { .. } => &watch.empty_summary(),
        };
        let found = watch.judge(part, watched, Probability::new(ALARM)?)?;
        Ok(json!({
            "verdict": found.verdict.as_str(),
            "warning": found.verdict == Verdict::Implausible,
            "statistic": found.statistic,
            "p_bound": found.p_bound,
            "explanation": found.explanation,
        }))
    }

    fn influence(&self, part: &CountSummary) -> Result<Value, AnswerError> {
        let influence = self.collection.estimators[self.attribute].influence(part);
        Ok(possible(influence)?.map_or(Value::Null, |influence: Influence| json!(influence.largest())))
    }

    /// What takes longer, from the cache.
    fn distribution(&self, part: &CountSummary, question: &Question) -> Result<Value, AnswerError> {
        let counters = blake3::hash(&part.to_bytes());
        let about = format!("{:?} {} {:?}", self.collection.policy.id(), self.attribute, self.slice);
        // Epochs are told apart, so that one does not stand in for the other.
        let key = blake3::hash(
            format!("{about} {:?} {:?} {}", question.epoch, question.fakes, question.bins).as_bytes(),
        );
        let (collection, summary) = (Arc::clone(self.collection), self.counters.summary.clone());
        let (attribute, slice, fakes) = (self.attribute, self.slice, question.fakes);
        let request = Request { bins: question.bins, ..Request::default() };
        self.cache.answer(key, counters, question.age, move || {
            let mut document = collection.tally.estimate(&summary, attribute, slice, &request)?.to_json();
            document["distribution_n"] = document["n"].clone();
            if let Some(part) = summary.part(attribute, slice) {
                document["robust"] = robust_json(&collection, attribute, part, fakes)?;
            }
            Ok(document)
        })
    }
}

/// What is quickly answered: the mean does not need a distribution.
pub(crate) fn only_the_mean() -> Request {
    Request { bins: 1, method: Method::Histogram, quantiles: Vec::new(), ..Request::default() }
}

fn robust_json(
    collection: &Collection,
    attribute: usize,
    part: &CountSummary,
    fakes: Probability,
) -> Result<Value, AnswerError> {
    let robust = collection.estimators[attribute].robust(part, fakes);
    Ok(possible(robust)?.map_or(Value::Null, |robust: Robust| {
        let row = |row: &privet_estimators::RobustRow| {
            json!({ "label": row.label, "value": row.value, "bounds": row.bounds })
        };
        json!({
            "method": robust.method,
            "fakes": robust.fakes,
            "rows": robust.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }))
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
