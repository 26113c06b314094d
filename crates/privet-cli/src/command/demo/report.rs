//! The page.

use super::collection::{Collection, Row};
use super::{Findings, facts, grouped, percent, rounded_up};
use privet_plot::page::{document, escape, number_table};
use privet_plot::{Bar, BarChart, Legend};

/// How many bars a chart has at most.
const MAX_BARS: usize = 12;

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
    promise.</p>\n<p>Estimates are unbiased and not smoothed, so a rare answer may come out below zero. An interval \
    holds the truth of its own row in 95 of 100 surveys, so among a hundred rows about five miss it.</p>\n</footer>\n";

fn opening(findings: &Findings) -> String {
    let mut text = format!(
        "<h1>A survey that kept its people\u{2019}s answers to themselves</h1>\n\
         <p class=\"lead\">{} made-up people answered {} questions. Each answer was randomised on the person\u{2019}s own \
         device; only the randomised report left it. Here is what a collector learns from the reports, beside the \
         truth that no collector sees.</p>\n\
         <p>How much a report may reveal is a number, epsilon: a report is at most e<sup>epsilon</sup> times as likely \
         under one answer as under another. The epsilons of one person add up: who answered everything here has spent \
         at most <strong>epsilon = {}</strong>.</p>\n",
        grouped(findings.people),
        findings.collections.len(),
        rounded_up(findings.epsilon),
    );
    if findings.insecure {
        text.push_str(
            "<p class=\"warning\">The reports on this page were drawn from a fixed seed. They can be repeated by anybody \
             and protect nobody.</p>\n",
        );
    }
    let row = |collection: &Collection| vec![collection.question.to_owned(), collection.epsilon.to_string()];
    let mut rows: Vec<Vec<String>> = findings.collections.iter().map(row).collect();
    rows.push(vec!["all together".into(), findings.epsilon.to_string()]);
    text + &number_table("What each report reveals at most", &["question", "epsilon, exactly"], &rows)
}

fn section(number: usize, collection: &Collection) -> String {
    let mut text = format!(
        "<section aria-labelledby=\"question-{number}\">\n<h2 id=\"question-{number}\">{number}. {}</h2>\n\
         <p class=\"facts\">{}; {} reports</p>\n<div class=\"pair\">\n",
        escape(collection.question),
        escape(&facts(collection)),
        grouped(collection.n),
    );
    text.push_str(&device(number, collection));
    text.push_str(&collector(number, collection));
    text.push_str("</div>\n");
    text.push_str(&knowledge(collection));
    text.push_str(&numbers(collection));
    text.push_str("</section>\n");
    text
}

/// What one device does.
fn device(number: usize, collection: &Collection) -> String {
    let example = &collection.example;
    let bars: Vec<Bar> = example
        .outcomes
        .iter()
        .map(|outcome| Bar {
            is_faint: !outcome.is_own,
            ..Bar::new(outcome.label.clone(), outcome.probability)
        })
        .collect();
    let title = format!("{} if the answer is {}", example.about, example.truth);
    let chart = BarChart {
        id: &format!("device-{number}"),
        title: &title,
        description: &described(bars.iter().map(|bar| (bar.label.as_str(), bar.value))),
        bars: &bars,
        legend: None,
    };
    let hex: String = example.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "<figure>\n<figcaption><strong>On one device.</strong> The first person\u{2019}s answer is <strong>{}</strong>. It is \
         hidden among these. {}:</figcaption>\n{}<p class=\"sent\">Sent: <strong>{}</strong><br>as bytes: \
         <code>{hex}</code></p>\n</figure>\n",
        escape(&example.truth),
        escape(example.about),
        chart.svg(),
        escape(&example.reading),
    )
}

/// What the collector sees.
fn collector(number: usize, collection: &Collection) -> String {
    let rows = collection.largest(MAX_BARS);
    let bars: Vec<Bar> = rows.iter().map(|row| bar(row)).collect();
    let chart = BarChart {
        id: &format!("collector-{number}"),
        title: &format!("Estimates and truth: {}", collection.question),
        description: &described(rows.iter().map(|row| (row.label.as_str(), row.value))),
        bars: &bars,
        legend: Some(Legend { bar: "estimate", interval: "95 % interval", mark: Some("truth") }),
    };
    let drawing = if bars.is_empty() { String::new() } else { chart.svg() };
    format!(
        "<figure>\n<figcaption><strong>At the collector.</strong> {}</figcaption>\n{drawing}</figure>\n",
        escape(&extent(collection, rows.len()))
    )
}

fn bar(row: &Row) -> Bar {
    Bar { interval: Some(row.interval), mark: Some(row.truth), ..Bar::new(row.label.clone(), row.value) }
}

/// Which rows the chart has, and how many of them are right.
fn extent(collection: &Collection, shown: usize) -> String {
    let total = collection.estimates.len();
    let which = if shown < total {
        format!(
            "The {shown} largest of {total} estimates: being picked for that, they lean to the high side. All {total}: "
        )
    } else if total > 0 && total < collection.answers {
        format!("{total} of the {} answers that people hold were found; ", collection.answers)
    } else {
        String::new()
    };
    let mut text = which + &collection.coverage() + ".";
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// The bars in words.
fn described<'a>(bars: impl Iterator<Item = (&'a str, f64)>) -> String {
    let parts: Vec<String> = bars.map(|(label, value)| format!("{label} {}", percent(value))).collect();
    parts.join(", ")
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
        None => format!(
            "{can}, if there are more people or epsilon is larger; here nothing stands out from the noise."
        ),
        Some(half) if half > 0.5 => {
            format!(
                "{can}, if there are more people or epsilon is larger; here the noise is wider than the whole scale."
            )
        }
        Some(half) if half < 0.0005 => format!("{can}, to within less than 0.1 percentage points."),
        Some(half) => format!("{can}, to within about {:.1} percentage points either way.", 100.0 * half),
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
        let [low, high] = row.interval.map(percent);
        vec![
            row.label.clone(),
            percent(row.truth),
            percent(row.value),
            percent(row.standard_error),
            format!("{low} to {high}"),
        ]
    };
    let rows: Vec<Vec<String>> = collection.estimates.iter().map(row).collect();
    let caption = format!("{} (method: {})", collection.question, collection.method);
    let table =
        number_table(&caption, &["answer", "truth", "estimate", "standard error", "95 % interval"], &rows);
    format!("<details><summary>All numbers of this question</summary>\n{table}</details>\n")
}
