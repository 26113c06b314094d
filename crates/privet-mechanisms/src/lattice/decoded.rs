//! A window of constant measure in front of any decoder: the shape of the best channels.

use super::{Placement, Rounding, Rows, Run};
use privet_core::sampling::WindowRow;
use privet_core::{CryptoRng, Epsilon, FingerprintBuilder, Fraction, ParameterError};
use std::sync::Arc;

/// How a value chooses its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// The cells whose numbers are nearest to the value.
    Nearest,
    /// At random one of the two windows whose mean reports are next to the value, so that the mean is kept.
    Mean,
}

/// Equally likely cells, each standing for a number; a window of cells that moves with the value is e^epsilon times likelier.
///
/// Cells whose numbers are equal are one point with more weight, so any distribution of the reports can be written so.
#[derive(Debug, Clone)]
pub struct DecodedRows {
    row: WindowRow,
    aim: Aim,
    numbers: Arc<[i64]>,
    nodes: Arc<[Node]>,
}

/// A window and the place from where it is used, or where its mean report lies.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    place: f64,
    start: u32,
}

/// Decoded numbers are whole multiples of this fraction of the domain.
const RESOLUTION: f64 = 1.0 / (1u64 << RESOLUTION_BITS) as f64;
const RESOLUTION_BITS: u32 = 40;

/// Decoded numbers reach at most this many widths beyond the domain.
const REACH: i64 = 1 << 20;

/// Windows whose means are nearer than this to each other, or to an end of the domain, are at the same place.
const SAME: f64 = 1e-11;

impl DecodedRows {
    /// The largest number of cells.
    pub const MAX_CELLS: usize = 1 << 16;

    /// A number of the domain, 0 to 1, as the decoder writes it.
    pub fn number_of(unit: f64) -> i64 {
        (unit / RESOLUTION).round() as i64
    }

    /// What a decoder's number is in units of the domain.
    pub fn unit_of(number: i64) -> f64 {
        number as f64 * RESOLUTION
    }

    /// Numbers in the same proportions, moved and stretched so that the mean reports of the windows go from one end of the
    /// domain exactly to the other.
    ///
    /// # Errors
    /// When the window does not fit, or all its means are the same.
    pub fn covering(units: &[f64], window: u32, epsilon: Epsilon) -> Result<Vec<i64>, ParameterError> {
        let row = WindowRow::calibrate(units.len() as u32, window, epsilon)?;
        let (low, more) = (row.low() as f64, (row.high() - row.low()) as f64);
        let sum = |units: &[f64]| units.iter().sum::<f64>();
        let mean = |inside: &[f64]| (low * sum(units) + more * sum(inside)) / row.total() as f64;
        let (first, last) = (mean(&units[..window as usize]), mean(&units[units.len() - window as usize..]));
        if last - first <= SAME {
            let reason = "the mean reports of all windows are the same".to_owned();
            return Err(ParameterError::Incompatible { reason });
        }
        Ok(units.iter().map(|unit| Self::number_of((unit - first) / (last - first))).collect())
    }

    /// Calibrates the window to epsilon. `numbers` are what the cells stand for, in multiples of 2^-40 of the domain, and
    /// never fall.
    ///
    /// # Errors
    /// When the numbers fall, are too many or too far out, the window does not fit, epsilon is too small for 64-bit
    /// weights, or (for [`Aim::Mean`]) the means of the windows do not go from one end of the domain to the other.
    pub fn new(numbers: Vec<i64>, window: u32, aim: Aim, epsilon: Epsilon) -> Result<Self, ParameterError> {
        let wrong = |reason: &str| ParameterError::Incompatible { reason: reason.to_owned() };
        if numbers.len() > Self::MAX_CELLS {
            return Err(wrong("a decoder has at most 65536 cells"));
        }
        if numbers.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(wrong("the numbers of a decoder must not fall"));
        }
        let widest = REACH << RESOLUTION_BITS;
        if numbers.iter().any(|number| !(-widest..=widest).contains(number)) {
            return Err(wrong("the numbers of a decoder are too far outside the domain"));
        }
        let row = WindowRow::calibrate(numbers.len() as u32, window, epsilon)?;
        let nodes = match aim {
            Aim::Nearest => nearest_nodes(&numbers, window),
            Aim::Mean => mean_nodes(&numbers, &row).ok_or_else(|| {
                wrong("the mean reports of the windows do not go from one end of the domain to the other")
            })?,
        };
        if nodes.len() < 2 {
            return Err(wrong("every value would have the same window"));
        }
        Ok(Self { row, aim, numbers: numbers.into(), nodes: nodes.into() })
    }

    /// The integer weights of every row.
    pub fn row(&self) -> &WindowRow {
        &self.row
    }

    /// How values choose their windows.
    pub fn aim(&self) -> Aim {
        self.aim
    }

    /// What the cells stand for, in multiples of 2^-40 of the domain.
    pub fn numbers(&self) -> &[i64] {
        &self.numbers
    }

    fn start(&self, node: u32) -> u32 {
        self.nodes[node as usize].start
    }
}

/// The windows of nearest cells: the window moves past a cell as soon as the value is nearer to the cell after the window.
fn nearest_nodes(numbers: &[i64], window: u32) -> Vec<Node> {
    let twice_one = 2i64 << RESOLUTION_BITS;
    let mut nodes = vec![Node { place: 0.0, start: 0 }];
    let moves = numbers.iter().zip(&numbers[window as usize..]).map(|(left, right)| left + right);
    for (start, twice) in (1u32..).zip(moves) {
        if twice >= twice_one {
            break;
        }
        let place = twice.max(0) as f64 * (RESOLUTION / 2.0);
        match nodes.last_mut() {
            // Cells that stand for one number are passed together.
            Some(last) if last.place == place => last.start = start,
            _ => nodes.push(Node { place, start }),
        }
    }
    nodes
}

/// The windows with their mean reports, from the lower to the upper end of the domain.
fn mean_nodes(numbers: &[i64], row: &WindowRow) -> Option<Vec<Node>> {
    let window = row.window() as usize;
    let sum = |numbers: &[i64]| numbers.iter().map(|number| i128::from(*number)).sum::<i128>();
    let base = i128::from(row.low()) * sum(numbers);
    let more = i128::from(row.high() - row.low());
    let mut inside = sum(&numbers[..window]);
    let mut means = Vec::with_capacity(numbers.len() - window + 1);
    for start in 0..=numbers.len() - window {
        if start > 0 {
            inside += i128::from(numbers[start + window - 1]) - i128::from(numbers[start - 1]);
        }
        means.push((base + more * inside) as f64 / row.total() as f64 * RESOLUTION);
    }
    let (first, last) = (means.first()?, means.last()?);
    if first.abs() > SAME || (last - 1.0).abs() > SAME {
        return None;
    }
    let mut nodes = vec![Node { place: 0.0, start: 0 }];
    for (start, mean) in (0u32..).zip(&means) {
        if nodes.last().is_some_and(|node| *mean > node.place + SAME) {
            nodes.push(Node { place: *mean, start });
        }
    }
    let end = nodes.last_mut()?;
    *end = Node { place: 1.0, start: means.len() as u32 - 1 };
    Some(nodes)
}

impl Rows for DecodedRows {
    fn input_cells(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    fn output_cells(&self) -> u32 {
        self.row.cells()
    }

    fn unit_value(&self, cell: u32) -> f64 {
        Self::unit_of(self.numbers[cell as usize])
    }

    fn extent(&self, cell: u32) -> [f64; 2] {
        let value = self.unit_value(cell);
        let neighbour = |cell: Option<u32>| {
            cell.and_then(|cell| self.numbers.get(cell as usize)).map(|number| Self::unit_of(*number))
        };
        let (below, above) = (neighbour(cell.checked_sub(1)), neighbour(cell.checked_add(1)));
        if below == Some(value) || above == Some(value) {
            return [value; 2];
        }
        [below, above].map(|other| other.map_or(value, |other| f64::midpoint(value, other)))
    }

    fn runs(&self, node: u32) -> Vec<Run> {
        let (start, window, cells) = (self.start(node), self.row.window(), self.row.cells());
        let runs = [
            Run { first: 0, count: start, weight: self.row.low() },
            Run { first: start, count: window, weight: self.row.high() },
            Run { first: start + window, count: cells - start - window, weight: self.row.low() },
        ];
        runs.into_iter().filter(|run| run.count > 0).collect()
    }

    fn weight(&self, node: u32, cell: u32) -> u64 {
        self.row.weight(self.start(node), cell)
    }

    fn total(&self) -> u128 {
        self.row.total()
    }

    #[inline]
    fn draw<R: CryptoRng + ?Sized>(&self, node: u32, rng: &mut R) -> u32 {
        self.row.draw(self.start(node), rng)
    }

    fn worst_ratio(&self) -> Fraction {
        self.row.ratio()
    }

    fn worst_nodes(&self) -> [u32; 2] {
        [0, self.input_cells()]
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        builder.number(u64::from(self.row.window())).number(u64::from(self.aim == Aim::Mean));
        builder.number(self.row.high()).number(self.row.low());
        for number in self.numbers.iter() {
            builder.number(*number as u64);
        }
    }

    fn rounding(&self) -> Rounding {
        if self.aim == Aim::Mean { Rounding::Stochastic } else { Rounding::Down }
    }

    fn node_unit(&self, node: u32) -> f64 {
        self.nodes[node as usize].place
    }

    fn place(&self, fraction: f64) -> Placement {
        let after = self.nodes.partition_point(|node| node.place <= fraction);
        let node = after.saturating_sub(1);
        let up = match (self.aim, self.nodes.get(node + 1)) {
            (Aim::Mean, Some(next)) => {
                let from = self.nodes[node].place;
                ((fraction - from) / (next.place - from) * 2f64.powi(64)) as u64
            }
            _ => 0,
        };
        Placement { node: node as u32, up }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn epsilon() -> Epsilon {
        Epsilon::new(1.0).unwrap()
    }

    fn numbers(units: &[f64]) -> Vec<i64> {
        units.iter().map(|unit| DecodedRows::number_of(*unit)).collect()
    }

    fn distance(rows: &DecodedRows, cell: u32, value: f64) -> f64 {
        (rows.unit_value(cell) - value).abs()
    }

    proptest! {
        #[test]
        fn the_window_holds_the_nearest_cells(
            mut units in prop::collection::vec(0.0f64..1.0, 4..40), value in 0.0f64..1.0, share in 0.1f64..0.9,
        ) {
            units.sort_unstable_by(f64::total_cmp);
            let window = ((units.len() as f64 * share) as u32).max(1);
            let built = DecodedRows::new(numbers(&units), window, Aim::Nearest, epsilon());
            prop_assume!(built.is_ok());
            let rows = built.unwrap();
            let node = rows.place(value).node;
            let is_high = |cell: &u32| rows.weight(node, *cell) == rows.row().high();
            let (inside, outside): (Vec<u32>, Vec<u32>) = (0..rows.output_cells()).partition(is_high);
            let farthest = inside.iter().map(|cell| distance(&rows, *cell, value)).fold(0.0, f64::max);
            let nearest = outside.iter().map(|cell| distance(&rows, *cell, value)).fold(9.0, f64::min);
            prop_assert!(farthest <= nearest + 1e-9, "{farthest} {nearest}");
            prop_assert_eq!(inside.len() as u32, window);
        }

        #[test]
        fn means_are_kept(
            mut units in prop::collection::vec(-3.0f64..4.0, 8..40), value in 0.0f64..1.0,
        ) {
            units.sort_unstable_by(f64::total_cmp);
            let window = units.len() as u32 / 3;
            let stretched = DecodedRows::covering(&units, window, epsilon());
            prop_assume!(stretched.is_ok());
            let built = DecodedRows::new(stretched.unwrap(), window, Aim::Mean, epsilon());
            prop_assume!(built.is_ok());
            let rows = built.unwrap();
            let mean = |node: u32| -> f64 {
                let sum = |cell: u32| rows.weight(node, cell) as f64 * rows.unit_value(cell);
                (0..rows.output_cells()).map(sum).sum::<f64>() / rows.total() as f64
            };
            let Placement { node, up } = rows.place(value);
            let share = up as f64 / 2f64.powi(64);
            let upper = if up > 0 { mean(node + 1) } else { 0.0 };
            prop_assert!(((1.0 - share) * mean(node) + share * upper - value).abs() < 1e-9);
        }
    }

    #[test]
    fn atoms_are_passed_at_once() {
        let rows = DecodedRows::new(numbers(&[0.25, 0.25, 0.75, 0.75]), 2, Aim::Nearest, epsilon()).unwrap();
        assert_eq!(rows.input_cells(), 1);
        assert_eq!([rows.place(0.49).node, rows.place(0.51).node], [0, 1]);
        assert_eq!(rows.start(1), 2);
        assert_eq!(rows.extent(0), [0.25, 0.25]);
    }

    #[test]
    fn unsound_decoders_are_refused() {
        let refused = |units: &[f64], window: u32, aim: Aim| {
            assert!(DecodedRows::new(numbers(units), window, aim, epsilon()).is_err(), "{units:?}");
        };
        refused(&[0.5, 0.25], 1, Aim::Nearest);
        refused(&[0.2, 0.4, 0.6], 3, Aim::Nearest);
        refused(&[0.2, 0.4, 0.6], 0, Aim::Nearest);
        // All reports are inside the domain, so their means cannot reach its ends.
        refused(&[0.0, 0.3, 0.6, 1.0], 2, Aim::Mean);
        refused(&[], 0, Aim::Nearest);
        refused(&[-1e9, 0.5, 1.0], 1, Aim::Nearest);
    }
}
