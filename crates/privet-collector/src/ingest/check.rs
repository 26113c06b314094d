//! Which reports of a request are sound.

use super::{Refusal, Submission};
use crate::clock::Clock;
use crate::collection::Collection;
use axum::body::Bytes;
use privet_policy::{ReportId, SubmissionError};
use std::sync::Arc;

/// The reports of a request, sorted into sound ones and others.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) submission: Submission,
    /// The others by position.
    pub(crate) refused: Vec<(u32, Refusal)>,
}

/// The last epoch that has begun, or why no report is taken today.
pub(crate) fn opening(collection: &Collection, clock: Clock) -> Result<u32, Refusal> {
    let terms = collection.policy.terms();
    let [first_day, last_day] = clock.days_on_earth();
    if last_day.is_none_or(|day| day < terms.opens) {
        return Err(Refusal::NotYetOpen { opens: terms.opens.to_string() });
    }
    if first_day.is_none_or(|day| day > terms.closes) {
        return Err(Refusal::Closed);
    }
    let last_epoch = collection.policy.epochs().saturating_sub(1);
    Ok(last_day.and_then(|day| collection.policy.epoch_of(day)).unwrap_or(last_epoch))
}

/// Checks every report of a request by itself.
///
/// # Errors
/// When the body is not a row of reports.
pub(crate) fn check(
    collection: &Arc<Collection>,
    body: Bytes,
    latest_epoch: u32,
) -> Result<Checked, SubmissionError> {
    let length = collection.item_bytes();
    if body.is_empty() || !body.len().is_multiple_of(length) {
        return Err(SubmissionError::Length { expected: length, got: body.len() });
    }
    let (mut sound, mut refused) = (Vec::with_capacity(body.len() / length), Vec::new());
    for (position, item) in (0..).zip(body.chunks_exact(length)) {
        match check_item(collection, item, latest_epoch) {
            Ok(()) => sound.push(position),
            Err(refusal) => refused.push((position, refusal)),
        }
    }
    Ok(Checked { submission: Submission { collection: Arc::clone(collection), body, sound }, refused })
}

fn check_item(collection: &Collection, item: &[u8], latest_epoch: u32) -> Result<(), Refusal> {
    let (report, token) = item.split_at(collection.codec.report_bytes());
    let report = collection.codec.check(report)?;
    if report.epoch() > latest_epoch {
        return Err(Refusal::Early { latest: latest_epoch, got: report.epoch() });
    }
    match &collection.tokens {
        Some(key) if key.check(token).is_none() => Err(Refusal::TokenInvalid),
        _ => Ok(()),
    }
}

/// The id of a sound report.
pub(super) fn id_of(collection: &Collection, report: &[u8]) -> Result<ReportId, SubmissionError> {
    Ok(collection.codec.decode(report)?.id())
}
