//! Estimates as pictures.

use super::over_time::History;
use super::reading::{Measure, Named, Part};
use crate::pages::words::{number, percent};
use maud::{Markup, PreEscaped, html};
use privet_core::Rectangle;
use privet_plot::{
    Bar, BarChart, Chart, GridLine, Heading, Legend, Map, Petal, Range, Rose, Scale, Series, Tint, Unit, ring,
};

/// More bars are not read.
pub(super) const MOST_BARS: usize = 12;

/// The shares that a chart shows: all of them in their order, or the largest.
pub(super) fn shown(rows: &[Named]) -> Vec<&Named> {
    if rows.len() > MOST_BARS { largest(rows, MOST_BARS) } else { rows.iter().collect() }
}

/// The largest shares, from the largest on.
pub(super) fn largest(rows: &[Named], most: usize) -> Vec<&Named> {
    let mut sorted: Vec<&Named> = rows.iter().collect();
    sorted.sort_by(|one, other| other.measure.value.total_cmp(&one.measure.value));
    sorted.truncate(most);
    sorted
}

/// Shares as bars with their intervals.
pub(super) fn bars(id: &str, title: &str, rows: &[&Named]) -> Markup {
    let bar = |row: &&Named| Bar {
        interval: Some(row.measure.interval),
        ..Bar::new(row.label.clone(), row.measure.value)
    };
    let bars: Vec<Bar> = rows.iter().map(bar).collect();
    let described: Vec<String> =
        rows.iter().map(|row| format!("{} {}", row.label, percent(row.measure.value))).collect();
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
pub(super) fn distribution(id: &str, title: &str, parts: &[Part]) -> Markup {
    let line = parts.iter().flat_map(|part| [part.from, part.to].map(|at| [at, 100.0 * part.share.value]));
    let ends = |part: &Part| part.share.interval.map(|end| 100.0 * end);
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
fn described(parts: &[Part]) -> String {
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

/// The shares of the parts of a circle.
pub(super) fn rose(id: &str, title: &str, parts: &[Part], direction: &Measure) -> Markup {
    let period = parts.last().map_or(1.0, |part| part.to);
    let petal = |part: &Part| Petal {
        from: part.from,
        to: part.to,
        share: part.share.value,
        interval: part.share.interval,
    };
    let [low, high] = direction.interval;
    let high = if high < low { high + period } else { high };
    let rose = Rose {
        title: title.to_owned(),
        description: described(parts),
        period,
        petals: parts.iter().map(petal).collect(),
        mean: Some((direction.value, [low, high])),
    };
    html! { (PreEscaped(rose.draw_for_page().inline_svg(id))) }
}

/// More cells along a side are drawn together.
const MOST_CELLS: u32 = 24;

/// The shares of the cells of a rectangle.
pub(super) fn density(id: &str, title: &str, rectangle: &Rectangle, side: u32, rows: &[Named]) -> Markup {
    let together = side.div_ceil(MOST_CELLS);
    let cells = side.div_ceil(together);
    let mut shares = vec![0.0; (cells * cells) as usize];
    for (index, row) in (0u32..).zip(rows) {
        let [column, line] = [index % side, index / side].map(|cell| cell / together);
        if let Some(share) = shares.get_mut((line * cells + column) as usize) {
            *share += row.measure.value;
        }
    }
    let most = shares.iter().copied().fold(0.0, f64::max);
    let corner = |cell: [u32; 2]| {
        rectangle.point_at(cell.map(|cell| (f64::from(cell * together) / f64::from(side)).min(1.0)))
    };
    let tint = |(index, share): (u32, &f64)| {
        let cell = [index % cells, index / cells];
        let corners = ring(corner(cell), corner(cell.map(|cell| cell + 1)));
        Tint { corners, share: if most > 0.0 { (share / most).clamp(0.0, 1.0) } else { 0.0 } }
    };
    let sides = rectangle.sides();
    let [low, high] = [[sides[0].low(), sides[1].low()], [sides[0].high(), sides[1].high()]];
    let map = Map {
        title: title.to_owned(),
        description: format!("{cells} by {cells} cells; the largest share of a cell is {}", percent(most)),
        bounds: [low, high],
        borders: vec![ring(low, high)],
        grid: grid(low, high),
        unit: Unit::Unsaid,
        tints: (0u32..).zip(&shares).map(tint).collect(),
        tint_label: format!("up to {} of people in a cell", percent(most)),
        layers: Vec::new(),
    };
    html! { (PreEscaped(map.draw(Heading::OnPage).inline_svg(id))) }
}

/// Lines of round coordinates.
fn grid(low: [f64; 2], high: [f64; 2]) -> Vec<GridLine> {
    let lines = |axis: usize| {
        let scale = Scale::between(low[axis], high[axis], 1.0);
        let ticks = scale.ticks();
        let stride = ticks.len().div_ceil(5).max(1);
        let line = move |value: f64| {
            let (mut start, mut end) = (low, high);
            (start[axis], end[axis]) = (value, value);
            GridLine { ends: [start, end], text: scale.number(value), is_upright: axis == 0 }
        };
        ticks.into_iter().step_by(stride).map(line).collect::<Vec<_>>()
    };
    [lines(0), lines(1)].concat()
}

/// A history is at least so long.
const LEAST_EPOCHS: u32 = 7;

/// Estimates of one epoch after the other.
pub(super) fn history(id: &str, title: &str, history: &History) -> Markup {
    let series = |(index, label): (usize, &String)| {
        let points = history.epochs.iter().filter_map(|(epoch, measures)| {
            let measure = measures.get(index)?;
            let [low, high] = measure.interval;
            let scale = if history.is_share { 100.0 } else { 1.0 };
            Some([f64::from(*epoch), scale * low, scale * measure.value, scale * high])
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
