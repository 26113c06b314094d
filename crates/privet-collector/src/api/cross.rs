//! Tables of two attributes.

use super::App;
use super::estimate::{AskedTarget, attribute_index, checked_epoch};
use super::problem::Problem;
use super::request::Parameters;
use crate::estimates::{Age, CrossDocument, CrossQuestion, cross_table as estimate};
use crate::tokens::Right;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;

/// What is asked.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// The attribute of the rows.
    rows: String,
    /// The attribute of the columns.
    columns: String,
    /// Into how many bins numbers and angles are put, 4 if it is left out.
    bins: Option<u32>,
    /// One epoch, counted from 0; all of them if it is left out.
    epoch: Option<u32>,
    /// Which people it is about, those who reported if it is left out.
    #[serde(default)]
    #[param(inline)]
    target: AskedTarget,
    /// Whether the table must be as new as the newest report.
    #[serde(default)]
    fresh: bool,
}

const BINS: u32 = 4;

/// How two attributes of the same people go together, from the kept reports.
#[utoipa::path(
    get, path = "/v1/collections/{id}/cross-table", tag = "estimates", params(("id" = String, Path, description = "The policy's id"), Asked),
    security((), ("bearer" = [])), responses((status = 200, description = "The table", body = CrossDocument), Problem)
)]
pub(super) async fn cross_table(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Parameters(asked): Parameters<Asked>,
    headers: HeaderMap,
) -> Result<Json<CrossDocument>, Problem> {
    app.authorize(Right::Read, &headers)?;
    let collection = app.collection(&id).await?;
    let [rows, columns] = [&asked.rows, &asked.columns].map(|name| attribute_index(&collection, name));
    let (rows, columns) = (rows?, columns?);
    if rows == columns {
        return Err(Problem::query("a table has two different attributes"));
    }
    let question = CrossQuestion {
        rows,
        columns,
        bins: asked.bins.unwrap_or(BINS) as usize,
        epoch: checked_epoch(&collection, asked.epoch)?,
        target: asked.target.into(),
        age: if asked.fresh { Age::Fresh } else { Age::Any },
    };
    let crossed =
        app.with_patience(move |app| Ok(estimate(&app.store, &collection, &app.caches, question)?)).await?;
    Ok(Json(crossed.into()))
}
