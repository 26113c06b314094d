//! Errors as lines: over the domain, and over epsilon.

use super::{Answer, Built};
use crate::failure::Failure;
use crate::plot::{self, Chart, Range, Series};
use privet::DomainSpec;
use privet::analysis::Loss;
use privet_plot::{error_line, range_of};

/// The error at every value, one line for each mechanism.
pub(super) fn over_domain(
    built: &[Built],
    answers: &[Answer],
    domain: &DomainSpec,
    loss: Loss,
) -> Result<Chart, Failure> {
    let domain = plot::domain_name(domain);
    let mut series = Vec::new();
    let mut x_range = Range::Line([0.0, 1.0]);
    for (one, answer) in built.iter().zip(answers) {
        let channel = one.channel()?;
        x_range = range_of(channel.space());
        let line = error_line(channel, loss)?;
        let input = answer.input.as_ref().and_then(serde_json::Value::as_f64);
        let dots = input.map(|input| [input, answer.error]).into_iter().collect();
        series.push(Series { label: answer.id.to_owned(), line, dots, ..Series::default() });
    }
    let epsilon = answers.first().map_or(0.0, |row| row.epsilon);
    let dots = match answers.first().map(|row| row.what) {
        Some("worst") => " (dots: the worst value)",
        Some("input") => " (dots: the input)",
        _ => "",
    };
    Ok(Chart {
        x_name: format!("value{dots}"),
        x_range,
        may_be_logarithmic: true,
        ..chart(
            format!("Expected {} error of one report on {domain}, epsilon {epsilon}", loss.as_str()),
            loss,
            series,
        )
    })
}

/// The error at every epsilon, one line for each mechanism.
pub(super) fn over_epsilon(answers: &[Answer], domain: &DomainSpec, loss: Loss) -> Chart {
    let domain = plot::domain_name(domain);
    let mut series: Vec<Series> = Vec::new();
    for row in answers {
        let point = [row.epsilon, row.error];
        match series.iter_mut().find(|series| series.label == row.id) {
            Some(series) => series.line.push(point),
            None => series.push(Series { label: row.id.to_owned(), line: vec![point], ..Series::default() }),
        }
    }
    for series in &mut series {
        series.line.sort_by(|one, other| one[0].total_cmp(&other[0]));
        dot(series);
    }
    let epsilons = || answers.iter().map(|row| row.epsilon);
    let ends = [epsilons().fold(f64::INFINITY, f64::min), epsilons().fold(0.0, f64::max)];
    let what = match answers.first() {
        Some(Answer { what: "input", input: Some(input), .. }) => format!("at {input}"),
        Some(Answer { what: "average", .. }) => "on average".to_owned(),
        _ => "at the worst value".to_owned(),
    };
    let title = format!("Expected {} error of one report {what}, on {domain}", loss.as_str());
    Chart {
        x_name: "epsilon".into(),
        x_range: Range::Line(ends),
        may_be_logarithmic: true,
        ..chart(title, loss, series)
    }
}

/// Lines through more points than this have no dots.
const MOST_DOTS: usize = 12;

/// Marks the points of a line that has few of them.
pub(in crate::command) fn dot(series: &mut Series) {
    if series.line.len() <= MOST_DOTS {
        series.dots.clone_from(&series.line);
    }
}

pub(in crate::command) fn chart(title: String, loss: Loss, series: Vec<Series>) -> Chart {
    let names: Vec<&str> = series.iter().map(|series| series.label.as_str()).collect();
    Chart {
        description: format!("One line for each mechanism: {}.", names.join(", ")),
        title,
        x_name: String::new(),
        x_range: Range::Line([0.0, 1.0]),
        y_name: format!("expected {} error", loss.as_str()),
        stem_name: String::new(),
        may_be_logarithmic: false,
        series,
    }
}
