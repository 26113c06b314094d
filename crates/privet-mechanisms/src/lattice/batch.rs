//! Reports of a window mechanism, many at once.
//!
//! Nothing here has a law of its own: [`SwiftWindow`] answers what [`RoundedWindow`] draws from the same random bits, and a row
//! for which it does not know is drawn like a single one. So a batch gives the reports, and takes the bits, of one draw after
//! the other.
//!
//! [`RoundedWindow`]: privet_core::sampling::RoundedWindow

use super::window::Track;
use super::{Rows, WindowRows};
use privet_core::sampling::SwiftWindow;
use privet_core::{Category, CryptoRng, ReportBuffer};
use pulp::{Simd, WithSimd};
use rand_core::utils::{fill_bytes_via_next_word, next_u64_via_u32};
use rand_core::{Infallible, TryCryptoRng, TryRng};

/// How many rows are drawn at once.
const ROWS: usize = 64;

/// For how many rows random bits are drawn at once: generators are faster at many bytes.
const AHEAD: usize = 4096;

/// Draws a report for each value, whose fraction of the domain is given by a function.
pub(super) fn draw<R: CryptoRng + ?Sized>(
    rows: &WindowRows,
    mut inputs: &[f64],
    fraction: impl Fn(f64) -> f64 + Copy,
    rng: &mut R,
    reports: &mut ReportBuffer,
) {
    let swift_rows = SwiftRows::new(rows);
    let processor = pulp::Arch::new();
    let width = reports.report_bytes();
    let mut slots = reports.extend_bytes(inputs.len());
    let mut bits = Ahead::new(rng, inputs.len());
    while !inputs.is_empty() {
        let words = bits.look(inputs.len());
        let known = match (inputs.first_chunk(), words.first_chunk()) {
            (Some(inputs), Some(words)) => {
                let slots = &mut slots[..ROWS * width];
                processor.dispatch(Swift { rows: swift_rows, inputs, fraction, words, slots })
            }
            _ => 0,
        };
        bits.skip(known);
        inputs = &inputs[known..];
        slots = &mut slots[known * width..];
        if let ([input, rest @ ..], true) = (inputs, known < ROWS) {
            let placed = rows.place(fraction(*input));
            let (slot, others) = slots.split_at_mut(width);
            Category(rows.draw_rounded(placed, placed.node + 1, &mut bits)).write(slot);
            (inputs, slots) = (rest, others);
        }
    }
}

/// The rows of a window mechanism in floating point, where all its whole numbers are exact.
#[derive(Clone, Copy)]
struct SwiftRows {
    window: SwiftWindow,
    input_cells: f64,
    step: f64,
    first: f64,
    lowest: f64,
    highest: f64,
    cells: u32,
}

impl SwiftRows {
    /// The sum of this and a whole number has the number in its lowest bits, as an integer with a sign.
    const TO_BITS: f64 = (3u64 << 51) as f64;

    fn new(rows: &WindowRows) -> Self {
        let Track { first, lowest, highest } = rows.track;
        Self {
            window: rows.rounded.swift(),
            input_cells: f64::from(rows.input_cells()),
            step: f64::from(rows.geometry.step),
            first: f64::from(first),
            lowest: f64::from(lowest),
            highest: f64::from(highest),
            cells: rows.output_cells(),
        }
    }

    /// The cell of a value that an upper half of a word leads to, if that is known.
    #[inline(always)]
    fn draw(self, fraction: f64, word: u32) -> (u32, bool) {
        let scaled = fraction * self.input_cells;
        let node = scaled.floor();
        let drawn = self.window.draw(word, scaled - node);
        let node = if drawn.is_up { node + 1.0 } else { node };
        let start = self.first + node * self.step;
        let start = if start < self.lowest { self.lowest } else { start };
        let start = if start > self.highest { self.highest } else { start };
        let cell = (start + drawn.place + Self::TO_BITS).to_bits() as u32;
        // Around the ring: of a number and the same number one turn away, the one that is no cell is the larger without sign.
        let cell = cell.min(cell.wrapping_add(self.cells));
        (cell.min(cell.wrapping_sub(self.cells)), drawn.is_known)
    }
}

/// Some values, a word for each, and where their reports go. The work says of how many, from the first on, the report is known;
/// what is written of the others does not count.
struct Swift<'a, F> {
    rows: SwiftRows,
    inputs: &'a [f64; ROWS],
    fraction: F,
    words: &'a [[u8; 4]; ROWS],
    slots: &'a mut [u8],
}

impl<F: Fn(f64) -> f64> WithSimd for Swift<'_, F> {
    type Output = usize;

    /// One simple loop, which the compiler turns into vector instructions of each kind of processor.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        let Self { rows, inputs, fraction, words, slots } = self;
        let mut cells = [0; ROWS];
        let mut known = [true; ROWS];
        for row in 0..ROWS {
            let word = u32::from_le_bytes(words[row]);
            (cells[row], known[row]) = rows.draw(fraction(inputs[row]), word);
        }
        Category::write_all(&cells, slots);
        // Nearly always all are, and a search that may end early is no vector instruction.
        let are_known = known.iter().fold(true, |all, is_known| all & is_known);
        if are_known { ROWS } else { known.iter().take_while(|is_known| **is_known).count() }
    }
}

/// Random bits that were drawn before they are needed, and then those of the generator.
struct Ahead<'a, R: ?Sized> {
    rng: &'a mut R,
    words: Vec<[u8; 4]>,
    next: usize,
    end: usize,
}

impl<'a, R: CryptoRng + ?Sized> Ahead<'a, R> {
    fn new(rng: &'a mut R, rows: usize) -> Self {
        Self { rng, words: vec![[0; 4]; rows.min(AHEAD)], next: 0, end: 0 }
    }

    /// The next words: enough for the rows that are drawn at once, and no more than there are rows. Each row takes at least
    /// one, so that none is left over.
    fn look(&mut self, rows: usize) -> &[[u8; 4]] {
        let left = self.end - self.next;
        if left < rows.min(ROWS) {
            self.words.copy_within(self.next..self.end, 0);
            self.next = 0;
            self.end = rows.min(self.words.len());
            self.rng.fill_bytes(self.words[left..self.end].as_flattened_mut());
        }
        &self.words[self.next..self.end]
    }

    fn skip(&mut self, words: usize) {
        self.next += words;
    }
}

impl<R: CryptoRng + ?Sized> TryRng for Ahead<'_, R> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        if self.next == self.end {
            return Ok(self.rng.next_u32());
        }
        self.next += 1;
        Ok(u32::from_le_bytes(self.words[self.next - 1]))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
        fill_bytes_via_next_word(target, || self.try_next_u32())
    }
}

impl<R: CryptoRng + ?Sized> TryCryptoRng for Ahead<'_, R> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circle::OptimalPiecewiseCircle;
    use crate::interval::{OptimalPiecewise, Piecewise, PiecewiseTruncated, SquareWave};
    use crate::lattice::{Calibration, LatticeMechanism, LatticeRule};
    use privet_core::{Circle, Epsilon, Generator, Interval, Mechanism, Rng};

    /// Halves of words that are as often extreme, or next to a cell's first half, as not; or fair ones, with which many rows in
    /// succession are known.
    struct Adversary {
        rng: Generator,
        counts: [u64; 2],
        is_fair: bool,
    }

    impl TryRng for Adversary {
        type Error = Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            let word = self.rng.next_u64();
            if self.is_fair {
                return Ok(word as u32);
            }
            let count = self.counts[(word >> 8) as usize % 2].max(1);
            let first = (word >> 32) / count * count;
            Ok(match word % 8 {
                0 => first as u32,
                1 => first.saturating_sub(1) as u32,
                2 => first as u32 + 1,
                3 => u32::MAX - (word >> 32) as u32 % 1000,
                4 => (word >> 32) as u32 % 2,
                _ => (word >> 32) as u32,
            })
        }
        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            next_u64_via_u32(self)
        }
        fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
            fill_bytes_via_next_word(target, || self.try_next_u32())
        }
    }

    impl TryCryptoRng for Adversary {}

    /// The same reports, and the same word afterwards, for batches that end before, at and after the end of a chunk.
    fn agrees<K: LatticeRule<Rows = WindowRows>>(
        mechanism: &LatticeMechanism<K>,
        value: impl Fn(f64) -> f64,
    ) {
        let row = mechanism.rows().row();
        let lengths = [1, ROWS - 1, ROWS, ROWS + 1, 3 * AHEAD + 17];
        for (seed, rows) in lengths.into_iter().chain(lengths).enumerate() {
            let mut draw = Generator::from_insecure_seed(seed as u64);
            let inputs: Vec<f64> = (0..rows)
                .map(|row| match row % 7 {
                    0 => value(0.0),
                    1 => value(1.0),
                    2 => value((draw.next_u32() % 65536) as f64 / 65536.0),
                    _ => value(draw.next_u32() as f64 / 2f64.powi(32)),
                })
                .collect();
            let generator = || Adversary {
                rng: Generator::from_insecure_seed(100 + seed as u64),
                counts: [row.high() >> 32, row.low() >> 32],
                is_fair: seed < lengths.len(),
            };
            let (mut single, mut many) = (generator(), generator());
            let mut batch = ReportBuffer::new(mechanism.report_bytes());
            mechanism.randomize_batch(&inputs, &mut many, &mut batch).unwrap();
            for (input, report) in inputs.iter().zip(batch.iter()) {
                let expected = mechanism.randomize(input, &mut single).unwrap();
                assert_eq!(mechanism.decode(report), Ok(expected), "{mechanism:?}");
            }
            assert_eq!(single.next_u64(), many.next_u64(), "{mechanism:?}, {rows} rows");
        }
    }

    #[test]
    fn a_batch_is_one_draw_after_the_other() {
        let interval = Interval::new(-3.0, 5.0).unwrap();
        let circle = Circle::new(7.0).unwrap();
        for epsilon in [0.3, 1.0, 4.0, 20.0].map(|epsilon| Epsilon::new(epsilon).unwrap()) {
            let on_interval = |unit: f64| -3.0 + 8.0 * unit;
            agrees(&Piecewise::new(interval, epsilon).unwrap(), on_interval);
            agrees(&PiecewiseTruncated::new(interval, epsilon).unwrap(), on_interval);
            agrees(&SquareWave::new(interval, epsilon).unwrap(), on_interval);
            agrees(&OptimalPiecewise::new(interval, epsilon).unwrap(), on_interval);
            // A ring whose number of cells is no power of two does not close by leaving out high bits.
            for input_cells in [None, Some(1000)] {
                let calibration = Calibration { input_cells, ..Calibration::new(epsilon) };
                let on_circle = OptimalPiecewiseCircle::calibrate(circle, &calibration).unwrap();
                agrees(&on_circle, |unit| 7.0 * unit.min(0.999_999));
            }
        }
    }
}
