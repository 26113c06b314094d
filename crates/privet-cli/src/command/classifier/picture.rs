//! Bounds over epsilon.

use super::answer::Answer;
use super::people::People;
use crate::plot::{Chart, Range, Series};

/// Band and line: bounds; dots: drawn reports; crosses: the papers' values. One colour for each mechanism.
pub(super) fn over_epsilon(answers: &[Answer], people: &People) -> Chart {
    let mut series: Vec<Series> = Vec::new();
    for group in answers.chunk_by(|one, other| one.mechanism == other.mechanism) {
        series.push(of_mechanism(group, series.len()));
    }
    let epsilons = || answers.iter().map(|answer| answer.epsilon);
    let ends = [epsilons().fold(f64::INFINITY, f64::min), epsilons().fold(0.0, f64::max)];
    // Room beside the first and the last point, for dots of several mechanisms.
    let room = (0.03 * (ends[1] - ends[0])).max(0.02 * ends[1]);
    let band = match answers.iter().map(|answer| answer.confidence).fold(1.0, f64::min) {
        1.0 => "line and band: proved".to_owned(),
        confidence => format!("line and band: {} % confidence", 100.0 * confidence),
    };
    let signs: Vec<&str> = [
        (true, band.as_str()),
        (answers.iter().any(|answer| answer.empirical.is_some()), "dots: drawn reports"),
        (answers.iter().any(|answer| answer.paper.is_some()), "crosses: the papers' value, no bound"),
    ]
    .into_iter()
    .filter_map(|(is_shown, sign)| is_shown.then_some(sign))
    .collect();
    let whose = match people.records.len() {
        1 => "one record".to_owned(),
        count => format!("{count} records on average"),
    };
    let names: Vec<&str> = series.iter().map(|series| series.label.as_str()).collect();
    Chart {
        title: format!("What a classifier is still worth: {whose}, {} randomised", features(&people.names)),
        description: format!(
            "Bounds of the probability of the same label over epsilon, for {}.",
            names.join(", ")
        ),
        x_name: "epsilon of each sensitive feature".to_owned(),
        x_range: Range::Line([(ends[0] - room).max(0.0), ends[1] + room]),
        y_name: format!("probability of the same label ({})", signs.join("; ")),
        stem_name: String::new(),
        may_be_logarithmic: false,
        series,
    }
}

fn features(names: &[String]) -> String {
    match names {
        [only] => only.clone(),
        [one, other] => format!("{one} and {other}"),
        names => format!("{} features", names.len()),
    }
}

/// More dots than this on one line hide the others.
const MOST_DOTS: usize = 8;

/// Rows of one mechanism. Where nothing is known, nothing is drawn; of many dots, each line shows others.
fn of_mechanism(answers: &[Answer], index: usize) -> Series {
    let step = answers.len().div_ceil(MOST_DOTS).max(1);
    let known = || answers.iter().filter(|answer| answer.upper - answer.lower < 1.0);
    let measured = |answer: &Answer| {
        let [low, high] = answer.empirical_interval?;
        Some([answer.epsilon, low, answer.empirical?, high])
    };
    Series {
        label: answers.first().map(|answer| answer.mechanism.to_owned()).unwrap_or_default(),
        line: known().map(|answer| [answer.epsilon, f64::midpoint(answer.lower, answer.upper)]).collect(),
        band: known().map(|answer| [answer.epsilon, answer.lower, answer.upper]).collect(),
        measured: known().skip(index % step).step_by(step).filter_map(measured).collect(),
        crosses: answers.iter().filter_map(|answer| Some([answer.epsilon, answer.paper?])).collect(),
        ..Series::default()
    }
}
