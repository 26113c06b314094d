//! The law of the reports of one number or angle.

use crate::chart::{Chart, Range, Series};
use privet_core::{DomainSpec, Piece};
use privet_mechanisms::analysis::parts::{self, Part};
use privet_mechanisms::analysis::{Analysis, AnyNumeric, DensityPiece};

/// All reports of one input.
#[derive(Debug)]
pub struct Law {
    /// The input.
    pub input: f64,
    /// Its reports, from low to high.
    pub parts: Vec<Part>,
    /// Its ranges without groups of neighbours, for drawings.
    fine: Option<Vec<Part>>,
}

/// Laws with more parts are in groups of neighbours already, too wide for a smooth line.
const MANY: usize = 100;

impl Law {
    /// From the pieces of a channel, which must be about the same input.
    pub fn of(channel: &dyn AnyNumeric, input: f64, pieces: Vec<Piece>) -> Self {
        let parts = parts::of_pieces(channel, input, &pieces);
        let is_smooth = parts.len() > MANY && parts.iter().any(|part| !part.is_grid);
        let fine = is_smooth.then(|| fine(channel, input, &parts)).flatten();
        let fine = fine.map(|parts| parts::wrapped(parts, channel.space()));
        Self { input, parts: parts::wrapped(parts, channel.space()), fine }
    }

    /// The ranges as they are drawn.
    fn ranges(&self) -> impl Iterator<Item = &Part> {
        self.fine.as_deref().unwrap_or(&self.parts).iter().filter(|part| !part.is_atom())
    }

    fn stems(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| part.is_atom())
    }
}

/// The ranges of a law cell by cell, between the same ends.
fn fine(channel: &dyn AnyNumeric, input: f64, parts: &[Part]) -> Option<Vec<Part>> {
    let ranges = || parts.iter().filter(|part| !part.is_atom());
    let low = ranges().map(|part| part.from).fold(f64::INFINITY, f64::min);
    let high = ranges().map(|part| part.to).fold(f64::NEG_INFINITY, f64::max);
    let analysis = Analysis::new(channel);
    let law = analysis.law(input).ok()?;
    // A cell at an end is as wide as the part of it inside.
    let part = |piece: &DensityPiece| {
        let (from, to) = (piece.from.max(low), piece.to.min(high));
        (to > from).then_some(Part { from, to, mass: piece.mass, is_grid: false })
    };
    Some(law.pieces().iter().filter_map(part).collect())
}

/// The parts in about this many groups of neighbours. Single numbers beside ranges stay by themselves.
pub fn grouped(parts: &[Part], most: usize) -> Vec<Part> {
    if parts.len() <= most {
        return parts.to_vec();
    }
    let size = parts.len().div_ceil(most);
    let groups = parts.chunk_by(|one, other| one.is_grid == other.is_grid);
    groups.flat_map(|alike| alike.chunks(size).filter_map(joined)).collect()
}

fn joined(parts: &[Part]) -> Option<Part> {
    let (first, last) = (parts.first()?, parts.last()?);
    Some(Part { to: last.to, mass: parts.iter().map(|part| part.mass).sum(), ..*first })
}

/// A law as a line: up, along, down.
fn steps(parts: &[Part], is_ring: bool) -> Vec<[f64; 2]> {
    let ranges: Vec<(&Part, f64)> = parts.iter().filter_map(|part| Some((part, part.density()?))).collect();
    let mut line: Vec<[f64; 2]> = Vec::new();
    for (part, density) in &ranges {
        match line.last().copied() {
            Some([end, _]) if part.from > end + (part.to - part.from) * 1e-6 => {
                line.extend([[end, 0.0], [part.from, 0.0]]);
            }
            None if !is_ring => line.push([part.from, 0.0]),
            _ => {}
        }
        line.extend([[part.from, *density], [part.to, *density]]);
    }
    if let (false, Some([end, _])) = (is_ring, line.last().copied()) {
        line.push([end, 0.0]);
    }
    line
}

/// A line with more steps than this would not look smoother.
const MOST_STEPS: usize = 400;

/// Tails of this probability on each side may be left out of a drawing.
const TAIL: f64 = 1e-3;

/// The first part with more than a tail up to its end.
fn beyond_tail<'a>(mut parts: impl Iterator<Item = &'a Part>) -> Option<&'a Part> {
    let mut sum = 0.0;
    parts.find(|part| {
        sum += part.mass;
        sum > TAIL
    })
}

/// The range of reports that a drawing shows, and whether it is all of it.
fn shown(laws: &[Law], domain: [f64; 2]) -> ([f64; 2], bool) {
    let [mut low, mut high] = domain;
    for law in laws {
        low = low.min(beyond_tail(law.parts.iter()).map_or(low, |part| part.from));
        high = high.max(beyond_tail(law.parts.iter().rev()).map_or(high, |part| part.to));
    }
    let mut parts = laws.iter().flat_map(|law| &law.parts);
    let is_whole = parts.all(|part| part.from >= low && part.to <= high);
    ([low, high], is_whole)
}

/// The densities of several inputs, with stems for single numbers.
pub fn draw_laws(title: String, domain: &DomainSpec, laws: &[Law]) -> Chart {
    let (range, is_whole) = match domain {
        DomainSpec::Circle(circle) => (Range::Turn(circle.period()), true),
        DomainSpec::Interval(interval) => {
            let ([low, high], is_whole) = shown(laws, [interval.low(), interval.high()]);
            // Stems at the ends need room.
            let margin = (high / 2.0 - low / 2.0) * 0.06;
            (Range::Line([low - margin, high + margin]), is_whole)
        }
        _ => (Range::Line([0.0, 1.0]), true),
    };
    let is_ring = matches!(range, Range::Turn(_));
    let inside = |value: f64| match range {
        Range::Line([low, high]) | Range::Factors([low, high]) => (low..=high).contains(&value),
        Range::Turn(_) | Range::Names(_) => true,
    };
    let series = |law: &Law| {
        let ranges = law.ranges().filter(|part| inside(part.from) && inside(part.to));
        let ranges: Vec<Part> = ranges.copied().collect();
        let stems = law.stems().filter(|part| inside(part.from));
        Series {
            label: format!("x = {}", law.input),
            line: steps(&grouped(&ranges, MOST_STEPS), is_ring),
            is_filled: true,
            stems: stems.map(|part| [part.from, part.mass]).collect(),
            mark: Some(law.input),
            ..Series::default()
        }
    };
    let cut = if is_whole { "" } else { "; at most 0.1 % of the reports lie on each side of what is shown" };
    Chart {
        title,
        description: "The density of the reports for each input; triangles mark the inputs.".into(),
        x_name: format!("report (triangle: the input x{cut})"),
        x_range: range,
        y_name: "density".into(),
        stem_name: "probability of a single number".into(),
        may_be_logarithmic: false,
        series: laws.iter().map(series).collect(),
    }
}
