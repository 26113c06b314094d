//! Showing a token.

use super::layout::secure;
use super::session::{Session, no_token_cookie, token_cookie};
use super::words::Fields;
use super::{Page, PageError};
use crate::api::App;
use crate::tokens::Right;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::html;
use std::sync::Arc;

/// The form, in place of a page that needs a token.
pub(super) fn form(session: &Session, right: Right) -> Page {
    let needs = match right {
        Right::Read => "Whoever sees what was learned here needs a token.",
        Right::Manage => "Whoever creates and closes collections here needs the token of the managers.",
    };
    form_with(session, needs, None)
}

fn form_with(session: &Session, needs: &str, problem: Option<&str>) -> Page {
    let body = html! {
        h1 { "Sign in" }
        p.lead { (needs) }
        @if let Some(problem) = problem {
            p.notice.error #problem role="alert" { (problem) }
        }
        form.panel.narrow method="post" action="/sign-in" {
            input type="hidden" name="key" value=(session.key());
            input type="hidden" name="to" value=(session.address);
            label for="token" { "Token" }
            input #token type="password" name="token" required autocomplete="current-password"
                aria-describedby=[problem.map(|_| "problem")];
            p.hint { "It is in the file that the collector was started with. It stays in this browser for twelve hours." }
            button.button type="submit" { "Sign in" }
        }
    };
    Page::new("Sign in", body).status(StatusCode::UNAUTHORIZED).keyed(session)
}

/// The form by itself.
pub(super) async fn page(mut session: Session) -> Page {
    "/".clone_into(&mut session.address);
    form_with(&session, "Whoever sees what was learned here, or creates collections, may need a token.", None)
        .status(StatusCode::OK)
}

/// Takes a token.
pub(super) async fn enter(
    State(app): State<Arc<App>>,
    mut session: Session,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PageError> {
    let fields = Fields::read(&app, &headers, body).await?;
    session.check_form(fields.get("key"))?;
    session.address = local(fields.get("to").unwrap_or("/")).to_owned();
    let token = fields.get("token").unwrap_or_default().trim();
    let is_known = [app.access.manage, app.access.read].into_iter().flatten().any(|known| known.is(token));
    if !is_known {
        let needs = "Whoever sees what was learned here, or creates collections, may need a token.";
        return Ok(form_with(&session, needs, Some("This is not a token of this collector.")).into_response());
    }
    let cookie = [(SET_COOKIE, token_cookie(token, app.is_tls))];
    Ok(secure((cookie, Redirect::to(&session.address)).into_response()))
}

/// Forgets a token.
pub(super) async fn leave(
    State(app): State<Arc<App>>,
    session: Session,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PageError> {
    let fields = Fields::read(&app, &headers, body).await?;
    session.check_form(fields.get("key"))?;
    Ok(secure(([(SET_COOKIE, no_token_cookie())], Redirect::to("/")).into_response()))
}

/// An address of this collector; the first page in place of any other.
fn local(address: &str) -> &str {
    let is_local = address.starts_with('/') && !address.starts_with("//");
    let is_plain = address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_local && is_plain { address } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn nobody_is_sent_elsewhere() {
        assert_eq!(local("/collections/ab?by=region"), "/collections/ab?by=region");
        for elsewhere in ["//evil.example", "https://evil.example", "/\\evil.example", "", "x", "/a\r\nb: c"]
        {
            assert_eq!(local(elsewhere), "/", "{elsewhere}");
        }
    }
}
