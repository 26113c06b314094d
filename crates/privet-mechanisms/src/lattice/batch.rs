//! Reports of a window mechanism, many at once.
//!
//! Nothing here has a law of its own: [`SwiftWindow`] answers what [`RoundedWindow`] draws from the same random bits, and a row
//! for which it does not know is drawn like a single one. So a batch gives the reports, and takes the bits, of one draw after
//! the other.
//!
//! [`RoundedWindow`]: privet_core::sampling::RoundedWindow

use super::window::Track;
use super::{Rows, WindowRows, split_fraction};
use privet_core::sampling::SwiftWindow;
use privet_core::{Category, CryptoRng, ReportBuffer};
use rand_core::{Infallible, TryCryptoRng, TryRng};

/// How many rows are drawn at once.
const ROWS: usize = 128;

/// For how many rows random bits are drawn at once: generators are faster at many bytes.
const AHEAD: usize = 2048;

/// Draws a report for each value, whose fraction of the domain is given by a function.
pub(super) fn draw<R: CryptoRng + ?Sized>(
    rows: &WindowRows,
    mut inputs: &[f64],
    fraction: impl Fn(f64) -> f64 + Copy,
    rng: &mut R,
    reports: &mut ReportBuffer,
) {
    let swift = SwiftRows::new(rows);
    let processor = pulp::Arch::new();
    let mut slots = reports.extend_slots(inputs.len());
    let mut bits = Ahead::new(rng);
    let mut cells = [0; ROWS];
    while let [first, ..] = inputs {
        let words = bits.look(inputs.len());
        let count = words.len().min(ROWS);
        let mut done = processor.dispatch(|| swift.draw(&inputs[..count], fraction, &words[..count], &mut cells));
        bits.skip(done);
        if done == 0 {
            let placed = rows.place(fraction(*first));
            cells[0] = rows.draw_rounded(placed, placed.node + 1, &mut bits);
            done = 1;
        }
        for (cell, slot) in cells[..done].iter().zip(slots.by_ref()) {
            Category(*cell).write(slot);
        }
        inputs = &inputs[done..];
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
    cells: f64,
}

impl SwiftRows {
    /// A number plus 2^52 has the number itself in its lowest bits.
    const TO_BITS: f64 = (1u64 << 52) as f64;

    fn new(rows: &WindowRows) -> Self {
        let Track { first, lowest, highest } = rows.track();
        Self {
            window: rows.rounded().swift(),
            input_cells: f64::from(rows.input_cells()),
            step: f64::from(rows.geometry().step),
            first: f64::from(first),
            lowest: f64::from(lowest),
            highest: f64::from(highest),
            cells: f64::from(rows.output_cells()),
        }
    }

    /// Draws the cells of the first values, and says how many are known.
    #[inline(always)]
    fn draw(
        self,
        inputs: &[f64],
        fraction: impl Fn(f64) -> f64,
        words: &[[u8; 4]],
        cells: &mut [u32; ROWS],
    ) -> usize {
        const UNKNOWN: u32 = u32::MAX;
        let mut are_known = true;
        for ((input, word), slot) in inputs.iter().zip(words).zip(cells.iter_mut()) {
            let (node, part) = split_fraction(fraction(*input), self.input_cells);
            let drawn = self.window.draw(u32::from_le_bytes(*word), part);
            let node = if drawn.is_up { node + 1.0 } else { node };
            let start = (self.first + node * self.step).max(self.lowest).min(self.highest);
            let cell = start + drawn.place;
            let cell = if cell < 0.0 { cell + self.cells } else { cell };
            let cell = if cell >= self.cells { cell - self.cells } else { cell };
            *slot = if drawn.is_known { (cell + Self::TO_BITS).to_bits() as u32 } else { UNKNOWN };
            are_known &= drawn.is_known;
        }
        let unknown = || cells.iter().take(inputs.len()).position(|cell| *cell == UNKNOWN);
        if are_known { inputs.len() } else { unknown().unwrap_or(inputs.len()) }
    }
}

/// Random bits that were drawn before they are needed, and then those of the generator.
struct Ahead<'a, R: ?Sized> {
    rng: &'a mut R,
    words: [[u8; 4]; AHEAD],
    next: usize,
    end: usize,
}

impl<'a, R: CryptoRng + ?Sized> Ahead<'a, R> {
    fn new(rng: &'a mut R) -> Self {
        Self { rng, words: [[0; 4]; AHEAD], next: 0, end: 0 }
    }

    /// The next words, at least one and at most as many as there are rows: each row takes one, so that none is left over.
    fn look(&mut self, rows: usize) -> &[[u8; 4]] {
        if self.next == self.end {
            self.next = 0;
            self.end = rows.min(AHEAD);
            self.rng.fill_bytes(self.words[..self.end].as_flattened_mut());
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
        let mut word = [0; 4];
        self.try_fill_bytes(&mut word)?;
        Ok(u32::from_le_bytes(word))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let [low, high] = [self.try_next_u32()?, self.try_next_u32()?].map(u64::from);
        Ok(high << 32 | low)
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
        for chunk in target.chunks_mut(4) {
            let mut word = [0; 4];
            match self.words[..self.end].get(self.next) {
                Some(ahead) => word = *ahead,
                None => self.rng.fill_bytes(&mut word),
            }
            self.next = (self.next + 1).min(self.end);
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        Ok(())
    }
}

impl<R: CryptoRng + ?Sized> TryCryptoRng for Ahead<'_, R> {}
