//! The law of one input as a few ranges of equal density.

use super::{Placement, Rows, Run, weight_in};
use privet_core::{Fraction, Piece};

/// Laws with more runs than this are shown in groups of neighbouring cells.
const MOST_PIECES: usize = 256;

/// Neighbouring cells with the same probability.
struct Segment {
    first: u32,
    last: u32,
    each: Fraction,
}

/// The pieces of a placed input, with reports scaled by `scale`.
pub(super) fn pieces_of<T: Rows>(
    rows: &T,
    placed: Placement,
    next: u32,
    scale: impl Fn(f64) -> f64,
) -> Vec<Piece> {
    let segments = segments_of(rows, placed, next);
    if segments.len() > MOST_PIECES {
        return grouped(rows, &segments, &scale);
    }
    let mut pieces = Vec::new();
    for segment in &segments {
        split(rows, segment, &scale, &mut pieces);
    }
    pieces
}

/// The mixture of two neighbouring rows, cut wherever one of them changes.
fn segments_of<T: Rows>(rows: &T, placed: Placement, next: u32) -> Vec<Segment> {
    let below = rows.runs(placed.node);
    let above = if placed.up == 0 { below.clone() } else { rows.runs(next) };
    let mut cuts: Vec<u32> = below.iter().chain(&above).map(|run: &Run| run.first).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let ends = cuts.iter().skip(1).copied().chain([rows.output_cells()]);
    let total = Fraction::whole(rows.total());
    let share = |weight: u64, of: &Fraction| &(of * &Fraction::whole(u128::from(weight))) / &total;
    let (stay, up) = (Fraction::of_complement(placed.up), Fraction::of_weight(placed.up));
    cuts.iter()
        .zip(ends)
        .map(|(first, end)| Segment {
            first: *first,
            last: end - 1,
            each: &share(weight_in(&below, *first), &stay) + &share(weight_in(&above, *first), &up),
        })
        .collect()
}

/// Cells beyond a truncated end all stand for that end: a single point beside the range.
fn split<T: Rows>(rows: &T, segment: &Segment, scale: &impl Fn(f64) -> f64, pieces: &mut Vec<Piece>) {
    let point = |cell: u32| {
        let [from, to] = rows.extent(cell);
        (from == to).then_some(from)
    };
    let (mut first, mut end) = (segment.first, segment.last + 1);
    let mass = |count: u32| &segment.each * &Fraction::whole(u128::from(count));
    let range = |from: f64, to: f64, count: u32| Piece::range(scale(from), scale(to), &mass(count));
    if let Some(low) = point(first) {
        let beyond = boundary(first, end, |cell| point(cell) == Some(low));
        if beyond == first + 1 && beyond < end && point(beyond).is_some() {
            let what = format!("each of {} points", end - first);
            pieces.push(Piece::each(what, u64::from(end - first), &segment.each));
            return;
        }
        pieces.push(range(low, low, beyond - first));
        first = beyond;
    }
    if first == end {
        return;
    }
    let high = point(end - 1);
    if high.is_some() {
        end = boundary(first, end, |cell| point(cell).is_none());
    }
    if first < end {
        pieces.push(range(rows.extent(first)[0], rows.extent(end - 1)[1], end - first));
    }
    if let Some(high) = high {
        pieces.push(range(high, high, segment.last + 1 - end));
    }
}

/// The first cell from `first` to `end` for which the condition no longer holds; it holds for a beginning of them.
fn boundary(first: u32, end: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (first, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Groups of neighbouring cells; the single points at both ends stay by themselves.
fn grouped<T: Rows>(rows: &T, segments: &[Segment], scale: &impl Fn(f64) -> f64) -> Vec<Piece> {
    let cells = rows.output_cells();
    let point_at = |cell: u32, end: u32| rows.extent(cell) == [rows.extent(end)[0]; 2];
    let first = boundary(0, cells, |cell| point_at(cell, 0));
    let last = boundary(first, cells, |cell| !point_at(cell, cells - 1));
    let size = (last - first).div_ceil(MOST_PIECES as u32).max(1);
    let mut ends: Vec<u32> = (first..last).step_by(size as usize).chain([last, cells]).collect();
    ends.dedup();
    let mut segments = segments.iter().peekable();
    let mut from = 0;
    let mut pieces = Vec::new();
    for end in ends.into_iter().filter(|end| *end > 0) {
        let mut mass = Fraction::whole(0);
        while let Some(segment) = segments.peek() {
            let count = end.min(segment.last + 1).saturating_sub(from.max(segment.first));
            mass = (&mass + &(&segment.each * &Fraction::whole(u128::from(count)))).reduced();
            if segment.last >= end {
                break;
            }
            segments.next();
        }
        pieces.push(Piece::range(scale(rows.extent(from)[0]), scale(rows.extent(end - 1)[1]), &mass));
        from = end;
    }
    pieces
}
