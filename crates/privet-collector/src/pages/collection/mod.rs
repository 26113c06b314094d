//! One collection: what was learned, how sure that is, and what it rests on.

mod actions;
mod over_time;
mod pictures;
mod question;
mod shares;

pub(super) use actions::{close, estimates, export};

use super::home::badge;
use super::layout::Room;
use super::session::Session;
use super::words::{count, counted, number};
use super::{Page, PageError};
use crate::api::{App, Asked, Problem, Stage, estimated, stage, statement_text};
use crate::collection::Collection;
use crate::estimates::Judged;
use crate::records::Holdings;
use crate::tokens::Right;
use axum::extract::{Path, State};
use maud::{Markup, html};
use over_time::{Breakdown, History, Parts};
use std::sync::Arc;

/// Everything that the page shows.
struct View {
    collection: Arc<Collection>,
    stage: Stage,
    holdings: Holdings,
    estimates: Vec<Judged>,
    histories: Vec<History>,
    breakdowns: Vec<Breakdown>,
    may_manage: bool,
    has_manager: bool,
}

/// The page of a collection.
pub(in crate::pages) async fn page(
    State(app): State<Arc<App>>,
    session: Session,
    Path(id): Path<String>,
) -> Result<Page, PageError> {
    session.demand(&app, Right::Read)?;
    let collection = app.collection(&id).await?;
    let may_manage = session.may(&app, Right::Manage);
    let view = app.with_store(move |app| view(app, collection, may_manage)).await?;
    let name = view.collection.policy.terms().name.clone();
    Ok(Page::new(name, body(&view, &session)).room(Room::Collections).script("live.js").keyed(&session))
}

fn view(app: &App, collection: Arc<Collection>, may_manage: bool) -> Result<View, Problem> {
    let holdings = Holdings::read(&*app.store, &collection)?;
    // What programs get by default, so that people and programs see the same digits.
    let estimates = estimated(app, &collection, &holdings, &Asked::default())?;
    let questions = 0..collection.policy.attributes().len();
    let parts = Parts { caches: &app.caches, collection: &collection, holdings: &holdings };
    let histories = questions.clone().map(|index| parts.history(index));
    let breakdowns = questions.map(|index| parts.breakdown(index));
    Ok(View {
        stage: stage(app, &collection)?,
        histories: histories.collect::<Result<_, _>>()?,
        breakdowns: breakdowns.collect::<Result<_, _>>()?,
        estimates,
        holdings,
        may_manage,
        has_manager: app.access.manage.is_some(),
        collection,
    })
}

fn body(view: &View, session: &Session) -> Markup {
    let policy = &view.collection.policy;
    let id = policy.id().to_string();
    html! {
        p.facts { a href="/" { "Collections" } " / " (policy.terms().origin) }
        div.head {
            h1 { (policy.terms().name) " " (badge(view.stage)) }
            @if view.stage == Stage::Open {
                a.button href=(format!("/respond/{id}")) { "Answer the questions" }
            }
        }
        p.lead { (policy.terms().purpose) }
        (stats(view, &id))
        p.notice data-when-newer hidden { "More reports have arrived. " a href=(format!("/collections/{id}")) { "Show what they add up to" } }
        @if view.estimates.iter().any(|judged| judged.answer().is_some()) {
            p.facts {
                "An interval holds for every population: whatever people are like, 95 of 100 such intervals contain the truth."
            }
        }
        @for (index, judged) in view.estimates.iter().enumerate() {
            (question::section(view, index, judged))
        }
        (sources(view))
        (privacy(view))
        (actions::section(view, &id, session.key()))
    }
}

fn stats(view: &View, id: &str) -> Markup {
    let policy = &view.collection.policy;
    let terms = policy.terms();
    html! {
        dl.stats {
            div { dt { "Reports" } dd { span data-live=(id) { (count(view.holdings.reports())) } } }
            div { dt { "Most that a person reveals" } dd { "ε = " (number(policy.statement().total_epsilon)) } }
            div { dt { "Shown from" } dd { (counted(u64::from(terms.minimum_reports), "report", "reports")) } }
            div { dt { "Open from " (terms.opens.to_string()) " to" } dd { (terms.closes.to_string()) } }
        }
    }
}

/// Summaries of other collectors.
fn sources(view: &View) -> Markup {
    html! {
        @if !view.holdings.sources.is_empty() {
            section.panel aria-labelledby="sources" {
                h2 #sources { "From other collectors" }
                div.scroll {
                    table {
                        thead { tr { th scope="col" { "Collector" } th scope="col" { "Epoch" } th scope="col" { "Reports" } } }
                        tbody {
                            @for source in &view.holdings.sources {
                                tr { th scope="row" { (source.name) } td { (source.epoch) } td { (count(source.reports)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn privacy(view: &View) -> Markup {
    html! {
        section.panel aria-labelledby="privacy" {
            h2 #privacy { "What people were promised" }
            p { "A report changes what can be believed about a person’s answer, in odds, by at most a factor of e" sup { "ε" } ". All numbers \
                 are computed from the mechanisms that run, not copied from a formula." }
            details {
                summary { "The whole privacy statement" }
                pre.words tabindex="0" { (statement_text(&view.collection)) }
            }
        }
    }
}
