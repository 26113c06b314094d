//! Summaries that other collectors made.

use super::App;
use super::problem::Problem;
use super::request::{media_type, read_body, read_hex, read_json};
use crate::records::Holdings;
use crate::store::ForeignSummary;
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use privet_policy::ReportId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// A summary that another collector made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewSummary {
    /// 32 hexadecimal digits, drawn by who sends it. The same id is never counted twice.
    id: String,
    /// Where it comes from, in words that are shown beside every estimate.
    source: String,
    /// The epoch of its reports, counted from 0.
    epoch: u32,
    /// The bytes of the policy's summary in hexadecimal digits.
    summary: String,
}

/// A summary that counts, now or since before.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AddedSummary {
    /// Its id.
    id: String,
    /// How many reports it has.
    reports: u64,
}

const MOST_SOURCE_BYTES: usize = 200;

/// More people than there are, and far below what a counter can hold.
const MOST_REPORTS: u64 = 1 << 40;

/// Add the summary of another collector. The same id with the same content changes nothing.
#[utoipa::path(
    post, path = "/v1/collections/{id}/summaries", tag = "summaries", params(("id" = String, Path, description = "The policy's id")),
    security(("bearer" = [])), request_body = NewSummary,
    responses((status = 200, description = "It counts", body = AddedSummary), Problem)
)]
pub(super) async fn add(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    app.authorize_strictly(&headers)?;
    media_type(&headers, &["application/json"])?;
    let collection = app.collection(&id).await?;
    let (bytes, pass) = read_body(&app.gate, &headers, body, app.limits.summary_bytes).await?;
    app.with_store(move |app| {
        let _pass = pass;
        let new: NewSummary = read_json(&bytes)?;
        let id: ReportId =
            new.id.parse().map_err(|_| Problem::summary_malformed("its id has 32 hexadecimal digits"))?;
        let is_shown = |text: &str| !text.is_empty() && !text.chars().any(char::is_control);
        if new.source.len() > MOST_SOURCE_BYTES || !is_shown(&new.source) {
            return Err(Problem::summary_malformed("its source has 1 to 200 visible bytes"));
        }
        let epochs = collection.policy.epochs();
        if new.epoch >= epochs {
            let detail = format!("the collection has {epochs} epochs: got {}, counted from 0", new.epoch);
            return Err(Problem::summary_malformed(detail));
        }
        let bytes = read_hex(&new.summary)
            .ok_or_else(|| Problem::summary_malformed("it is written in hexadecimal digits"))?;
        let mut counters = collection.no_counters();
        counters.summary = collection.tally.summary_from_bytes(&bytes)?;
        // One that cannot be estimated from, or that overflows with the others, would spoil all estimates.
        collection
            .check_summary(&counters.summary)
            .map_err(|error| Problem::summary_malformed(error.to_string()))?;
        let reports = counters.reports();
        // However many of them come at the same moment, their sum is a number.
        if reports > MOST_REPORTS {
            return Err(Problem::summary_too_large(MOST_REPORTS));
        }
        counters.add(&Holdings::read(&*app.store, &collection)?.whole(&collection)?)?;
        let summary =
            ForeignSummary { id, source: new.source, epoch: new.epoch, day: app.clock.today(), bytes };
        let mut transaction = app.store.write()?;
        let kept = transaction.insert_summary(collection.key, &summary)?;
        transaction.commit()?;
        // The day is that of the first time.
        if (ForeignSummary { day: summary.day, ..kept }) != summary {
            return Err(Problem::summary_conflict());
        }
        Ok((StatusCode::OK, Json(AddedSummary { id: id.to_string(), reports })).into_response())
    })
    .await
}
