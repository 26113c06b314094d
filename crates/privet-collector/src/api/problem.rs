//! Everything that can go wrong, as problem documents (RFC 9457). Types and statuses are promises.

use crate::estimates::AnswerError;
use crate::ingest::{IntakeError, Refusal};
use crate::store::StoreError;
use axum::Json;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use privet_core::{EstimateError, MergeError, ParameterError};
use privet_policy::{PolicyError, SubmissionError};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

/// What went wrong.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct ProblemDocument {
    /// A stable name of this kind of problem.
    #[schema(example = "urn:privet:problem:report-length")]
    r#type: String,
    /// The kind of problem in words.
    pub(crate) title: &'static str,
    /// The status of the answer.
    status: u16,
    /// This problem in words: what was wrong, what is allowed, what was received.
    pub(crate) detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<Box<str>>,
    /// The line of a policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    /// The column of a policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<u32>,
    /// What was wrong with single reports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<ReportProblem>,
}

/// What was wrong with one report of several.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct ReportProblem {
    /// The report's place, counted from 0.
    index: u32,
    /// A stable name of this kind of problem.
    r#type: String,
    /// The status that the report would have been answered with by itself.
    status: u16,
    /// The problem in words.
    detail: String,
}

/// A problem on its way to the client.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    code: &'static str,
    status: StatusCode,
    retry_after: Option<u32>,
    /// Boxed, so that functions that almost never fail stay cheap to return from.
    document: Box<ProblemDocument>,
}

impl Problem {
    fn new(code: &'static str, status: StatusCode, title: &'static str, detail: impl Into<String>) -> Self {
        let document = ProblemDocument {
            r#type: format!("urn:privet:problem:{code}"),
            title,
            status: status.as_u16(),
            detail: detail.into(),
            hint: None,
            line: None,
            column: None,
            problems: Vec::new(),
        };
        Self { code, status, retry_after: None, document: Box::new(document) }
    }

    fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    fn hint(mut self, hint: impl Into<Box<str>>) -> Self {
        self.document.hint = Some(hint.into());
        self
    }

    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    /// What is said about it.
    pub(crate) fn told(&self) -> &ProblemDocument {
        &self.document
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn seconds_to_wait(&self) -> Option<u32> {
        self.retry_after
    }

    pub(crate) fn internal() -> Self {
        let detail = "the collector made a mistake; nothing was changed";
        Self::new("internal", StatusCode::INTERNAL_SERVER_ERROR, "Internal error", detail)
    }

    pub(crate) fn unknown_page() -> Self {
        Self::new("page-unknown", StatusCode::NOT_FOUND, "No such page", "there is nothing at this address")
            .hint("GET /openapi.json lists what there is")
    }

    pub(crate) fn method() -> Self {
        let detail = "this address does not take this method";
        Self::new("method", StatusCode::METHOD_NOT_ALLOWED, "Wrong method", detail)
    }

    pub(crate) fn unknown_collection() -> Self {
        let detail = "there is no collection with this id";
        Self::new("collection-unknown", StatusCode::NOT_FOUND, "No such collection", detail)
    }

    pub(crate) fn other_tokens() -> Self {
        let detail = "the collection exists, and was created with another choice about submission tokens";
        Self::new("collection-conflict", StatusCode::CONFLICT, "Another collection", detail)
    }

    pub(crate) fn unknown_report() -> Self {
        let detail = "the collection has no report with this id";
        Self::new("report-unknown", StatusCode::NOT_FOUND, "No such report", detail)
    }

    pub(crate) fn expired_report() -> Self {
        let detail = "the report was deleted because of its age; what it said is not known any more, so it still counts";
        Self::new("report-expired", StatusCode::GONE, "Too late to withdraw", detail)
    }

    pub(crate) fn unknown_name(what: &'static str, got: &str, allowed: &[&str]) -> Self {
        let detail = format!("the policy has no {what} {got:?}: allowed are {}", allowed.join(", "));
        Self::new("name-unknown", StatusCode::NOT_FOUND, "No such name", detail)
    }

    pub(crate) fn query(detail: impl Into<String>) -> Self {
        Self::new("query", StatusCode::BAD_REQUEST, "Wrong parameter", detail)
    }

    pub(crate) fn json(detail: impl Into<String>) -> Self {
        Self::new("json", StatusCode::BAD_REQUEST, "Malformed JSON", detail)
    }

    pub(crate) fn unreadable() -> Self {
        Self::new("body", StatusCode::BAD_REQUEST, "Unreadable body", "the request ended before its body")
    }

    pub(crate) fn media_type(allowed: &[&str]) -> Self {
        let detail = format!("the content type must be one of {}", allowed.join(", "));
        Self::new("media-type", StatusCode::UNSUPPORTED_MEDIA_TYPE, "Wrong content type", detail)
    }

    pub(crate) fn too_large(most: usize) -> Self {
        let detail = format!("the body of this request may have at most {most} bytes");
        Self::new("body-too-large", StatusCode::PAYLOAD_TOO_LARGE, "Too large", detail)
    }

    pub(crate) fn too_many_requests() -> Self {
        let detail = "more requests come from your address than are answered";
        Self::new("too-many-requests", StatusCode::TOO_MANY_REQUESTS, "Too many requests", detail)
            .retry_after(1)
    }

    pub(crate) fn timeout() -> Self {
        let detail =
            "the request took too long; reports that it held may have been stored, and can be sent again";
        Self::new("timeout", StatusCode::SERVICE_UNAVAILABLE, "Too slow", detail).retry_after(5)
    }

    pub(crate) fn unauthorized(has_token: bool) -> Self {
        let detail =
            if has_token { "this token does not give the right" } else { "this needs a bearer token" };
        Self::new("unauthorized", StatusCode::UNAUTHORIZED, "Not allowed", detail)
    }

    pub(crate) fn foreign_form() -> Self {
        let detail = "this form was not sent from a page of this collector, or the page is too old; nothing was changed";
        Self::new("foreign-form", StatusCode::FORBIDDEN, "Form refused", detail)
            .hint("open the page again, and allow this site to keep cookies")
    }

    pub(crate) fn no_manager() -> Self {
        let detail = "this is only possible on a collector whose operators have a token";
        Self::new("no-manager", StatusCode::FORBIDDEN, "Not possible here", detail)
            .hint("start the collector with a token for managing")
    }

    pub(crate) fn no_tokens() -> Self {
        let detail = "reports of this collection need no token";
        Self::new("no-tokens", StatusCode::CONFLICT, "No tokens here", detail)
    }

    pub(crate) fn blinded(detail: impl Into<String>) -> Self {
        Self::new("token-malformed", StatusCode::UNPROCESSABLE_ENTITY, "Malformed token", detail)
    }

    pub(crate) fn summary_conflict() -> Self {
        let detail = "another summary with this id was added before";
        Self::new("summary-conflict", StatusCode::CONFLICT, "Another summary", detail)
    }

    pub(crate) fn summary_malformed(detail: impl Into<String>) -> Self {
        Self::new("summary-malformed", StatusCode::UNPROCESSABLE_ENTITY, "Malformed summary", detail)
    }

    pub(crate) fn summary_too_large(most: u64) -> Self {
        let detail = format!("a summary may be of at most {most} reports");
        Self::new("summary-overflow", StatusCode::UNPROCESSABLE_ENTITY, "Unsound summary", detail)
    }

    /// None of several reports was accepted.
    pub(crate) fn all_refused(reports: Vec<ReportProblem>, count: u64) -> Self {
        let detail = format!("none of {count} reports was accepted");
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        let mut problem = Self::new("reports-refused", status, "No report accepted", detail);
        problem.document.problems = reports;
        problem
    }

    /// The problem of one report of several.
    pub(crate) fn of_report(self, index: u32) -> ReportProblem {
        let ProblemDocument { r#type, status, detail, .. } = *self.document;
        ReportProblem { index, r#type, status, detail }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.document)).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl IntoResponses for Problem {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let problem = |words: &str| {
            let schema = Ref::from_schema_name("ProblemDocument");
            let content = ContentBuilder::new().schema(Some(schema)).build();
            RefOr::T(
                ResponseBuilder::new()
                    .description(words)
                    .content("application/problem+json", content)
                    .build(),
            )
        };
        BTreeMap::from([
            ("4XX".to_owned(), problem("The request cannot be answered; `type` says why")),
            (
                "5XX".to_owned(),
                problem("The collector cannot answer now; `Retry-After` says when to ask again"),
            ),
        ])
    }
}

impl From<PolicyError> for Problem {
    fn from(error: PolicyError) -> Self {
        let mut problem =
            Self::new(error.code(), StatusCode::BAD_REQUEST, "Unusable policy", error.problem.to_string());
        problem.document.hint = error.hint().map(Into::into);
        problem.document.line = error.place.map(|place| place.line as u32);
        problem.document.column = error.place.map(|place| place.column as u32);
        problem
    }
}

impl From<SubmissionError> for Problem {
    fn from(error: SubmissionError) -> Self {
        Self::new(error.code(), StatusCode::UNPROCESSABLE_ENTITY, "Unsound report", error.to_string())
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let (code, status, title) = match &refusal {
            Refusal::Unsound(error) => return error.clone().into(),
            Refusal::Early { .. } => ("report-early", StatusCode::UNPROCESSABLE_ENTITY, "Too early"),
            Refusal::NotYetOpen { .. } => ("collection-not-open", StatusCode::CONFLICT, "Not open yet"),
            Refusal::Closed => ("collection-closed", StatusCode::GONE, "Closed"),
            Refusal::Conflict { .. } => ("report-conflict", StatusCode::CONFLICT, "Another report"),
            Refusal::Withdrawn { .. } => ("report-withdrawn", StatusCode::GONE, "Withdrawn"),
            Refusal::TokenInvalid => ("token-invalid", StatusCode::FORBIDDEN, "Unsigned token"),
            Refusal::TokenSpent => ("token-spent", StatusCode::CONFLICT, "Spent token"),
            Refusal::Text => ("report-text", StatusCode::UNPROCESSABLE_ENTITY, "Unsound report"),
        };
        Self::new(code, status, title, refusal.to_string())
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "the store failed");
        match error {
            StoreError::Full => {
                let detail = "there is no room left; nothing was stored";
                Self::new("store-full", StatusCode::INSUFFICIENT_STORAGE, "Store full", detail)
                    .retry_after(30)
            }
            StoreError::Unavailable(_) => {
                let detail = "the store cannot be reached; nothing was stored";
                Self::new("store-unavailable", StatusCode::SERVICE_UNAVAILABLE, "No store", detail)
                    .retry_after(2)
            }
            StoreError::Newer { .. } | StoreError::Damaged(_) => Self::internal(),
        }
    }
}

impl From<IntakeError> for Problem {
    fn from(error: IntakeError) -> Self {
        let busy = |code, title| {
            Self::new(code, StatusCode::SERVICE_UNAVAILABLE, title, error.to_string()).retry_after(1)
        };
        match &error {
            IntakeError::Full => busy("too-busy", "Too busy"),
            IntakeError::ShuttingDown => busy("shutting-down", "Shutting down"),
            IntakeError::Store(error) => error.clone().into(),
        }
    }
}

impl From<MergeError> for Problem {
    fn from(error: MergeError) -> Self {
        Self::new(error.code(), StatusCode::UNPROCESSABLE_ENTITY, "Unsound summary", error.to_string())
    }
}

impl From<ParameterError> for Problem {
    fn from(error: ParameterError) -> Self {
        let mut problem =
            Self::new(error.code(), StatusCode::BAD_REQUEST, "Wrong parameter", error.to_string());
        problem.document.hint = error.hint().map(Into::into);
        problem
    }
}

impl From<EstimateError> for Problem {
    fn from(error: EstimateError) -> Self {
        let status = match &error {
            // There are reports enough, but not such as the mechanism makes.
            EstimateError::Damaged { .. } | EstimateError::Foreign { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::CONFLICT,
        };
        Self::new(error.code(), status, "No estimate", error.to_string())
    }
}

impl From<AnswerError> for Problem {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Estimate(error) => error.into(),
            AnswerError::Parameter(error) => error.into(),
            AnswerError::Store(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waiting for more reports helps against too few of them, and not against counters that cannot be right.
    #[test]
    fn damage_is_told_from_too_few_reports() {
        let damaged = EstimateError::Damaged { reason: "for a test" };
        let few = EstimateError::TooFewReports { needed: 1, got: 0 };
        assert_eq!([damaged, few].map(|error| Problem::from(error).status().as_u16()), [422, 409]);
    }
}
