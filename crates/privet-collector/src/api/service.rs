//! What is not about a collection.

use super::App;
use super::problem::Problem;
use crate::ingest::IntakeError;
use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use privet_policy::registry;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use utoipa::ToSchema;

/// A mechanism.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Mechanism {
    id: &'static str,
    title: &'static str,
    synonyms: &'static [&'static str],
    domain: &'static str,
    goal: &'static str,
    guarantee: &'static str,
    numerics: &'static str,
    slack: &'static str,
    reference: &'static str,
    status: &'static str,
}

/// List the mechanisms that policies can name.
#[utoipa::path(
    get, path = "/v1/mechanisms", tag = "service",
    responses((status = 200, description = "All mechanisms", body = Vec<Mechanism>), Problem)
)]
pub(super) async fn mechanisms() -> Json<Vec<Mechanism>> {
    let mechanism = |row: &'static registry::MechanismRow| {
        let info = &row.info;
        Mechanism {
            id: info.id,
            title: info.title,
            synonyms: info.synonyms,
            domain: info.domain,
            goal: info.goal,
            guarantee: info.guarantee,
            numerics: info.numerics.as_str(),
            slack: info.slack,
            reference: info.reference,
            status: info.status,
        }
    };
    Json(registry::mechanisms().map(mechanism).collect())
}

/// How the collector is.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// `ok`
    status: &'static str,
}

/// Whether the collector works, its writer and its store included.
#[utoipa::path(
    get, path = "/healthz", tag = "service", responses((status = 200, description = "It works", body = Health), Problem)
)]
pub(super) async fn health(State(app): State<Arc<App>>) -> Result<Json<Health>, Problem> {
    if app.intake.is_stopped() {
        return Err(IntakeError::ShuttingDown.into());
    }
    app.with_store(|app| Ok(app.store.read()?.commit()?)).await?;
    Ok(Json(Health { status: "ok" }))
}

/// Numbers for operators, in the text format of Prometheus.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses((status = 200, description = "All numbers", body = String, content_type = "text/plain"), Problem)
)]
pub(super) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let page = app.metrics.page(app.gate.used());
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], page).into_response()
}

/// This document.
#[utoipa::path(
    get, path = "/openapi.json", tag = "service", responses((status = 200, description = "OpenAPI 3.1", body = Object), Problem)
)]
pub(super) async fn document() -> Result<Json<Value>, Problem> {
    serde_json::to_value(super::openapi()).map(Json).map_err(|_| Problem::internal())
}
