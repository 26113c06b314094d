//! The HTTP surface: one file for each resource, all problems in one.

mod collections;
mod cross;
mod estimate;
mod export;
mod guard;
mod problem;
mod reports;
mod request;
mod service;
mod summaries;
mod tokens;

use crate::clock::Clock;
use crate::collection::Collection;
use crate::collections::Collections;
use crate::config::Limits;
use crate::estimates::Caches;
use crate::ingest::{Gate, Intake};
use crate::metrics::Metrics;
use crate::pages;
use crate::store::Store;
use crate::tokens::{Access, Right};
use axum::Router;
use axum::http::HeaderMap;
use axum::middleware::from_fn_with_state;
pub(crate) use collections::{Stage, close_collection, keep_policy, resolve_policy, stage, statement_text};
pub(crate) use estimate::{Asked, estimate_document, estimated};
pub(crate) use export::export_reports;
pub(crate) use guard::Visitors;
use privet_policy::PolicyId;
pub(crate) use problem::Problem;
pub(crate) use request::{read_body, read_hex};
use std::sync::Arc;
use tokio::sync::Semaphore;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) collections: Collections,
    pub(crate) intake: Intake,
    pub(crate) gate: Gate,
    pub(crate) caches: Caches,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) access: Access,
    pub(crate) limits: Limits,
    pub(crate) clock: Clock,
    /// Whether it speaks TLS itself.
    pub(crate) is_tls: bool,
    pub(crate) visitors: Visitors,
    /// Work that takes long: this much at once.
    pub(crate) heavy: Arc<Semaphore>,
}

impl App {
    /// Does something with the store on a thread that may wait.
    pub(crate) async fn with_store<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let app = Arc::clone(self);
        tokio::task::spawn_blocking(move || work(&app)).await.map_err(|_| Problem::internal())?
    }

    /// Does something that takes long, when it is its turn.
    pub(crate) async fn with_patience<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = Arc::clone(&self.heavy).acquire_owned().await.map_err(|_| Problem::internal())?;
        self.with_store(move |app| {
            let _turn = turn;
            work(app)
        })
        .await
    }

    /// The collection of a path.
    pub(crate) async fn collection(self: &Arc<Self>, id: &str) -> Result<Arc<Collection>, Problem> {
        let id: PolicyId = id.parse().map_err(|_| Problem::unknown_collection())?;
        if let Some(known) = self.collections.known(id) {
            return Ok(known);
        }
        let found = self.with_store(move |app| Ok(app.collections.find(&*app.store, id)?)).await?;
        found.ok_or_else(Problem::unknown_collection)
    }

    /// Refuses who does not hold the token for something.
    fn authorize(&self, right: Right, headers: &HeaderMap) -> Result<(), Problem> {
        let sent = request::bearer(headers);
        if self.access.allows(right, sent) { Ok(()) } else { Err(Problem::unauthorized(sent.is_some())) }
    }

    /// The same for what is not possible at all unless operators have a token.
    fn authorize_strictly(&self, headers: &HeaderMap) -> Result<(), Problem> {
        if self.access.manage.is_none() {
            return Err(Problem::no_manager());
        }
        self.authorize(Right::Manage, headers)
    }
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Privet collector",
        description = "Takes reports that were randomised on people's devices, and says what they add up to. \
                       All errors are problem documents (RFC 9457) with a stable `type`."
    ),
    components(schemas(problem::ProblemDocument)),
    modifiers(&BearerScheme)
)]
struct Document;

struct BearerScheme;

impl utoipa::Modify for BearerScheme {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
        let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        if let Some(components) = &mut document.components {
            components.add_security_scheme("bearer", bearer);
        }
    }
}

fn documented() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(collections::create, collections::list))
        .routes(routes!(collections::show))
        .routes(routes!(collections::policy))
        .routes(routes!(collections::close))
        .routes(routes!(collections::recount))
        .routes(routes!(reports::submit))
        .routes(routes!(reports::withdraw))
        .routes(routes!(summaries::add))
        .routes(routes!(tokens::sign))
        .routes(routes!(estimate::estimate))
        .routes(routes!(estimate::export))
        .routes(routes!(cross::cross_table))
        .routes(routes!(export::export))
        .routes(routes!(service::mechanisms))
        .routes(routes!(service::health))
        .routes(routes!(service::metrics))
        .routes(routes!(service::document))
}

/// The OpenAPI document.
fn openapi() -> utoipa::openapi::OpenApi {
    documented().into_openapi()
}

/// Everything that is served.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let (router, _) = documented().split_for_parts();
    router
        .merge(pages::routes())
        .fallback(async |headers: HeaderMap| pages::problem_for(&headers, Problem::unknown_page()))
        .method_not_allowed_fallback(async |headers: HeaderMap| {
            pages::problem_for(&headers, Problem::method())
        })
        .layer(from_fn_with_state(Arc::clone(app), guard::guard))
        .with_state(Arc::clone(app))
}
