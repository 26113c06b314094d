//! Estimates.

use super::App;
use super::collections::ShownSource;
use super::problem::Problem;
use super::request::{Binary, Parameters};
use crate::collection::Collection;
use crate::estimates::{Age, Judged, JudgedDocument, Question, answer};
use crate::export::{Format, estimates_table};
use crate::records::Holdings;
use crate::tokens::Right;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use privet_core::{Probability, Target};
use privet_policy::Slice;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Which people estimates are about.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum AskedTarget {
    /// Those who reported; where a lottery decided who answers which question, all who took part in it.
    #[default]
    Reported,
    /// The population that they were drawn from, each independently of the others.
    Population,
}

impl From<AskedTarget> for Target {
    fn from(asked: AskedTarget) -> Self {
        match asked {
            AskedTarget::Reported => Self::Reported,
            AskedTarget::Population => Self::Population,
        }
    }
}

/// What is asked.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Asked {
    /// One attribute; all of them if it is left out.
    attribute: Option<String>,
    /// A public field: one estimate for each of its values.
    by: Option<String>,
    /// One epoch, counted from 0; all of them if it is left out.
    epoch: Option<u32>,
    /// The share of forged reports that robust estimates allow for, 0.01 if it is left out.
    fakes: Option<f64>,
    /// Into how many parts distributions are cut, 50 if it is left out.
    bins: Option<u32>,
    /// Which people it is about, those who reported if it is left out.
    #[serde(default)]
    #[param(inline)]
    target: AskedTarget,
    /// Whether distributions must be as new as the newest report.
    #[serde(default)]
    fresh: bool,
}

/// What is learned.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Estimated {
    /// The policy's id.
    collection: String,
    name: String,
    /// How many reports count.
    reports: u64,
    minimum_reports: u32,
    /// Summaries of other collectors among them.
    sources: Vec<ShownSource>,
    /// One for each attribute and slice: `attribute`, `public`, `epoch`, `n`, `guarantee`, `withheld`; and unless withheld `value`,
    /// `standard_error`, `bias_bound`, `interval`, `method`, `target` (or `estimates` with these for each category, cell or
    /// coordinate), `distribution` with its `distribution_n`, `plausibility`, `influence` (the most that one report can change) and
    /// `robust` (bounds on the truth although some reports are forged, with the noise of the others).
    #[schema(value_type = Vec<Object>)]
    estimates: Vec<JudgedDocument>,
}

const FAKES: f64 = 0.01;

/// Estimate the attributes of a collection.
#[utoipa::path(
    get, path = "/v1/collections/{id}/estimate", tag = "estimates", params(("id" = String, Path, description = "The policy's id"), Asked),
    security((), ("bearer" = [])), responses((status = 200, description = "What is learned", body = Estimated), Problem)
)]
pub(super) async fn estimate(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Parameters(asked): Parameters<Asked>,
    headers: HeaderMap,
) -> Result<Json<Estimated>, Problem> {
    app.authorize(Right::Read, &headers)?;
    let collection = app.collection(&id).await?;
    app.with_store(move |app| Ok(Json(estimate_document(app, &collection, &asked)?))).await
}

/// Everything that is asked, in one document.
pub(crate) fn estimate_document(
    app: &App,
    collection: &Arc<Collection>,
    asked: &Asked,
) -> Result<Estimated, Problem> {
    let holdings = Holdings::read(&*app.store, collection)?;
    let terms = collection.policy.terms();
    let estimates = estimated(app, collection, &holdings, asked)?;
    Ok(Estimated {
        collection: collection.policy.id().to_string(),
        name: terms.name.clone(),
        reports: holdings.reports(),
        minimum_reports: terms.minimum_reports,
        sources: ShownSource::all(&holdings),
        estimates: estimates.iter().map(Judged::document).collect(),
    })
}

/// The estimates that are asked for.
pub(crate) fn estimated(
    app: &App,
    collection: &Arc<Collection>,
    holdings: &Holdings,
    asked: &Asked,
) -> Result<Vec<Judged>, Problem> {
    Ok(answer(collection, &app.caches, holdings, &question(collection, asked)?)?)
}

/// How estimates leave.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct AskedTable {
    /// How the table is written.
    #[param(inline)]
    format: Format,
    /// One attribute; all of them if it is left out.
    attribute: Option<String>,
    /// A public field: estimates for each of its values.
    by: Option<String>,
    /// One epoch, counted from 0; all of them if it is left out.
    epoch: Option<u32>,
    /// Into how many parts distributions are cut, 50 if it is left out.
    bins: Option<u32>,
    /// Which people it is about, those who reported if it is left out.
    #[serde(default)]
    #[param(inline)]
    target: AskedTarget,
    /// Whether distributions must be as new as the newest report.
    #[serde(default)]
    fresh: bool,
}

/// Get the estimates of a collection as a table: a row for each category, mean, bin, range and quantile.
#[utoipa::path(
    get, path = "/v1/collections/{id}/estimate/export", tag = "estimates",
    params(("id" = String, Path, description = "The policy's id"), AskedTable), security((), ("bearer" = [])),
    responses(
        (status = 200, description = "What is learned", content(
            (String = "text/csv"), (String = "application/x-ndjson"), (Binary = "application/vnd.apache.parquet")
        )),
        Problem,
    )
)]
pub(super) async fn export(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Parameters(asked): Parameters<AskedTable>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    app.authorize(Right::Read, &headers)?;
    let collection = app.collection(&id).await?;
    let AskedTable { format, attribute, by, epoch, bins, target, fresh } = asked;
    let asked = Asked { attribute, by, epoch, fakes: None, bins, target, fresh };
    let table = app
        .with_store(move |app| {
            let holdings = Holdings::read(&*app.store, &collection)?;
            let estimates = estimated(app, &collection, &holdings, &asked)?;
            let documents: Vec<JudgedDocument> = estimates.iter().map(Judged::document).collect();
            estimates_table(&documents, format).map_err(|_| Problem::internal())
        })
        .await?;
    Ok(([(CONTENT_TYPE, format.media_type())], table).into_response())
}

fn question(collection: &Collection, asked: &Asked) -> Result<Question, Problem> {
    let attributes = match &asked.attribute {
        Some(name) => vec![attribute_index(collection, name)?],
        None => (0..collection.policy.attributes().len()).collect(),
    };
    let slices = match &asked.by {
        None => vec![Slice::All],
        Some(name) => {
            let fields = &collection.policy.terms().public;
            let field = fields.iter().position(|field| field.name == *name);
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            let field = field.ok_or_else(|| Problem::unknown_name("public field", name, &names))?;
            (0..fields[field].values.len()).map(|value| Slice::Public { field, value }).collect()
        }
    };
    let age = if asked.fresh { Age::Fresh } else { Age::Any };
    let fakes = Probability::new(asked.fakes.unwrap_or(FAKES))?;
    let bins = checked_bins(asked.bins)?;
    let (epoch, target) = (checked_epoch(collection, asked.epoch)?, asked.target.into());
    Ok(Question { attributes, slices, epoch, fakes, bins, target, age })
}

const BINS: u32 = 50;
const MOST_BINS: u32 = 512;

fn checked_bins(bins: Option<u32>) -> Result<usize, Problem> {
    let bins = bins.unwrap_or(BINS);
    if (1..=MOST_BINS).contains(&bins) {
        return Ok(bins as usize);
    }
    Err(Problem::query(format!("a distribution has from 1 to {MOST_BINS} bins: got {bins}")))
}

/// The index of an attribute.
pub(super) fn attribute_index(collection: &Collection, name: &str) -> Result<usize, Problem> {
    let attributes = &collection.policy.terms().attributes;
    let names: Vec<&str> = attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    let index = names.iter().position(|known| *known == name);
    index.ok_or_else(|| Problem::unknown_name("attribute", name, &names))
}

/// An epoch that the collection has.
pub(super) fn checked_epoch(collection: &Collection, epoch: Option<u32>) -> Result<Option<u32>, Problem> {
    let epochs = collection.policy.epochs();
    match epoch {
        Some(epoch) if epoch >= epochs => {
            Err(Problem::query(format!("the collection has {epochs} epochs: got {epoch}, counted from 0")))
        }
        epoch => Ok(epoch),
    }
}
