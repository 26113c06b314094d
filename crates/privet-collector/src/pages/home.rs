//! The first page: all collections, with how many reports each has.

use super::layout::Room;
use super::session::Session;
use super::words::{Fields, count, counted};
use super::{Page, PageError};
use crate::api::{App, Problem, Stage, stage};
use crate::collection::Collection;
use crate::records::Holdings;
use crate::store::CollectionKey;
use crate::tokens::Right;
use axum::Json;
use axum::extract::{RawQuery, State};
use maud::{Markup, html};
use serde_json::{Map, Value};
use std::sync::Arc;

/// How many collections a page shows.
const AT_ONCE: u32 = 48;

/// A collection as the first page shows it.
struct Card {
    id: String,
    name: String,
    purpose: String,
    stage: Stage,
    reports: u64,
    questions: u64,
    closes: String,
}

struct Cards {
    cards: Vec<Card>,
    /// Where the next page begins.
    next: Option<i64>,
}

fn card(app: &App, collection: &Collection) -> Result<Card, Problem> {
    let terms = collection.policy.terms();
    Ok(Card {
        id: collection.policy.id().to_string(),
        name: terms.name.clone(),
        purpose: terms.purpose.clone(),
        stage: stage(app, collection)?,
        reports: Holdings::read(&*app.store, collection)?.reports(),
        questions: terms.attributes.len() as u64,
        closes: terms.closes.to_string(),
    })
}

fn read_cards(app: &App, after: CollectionKey) -> Result<Cards, Problem> {
    let mut transaction = app.store.read()?;
    let stored = transaction.collections(after, AT_ONCE)?;
    transaction.commit()?;
    let next = stored.last().filter(|_| stored.len() == AT_ONCE as usize).map(|last| last.key.0);
    let mut cards = Vec::new();
    for one in &stored {
        if let Some(collection) = app.collections.find(&*app.store, one.id)? {
            cards.push(card(app, &collection)?);
        }
    }
    Ok(Cards { cards, next })
}

/// All collections.
pub(super) async fn page(
    State(app): State<Arc<App>>,
    session: Session,
    RawQuery(query): RawQuery,
) -> Result<Page, PageError> {
    session.demand(&app, Right::Read)?;
    let query = Fields::parse(query.unwrap_or_default().as_bytes());
    let after = match query.get("after") {
        None => 0,
        Some(text) => text.parse::<u32>().map(i64::from).map_err(|_| {
            Problem::query(format!("after is the number at which the page before ended: got {text:?}"))
        })?,
    };
    let found = app.with_store(move |app| read_cards(app, CollectionKey(after))).await?;
    Ok(Page::new("Collections", body(&found)).room(Room::Collections).script("live.js").keyed(&session))
}

fn body(found: &Cards) -> Markup {
    html! {
        div.head {
            h1 { "Collections" }
            a.button href="/new" { "New collection" }
        }
        @if found.cards.is_empty() {
            div.panel {
                h2 { "Nothing is asked yet" }
                p { "A collection asks people some questions. Each answer is randomised on the person’s own device before it is sent; \
                     what many reports add up to is shown here." }
                p { "Try a mechanism first: " a href="/explore" { "the explorer" } " shows what a single report gives away, and how \
                     wrong it is." }
            }
        } @else {
            ul.cards {
                @for card in &found.cards { li.card { (card_body(card)) } }
            }
        }
        @if let Some(next) = found.next {
            p { a href=(format!("/?after={next}")) { "More collections" } }
        }
    }
}

fn card_body(card: &Card) -> Markup {
    html! {
        h2 { a href=(format!("/collections/{}", card.id)) { (card.name) } }
        p { (card.purpose) }
        div.row {
            span { span.big data-live=(card.id) { (count(card.reports)) } " reports" }
            (badge(card.stage))
            span.facts { (counted(card.questions, "question", "questions")) ", until " (card.closes) }
        }
    }
}

/// Whether a collection takes reports, in a word.
pub(super) fn badge(stage: Stage) -> Markup {
    match stage {
        Stage::Open => html! { span.badge.open { "open" } },
        Stage::NotYetOpen => html! { span.badge { "not open yet" } },
        Stage::Closed => html! { span.badge { "closed" } },
    }
}

/// How many reports collections have, as texts by their ids.
pub(super) async fn live(
    State(app): State<Arc<App>>,
    session: Session,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Problem> {
    if !session.may(&app, Right::Read) {
        return Err(Problem::unauthorized(session.is_signed_in()));
    }
    let query = Fields::parse(query.unwrap_or_default().as_bytes());
    let mut counts = Map::new();
    for id in query.all("id").take(AT_ONCE as usize) {
        let collection = app.collection(id).await?;
        let reports =
            app.with_store(move |app| Ok(Holdings::read(&*app.store, &collection)?.reports())).await?;
        counts.insert(id.to_owned(), count(reports).into());
    }
    Ok(Json(Value::Object(counts)))
}
