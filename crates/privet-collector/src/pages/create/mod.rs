//! Creating a collection: from a form, or from the text of a policy.

mod advice;
mod draft;
mod form;

use super::layout::{Room, secure};
use super::session::Session;
use super::words::Fields;
use super::{Page, PageError};
use crate::api::{App, Problem, keep_policy, resolve_policy};
use crate::tokens::Right;
use advice::Advice;
use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use draft::{Draft, Written};
use serde_json::{Value, json};
use std::sync::Arc;

/// What a visitor has written so far.
#[derive(Debug)]
enum Source {
    /// Fields of the form.
    Form(Draft),
    /// The text of a policy, and whether reports need tokens.
    Text { policy: String, tokens: bool, people: String },
}

impl Source {
    fn read(fields: &Fields) -> Self {
        match fields.get("policy") {
            None => Self::Form(Draft::read(fields)),
            Some(policy) => Self::Text {
                policy: policy.to_owned(),
                tokens: fields.get("tokens").is_some(),
                people: fields.get("people").unwrap_or_default().to_owned(),
            },
        }
    }

    /// The text of the policy, with what each line came from.
    fn written(&self) -> Written {
        match self {
            Self::Form(draft) => draft.written(),
            Self::Text { policy, .. } => Written::as_it_is(policy),
        }
    }

    fn needs_tokens(&self) -> bool {
        match self {
            Self::Form(draft) => draft.tokens,
            Self::Text { tokens, .. } => *tokens,
        }
    }

    fn people(&self) -> &str {
        match self {
            Self::Form(draft) => &draft.people,
            Self::Text { people, .. } => people,
        }
    }
}

/// What is wrong with what was written, and where.
#[derive(Debug)]
struct Mistake {
    problem: Problem,
    /// The field of the form that it came from.
    field: Option<String>,
}

impl Mistake {
    fn of(problem: Problem, written: &Written) -> Self {
        let field = problem.told().line.and_then(|line| written.field(line as usize)).map(str::to_owned);
        Self { problem, field }
    }
}

/// The empty form.
pub(super) async fn page(
    State(app): State<Arc<App>>,
    session: Session,
    RawQuery(query): RawQuery,
) -> Result<Page, PageError> {
    session.demand(&app, Right::Manage)?;
    let query = Fields::parse(query.unwrap_or_default().as_bytes());
    let source = match query.get("from") {
        Some("text") => {
            let policy = Draft::example(app.clock.today()).written().text;
            Source::Text { policy, tokens: false, people: String::new() }
        }
        _ => Source::Form(Draft::empty(app.clock.today())),
    };
    Ok(show(&session, &source, None))
}

fn show(session: &Session, source: &Source, result: Option<Result<&Advice, &Mistake>>) -> Page {
    let body = form::body(session.key(), source, result);
    Page::new("New collection", body).room(Room::New).script("new.js").keyed(session)
}

/// Adds or removes a question, looks at the policy, or creates the collection: whatever button was pressed.
pub(super) async fn act(
    State(app): State<Arc<App>>,
    session: Session,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PageError> {
    session.demand(&app, Right::Manage)?;
    let fields = Fields::read(&app, &headers, body).await?;
    session.check_form(fields.get("key"))?;
    let mut source = Source::read(&fields);
    let wish = fields.get("do").unwrap_or("look");
    if let (Source::Form(draft), true) = (&mut source, wish != "look" && wish != "create") {
        draft.change(wish);
        return Ok(show(&session, &source, None).into_response());
    }
    let written = source.written();
    let (people, with_tokens, is_wanted) =
        (source.people().to_owned(), source.needs_tokens(), wish == "create");
    let text = written.text.clone();
    let work = move |app: &App| {
        let policy = resolve_policy(&text)?;
        if is_wanted {
            keep_policy(app, &policy, with_tokens)?;
            return Ok((policy.id().to_string(), None));
        }
        Ok((policy.id().to_string(), Some(Advice::of(&policy, &people))))
    };
    match app.with_patience(work).await {
        Ok((_, Some(advice))) => Ok(show(&session, &source, Some(Ok(&advice))).into_response()),
        Ok((id, None)) => Ok(secure(Redirect::to(&format!("/collections/{id}")).into_response())),
        Err(problem) if problem.status().is_client_error() => {
            let mistake = Mistake::of(problem, &written);
            let page = show(&session, &source, Some(Err(&mistake)));
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY).into_response())
        }
        Err(problem) => Err(problem.into()),
    }
}

/// What the policy of a form would be, for the script that asks while somebody writes.
pub(super) async fn look(
    State(app): State<Arc<App>>,
    session: Session,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, Problem> {
    if !session.may(&app, Right::Manage) {
        return Err(Problem::unauthorized(session.is_signed_in()));
    }
    let fields = Fields::read(&app, &headers, body).await?;
    session.check_form(fields.get("key"))?;
    let source = Source::read(&fields);
    let (written, people) = (source.written(), source.people().to_owned());
    let text = written.text.clone();
    let looked = app.with_patience(move |_| Ok(Advice::of(&*resolve_policy(&text)?, &people))).await;
    let (html, field) = match looked {
        Ok(advice) => (form::outcome(&source, Ok(&advice)), None),
        Err(problem) if problem.status().is_client_error() => {
            let mistake = Mistake::of(problem, &written);
            (form::outcome(&source, Err(&mistake)), mistake.field)
        }
        Err(problem) => return Err(problem),
    };
    Ok(Json(json!({ "html": html.into_string(), "field": field })))
}
