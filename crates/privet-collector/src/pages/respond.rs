//! The respondent's page. Its questions are asked by a script, because answers are randomised before they leave the device: there is
//! no form here that a browser could send.

use super::{Page, PageError};
use crate::api::{App, Stage, stage, statement_text};
use crate::collection::Collection;
use axum::extract::{Path, State};
use maud::{Markup, html};
use std::sync::Arc;

/// The page on which a person answers. Everybody may see it: it shows what the policy says, and no reports.
pub(super) async fn page(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Page, PageError> {
    let collection = app.collection(&id).await?;
    let shown = Arc::clone(&collection);
    let stage = app.with_store(move |app| stage(app, &shown)).await?;
    let name = collection.policy.terms().name.clone();
    Ok(Page::new(name, body(&collection, stage)).style("respond/respond.css").script("respond/main.js"))
}

fn body(collection: &Collection, stage: Stage) -> Markup {
    let policy = &collection.policy;
    let terms = policy.terms();
    let stage = if stage == Stage::Closed { "closed" } else { "open" };
    html! {
        p.facts { (terms.origin) " asks, from " (terms.opens) " to " (terms.closes) }
        h1 { (terms.name) }
        p.lead { (terms.purpose) }
        details {
            summary { "The privacy statement" }
            pre.words tabindex="0" { (statement_text(collection)) }
            p {
                "The record of what you answered, and the secret behind permanent answers, are kept in this browser. If you clear its "
                "storage, or answer in another browser, they are gone: what was spent is no longer known, and permanent answers are "
                "drawn again and cost as much again."
            }
        }
        noscript {
            div.notice.error {
                p {
                    "Answers are randomised on your own device, and that takes JavaScript. Without it this page asks nothing and sends "
                    "nothing. Allow JavaScript for this site and reload the page."
                }
            }
        }
        div #respond data-collection=(policy.id()) data-stage=(stage) data-tokens=(collection.tokens.is_some()) {}
    }
}
