//! Collections: creating, looking, closing.

use super::App;
use super::problem::Problem;
use super::request::{Parameters, media_type, read_body};
use crate::collection::Collection;
use crate::collections::{Creation, create as keep};
use crate::ingest::{Refusal, opening};
use crate::records::{Holdings, recount as count_again};
use crate::store::{CollectionKey, StoredCollection};
use crate::tokens::Right;
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, ETAG, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use privet_policy::{Date, ResolvedPolicy};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

const TOML: &str = "application/toml";
const JSON: &str = "application/json";

/// How a collection is to be created.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Wishes {
    /// Whether each report needs a one-time token.
    #[serde(default)]
    tokens: bool,
}

/// A collection that was created, now or before.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Created {
    /// The id of its policy: the hash of the resolved text.
    id: String,
    /// Whether it was created now.
    created: bool,
}

/// Create a collection from a policy, in TOML or JSON, written or resolved. `auto` is resolved first; the id is the hash of the result, so
/// creating twice gives the same collection.
#[utoipa::path(
    post, path = "/v1/collections", tag = "collections", params(Wishes), security((), ("bearer" = [])),
    request_body(content((String = "application/toml"), (Object = "application/json"))),
    responses(
        (status = 201, description = "It was created", body = Created),
        (status = 200, description = "It was there before", body = Created),
        Problem,
    )
)]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    Parameters(wishes): Parameters<Wishes>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    app.authorize(Right::Manage, &headers)?;
    media_type(&headers, &[TOML, JSON])?;
    let (bytes, pass) = read_body(&app.gate, &headers, body, app.limits.policy_bytes).await?;
    let text = String::from_utf8(bytes.into()).map_err(|_| Problem::json("a policy is a text in UTF-8"))?;
    let (id, is_new) = app
        .with_patience(move |app| {
            let _pass = pass;
            let policy = resolve_policy(&text)?;
            Ok((policy.id(), keep_policy(app, &policy, wishes.tokens)?))
        })
        .await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let location = [(LOCATION, format!("/v1/collections/{id}"))];
    Ok((status, location, Json(Created { id: id.to_string(), created: is_new })).into_response())
}

/// Reads a policy, and decides what it leaves open.
pub(crate) fn resolve_policy(text: &str) -> Result<Arc<ResolvedPolicy>, Problem> {
    let mut no_files = |_: &str| Err("a collector reads no files: send the resolved policy".to_owned());
    let policy = ResolvedPolicy::read(text, &mut no_files)?;
    // What cannot be counted is not asked.
    Collection::new(CollectionKey(0), Arc::clone(&policy), None)?;
    Ok(policy)
}

/// Keeps a policy; says whether it is a new one.
pub(crate) fn keep_policy(app: &App, policy: &ResolvedPolicy, with_tokens: bool) -> Result<bool, Problem> {
    match keep(&*app.store, policy, with_tokens, app.clock.today())? {
        Creation::New => Ok(true),
        Creation::Known => Ok(false),
        Creation::OtherTokens => Err(Problem::other_tokens()),
    }
}

/// Which collections are listed.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Page {
    /// The `next` of the page before.
    after: Option<u32>,
}

/// Some collections.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Listed {
    collections: Vec<ListedCollection>,
    /// Where the next page begins, if there is one.
    next: Option<i64>,
}

/// A collection in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ListedCollection {
    id: String,
    name: String,
    /// The day on which it was created.
    created: Option<String>,
    /// The day on which it was closed before its time.
    closed: Option<String>,
}

/// The part of a stored policy that a list shows.
#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

const PAGE: u32 = 100;

/// List collections, 100 at a time.
#[utoipa::path(
    get, path = "/v1/collections", tag = "collections", params(Page), security((), ("bearer" = [])),
    responses((status = 200, description = "Some collections", body = Listed), Problem)
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Parameters(page): Parameters<Page>,
    headers: HeaderMap,
) -> Result<Json<Listed>, Problem> {
    app.authorize(Right::Read, &headers)?;
    let after = CollectionKey(page.after.map_or(0, i64::from));
    let stored = app
        .with_store(move |app| {
            let mut transaction = app.store.read()?;
            let stored = transaction.collections(after, PAGE)?;
            transaction.commit()?;
            Ok(stored)
        })
        .await?;
    let next = stored.last().filter(|_| stored.len() == PAGE as usize).map(|last| last.key.0);
    let listed = |stored: &StoredCollection| ListedCollection {
        id: stored.id.to_string(),
        name: serde_json::from_str::<Named>(&stored.policy)
            .map_or_else(|_| String::new(), |named| named.name),
        created: day_text(stored.created),
        closed: stored.closed.and_then(day_text),
    };
    Ok(Json(Listed { collections: stored.iter().map(listed).collect(), next }))
}

fn day_text(day: u32) -> Option<String> {
    Date::from_days_since_1970(day).map(|day| day.to_string())
}

/// Whether a collection takes reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Stage {
    NotYetOpen,
    Open,
    Closed,
}

/// A collection.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Shown {
    id: String,
    name: String,
    purpose: String,
    /// Whether it takes reports.
    state: Stage,
    /// How many reports count.
    reports: u64,
    /// Summaries of other collectors that were added.
    sources: Vec<ShownSource>,
    /// What the policy means for a person, for programs.
    #[schema(value_type = Object)]
    statement: Value,
    /// The same in plain English, with what this collector adds to it.
    statement_text: String,
    /// How many bytes each submission has: a report, and its token where one is needed.
    submission_bytes: usize,
    /// The public key of one-time tokens, if reports need them.
    token_key: Option<String>,
}

/// Where a summary comes from.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ShownSource {
    id: String,
    source: String,
    epoch: u32,
    reports: u64,
    /// The day on which it was added.
    added: Option<String>,
}

impl ShownSource {
    pub(super) fn all(holdings: &Holdings) -> Vec<Self> {
        let shown = |source: &crate::records::Source| Self {
            id: source.id.to_string(),
            source: source.name.clone(),
            epoch: source.epoch,
            reports: source.reports,
            added: day_text(source.day),
        };
        holdings.sources.iter().map(shown).collect()
    }
}

const WITHOUT_TOKENS: &str = "Reports need no token: nothing keeps a person from being counted several times, and whoever carries a \
                              report may link it to you by your network address.";
const WITH_TOKENS: &str = "Each report needs a one-time token. Tokens are signed blindly (RFC 9474): who gives you one cannot link it to \
                           your report.";

/// Show a collection: its state, and what its policy means for a person.
#[utoipa::path(
    get, path = "/v1/collections/{id}", tag = "collections", params(("id" = String, Path, description = "The policy's id")),
    responses((status = 200, description = "The collection", body = Shown), Problem)
)]
pub(super) async fn show(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<Shown>, Problem> {
    let collection = app.collection(&id).await?;
    app.with_store(move |app| {
        let holdings = Holdings::read(&*app.store, &collection)?;
        let policy = &collection.policy;
        let token_key = collection.tokens.as_ref().map(|key| key.public_pem()).transpose();
        Ok(Json(Shown {
            id: policy.id().to_string(),
            name: policy.terms().name.clone(),
            purpose: policy.terms().purpose.clone(),
            state: stage(app, &collection)?,
            reports: holdings.reports(),
            sources: ShownSource::all(&holdings),
            statement: serde_json::to_value(policy.statement()).map_err(|_| Problem::internal())?,
            statement_text: statement_text(&collection),
            submission_bytes: collection.item_bytes(),
            token_key: token_key.map_err(|_| Problem::internal())?,
        }))
    })
    .await
}

/// What the policy means for a person, with what this collector adds to it.
pub(crate) fn statement_text(collection: &Collection) -> String {
    let about_tokens = if collection.tokens.is_some() { WITH_TOKENS } else { WITHOUT_TOKENS };
    format!("{}{about_tokens}\n", collection.policy.statement_text())
}

/// Whether a collection takes reports now.
pub(crate) fn stage(app: &App, collection: &Collection) -> Result<Stage, Problem> {
    Ok(match opening(collection, app.clock) {
        _ if is_closed(app, collection)? => Stage::Closed,
        Ok(_) => Stage::Open,
        Err(Refusal::NotYetOpen { .. }) => Stage::NotYetOpen,
        Err(_) => Stage::Closed,
    })
}

fn is_closed(app: &App, collection: &Collection) -> Result<bool, Problem> {
    let mut transaction = app.store.read()?;
    let stored = transaction.collection(collection.policy.id())?;
    transaction.commit()?;
    Ok(stored.is_none_or(|stored| stored.closed.is_some()))
}

/// Get the resolved policy, byte by byte: its BLAKE3 hash is the collection's id.
#[utoipa::path(
    get, path = "/v1/collections/{id}/policy", tag = "collections", params(("id" = String, Path, description = "The policy's id")),
    responses((status = 200, description = "The policy", body = Object, content_type = "application/json"), Problem)
)]
pub(super) async fn policy(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, Problem> {
    let collection = app.collection(&id).await?;
    let headers = [(CONTENT_TYPE, JSON.to_owned()), (ETAG, format!("\"{}\"", collection.policy.id()))];
    Ok((headers, collection.policy.to_json().to_owned()).into_response())
}

/// Close a collection before its time. Closing twice changes nothing.
#[utoipa::path(
    post, path = "/v1/collections/{id}/close", tag = "collections", params(("id" = String, Path, description = "The policy's id")),
    security((), ("bearer" = [])), responses((status = 204, description = "It takes no more reports"), Problem)
)]
pub(super) async fn close(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    app.authorize(Right::Manage, &headers)?;
    let collection = app.collection(&id).await?;
    app.with_store(move |app| close_collection(app, &collection)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// From now on it takes no reports.
pub(crate) fn close_collection(app: &App, collection: &Collection) -> Result<(), Problem> {
    let mut transaction = app.store.write()?;
    transaction.close_collection(collection.key, app.clock.today())?;
    Ok(transaction.commit()?)
}

/// All epochs, counted again.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Recounted {
    /// Whether all stored counters are right.
    same: bool,
    epochs: Vec<RecountedEpoch>,
}

/// One epoch, counted again.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RecountedEpoch {
    epoch: u32,
    /// How many reports are kept.
    reports: u64,
    /// Whether the stored counters are the same, byte by byte.
    same: bool,
}

/// Count all kept reports again, and compare with the stored counters. Nothing is changed.
#[utoipa::path(
    post, path = "/v1/collections/{id}/recount", tag = "collections", params(("id" = String, Path, description = "The policy's id")),
    security((), ("bearer" = [])), responses((status = 200, description = "What came out", body = Recounted), Problem)
)]
pub(super) async fn recount(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Recounted>, Problem> {
    app.authorize(Right::Manage, &headers)?;
    let collection = app.collection(&id).await?;
    app.with_patience(move |app| {
        let rows = count_again(&*app.store, &collection)?;
        let epochs: Vec<RecountedEpoch> = rows
            .iter()
            .map(|row| RecountedEpoch { epoch: row.epoch, reports: row.reports, same: row.is_same })
            .collect();
        Ok(Json(Recounted { same: epochs.iter().all(|epoch| epoch.same), epochs }))
    })
    .await
}
