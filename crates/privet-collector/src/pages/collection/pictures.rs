//! Estimates as pictures.

use super::over_time::History;
use super::shares::Named;
use crate::pages::words::{number, percent};
use maud::{Markup, PreEscaped, html};
use privet_core::Estimate;
use privet_estimators::PlaceShares;
use privet_estimators::numeric::RangeShare;
use privet_plot::{Bar, BarChart, Chart, Heading, Legend, Map, Petal, Range, Rose, Series};

/// More bars are not read.
pub(super) const MOST_BARS: usize = 12;

/// The shares that a chart shows: all of them in their order, or the largest.
pub(super) fn shown<'a>(rows: &'a [Named<'a>]) -> Vec<&'a Named<'a>> {
    if rows.len() > MOST_BARS { largest(rows, MOST_BARS) } else { rows.iter().collect() }
}

/// The largest shares, from the largest on.
pub(super) fn largest<'a>(rows: &'a [Named<'a>], most: usize) -> Vec<&'a Named<'a>> {
    let mut sorted: Vec<&Named<'_>> = rows.iter().collect();
    sorted.sort_by(|one, other| other.share.value.total_cmp(&one.share.value));
    sorted.truncate(most);
    sorted
}

/// Shares as bars with their intervals.
pub(super) fn bars(id: &str, title: &str, rows: &[&Named<'_>]) -> Markup {
    let bar = |row: &&Named<'_>| Bar {
        interval: Some(row.share.interval),
        ..Bar::new(row.label.clone(), row.share.value)
    };
    let bars: Vec<Bar> = rows.iter().map(bar).collect();
    let described: Vec<String> =
        rows.iter().map(|row| format!("{} {}", row.label, percent(row.share.value))).collect();
    let chart = BarChart {
        id,
        title,
        description: &described.join(", "),
        bars: &bars,
        legend: Some(Legend { bar: "estimate", interval: "95 % interval", mark: None }),
    };
    html! { (PreEscaped(chart.svg())) }
}

/// The shares of the parts of an interval, with a band.
pub(super) fn distribution(id: &str, title: &str, parts: &[RangeShare]) -> Markup {
    let line = parts.iter().flat_map(|part| [part.from, part.to].map(|at| [at, 100.0 * part.share.value]));
    let ends = |part: &RangeShare| part.share.interval.map(|end| 100.0 * end);
    let band = parts.iter().flat_map(|part| {
        let [low, high] = ends(part);
        [part.from, part.to].map(|at| [at, low.max(0.0), high])
    });
    let series = Series { line: line.collect(), is_filled: true, band: band.collect(), ..Series::default() };
    let [low, high] = [parts.first().map(|part| part.from), parts.last().map(|part| part.to)];
    let chart = Chart {
        title: title.to_owned(),
        description: described(parts),
        x_name: "answer".to_owned(),
        x_range: Range::Line([low.unwrap_or(0.0), high.unwrap_or(1.0)]),
        y_name: "percent of people".to_owned(),
        stem_name: String::new(),
        may_be_logarithmic: false,
        series: vec![series],
    };
    html! { (PreEscaped(chart.draw_for_page().inline_svg(id))) }
}

/// Where most people are, in words.
fn described(parts: &[RangeShare]) -> String {
    let largest = parts.iter().max_by(|one, other| one.share.value.total_cmp(&other.share.value));
    largest.map_or_else(String::new, |part| {
        format!(
            "{} parts; the largest share is {} between {} and {}",
            parts.len(),
            percent(part.share.value),
            number(part.from),
            number(part.to)
        )
    })
}

/// The shares of the parts of a circle, and the mean direction if one can be told.
pub(super) fn rose(id: &str, title: &str, parts: &[RangeShare], direction: Option<&Estimate>) -> Markup {
    let period = parts.last().map_or(1.0, |part| part.to);
    let petal = |part: &RangeShare| Petal {
        from: part.from,
        to: part.to,
        share: part.share.value,
        interval: part.share.interval,
    };
    let mean = |direction: &Estimate| {
        let [low, high] = direction.interval;
        (direction.value, [low, if high < low { high + period } else { high }])
    };
    let rose = Rose {
        title: title.to_owned(),
        description: described(parts),
        period,
        petals: parts.iter().map(petal).collect(),
        mean: direction.map(mean),
    };
    html! { (PreEscaped(rose.draw_for_page().inline_svg(id))) }
}

/// The shares of the cells of a rectangle.
pub(super) fn density(id: &str, title: &str, places: &PlaceShares) -> Markup {
    let shares: Vec<f64> = places.cells.iter().map(|cell| cell.estimate.value).collect();
    let map = Map::of_cells(title.to_owned(), &places.rectangle, places.side, &shares);
    html! { (PreEscaped(map.draw(Heading::OnPage).inline_svg(id))) }
}

/// A history is at least so long.
const LEAST_EPOCHS: u32 = 7;

/// Estimates of one epoch after the other.
pub(super) fn history(id: &str, title: &str, history: &History) -> Markup {
    let series = |(index, label): (usize, &String)| {
        let points = history.epochs.iter().filter_map(|(epoch, measures)| {
            let Estimate { value, interval: [low, high], .. } = measures.get(index).copied().flatten()?;
            let scale = if history.is_share { 100.0 } else { 1.0 };
            Some([f64::from(*epoch), scale * low, scale * value, scale * high])
        });
        let measured: Vec<[f64; 4]> = points.collect();
        let line = measured.iter().map(|[epoch, _, value, _]| [*epoch, *value]).collect();
        Series { label: label.clone(), line, measured, ..Series::default() }
    };
    let ends = [history.epochs.first(), history.epochs.last()];
    let [first, last] = ends.map(|epoch| epoch.map_or(0, |(epoch, _)| *epoch));
    // Room for epochs to come, so that whole numbers stand below the axis.
    let last = last.max(first + LEAST_EPOCHS);
    let chart = Chart {
        title: title.to_owned(),
        description: format!("Estimates of {} epochs, one after the other", history.epochs.len()),
        x_name: format!("{} of the collection, from 0", history.epoch_name),
        x_range: Range::Line([f64::from(first) - 0.5, f64::from(last) + 0.5]),
        y_name: if history.is_share { "percent of people" } else { "mean" }.to_owned(),
        stem_name: String::new(),
        may_be_logarithmic: false,
        series: history.labels.iter().enumerate().map(series).collect(),
    };
    html! {
        (PreEscaped(chart.legend_html()))
        (PreEscaped(chart.draw_for_page().inline_svg(id)))
    }
}
