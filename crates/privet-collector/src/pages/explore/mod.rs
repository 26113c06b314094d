//! The explorer: what one report of a mechanism gives away, and how wrong it is.

mod pictures;
mod question;
mod seen;

use super::layout::Room;
use super::words::{Fields, number};
use super::{Page, PageError};
use crate::api::App;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use maud::{Markup, html};
use privet_policy::registry;
use question::{Asked, Explored, Wrong};
use seen::Seen;
use std::sync::Arc;

/// The page. Its address says everything, so that it can be shared.
pub(super) async fn page(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Result<Page, PageError> {
    let asked = Asked::read(&Fields::parse(query.unwrap_or_default().as_bytes()));
    if asked.is_empty() {
        return Ok(Page::new("Explore", body(&asked, None)).room(Room::Explore));
    }
    let question = asked.clone();
    let explored = app
        .with_patience(move |app| Ok(Explored::of(app, &question).and_then(|one| Seen::of(app, one))))
        .await?;
    let status = if explored.is_ok() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(Page::new("Explore", body(&asked, Some(&explored))).room(Room::Explore).status(status))
}

fn body(asked: &Asked, explored: Option<&Result<Seen, Wrong>>) -> Markup {
    let wrong = explored.and_then(|explored| explored.as_ref().err());
    html! {
        h1 { "Explore a mechanism" }
        p.lead { "A mechanism hides an answer among other possible reports. See what it sends, how wrong that is, and how close it comes to \
                  the best that any mechanism can do." }
        (form(asked, wrong))
        @match explored {
            None => (examples()),
            Some(Err(wrong)) => div.notice.error role="alert" #problem {
                p { strong { "This cannot be shown. " } (super::error::sentence(&wrong.message)) }
                @if let Some(hint) = &wrong.hint { p { (super::error::sentence(hint)) } }
            },
            Some(Ok(seen)) => (pictures::results(seen)),
        }
    }
}

fn form(asked: &Asked, wrong: Option<&Wrong>) -> Markup {
    let is_wrong = |field: &str| wrong.is_some_and(|wrong| wrong.field == field).then_some("true");
    let described =
        |field: &str, hint: &'static str| if is_wrong(field).is_some() { "problem" } else { hint };
    html! {
        form.panel method="get" action="/explore" {
            div.fields {
                div {
                    label for="domain" { "Answers" }
                    input #domain name="domain" value=(asked.domain) required spellcheck="false" autocapitalize="off" list="domains"
                        aria-invalid=[is_wrong("domain")] aria-describedby=(described("domain", "domain-hint"));
                    datalist #domains { @for (domain, _) in DOMAINS { option value=(domain) {} } }
                    p.hint #domain-hint { "binary, categories:red,green,blue, interval:0,1 or circle:360" }
                }
                div {
                    label for="mechanism" { "Mechanism" }
                    select #mechanism name="mechanism" aria-invalid=[is_wrong("mechanism")] aria-describedby=(described("mechanism", "mechanism-hint")) {
                        option value="" { "the best one for an estimate" }
                        @for (domain, title) in KINDS {
                            optgroup label=(title) {
                                @for row in registry::ready_mechanisms().iter().filter(|row| row.info.domain == domain) {
                                    option value=(row.info.id) selected[row.info.id == asked.mechanism] { (row.info.title) }
                                }
                            }
                        }
                    }
                    p.hint #mechanism-hint { "It has to fit the answers." }
                }
                div {
                    label for="epsilon" { "Epsilon" }
                    input #epsilon name="epsilon" value=(asked.epsilon) inputmode="decimal" required
                        aria-invalid=[is_wrong("epsilon")] aria-describedby=(described("epsilon", "epsilon-hint"));
                    p.hint #epsilon-hint { "How much a report may give away: 0.5 little, 1 some, 4 much" }
                }
                div {
                    label for="input" { "The person’s answer" }
                    input #input name="input" value=(asked.input) spellcheck="false" autocapitalize="off"
                        aria-invalid=[is_wrong("input")] aria-describedby=(described("input", "input-hint"));
                    p.hint #input-hint { "Left empty, one is picked." }
                }
            }
            button.button type="submit" { "Show it" }
        }
    }
}

/// Where mechanisms live, as the registry and as people call it.
const KINDS: [(&str, &str); 4] =
    [("binary", "Yes or no"), ("categories", "Choices"), ("interval", "Numbers"), ("circle", "Angles")];

const DOMAINS: [(&str, &str); 4] = [
    ("binary", "A yes or no"),
    ("categories:walk,bicycle,bus,car", "One of four choices"),
    ("interval:0,1", "A number from 0 to 1"),
    ("circle:24", "A time of day"),
];

fn examples() -> Markup {
    html! {
        h2 { "To begin with" }
        ul.cards {
            @for (domain, title) in DOMAINS {
                li.card {
                    h2 { a href=(Asked::new(domain, "1").address()) { (title) } }
                    p { "With ε = " (number(1.0)) ", by the mechanism that estimates best." }
                }
            }
        }
    }
}
