//! The page.

use super::collection::{Collection, Row};
use super::pictures::{self, Estimates};
use super::{Findings, grouped, rounded_up};
use privet::DomainSpec;
use privet::policy::AttributeKind;
use privet_plot::page::{document, escape, number_table};

pub(super) fn page(findings: &Findings) -> String {
    let mut body = String::new();
    body.push_str(&opening(findings));
    for (number, collection) in (1..).zip(&findings.collections) {
        body.push_str(&section(number, collection));
    }
    body.push_str(CLOSING);
    document("A survey that kept its people's answers to themselves", &body)
}

const CLOSING: &str = "<footer>\n<p>The people are made up, which is the only reason why the truth can stand here. \
    Everything else is as it would be with real ones: the reports, their randomness, the estimates and what they \
    promise.</p>\n<p>Estimated shares and means are not smoothed, so a rare answer may come out below zero. An interval \
    holds the truth of its own row in 95 of 100 surveys, so among a hundred rows about five miss it. The distributions of \
    numbers and times are smoothed, which flattens their peaks; their intervals are not.</p>\n</footer>\n";

fn opening(findings: &Findings) -> String {
    let text = format!(
        "<h1>A survey that kept its people\u{2019}s answers to themselves</h1>\n\
         <p class=\"lead\">{} made-up people answered {} questions. Each answer was randomised on the person\u{2019}s own \
         device; only the randomised report left it. Here is what a collector learns from the reports, beside the \
         truth that no collector sees.</p>\n\
         <p>How much a report may reveal is a number, epsilon: a report is at most e<sup>epsilon</sup> times as likely \
         under one answer as under another. The epsilons of one person add up: who answered everything here has spent \
         at most <strong>epsilon = {}</strong>.</p>\n",
        grouped(findings.people.into()),
        findings.collections.len(),
        rounded_up(findings.epsilon),
    );
    let row = |collection: &Collection| vec![collection.question.clone(), collection.epsilon.to_string()];
    let mut rows: Vec<Vec<String>> = findings.collections.iter().map(row).collect();
    rows.push(vec!["all together".into(), findings.epsilon.to_string()]);
    text + &number_table("What each report reveals at most", &["question", "epsilon, exactly"], &rows)
}

fn section(number: usize, collection: &Collection) -> String {
    let pictures = pictures::estimates(&format!("collector-{number}"), collection);
    let grid = if matches!(pictures, Estimates::Apart { .. }) { "pair three" } else { "pair" };
    format!(
        "<section aria-labelledby=\"question-{number}\">\n<h2 id=\"question-{number}\">{number}. {}</h2>\n\
         <p class=\"facts\">{}; {} reports</p>\n<div class=\"{grid}\">\n{}{}</div>\n{}{}</section>\n",
        escape(&collection.question),
        escape(&collection.facts()),
        grouped(collection.n),
        device(number, collection),
        collector(collection, pictures),
        knowledge(collection),
        numbers(collection),
    )
}

/// What one device does.
fn device(number: usize, collection: &Collection) -> String {
    let example = &collection.example;
    format!(
        "<figure>\n<figcaption><strong>On one device.</strong> The first person\u{2019}s answer is <strong>{}</strong>. {}\
         </figcaption>\n{}<p class=\"sent\">What was sent: {}</p>\n</figure>\n",
        escape(&example.truth),
        escape(&example.channel.words),
        pictures::channel(&format!("device-{number}"), collection),
        escape(&example.sent.words),
    )
}

/// What the collector sees, and the truth if that has a picture of its own.
fn collector(collection: &Collection, pictures: Estimates) -> String {
    let figure = |caption: &str, picture: &str| {
        format!("<figure>\n<figcaption>{caption}</figcaption>\n{picture}</figure>\n")
    };
    let caption = format!("<strong>At the collector.</strong> {}", escape(&extent(collection)));
    match pictures {
        Estimates::Together(picture) => figure(&caption, &picture),
        Estimates::Apart { estimate, truth } => {
            figure(&caption, &estimate)
                + &figure("<strong>The truth,</strong> which no collector sees.", &truth)
        }
    }
}

/// What the picture shows, and how many of the estimates are right.
fn extent(collection: &Collection) -> String {
    let mut coverage = collection.coverage();
    if let Some(first) = coverage.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    match (&collection.kind, &collection.estimates[..]) {
        (AttributeKind::Value(DomainSpec::Interval(_) | DomainSpec::Circle(_)), [row, ..]) => {
            let truth = (row.write)(row.truth);
            if !row.is_told {
                return format!(
                    "Of the {} nothing can be told; the truth is {truth}. {coverage}.",
                    row.label
                );
            }
            let [low, high] = row.estimate.interval.map(row.write);
            format!(
                "The {} is estimated as {}, between {low} and {high} with 95 % confidence; the truth is {truth}. \
                 {coverage}.",
                row.label,
                (row.write)(row.estimate.value),
            )
        }
        _ => coverage + ".",
    }
}

/// Beyond this a report may give its answer away, and the page must not say otherwise.
const REVEALING: f64 = 3.0;

/// What can and what cannot be known.
fn knowledge(collection: &Collection) -> String {
    let cannot = if collection.epsilon > REVEALING {
        "Not much: with so large an epsilon a report may all but give the answer away."
    } else {
        collection.lesson.cannot
    };
    let belief = match 1.0 / (1.0 + (-collection.epsilon).exp()) {
        near_one if near_one > 0.999 => "all but certain".to_owned(),
        share => format!("{:.1}\u{a0}% likely", 100.0 * share),
    };
    format!(
        "<div class=\"pair know\">\n<div><h3>What the collector can know</h3>\n<p>{}</p></div>\n\
         <div><h3>What the collector cannot know</h3>\n<p>{} Who thought two answers equally likely before seeing your \
         report may think one of them {belief} afterwards, and no more: the report is at most {} times as likely under \
         one as under the other.</p></div>\n</div>\n",
        escape(&can_know(collection)),
        escape(cannot),
        factor(collection.epsilon.exp()),
    )
}

fn can_know(collection: &Collection) -> String {
    let can = collection.lesson.can;
    match collection.precision() {
        None => format!("{can}, if there are more people."),
        Some(precision) => format!("{can}, to within about {precision} either way."),
    }
}

fn factor(ratio: f64) -> String {
    if ratio < 1e6 { format!("{ratio:.2}") } else { format!("{ratio:.1e}") }
}

fn numbers(collection: &Collection) -> String {
    if collection.estimates.is_empty() {
        return String::new();
    }
    let row = |row: &Row| {
        let [estimate, interval] = row.in_words();
        vec![row.label.clone(), (row.write)(row.truth), estimate, (row.write)(row.margin()), interval]
    };
    let rows: Vec<Vec<String>> = collection.estimates.iter().map(row).collect();
    let caption = format!("{} (method: {})", collection.question, collection.method);
    let table = number_table(&caption, &["answer", "truth", "estimate", "margin", "95 % interval"], &rows);
    format!("<details><summary>All numbers of this question</summary>\n{table}</details>\n")
}
