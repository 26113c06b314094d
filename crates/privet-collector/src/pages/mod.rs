//! Pages for people: made here, readable without scripts, and without a request to anybody else.

mod assets;
mod collection;
mod create;
mod error;
mod explore;
mod home;
mod layout;
mod session;
mod sign_in;
mod words;

pub(crate) use error::PageError;
pub(crate) use layout::Page;

use crate::api::App;
use crate::api::Problem;
use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use std::sync::Arc;

/// The addresses of all pages.
pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/", get(home::page))
        .route("/live.json", get(home::live))
        .route("/collections/{id}", get(collection::page))
        .route("/collections/{id}/close", post(collection::close))
        .route("/collections/{id}/estimates.json", get(collection::estimates))
        .route("/collections/{id}/export/{name}", get(collection::export))
        .route("/new", get(create::page).post(create::act))
        .route("/new/look", post(create::look))
        .route("/explore", get(explore::page))
        .route("/sign-in", get(sign_in::page).post(sign_in::enter))
        .route("/sign-out", post(sign_in::leave))
        .route("/assets/{version}/{*name}", get(assets::serve))
}

/// A problem in the language of who asks: a page for browsers, a document for programs.
pub(crate) fn problem_for(headers: &HeaderMap, problem: Problem) -> Response {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accepted.contains("text/html") {
        PageError::from(problem).into_response()
    } else {
        problem.into_response()
    }
}
