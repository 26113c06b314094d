//! One-time tokens for submissions.

use super::App;
use super::problem::Problem;
use super::request::{Binary, media_type, read_body};
use crate::tokens::SubmissionKey;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

const BYTES: &str = "application/octet-stream";

/// Sign a blinded token (RFC 9474, RSABSSA-SHA384-PSS-Deterministic). Called by whoever knows that a person has had no token yet; neither the
/// caller nor the collector learns the token.
#[utoipa::path(
    post, path = "/v1/collections/{id}/tokens", tag = "tokens", params(("id" = String, Path, description = "The policy's id")),
    security(("bearer" = [])), request_body(content = Binary, content_type = "application/octet-stream"),
    responses((status = 200, description = "The blind signature", body = Binary, content_type = "application/octet-stream"), Problem)
)]
pub(super) async fn sign(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    app.authorize_strictly(&headers)?;
    media_type(&headers, &[BYTES])?;
    let collection = app.collection(&id).await?;
    let (blinded, pass) = read_body(&app.gate, &headers, body, SubmissionKey::SIGNATURE_BYTES).await?;
    app.with_store(move |_| {
        let _pass = pass;
        let key = collection.tokens.as_ref().ok_or_else(Problem::no_tokens)?;
        let signature = key.sign(&blinded).map_err(|error| Problem::blinded(error.to_string()))?;
        Ok(([(CONTENT_TYPE, BYTES)], signature).into_response())
    })
    .await
}
