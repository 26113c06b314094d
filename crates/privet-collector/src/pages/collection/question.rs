//! One question: what was learned, in pictures, numbers and words.

use super::View;
use super::over_time::BrokenDown;
use super::pictures::{self, MOST_BARS};
use super::shares::Named;
use crate::estimates::{Judged, Trust};
use crate::pages::error::sentence;
use crate::pages::words::{count, counted, number, percent};
use maud::{Markup, html};
use privet_core::Estimate;
use privet_estimators::numeric::{Angles, Numbers, Quantile};
use privet_estimators::{Answer, MeanVector, PlaceShares, Robust, Verdict};
use privet_policy::registry::find_mechanism;
use privet_policy::{Attribute, Outcome};

/// More rows are only for programs.
const MOST_ROWS: usize = 200;

pub(super) fn section(view: &View, index: usize, judged: &Judged) -> Markup {
    let Some(attribute) = view.collection.policy.attributes().get(index) else { return html! {} };
    let terms = attribute.terms();
    let heading = format!("question-{index}");
    html! {
        section.panel aria-labelledby=(heading) data-attribute=(terms.name) {
            h2 id=(heading) { (terms.question) }
            p.facts { (facts(attribute, judged)) }
            (warning(judged))
            (learned(&terms.question, index, judged))
            (over_time(view, index))
            (by_fields(view, index))
            (trust(judged))
        }
    }
}

fn facts(attribute: &Attribute, judged: &Judged) -> String {
    let terms = attribute.terms();
    let title = find_mechanism(&terms.mechanism).map_or(terms.mechanism.as_str(), |row| row.info.title);
    let epoch = judged.estimate.epoch.map_or_else(String::new, |epoch| {
        format!(", of epoch {epoch}: permanent noise does not average out over epochs")
    });
    let target = judged.answer().and_then(Answer::target);
    let about = target.map_or_else(String::new, |target| format!(" · estimates {}", target.describe()));
    let reports = counted(judged.estimate.n, "report", "reports");
    format!("{reports}{epoch} · {title} · ε\u{a0}=\u{a0}{}{about}", number(terms.epsilon.to_f64()))
}

fn warning(judged: &Judged) -> Markup {
    let found = judged.trust.as_ref().and_then(|trust| trust.plausibility.as_ref());
    html! {
        @if let Some(found) = found.filter(|found| found.verdict == Verdict::Implausible) {
            div.notice.warning role="note" {
                p { strong { "These reports look forged. " } (sentence(&found.explanation)) }
            }
        }
    }
}

fn learned(question: &str, index: usize, judged: &Judged) -> Markup {
    let id = format!("plot-{index}");
    let answer = match &judged.estimate.outcome {
        Outcome::Answer(answer) => &**answer,
        Outcome::Withheld { minimum_reports } => return withheld(judged.estimate.n, *minimum_reports),
    };
    match answer {
        Answer::Frequencies(found) => categories(&id, question, answer, &found.method),
        Answer::Places(places) => cells(&id, question, answer, places),
        Answer::Vector(vector) => coordinate_table(vector),
        Answer::Numbers(numbers) => about_numbers(&id, question, numbers, judged),
        Answer::Angles(angles) => about_angles(&id, question, angles, judged),
    }
}

fn withheld(n: u64, minimum: u64) -> Markup {
    html! {
        div.notice {
            p {
                strong { "Withheld. " }
                "There are " (counted(n, "report", "reports")) ", and the policy promises people that nothing is shown before "
                (count(minimum)) " have arrived."
            }
        }
    }
}

fn about_numbers(id: &str, question: &str, numbers: &Numbers, judged: &Judged) -> Markup {
    html! {
        div.pair {
            figure {
                figcaption { strong { "Distribution" } (rests_on(judged)) ", with the band of its 95 % intervals" }
                (pictures::distribution(id, &format!("Distribution: {question}"), &numbers.bins))
            }
            div {
                (big("Mean", &numbers.mean, ""))
                (quantile_table(&numbers.quantiles))
            }
        }
    }
}

fn about_angles(id: &str, question: &str, angles: &Angles, judged: &Judged) -> Markup {
    let direction = angles.direction_told.then_some(&angles.direction);
    html! {
        div.pair {
            figure {
                figcaption {
                    strong { "Around the circle" } (rests_on(judged)) ". Petals are shares; the orange rim is the 95 % interval"
                    @if direction.is_some() { "; the dashed line is the mean direction" } "."
                }
                (pictures::rose(id, &format!("Around the circle: {question}"), &angles.bins, direction))
            }
            div {
                @match direction {
                    Some(direction) => (big("Mean direction", direction, "")),
                    None => p {
                        "Mean direction" br; strong { "No direction can be told" } br;
                        span.facts { "People may as well be evenly spread: every direction lies in the 95 % interval." }
                    },
                }
                (big("Concentration", &angles.resultant_length, "0 is evenly spread, 1 is all at one angle; "))
            }
        }
    }
}

/// A number that a question is asked for.
fn big(name: &str, estimate: &Estimate, explanation: &str) -> Markup {
    html! {
        p { (name) br; span.big { (number(estimate.value)) } br;
            span.facts { (explanation) "95 % interval " (between(&estimate.interval, number)) } }
    }
}

/// Distributions may be a little older than the counters.
fn rests_on(judged: &Judged) -> Markup {
    html! {
        @if let Some(n) = judged.distribution_n.filter(|n| *n != judged.estimate.n) { ", from the first " (counted(n, "report", "reports")) }
    }
}

/// An interval of shares, which needs its sign once.
fn percents(interval: &[f64; 2]) -> String {
    between(interval, percent).replacen("\u{a0}%", "", 1)
}

fn between(interval: &[f64; 2], write: fn(f64) -> String) -> String {
    let [low, high] = interval.map(write);
    format!("{low} to {high}")
}

fn categories(id: &str, question: &str, answer: &Answer, method: &str) -> Markup {
    let rows = Named::all(answer).unwrap_or_default();
    let shown = pictures::shown(&rows);
    let is_cut = shown.len() < rows.len();
    html! {
        div.pair {
            figure {
                figcaption {
                    @if is_cut {
                        strong { "The " (MOST_BARS) " largest of " (rows.len()) }
                        ". Being picked for that, they lean to the high side."
                    } @else { strong { "Shares of people" } }
                }
                (pictures::bars(id, &format!("Shares: {question}"), &shown))
            }
            (share_table("In numbers", &shown, rows.len()))
        }
        (how(&rows, method))
        @if is_cut { (all_numbers(&rows)) }
    }
}

/// The cells of a place that stand in the table beside its map.
const MOST_CELLS: usize = 5;

fn cells(id: &str, question: &str, answer: &Answer, places: &PlaceShares) -> Markup {
    let rows = Named::all(answer).unwrap_or_default();
    html! {
        div.pair {
            figure {
                figcaption { strong { "Where people are" } }
                (pictures::density(id, &format!("Where people are: {question}"), places))
            }
            (share_table("The densest cells", &pictures::largest(&rows, MOST_CELLS), rows.len()))
        }
        (how(&rows, &places.method))
        @if rows.len() > MOST_CELLS { (all_numbers(&rows)) }
    }
}

fn how(rows: &[Named<'_>], method: &str) -> Markup {
    html! {
        p.facts {
            "Method: " (method) "."
            @if rows.iter().any(|row| row.share.value < 0.0) {
                " Estimates are unbiased, so a rare answer may come out below zero."
            }
        }
    }
}

fn all_numbers(rows: &[Named<'_>]) -> Markup {
    html! {
        details {
            summary { "All numbers" }
            (share_table("All numbers", &rows.iter().take(MOST_ROWS).collect::<Vec<_>>(), rows.len()))
        }
    }
}

fn share_table(title: &str, rows: &[&Named<'_>], of: usize) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(title) {
            table {
                caption { (title) @if rows.len() < of { ": " (rows.len()) " of " (of) } }
                thead { tr { th scope="col" { "Answer" } th scope="col" { "Estimate" } th scope="col" { "95 % interval" } } }
                tbody {
                    @for row in rows {
                        tr { th scope="row" { (row.label) } td { (percent(row.share.value)) } td { (percents(&row.share.interval)) } }
                    }
                }
            }
        }
    }
}

/// The mean of a vector, coordinate by coordinate.
fn coordinate_table(vector: &MeanVector) -> Markup {
    let coordinates = &vector.coordinates;
    let shown = coordinates.len().min(MOST_ROWS);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Mean of each coordinate" {
            table {
                caption {
                    "Mean of each coordinate"
                    @if shown < coordinates.len() { ": " (shown) " of " (coordinates.len()) " (the estimates as JSON have them all)" }
                }
                thead { tr { th scope="col" { "Coordinate" } th scope="col" { "Mean" } th scope="col" { "95 % interval" } } }
                tbody {
                    @for (index, mean) in (1..).zip(&coordinates[..shown]) {
                        tr { th scope="row" { (index) } td { (number(mean.value)) } td { (between(&mean.interval, number)) } }
                    }
                }
            }
        }
        @if let Some(mean) = coordinates.first() { p.facts { "Method: " (mean.method) "." } }
    }
}

fn quantile_table(quantiles: &[Quantile]) -> Markup {
    html! {
        @if !quantiles.is_empty() {
            div.scroll {
                table {
                    caption { "Quantiles" }
                    thead { tr { th scope="col" { "Below it" } th scope="col" { "Value" } th scope="col" { "95 % interval" } } }
                    tbody {
                        @for Quantile { level, value: found } in quantiles {
                            tr { th scope="row" { (percent(*level)) } td { (number(found.value)) } td { (between(&found.interval, number)) } }
                        }
                    }
                }
            }
        }
    }
}

fn over_time(view: &View, index: usize) -> Markup {
    let Some(history) = view.histories.get(index).filter(|history| history.epochs.len() > 1) else {
        return html! {};
    };
    let untold = history.untold();
    html! {
        details {
            summary { "Over time: " (history.epochs.len()) " epochs" }
            figure {
                figcaption {
                    "Each epoch by itself, with its 95 % interval."
                    @if history.withheld > 0 {
                        " " (counted(history.withheld, "epoch is", "epochs are")) " withheld: too few reports."
                    }
                    @if untold > 0 { " In " (counted(untold as u64, "epoch", "epochs")) " no direction can be told." }
                }
                @if untold < history.epochs.len() { (pictures::history(&format!("history-{index}"), "Over time", history)) }
            }
        }
    }
}

fn by_fields(view: &View, index: usize) -> Markup {
    let Some(breakdown) = view.breakdowns.get(index) else { return html! {} };
    html! {
        @for field in &breakdown.fields {
            details {
                summary { "By " (field.field) }
                (field_table(field))
            }
        }
    }
}

fn field_table(field: &BrokenDown) -> Markup {
    let write = if field.is_share { percent } else { number };
    let columns = field.labels.len().max(1);
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("By {}", field.field)) {
            table {
                caption { "Estimates with 95 % intervals, for each value of " (field.field) "." }
                thead {
                    tr {
                        th scope="col" { (field.field) }
                        th scope="col" { "Reports" }
                        @for label in &field.labels { th scope="col" { @if label.is_empty() { "Mean" } @else { (label) } } }
                    }
                }
                tbody {
                    @for row in &field.rows {
                        tr {
                            th scope="row" { (row.value) }
                            td { (count(row.n)) }
                            @match &row.estimates {
                                Some(estimates) => {
                                    @for estimate in estimates {
                                        @match estimate {
                                            Some(found) => td { (write(found.value)) br; span.facts { (between(&found.interval, write)) } },
                                            None => td { "no direction can be told" },
                                        }
                                    }
                                },
                                None => td colspan=(columns) { "withheld: too few reports" },
                            }
                        }
                    }
                }
            }
        }
    }
}

/// How far the numbers can be trusted if somebody cheats.
fn trust(judged: &Judged) -> Markup {
    let Some(answer) = judged.answer() else { return html! {} };
    let Trust { plausibility, influence, robust } = judged.trust.clone().unwrap_or_default();
    let plausible = plausibility.filter(|found| found.verdict != Verdict::Implausible);
    html! {
        details {
            summary { "If somebody cheats" }
            @if let Some(found) = plausible { p { (sentence(&found.explanation)) } }
            @if let Some(influence) = influence {
                p { "One report, honest or not, changes an estimate by at most " strong { (influence_text(answer, influence)) } "." }
            }
            @if let Some(robust) = robust { (robust_table(answer, &robust)) }
        }
    }
}

/// A change of a share is too small for whole percents.
fn influence_text(answer: &Answer, influence: f64) -> String {
    match answer {
        Answer::Frequencies(_) | Answer::Places(_) => {
            format!("{} percentage points", number(100.0 * influence))
        }
        _ => number(influence),
    }
}

fn robust_table(answer: &Answer, robust: &Robust) -> Markup {
    let shares = Named::all(answer);
    let write = if shares.is_some() { percent } else { number };
    // Cells are called by where they lie.
    let names = shares.iter().flatten().map(|row| row.label.as_str()).chain(std::iter::repeat("mean"));
    let rows = robust.rows.iter().zip(names).filter_map(|(row, name)| Some((name, row.value, row.bounds?)));
    html! {
        div.scroll tabindex="0" role="region" aria-label="Bounds with forged reports" {
            table {
                caption {
                    "Where the truth lies, with 95 % confidence, if up to " (percent(robust.fakes)) " of the reports are forged, in the worst way."
                }
                thead { tr { th scope="col" { "Answer" } th scope="col" { "Estimate" } th scope="col" { "Bounds" } } }
                tbody {
                    @for (name, value, bounds) in rows.take(MOST_ROWS) {
                        tr { th scope="row" { (name) } td { (write(value)) } td { (between(&bounds, write)) } }
                    }
                }
            }
        }
    }
}
