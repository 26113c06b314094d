//! The law of a report in parts that people can read: ranges of one density, and single numbers.

use super::{AnyNumeric, Space};
use privet_core::Piece;

/// A range of reports with one density, or a single number with a probability of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its probability.
    pub mass: f64,
    /// Whether the parts of a group are single numbers, which have no density.
    pub is_grid: bool,
}

impl Part {
    fn atom(at: f64, mass: f64) -> Self {
        Self { from: at, to: at, mass, is_grid: true }
    }

    /// Whether it is a single number.
    pub fn is_atom(&self) -> bool {
        self.to <= self.from
    }

    /// The probability of each unit of length; none for single numbers.
    pub fn density(&self) -> Option<f64> {
        (!self.is_grid).then(|| self.mass / (self.to - self.from)).filter(|density| density.is_finite())
    }
}

/// The parts of the pieces of a channel, which must be about the same input.
pub fn of_pieces(channel: &dyn AnyNumeric, input: f64, pieces: &[Piece]) -> Vec<Part> {
    let part = |piece: &Piece| {
        let extent = piece.extent?;
        let is_grid = extent.to <= extent.from;
        Some(Part { from: extent.from, to: extent.to, mass: piece.mass, is_grid })
    };
    // Points of equal probability come without their places.
    let parts = pieces.iter().map(part).collect::<Option<Vec<_>>>();
    merged(parts.unwrap_or_else(|| atoms(channel, input)))
}

/// The parts with one for each single number: different rows beyond an end all go to the end.
fn merged(parts: Vec<Part>) -> Vec<Part> {
    let mut merged: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        match merged.last_mut() {
            Some(last) if last.is_atom() && part.is_atom() && last.from == part.from => {
                last.mass += part.mass
            }
            _ => merged.push(part),
        }
    }
    merged
}

/// What lies across the beginning of a circle, cut in two.
pub fn wrapped(parts: Vec<Part>, space: Space) -> Vec<Part> {
    let Space::Ring { period } = space else { return parts };
    let mut cut = Vec::with_capacity(parts.len() + 1);
    for part in parts {
        let share = |length: f64| part.mass * length / (part.to - part.from);
        if part.from < 0.0 && part.to > 0.0 {
            cut.push(Part { from: period + part.from, to: period, mass: share(-part.from), ..part });
            cut.push(Part { from: 0.0, mass: share(part.to), ..part });
        } else if part.from < period && part.to > period {
            cut.push(Part { to: period, mass: share(period - part.from), ..part });
            cut.push(Part { from: 0.0, to: part.to - period, mass: share(part.to - period), ..part });
        } else {
            cut.push(part);
        }
    }
    cut.sort_by(|one, other| one.from.total_cmp(&other.from));
    cut
}

/// Every report of a channel on single numbers.
fn atoms(channel: &dyn AnyNumeric, input: f64) -> Vec<Part> {
    let placed = channel.place(input);
    let up = placed.up as f64 / 2f64.powi(64);
    let mut masses = vec![0.0; channel.output_cells() as usize];
    let mut add = |node: u32, share: f64| {
        for run in channel.runs(node) {
            let cells = run.first as usize..(run.first + run.count) as usize;
            let each = share * run.weight as f64 / channel.row_total() as f64;
            masses.get_mut(cells).into_iter().flatten().for_each(|mass| *mass += each);
        }
    };
    add(placed.node, 1.0 - up);
    if placed.up > 0 {
        add(channel.next_node(placed.node), up);
    }
    (0u32..).zip(masses).map(|(cell, mass)| Part::atom(channel.output_value(cell), mass)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_across_the_beginning_of_a_circle_are_cut() {
        let around = Part { from: -1.0, to: 3.0, mass: 0.8, is_grid: false };
        let [first, last] = wrapped(vec![around], Space::Ring { period: 10.0 })[..] else {
            panic!("two parts")
        };
        assert_eq!((first.from, first.to, last.from, last.to), (0.0, 3.0, 9.0, 10.0));
        assert!((first.mass - 0.6).abs() < 1e-12 && (last.mass - 0.2).abs() < 1e-12);
        assert_eq!(wrapped(vec![around], Space::Line { low: -2.0, high: 4.0 }), [around]);
    }

    #[test]
    fn rows_beyond_an_end_are_one_number() {
        let parts = merged(vec![Part::atom(1.0, 0.25), Part::atom(1.0, 0.5), Part::atom(2.0, 0.25)]);
        assert_eq!(parts, [Part::atom(1.0, 0.75), Part::atom(2.0, 0.25)]);
        assert!(parts[0].is_atom() && parts[0].density().is_none());
    }
}
