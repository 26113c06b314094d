//! Channels and estimates as pictures.

use super::collection::{Collection, Part, Row};
use super::percent;
use privet::policy::{AttributeKind, ShownChoice, ShownPicture, ShownPiece};
use privet::{DomainSpec, Rectangle};
use privet_plot::{Bar, BarChart, Chart, Drawing, Heading, Legend, Map, Petal, Range, Rose, Series};

/// How many bars a chart has at most.
const MAX_BARS: usize = 12;

/// What can become of the first person's answer.
pub(super) fn channel(id: &str, collection: &Collection) -> String {
    let title = format!("What can become of the answer {}", collection.example.truth);
    match (&collection.example.channel.picture, &collection.kind) {
        (ShownPicture::Choices { choices, .. }, _) => choice_bars(id, &title, choices),
        (ShownPicture::Numbers { pieces, period }, _) => law(id, title, pieces, *period),
        (ShownPicture::Places { side, cell, own, other, .. }, AttributeKind::Place { rectangle, .. }) => {
            let cells = 0..side * side;
            let shares: Vec<f64> = cells.map(|index| if index == *cell { *own } else { *other }).collect();
            let tint_label = format!("up to {} for one cell", percent(*own));
            let description = format!(
                "The own cell is reported with {}, each other one with {}",
                percent(*own),
                percent(*other)
            );
            let map = Map { tint_label, description, ..Map::of_cells(title, rectangle, *side, &shares) };
            map.draw(Heading::OnPage).inline_svg(id)
        }
        _ => String::new(),
    }
}

fn choice_bars(id: &str, title: &str, choices: &[ShownChoice]) -> String {
    let bar = |choice: &ShownChoice| Bar {
        is_faint: !choice.own,
        ..Bar::new(choice.label.clone(), choice.probability)
    };
    let bars: Vec<Bar> = choices.iter().map(bar).collect();
    BarChart { id, title, description: &described(&bars), bars: &bars, legend: None }.svg()
}

/// The bars in words.
fn described(bars: &[Bar]) -> String {
    let parts: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.label, percent(bar.value))).collect();
    parts.join(", ")
}

/// How likely each number is to be reported: ranges by their density, single numbers as stems.
fn law(id: &str, title: String, pieces: &[ShownPiece], period: Option<f64>) -> String {
    let is_range = |piece: &&ShownPiece| piece.to > piece.from;
    let ends = |piece: &ShownPiece| {
        let density = 100.0 * piece.probability / (piece.to - piece.from);
        [piece.from, piece.to].map(|at| [at, density])
    };
    let line: Vec<[f64; 2]> = pieces.iter().filter(is_range).flat_map(ends).collect();
    let stems: Vec<[f64; 2]> = pieces
        .iter()
        .filter(|piece| !is_range(piece))
        .map(|piece| [piece.from, 100.0 * piece.probability])
        .collect();
    let [low, high] = pieces.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], piece| {
        [low.min(piece.from), high.max(piece.to)]
    });
    let name = |is_there: bool, name: &str| if is_there { name.to_owned() } else { String::new() };
    let chart = Chart {
        title,
        description: format!("{} ranges and single numbers that can be reported", pieces.len()),
        x_name: "report".to_owned(),
        x_range: period.map_or(Range::Line([low, high]), Range::Turn),
        y_name: name(!line.is_empty(), "percent for each unit"),
        stem_name: name(!stems.is_empty(), "percent"),
        may_be_logarithmic: false,
        series: vec![Series { line, stems, is_filled: true, ..Series::default() }],
    };
    chart.draw_for_page().inline_svg(id)
}

/// What was estimated: one picture with the truth in it, or one of the estimate and one of the truth.
pub(super) enum Estimates {
    Together(String),
    Apart { estimate: String, truth: String },
}

pub(super) fn estimates(id: &str, collection: &Collection) -> Estimates {
    let title = |what: &str| format!("{what}: {}", collection.question);
    let apart = |draw: &dyn Fn(String, bool) -> Drawing| Estimates::Apart {
        estimate: draw(title("Estimate"), false).inline_svg(&format!("{id}-estimate")),
        truth: draw(title("Truth"), true).inline_svg(&format!("{id}-truth")),
    };
    match &collection.kind {
        _ if collection.estimates.is_empty() => Estimates::Together(String::new()),
        AttributeKind::Value(DomainSpec::Circle(circle)) => {
            apart(&|title, is_truth| rose(title, collection, circle.period(), is_truth))
        }
        AttributeKind::Place { rectangle, side } => {
            apart(&|title, is_truth| density(title, rectangle, *side, &collection.estimates, is_truth))
        }
        AttributeKind::Value(DomainSpec::Interval(_)) => {
            Estimates::Together(distribution(id, title("Estimate and truth"), &collection.parts))
        }
        _ => {
            Estimates::Together(share_bars(id, &title("Estimates and truth"), &collection.largest(MAX_BARS)))
        }
    }
}

fn share_bars(id: &str, title: &str, rows: &[&Row]) -> String {
    let bar = |row: &&Row| Bar {
        interval: Some(row.estimate.interval),
        mark: Some(row.truth),
        ..Bar::new(row.label.clone(), row.estimate.value)
    };
    let bars: Vec<Bar> = rows.iter().map(bar).collect();
    let legend = Some(Legend { bar: "estimate", interval: "95 % interval", mark: Some("truth") });
    BarChart { id, title, description: &described(&bars), bars: &bars, legend }.svg()
}

fn distribution(id: &str, title: String, parts: &[Part]) -> String {
    let steps = |value: fn(&Part) -> f64| -> Vec<[f64; 2]> {
        parts.iter().flat_map(|part| [part.from, part.to].map(|at| [at, 100.0 * value(part)])).collect()
    };
    let band = parts.iter().flat_map(|part| {
        let [low, high] = part.interval.map(|end| 100.0 * end);
        [part.from, part.to].map(|at| [at, low.max(0.0), high])
    });
    let estimate = Series {
        label: "estimate, with its 95 % intervals".to_owned(),
        line: steps(|part| part.share),
        band: band.collect(),
        ..Series::default()
    };
    let truth = Series { label: "truth".to_owned(), line: steps(|part| part.truth), ..Series::default() };
    let [low, high] = [parts.first().map(|part| part.from), parts.last().map(|part| part.to)];
    let chart = Chart {
        title,
        description: format!("The shares of {} parts of the domain, estimated and true", parts.len()),
        x_name: "answer".to_owned(),
        x_range: Range::Line([low.unwrap_or(0.0), high.unwrap_or(1.0)]),
        y_name: "percent of people".to_owned(),
        stem_name: String::new(),
        may_be_logarithmic: false,
        series: vec![estimate, truth],
    };
    chart.legend_html() + &chart.draw_for_page().inline_svg(id)
}

fn rose(title: String, collection: &Collection, period: f64, is_truth: bool) -> Drawing {
    let petal = |part: &Part| {
        let (share, interval) =
            if is_truth { (part.truth, [part.truth; 2]) } else { (part.share, part.interval) };
        Petal { from: part.from, to: part.to, share, interval }
    };
    let direction = collection.estimates.first().filter(|row| is_truth || row.is_told);
    let mean = direction.map(|row| {
        if is_truth { (row.truth, [row.truth; 2]) } else { (row.estimate.value, row.estimate.interval) }
    });
    let petals: Vec<Petal> = collection.parts.iter().map(petal).collect();
    let description = format!("{} parts of the circle; the dashed line is the mean direction", petals.len());
    Rose { title, description, period, petals, mean }.draw_for_page()
}

fn density(title: String, rectangle: &Rectangle, side: u32, rows: &[Row], is_truth: bool) -> Drawing {
    let shares: Vec<f64> =
        rows.iter().map(|row| if is_truth { row.truth } else { row.estimate.value }).collect();
    Map::of_cells(title, rectangle, side, &shares).draw(Heading::OnPage)
}
