//! What people see when something cannot be done.

use super::Page;
use super::session::Session;
use super::sign_in;
use crate::api::Problem;
use crate::tokens::Right;
use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use maud::html;

/// Why a page is another one than was asked for.
#[derive(Debug)]
pub(crate) enum PageError {
    Problem(Problem),
    /// The visitor has to show a token first.
    SignIn {
        session: Session,
        right: Right,
    },
}

impl<P: Into<Problem>> From<P> for PageError {
    fn from(problem: P) -> Self {
        Self::Problem(problem.into())
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        match self {
            Self::SignIn { session, right } => sign_in::form(&session, right).into_response(),
            Self::Problem(problem) => problem_page(&problem),
        }
    }
}

fn problem_page(problem: &Problem) -> Response {
    let told = problem.told();
    let body = html! {
        h1 { (told.title) }
        p.lead { (sentence(&told.detail)) }
        @if let Some(hint) = &told.hint { p { (sentence(hint)) } }
        p { a.button href="/" { "To the collections" } }
    };
    let mut response = Page::new(told.title, body).status(problem.status()).into_response();
    if let Some(seconds) = problem.seconds_to_wait() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// A message as a sentence of its own.
pub(super) fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}
