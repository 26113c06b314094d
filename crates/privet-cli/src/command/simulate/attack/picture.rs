//! Attacks as lines: over the share of forgers, or over epsilon.

use super::Comparison;
use crate::plot::{Chart, Range, Series};

/// What attacks gain, a line for each mechanism and attack, with crosses for the robust estimates.
pub(super) fn chart(comparisons: &[Comparison]) -> Chart {
    let differ =
        |part: fn(&Comparison) -> f64| comparisons.iter().any(|row| part(row) != part(&comparisons[0]));
    let is_over_shares = differ(|row| row.attackers) || !differ(|row| row.epsilon);
    let place = |row: &Comparison| if is_over_shares { row.attackers } else { row.epsilon };
    let places = || comparisons.iter().map(place);
    let (low, high) = (places().fold(f64::INFINITY, f64::min), places().fold(0.0, f64::max));
    // A single place is drawn at the end of an axis from zero.
    let ends = if low < high { [low, high] } else { [0.0, if high > 0.0 { high } else { 1.0 }] };
    let mut series: Vec<Series> = Vec::new();
    for row in comparisons {
        let mut label = format!("{}, {}", row.mechanism, row.attack);
        if is_over_shares && differ(|row| row.epsilon) {
            label += &format!(", epsilon {}", row.epsilon);
        }
        if comparisons.iter().any(|other| other.target != row.target) {
            label += &format!(", {}", row.target);
        }
        let (gain, robust) = ([place(row), row.gain], [place(row), row.robust_gain]);
        match series.iter_mut().find(|series| series.label == label) {
            Some(series) => {
                series.line.push(gain);
                series.dots.push(gain);
                series.crosses.push(robust);
            }
            None => series.push(Series {
                label,
                line: vec![gain],
                dots: vec![gain],
                crosses: vec![robust],
                ..Series::default()
            }),
        }
    }
    let names: Vec<&str> = series.iter().map(|series| series.label.as_str()).collect();
    Chart {
        title: "How far forged reports move the estimate (crosses: the robust one)".to_owned(),
        description: format!("One line for each mechanism and attack: {}.", names.join("; ")),
        x_name: if is_over_shares { "share of forged reports" } else { "epsilon" }.to_owned(),
        x_range: Range::Line(ends),
        y_name: "gain".to_owned(),
        stem_name: String::new(),
        may_be_logarithmic: false,
        series,
    }
}
