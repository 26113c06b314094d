//! What can be done with a collection: taking it along, and closing it.

use super::View;
use crate::api::{App, Asked, Problem, Stage, close_collection, estimate_document, export_reports};
use crate::export::Format;
use crate::pages::PageError;
use crate::pages::layout::secure;
use crate::pages::session::Session;
use crate::pages::words::Fields;
use crate::tokens::Right;
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_DISPOSITION;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use std::sync::Arc;

const FORMATS: [(&str, Format, &str); 3] = [
    ("reports.csv", Format::Csv, "CSV"),
    ("reports.jsonl", Format::Jsonl, "JSON lines"),
    ("reports.parquet", Format::Parquet, "Parquet"),
];

pub(super) fn section(view: &View, id: &str, key: &str) -> Markup {
    html! {
        section.panel aria-labelledby="take" {
            h2 #take { "Take it along" }
            div.buttons {
                a.button.plain href=(format!("/collections/{id}/estimates.json")) download { "Estimates as JSON" }
                a.button.plain href=(format!("/v1/collections/{id}/policy")) download=(format!("{}.json", &id[..12])) { "The policy" }
                @if view.has_manager {
                    @for (name, _, title) in FORMATS {
                        a.button.plain href=(format!("/collections/{id}/export/{name}")) download { "Reports as " (title) }
                    }
                }
            }
            @if !view.has_manager {
                p.hint { "Reports can be taken along on a collector that was started with a token for managers." }
            }
            @if view.stage != Stage::Closed { (close_form(view, id, key)) }
        }
    }
}

fn close_form(view: &View, id: &str, key: &str) -> Markup {
    html! {
        details {
            summary { "Close the collection" }
            @if view.may_manage {
                form method="post" action=(format!("/collections/{id}/close")) {
                    input type="hidden" name="key" value=(key);
                    p { label.check { input type="checkbox" name="sure" value="yes" required; "It takes no more reports, for ever" } }
                    button.button.danger type="submit" { "Close it now" }
                }
            } @else {
                p { "This needs the token of the managers. " a href="/sign-in" { "Sign in" } }
            }
        }
    }
}

/// Closes a collection.
pub(in crate::pages) async fn close(
    State(app): State<Arc<App>>,
    session: Session,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PageError> {
    session.demand(&app, Right::Manage)?;
    let fields = Fields::read(&app, &headers, body).await?;
    session.check_form(fields.get("key"))?;
    if fields.get("sure") != Some("yes") {
        return Err(Problem::query("closing is for ever: tick the box first").into());
    }
    let collection = app.collection(&id).await?;
    app.with_store(move |app| close_collection(app, &collection)).await?;
    Ok(secure(Redirect::to(&format!("/collections/{id}")).into_response()))
}

/// The same document that programs get.
pub(in crate::pages) async fn estimates(
    State(app): State<Arc<App>>,
    session: Session,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    session.demand(&app, Right::Read)?;
    let collection = app.collection(&id).await?;
    let document = app.with_store(move |app| estimate_document(app, &collection, &Asked::default())).await?;
    Ok(attached("estimates.json", Json(document).into_response()))
}

/// All kept reports.
pub(in crate::pages) async fn export(
    State(app): State<Arc<App>>,
    session: Session,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response, PageError> {
    if app.access.manage.is_none() {
        return Err(Problem::no_manager().into());
    }
    session.demand(&app, Right::Manage)?;
    let known = FORMATS.iter().find(|(known, ..)| *known == name);
    let (name, format, _) = known.ok_or_else(Problem::unknown_page)?;
    let collection = app.collection(&id).await?;
    Ok(attached(name, export_reports(app, collection, *format)))
}

/// For the downloads of a browser.
fn attached(name: &str, mut response: Response) -> Response {
    if let Ok(value) = format!("attachment; filename=\"{name}\"").parse() {
        response.headers_mut().insert(CONTENT_DISPOSITION, value);
    }
    secure(response)
}
