//! Raw reports, for operators.

use super::App;
use super::problem::Problem;
use super::request::Parameters;
use crate::collection::Collection;
use crate::export::{Format, pieces, write_reports};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;

/// What is asked.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// How the table is written.
    #[param(inline)]
    format: Format,
}

/// Get all kept reports as a table, with their epochs and public fields. They hold the ids by which people can withdraw them.
#[utoipa::path(
    get, path = "/v1/collections/{id}/export", tag = "reports", params(("id" = String, Path, description = "The policy's id"), Asked),
    security(("bearer" = [])),
    responses(
        (status = 200, description = "All kept reports", content(
            (String = "text/csv"), (String = "application/x-ndjson"), (Vec<u8> = "application/vnd.apache.parquet")
        )),
        Problem,
    )
)]
pub(super) async fn export(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Parameters(asked): Parameters<Asked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    app.authorize_strictly(&headers)?;
    let collection = app.collection(&id).await?;
    Ok(export_reports(app, collection, asked.format))
}

/// The table, piece by piece.
pub(crate) fn export_reports(app: Arc<App>, collection: Arc<Collection>, format: Format) -> Response {
    let (destination, table) = pieces();
    tokio::task::spawn_blocking(move || {
        let alarm = destination.alarm();
        if let Err(error) = write_reports(&*app.store, &collection, format, destination) {
            tracing::warn!(%error, "an export ended early");
            alarm.sound();
        }
    });
    ([(CONTENT_TYPE, format.media_type())], Body::from_stream(table)).into_response()
}
