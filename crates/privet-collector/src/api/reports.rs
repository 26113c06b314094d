//! Reports: submitting and withdrawing.

use super::App;
use super::problem::{Problem, ReportProblem};
use super::request::{Binary, media_type, read_body, read_hex, read_json};
use crate::collection::Collection;
use crate::ingest::{Checked, Outcome, Refusal, check, opening};
use crate::records::{Withdrawal, withdraw as take_back};
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use privet_policy::{ReportId, SubmissionError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

const BYTES: &str = "application/octet-stream";
const JSON: &str = "application/json";

/// Reports for programs that have no bytes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenReports {
    /// Each report in hexadecimal digits, followed by its token where one is needed.
    reports: Vec<String>,
}

/// What became of the reports.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Submitted {
    /// How many are stored and counted.
    accepted: u64,
    /// How many had been stored and counted before.
    duplicates: u64,
    /// How many are not counted.
    refused: u64,
    /// Why not: the first hundred.
    problems: Vec<ReportProblem>,
}

const MOST_PROBLEMS: usize = 100;

/// So many written reports may be shorter than they should be without further ado.
const MOST_SHORT: usize = 1000;

/// Reports up to this number of bytes are checked at once, larger bodies on a thread that may take its time.
const CHECKED_AT_ONCE: usize = 1 << 14;

/// Submit one report or many, back to back. They are stored when the answer comes. Sending the same report again changes nothing.
///
/// A single report is answered with its own problem. Several are judged one by one: the answer is 200 if all count, 207 if some do not,
/// and 422 if none does.
#[utoipa::path(
    post, path = "/v1/collections/{id}/reports", tag = "reports", params(("id" = String, Path, description = "The policy's id")),
    request_body(content((Binary = "application/octet-stream"), (WrittenReports = "application/json"))),
    responses(
        (status = 200, description = "All of them count", body = Submitted),
        (status = 207, description = "Some of them do not count", body = Submitted),
        Problem,
    )
)]
pub(super) async fn submit(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let kind = media_type(&headers, &[BYTES, JSON])?;
    let collection = app.collection(&id).await?;
    // The body comes first: a client that is still sending would not see a refusal.
    let (body, pass) = read_body(&app.gate, &headers, body, app.limits.body_bytes).await?;
    let latest_epoch = opening(&collection, app.clock)?;
    let is_small = body.len() <= CHECKED_AT_ONCE && collection.tokens.is_none();
    let check = move || checked(&collection, kind, body, latest_epoch);
    let checked = if is_small { check() } else { app.with_store(move |_| check()).await };
    let Checked { submission, refused } =
        checked.inspect_err(|problem| app.metrics.refused(problem.code(), 1))?;
    let mut tally = Outcomes::new(refused);
    if !submission.sound.is_empty() {
        let positions = submission.sound.clone();
        let outcomes = app.intake.submit(submission, pass).await?;
        positions.into_iter().zip(outcomes).for_each(|(position, outcome)| tally.add(position, outcome));
    }
    tally.respond(&app)
}

fn checked(
    collection: &Arc<Collection>,
    kind: &'static str,
    body: Bytes,
    latest_epoch: u32,
) -> Result<Checked, Problem> {
    if kind == BYTES {
        return Ok(check(collection, body, latest_epoch)?);
    }
    let written: WrittenReports = read_json(&body)?;
    let length = collection.item_bytes();
    // Each takes the place of a whole report below, so many that are too short would take more memory than their text.
    let room = written.reports.len().saturating_mul(length);
    if written.reports.len() > MOST_SHORT && room > body.len() {
        let got = written.reports.iter().map(String::len).min().unwrap_or_default() / 2;
        return Err(SubmissionError::Length { expected: length, got }.into());
    }
    let mut bytes = Vec::with_capacity(room);
    // Reports that are no reports take the place of one, so that positions stay what they are.
    let mut unreadable = Vec::new();
    for (position, text) in (0..).zip(&written.reports) {
        let report = read_hex(text).ok_or(Refusal::Text).and_then(|report| {
            let wrong = SubmissionError::Length { expected: length, got: report.len() };
            if report.len() == length { Ok(report) } else { Err(wrong.into()) }
        });
        match report {
            Ok(report) => bytes.extend_from_slice(&report),
            Err(refusal) => {
                bytes.resize(bytes.len() + length, 0);
                unreadable.push((position, refusal));
            }
        }
    }
    let mut checked = check(collection, bytes.into(), latest_epoch)?;
    for (position, refusal) in unreadable {
        // A row of zeros is no report, so it was refused; refusals are in the order of their positions.
        if let Ok(index) = checked.refused.binary_search_by_key(&position, |(at, _)| *at) {
            checked.refused[index].1 = refusal;
        }
    }
    Ok(checked)
}

/// Adds up what became of the reports of one request.
struct Outcomes {
    accepted: u64,
    duplicates: u64,
    refused: Vec<(u32, Refusal)>,
}

impl Outcomes {
    fn new(refused: Vec<(u32, Refusal)>) -> Self {
        Self { accepted: 0, duplicates: 0, refused }
    }

    fn add(&mut self, position: u32, outcome: Outcome) {
        match outcome {
            Outcome::Accepted => self.accepted += 1,
            Outcome::Duplicate => self.duplicates += 1,
            Outcome::Refused(refusal) => self.refused.push((position, refusal)),
        }
    }

    fn respond(mut self, app: &App) -> Result<Response, Problem> {
        self.refused.sort_by_key(|(position, _)| *position);
        let refused = self.refused.len() as u64;
        let counted = self.accepted + self.duplicates;
        let mut problems: Vec<(u32, Problem)> = Vec::new();
        let mut codes: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (position, refusal) in self.refused {
            let problem = Problem::from(refusal);
            *codes.entry(problem.code()).or_default() += 1;
            if problems.len() < MOST_PROBLEMS {
                problems.push((position, problem));
            }
        }
        codes.into_iter().for_each(|(code, count)| app.metrics.refused(code, count));
        if let (0, 1, Some((_, problem))) = (counted, refused, problems.first()) {
            return Err(problem.clone());
        }
        let problems = problems.into_iter().map(|(position, problem)| problem.of_report(position)).collect();
        if counted == 0 {
            return Err(Problem::all_refused(problems, refused));
        }
        let status = if refused == 0 { StatusCode::OK } else { StatusCode::MULTI_STATUS };
        let (accepted, duplicates) = (self.accepted, self.duplicates);
        Ok((status, Json(Submitted { accepted, duplicates, refused, problems })).into_response())
    }
}

/// Withdraw a report by its id, which only its person knows. It is deleted and no longer counts. Withdrawing twice changes nothing.
#[utoipa::path(
    delete, path = "/v1/collections/{id}/reports/{report_id}", tag = "reports",
    params(("id" = String, Path, description = "The policy's id"), ("report_id" = String, Path, description = "32 hexadecimal digits")),
    responses((status = 204, description = "It is deleted"), Problem)
)]
pub(super) async fn withdraw(
    State(app): State<Arc<App>>,
    Path((id, report)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let collection = app.collection(&id).await?;
    let report: ReportId = report.parse().map_err(|_| Problem::unknown_report())?;
    app.with_store(move |app| match take_back(&*app.store, &collection, report)? {
        Withdrawal::Done => Ok(StatusCode::NO_CONTENT),
        Withdrawal::TooLate => Err(Problem::expired_report()),
        Withdrawal::Unknown => Err(Problem::unknown_report()),
    })
    .await
}
