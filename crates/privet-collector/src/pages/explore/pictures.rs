//! What there is to see, in pictures and in words.

use super::seen::{Categories, Kind, Numbers, SAMPLES, Seen};
use crate::pages::words::{count, number, percent};
use maud::{Markup, PreEscaped, html};
use privet_core::DomainSpec;
use privet_plot::{Bar, BarChart, Chart, Legend, Range, Series, domain_name, draw_laws};

pub(super) fn results(seen: &Seen) -> Markup {
    let info = seen.explored.built.mechanism.info();
    html! {
        section aria-labelledby="what" {
            h2 #what { (info.title) }
            @if seen.explored.is_recommended { p.facts { "Of all mechanisms that fit, this one has the smallest expected error here." } }
            (promise(seen))
            @match &seen.kind {
                Kind::Numbers(numbers) => (numbers_body(seen, numbers)),
                Kind::Categories(categories) => (categories_body(seen, categories)),
            }
            (details(seen))
        }
    }
}

/// What one report promises, in words.
fn promise(seen: &Seen) -> Markup {
    let epsilon = seen.exact_epsilon;
    let belief = 1.0 / (1.0 + (-epsilon).exp());
    html! {
        dl.stats {
            div { dt { "A report changes odds by at most" } dd { (number(epsilon.exp())) " times" } }
            div { dt { "An even guess becomes at most" } dd { (percent(belief)) " sure" } }
            div { dt { "Size of a report" } dd { (seen.explored.built.mechanism.report_bits()) " bits" } }
            @match &seen.kind {
                Kind::Numbers(numbers) => div { dt { "Worst expected distance" } dd { (number(numbers.worst)) } },
                Kind::Categories(categories) => @if let Some((people, error)) = categories.errors.get(1) {
                    div { dt { "Error of a share, " (count(*people)) " people" } dd { "± " (percent(*error)) } }
                },
            }
        }
    }
}

fn details(seen: &Seen) -> Markup {
    let mechanism = &seen.explored.built.mechanism;
    let info = mechanism.info();
    html! {
        details {
            summary { "About this mechanism" }
            div.scroll {
                table {
                    tbody {
                        tr { th scope="row" { "Id" } td.words { code { (info.id) } } }
                        tr { th scope="row" { "Guarantee" } td.words { (mechanism.guarantee().to_string()) } }
                        tr { th scope="row" { "Epsilon of the sampler’s integers" } td.words { (seen.exact_epsilon) } }
                        tr { th scope="row" { "Arithmetic" } td.words { (info.numerics.as_str()) } }
                        tr { th scope="row" { "From" } td.words { (info.reference) } }
                    }
                }
            }
        }
    }
}

fn figure(title: &str, words: &str, picture: Markup) -> Markup {
    html! {
        figure {
            figcaption { strong { (title) } " " (words) }
            (picture)
        }
    }
}

fn chart(chart: &Chart, id: &str) -> Markup {
    html! {
        (PreEscaped(chart.legend_html()))
        (PreEscaped(chart.draw_for_page().inline_svg(id)))
    }
}

fn numbers_body(seen: &Seen, numbers: &Numbers) -> Markup {
    let laws = density(seen, numbers);
    let errors = error_chart(seen, numbers);
    let samples = sample_chart(seen, numbers);
    let factor = number(seen.exact_epsilon.exp());
    let sent =
        format!("The density of reports for two answers. Nowhere is one more than {factor} times the other.");
    html! {
        div.pair {
            div {
                (figure("What is sent.", &sent, chart(&laws, "law")))
                (figure("A hundred reports", &sample_words(seen, numbers), chart(&samples, "samples")))
            }
            (figure("How wrong it is.", &error_words(numbers), chart(&errors, "error")))
        }
    }
}

fn density(seen: &Seen, numbers: &Numbers) -> Chart {
    let domain = &seen.explored.domain;
    let title = format!("Density of reports on {}", domain_name(domain));
    let mut chart = draw_laws(title, domain, &numbers.laws);
    chart.x_name = "report (triangles: the answers)".to_owned();
    chart.stem_name = "probability".to_owned();
    for (series, law) in chart.series.iter_mut().zip(&numbers.laws) {
        series.label = format!("answer {}", number(law.input));
    }
    chart
}

fn error_words(numbers: &Numbers) -> String {
    let bias = if numbers.is_unbiased {
        "Reports are right on average: many of them give an unbiased mean."
    } else {
        "Reports are pulled to one side to be nearer; estimates take that into account."
    };
    match numbers.limit {
        Some(limit) => format!(
            "The expected distance between a report and the answer. At its worst it is {}; no mechanism at all can be below {} \
             everywhere, which is proved. {bias}",
            number(numbers.worst),
            number(limit)
        ),
        None => format!("The expected distance between a report and the answer. {bias}"),
    }
}

fn error_chart(seen: &Seen, numbers: &Numbers) -> Chart {
    let ends =
        [numbers.errors.first(), numbers.errors.last()].map(|point| point.map_or(0.0, |point| point[0]));
    let x_range = match &seen.explored.domain {
        DomainSpec::Circle(circle) => Range::Turn(circle.period()),
        _ => Range::Line(ends),
    };
    let title = seen.explored.built.mechanism.info().title;
    let mut series =
        vec![Series { label: title.to_owned(), line: numbers.errors.clone(), ..Series::default() }];
    series.extend(numbers.limit.map(|limit| Series {
        label: "certified limit of the worst".to_owned(),
        line: ends.map(|end| [end, limit]).to_vec(),
        ..Series::default()
    }));
    Chart {
        title: "Expected distance over the domain".to_owned(),
        description: error_words(numbers),
        x_name: "answer".to_owned(),
        x_range,
        y_name: "expected distance".to_owned(),
        stem_name: String::new(),
        may_be_logarithmic: false,
        series,
    }
}

fn sample_words(seen: &Seen, numbers: &Numbers) -> String {
    let mut sorted = numbers.samples.clone();
    sorted.sort_by(f64::total_cmp);
    let at = |part: usize| sorted.get(part * sorted.len() / 4).copied().unwrap_or_default();
    format!(
        "of people who all answer {}, drawn for this page. Half of them lie between {} and {}.",
        seen.explored.input,
        number(at(1)),
        number(at(3))
    )
}

/// Rows of dots, so that they do not hide each other.
const ROWS: usize = 10;

fn sample_chart(seen: &Seen, numbers: &Numbers) -> Chart {
    let dots = numbers.samples.iter().enumerate().map(|(index, value)| {
        let row = (index % ROWS) as f64 + 0.5;
        [*value, row, row, row]
    });
    let x_range = match &seen.explored.domain {
        DomainSpec::Circle(circle) => Range::Turn(circle.period()),
        domain => {
            let ends = if let DomainSpec::Interval(interval) = domain {
                [interval.low(), interval.high()]
            } else {
                [0.0, 1.0]
            };
            let low = numbers.samples.iter().copied().fold(ends[0], f64::min);
            let high = numbers.samples.iter().copied().fold(ends[1], f64::max);
            let margin = 0.04 * (high - low);
            Range::Line([low - margin, high + margin])
        }
    };
    Chart {
        title: "A hundred reports".to_owned(),
        description: sample_words(seen, numbers),
        x_name: "report (triangle: the answer)".to_owned(),
        x_range,
        y_name: String::new(),
        stem_name: String::new(),
        may_be_logarithmic: false,
        series: vec![Series {
            measured: dots.collect(),
            mark: seen.explored.input.parse().ok(),
            ..Series::default()
        }],
    }
}

/// More bars are not read.
const MOST_BARS: usize = 16;

fn categories_body(seen: &Seen, categories: &Categories) -> Markup {
    let input = &seen.explored.input;
    let sent =
        format!("How likely each answer is to be named in the report of somebody who answers {input}.");
    let hundred = format!(
        "who all answer {input}, drawn for this page: what a collector makes of their {SAMPLES} reports."
    );
    html! {
        div.pair {
            div {
                @match &categories.named {
                    Some(named) => (figure("What is sent.", &sent, named_bars(input, named))),
                    None => (pieces(input, categories)),
                }
                (error_table(categories))
            }
            (figure("A hundred people", &hundred, hundred_bars(categories)))
        }
    }
}

fn named_bars(input: &str, reports: &[(String, f64)]) -> Markup {
    let bars: Vec<Bar> = reports
        .iter()
        .take(MOST_BARS)
        .map(|(label, mass)| Bar { is_faint: label != input, ..Bar::new(label.clone(), *mass) })
        .collect();
    let described: Vec<String> =
        reports.iter().take(MOST_BARS).map(|(label, mass)| format!("{label} {}", percent(*mass))).collect();
    let drawn = BarChart {
        id: "law",
        title: &format!("Probability that each answer is named, for the answer {input}"),
        description: &described.join(", "),
        bars: &bars,
        legend: None,
    };
    html! {
        (PreEscaped(drawn.svg()))
        @if reports.len() > MOST_BARS { p.facts { "The first " (MOST_BARS) " of " (reports.len()) "." } }
    }
}

fn pieces(input: &str, categories: &Categories) -> Markup {
    html! {
        figure {
            figcaption { strong { "What is sent." } " How likely reports are if the answer is " (input) "." }
            div.scroll tabindex="0" role="region" aria-label="What is sent" {
                table {
                    thead { tr { th scope="col" { "Reports" } th scope="col" { "How many" } th scope="col" { "Probability of each" } } }
                    tbody {
                        @for (what, outcomes, mass) in categories.pieces.iter().take(MOST_BARS) {
                            tr { th scope="row" { (what) } td { (outcomes) } td { (number(*mass)) } }
                        }
                    }
                }
            }
        }
    }
}

fn hundred_bars(categories: &Categories) -> Markup {
    let bars: Vec<Bar> = categories
        .hundred
        .iter()
        .take(MOST_BARS)
        .map(|(label, value, interval)| Bar { interval: Some(*interval), ..Bar::new(label.clone(), *value) })
        .collect();
    let described: Vec<String> = categories
        .hundred
        .iter()
        .take(MOST_BARS)
        .map(|(label, value, _)| format!("{label} {}", percent(*value)))
        .collect();
    let drawn = BarChart {
        id: "hundred",
        title: &format!("Estimates from {SAMPLES} reports of one answer"),
        description: &described.join(", "),
        bars: &bars,
        legend: Some(Legend { bar: "estimate", interval: "95 % interval", mark: None }),
    };
    html! { (PreEscaped(drawn.svg())) }
}

fn error_table(categories: &Categories) -> Markup {
    html! {
        figure {
            figcaption { strong { "How wrong it is." } " The standard error of the share of a rare answer. Four times as many people make it half \
                          as large." }
            @if categories.errors.is_empty() {
                p { "It depends on how people are spread over the answers." }
            } @else {
                table {
                    thead { tr { th scope="col" { "People" } th scope="col" { "Standard error" } } }
                    tbody {
                        @for (people, error) in &categories.errors {
                            tr { th scope="row" { (count(*people)) } td { "± " (percent(*error)) } }
                        }
                    }
                }
            }
        }
    }
}
