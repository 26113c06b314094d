//! One question: what was learned, in pictures, numbers and words.

use super::View;
use super::over_time::BrokenDown;
use super::pictures::{self, MOST_BARS};
use super::reading::{Learned, Measure, Named, Reading, Robust};
use crate::pages::error::sentence;
use crate::pages::words::{count, counted, number, percent};
use maud::{Markup, html};
use privet_policy::registry::find_mechanism;
use privet_policy::{Attribute, AttributeKind};

/// More rows are only for programs.
const MOST_ROWS: usize = 200;

pub(super) fn section(view: &View, index: usize, reading: &Reading) -> Markup {
    let Some(attribute) = view.collection.policy.attributes().get(index) else { return html! {} };
    let terms = attribute.terms();
    let heading = format!("question-{index}");
    html! {
        section.panel aria-labelledby=(heading) data-attribute=(terms.name) {
            h2 id=(heading) { (terms.question) }
            p.facts { (facts(attribute, reading)) }
            (warning(reading))
            (learned(attribute, index, reading))
            (over_time(view, index))
            (by_fields(view, index))
            (trust(reading))
        }
    }
}

fn facts(attribute: &Attribute, reading: &Reading) -> String {
    let terms = attribute.terms();
    let title = find_mechanism(&terms.mechanism).map_or(terms.mechanism.as_str(), |row| row.info.title);
    let epoch = reading.epoch.map_or_else(String::new, |epoch| {
        format!(", of epoch {epoch}: permanent noise does not average out over epochs")
    });
    let reports = counted(reading.n, "report", "reports");
    format!("{reports}{epoch} · {title} · ε\u{a0}=\u{a0}{}", number(terms.epsilon.to_f64()))
}

fn warning(reading: &Reading) -> Markup {
    html! {
        @if let Some((true, explanation)) = &reading.plausibility {
            div.notice.warning role="note" {
                p { strong { "These reports look forged. " } (sentence(explanation)) }
            }
        }
    }
}

fn learned(attribute: &Attribute, index: usize, reading: &Reading) -> Markup {
    let question = &attribute.terms().question;
    let id = format!("plot-{index}");
    match &reading.learned {
        Learned::Withheld { minimum } => html! {
            div.notice {
                p {
                    strong { "Withheld. " }
                    "There are " (counted(reading.n, "report", "reports")) ", and the policy promises people that nothing is shown before "
                    (count(*minimum)) " have arrived."
                }
            }
        },
        Learned::Shares(rows) => shares(attribute, &id, question, rows, reading),
        Learned::Numbers { mean, distribution, quantiles } => html! {
            div.pair {
                figure {
                    figcaption { strong { "Distribution" } (rests_on(reading)) ", with the band of its 95 % intervals" }
                    (pictures::distribution(&id, &format!("Distribution: {question}"), distribution))
                }
                div {
                    p { "Mean" br; span.big { (number(mean.value)) } br; span.facts { "95 % interval " (between(mean, number)) } }
                    (quantile_table(quantiles))
                }
            }
        },
        Learned::Angles { direction, resultant, distribution } => html! {
            div.pair {
                figure {
                    figcaption {
                        strong { "Around the circle" } (rests_on(reading)) ". Petals are shares; the paler rim is the 95 % interval; the \
                        dashed line is the mean direction."
                    }
                    (pictures::rose(&id, &format!("Around the circle: {question}"), distribution, direction))
                }
                div {
                    p { "Mean direction" br; span.big { (number(direction.value)) } br;
                        span.facts { "95 % interval " (between(direction, number)) } }
                    @if let Some(resultant) = resultant {
                        p { "Concentration" br; span.big { (number(resultant.value)) } br;
                            span.facts { "0 is evenly spread, 1 is all at one angle; 95 % interval " (between(resultant, number)) } }
                    }
                }
            }
        },
    }
}

/// Distributions may be a little older than the counters.
fn rests_on(reading: &Reading) -> Markup {
    html! {
        @if let Some(n) = reading.distribution_n.filter(|n| *n != reading.n) { ", from the first " (counted(n, "report", "reports")) }
    }
}

/// An interval of shares, which needs its sign once.
fn percents(measure: &Measure) -> String {
    between(measure, percent).replacen("\u{a0}%", "", 1)
}

fn between(measure: &Measure, write: fn(f64) -> String) -> String {
    let [low, high] = measure.interval.map(write);
    format!("{low} to {high}")
}

fn shares(attribute: &Attribute, id: &str, question: &str, rows: &[Named], reading: &Reading) -> Markup {
    let shown = pictures::shown(rows);
    let is_cut = shown.len() < rows.len();
    html! {
        div.pair {
            @if let AttributeKind::Place { rectangle, side } = attribute.kind() {
                figure {
                    figcaption { strong { "Where people are" } }
                    (pictures::density(id, &format!("Where people are: {question}"), rectangle, *side, rows))
                }
                (share_table("The densest cells", &pictures::largest(rows, MOST_CELLS), rows.len()))
            } @else {
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
        }
        p.facts { "Method: " (reading.method) ". Estimates are unbiased, so a rare answer may come out below zero." }
        @if is_cut {
            details {
                summary { "All numbers" }
                (share_table("All numbers", &rows.iter().take(MOST_ROWS).collect::<Vec<_>>(), rows.len()))
            }
        }
    }
}

/// The cells of a place that stand in the table beside its map.
const MOST_CELLS: usize = 5;

fn label(row: &Named) -> String {
    match row.corners {
        None => row.label.clone(),
        Some([from, to]) => {
            let [[x, y], [x_end, y_end]] = [from, to].map(|corner| corner.map(number));
            format!("{x}\u{2013}{x_end}, {y}\u{2013}{y_end}")
        }
    }
}

fn share_table(title: &str, rows: &[&Named], of: usize) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(title) {
            table {
                caption { (title) @if rows.len() < of { ": " (rows.len()) " of " (of) } }
                thead { tr { th scope="col" { "Answer" } th scope="col" { "Estimate" } th scope="col" { "95 % interval" } } }
                tbody {
                    @for row in rows {
                        tr { th scope="row" { (label(row)) } td { (percent(row.measure.value)) } td { (percents(&row.measure)) } }
                    }
                }
            }
        }
    }
}

fn quantile_table(quantiles: &[(f64, Measure)]) -> Markup {
    html! {
        @if !quantiles.is_empty() {
            div.scroll {
                table {
                    caption { "Quantiles" }
                    thead { tr { th scope="col" { "Below it" } th scope="col" { "Value" } th scope="col" { "95 % interval" } } }
                    tbody {
                        @for (level, measure) in quantiles {
                            tr { th scope="row" { (percent(*level)) } td { (number(measure.value)) } td { (between(measure, number)) } }
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
    html! {
        details {
            summary { "Over time: " (history.epochs.len()) " epochs" }
            figure {
                figcaption {
                    "Each epoch by itself, with its 95 % interval."
                    @if history.withheld > 0 {
                        " " (counted(history.withheld, "epoch is", "epochs are")) " withheld: too few reports."
                    }
                }
                (pictures::history(&format!("history-{index}"), "Over time", history))
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
                    @for (value, n, measures) in &field.rows {
                        tr {
                            th scope="row" { (value) }
                            td { (count(*n)) }
                            @match measures {
                                Some(measures) => {
                                    @for measure in measures {
                                        td { (write(measure.value)) br; span.facts { (between(measure, write)) } }
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
fn trust(reading: &Reading) -> Markup {
    if matches!(reading.learned, Learned::Withheld { .. }) {
        return html! {};
    }
    let write = if matches!(reading.learned, Learned::Shares(_)) { percent } else { number };
    html! {
        details {
            summary { "If somebody cheats" }
            @if let Some((false, explanation)) = &reading.plausibility { p { (sentence(explanation)) } }
            @if let Some(influence) = reading.influence {
                p { "One report, honest or not, changes an estimate by at most " strong { (write(influence)) } "." }
            }
            @if let Some(robust) = &reading.robust { (robust_table(robust, write)) }
        }
    }
}

fn robust_table(robust: &Robust, write: fn(f64) -> String) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Bounds with forged reports" {
            table {
                caption { "Where the truth lies if up to " (percent(robust.fakes)) " of the reports are forged, in the worst way." }
                thead { tr { th scope="col" { "Answer" } th scope="col" { "Estimate" } th scope="col" { "Bounds" } } }
                tbody {
                    @for (name, measure) in robust.rows.iter().take(MOST_ROWS) {
                        tr { th scope="row" { (name) } td { (write(measure.value)) } td { (between(measure, write)) } }
                    }
                }
            }
        }
    }
}
