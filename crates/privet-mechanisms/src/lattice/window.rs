//! A window of constant length around the value: inside it reports are e^epsilon times as likely as outside. The named
//! mechanisms differ in how long the window is, how it moves, and what reports stand for.

use super::{Calibration, Placement, Rounding, Rows, Run};
use privet_core::sampling::{RoundedWindow, WindowRow};
use privet_core::{CryptoRng, FingerprintBuilder, Fraction, ParameterError};

/// How the window moves as the value goes from the lower to the upper end of the domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Movement {
    /// Centred on the value, but shifted to stay inside the outputs, which are the domain itself.
    Shifted,
    /// In proportion to the value, from one end of the outputs to the other.
    Travelling,
    /// In proportion to the value, leaving a margin at both ends.
    Inside {
        /// The distance that the window travels, as a share of all outputs.
        travel: f64,
    },
    /// Centred on the value, around a ring.
    Ring,
    /// From one block of the outputs to the next: as many blocks as parts of the domain, and the window is one of them.
    Blocks,
}

/// What a report stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoding {
    /// Its place among all outputs, which are laid over the domain.
    Compressed,
    /// Its place where the window would be centred on the value.
    Centred,
    /// The affine function of its place for which the mean report is the value.
    Unbiased,
}

/// A window mechanism before it is put on a lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowGeometry {
    /// The length of the window, as a share of all outputs.
    pub share: f64,
    /// How it moves.
    pub movement: Movement,
    /// What reports stand for.
    pub decoding: Decoding,
    /// Whether reports beyond the domain are moved to its nearest end.
    pub is_truncated: bool,
    /// Into how many parts the domain is cut.
    pub input_cells: u32,
    /// How many output cells the window moves from one node to the next.
    pub step: u32,
    /// How values become nodes.
    pub rounding: Rounding,
    /// Whether reports are single points rather than ranges.
    pub is_points: bool,
}

impl WindowGeometry {
    /// The usual number of parts of the domain: far smaller than any error that matters, and reports that lie in the
    /// domain still fit into two bytes.
    pub const INPUT_CELLS: u32 = 1 << 16;

    /// Reports beyond the domain need three bytes anyway, which have room for finer cells.
    const FINE_STEP: u32 = 16;

    /// A window centred on the value and shifted to stay inside the domain, which is also where reports lie.
    pub fn shifted(share: f64) -> Self {
        Self {
            share,
            movement: Movement::Shifted,
            decoding: Decoding::Compressed,
            is_truncated: false,
            input_cells: Self::INPUT_CELLS,
            step: 1,
            rounding: Rounding::Stochastic,
            is_points: false,
        }
    }

    /// A window that travels from one end of the outputs to the other.
    pub fn travelling(share: f64, decoding: Decoding) -> Self {
        let movement = Movement::Travelling;
        Self { movement, decoding, step: Self::FINE_STEP, ..Self::shifted(share) }
    }

    /// A window around a ring.
    pub fn ring(share: f64) -> Self {
        Self { movement: Movement::Ring, ..Self::shifted(share) }
    }

    /// A window of one point among `parts + 1` points, from one end of the domain to the other.
    pub fn points(parts: u32, decoding: Decoding) -> Self {
        let share = 1.0 / (f64::from(parts) + 1.0);
        Self { input_cells: parts, step: 1, is_points: true, ..Self::travelling(share, decoding) }
    }

    /// The same with reports moved into the domain.
    pub fn truncated(self) -> Self {
        Self { is_truncated: true, ..self }
    }
}

/// The rows of a window mechanism.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowRows {
    row: WindowRow,
    pub(super) rounded: RoundedWindow,
    pub(super) geometry: WindowGeometry,
    pub(super) track: Track,
    /// The distance between the numbers that neighbouring cells stand for.
    spacing: f64,
}

/// Where windows start, in cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Track {
    /// At the lowest value, if nothing holds the window.
    pub(super) first: i32,
    /// As low as the window goes.
    pub(super) lowest: i32,
    /// As high as the window goes.
    pub(super) highest: i32,
}

impl Track {
    fn of(geometry: &WindowGeometry, layout: &Layout) -> Self {
        let [cells, window, first_start] =
            [layout.cells, layout.window, layout.first_start].map(|n| n as i32);
        let first = match geometry.movement {
            Movement::Shifted | Movement::Ring => -(window / 2),
            _ => first_start,
        };
        match geometry.movement {
            // It goes around, and comes from before the first cell.
            Movement::Ring => Self { first, lowest: i32::MIN, highest: i32::MAX },
            _ => Self { first, lowest: 0, highest: cells - window },
        }
    }
}

/// The largest number of cells: weights still have about 40 bits.
const MAX_CELLS: f64 = (1u32 << 24) as f64;

impl WindowRows {
    /// Puts a window on a lattice and calibrates its weights.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights, or there are too many cells.
    pub fn new(geometry: WindowGeometry, calibration: &Calibration) -> Result<Self, ParameterError> {
        Self::within(geometry, calibration, 1 << 64)
    }

    /// As [`WindowRows::new`], with weights that add up to `words` at most.
    pub(crate) fn within(
        geometry: WindowGeometry,
        calibration: &Calibration,
        words: u128,
    ) -> Result<Self, ParameterError> {
        let input_cells = calibration.input_cells.unwrap_or(geometry.input_cells);
        let geometry = WindowGeometry { input_cells, ..geometry };
        let layout = Layout::of(&geometry).ok_or_else(|| ParameterError::Incompatible {
            reason: format!("a lattice of {input_cells} parts is too fine for this window"),
        })?;
        let row = WindowRow::calibrate_within(layout.cells, layout.window, calibration.epsilon, words)?;
        let spacing = spacing(&geometry, &row);
        let track = Track::of(&geometry, &layout);
        Ok(Self { row, rounded: RoundedWindow::new(&row), geometry, track, spacing })
    }

    /// The integer weights of every row.
    pub fn row(&self) -> &WindowRow {
        &self.row
    }

    /// Where the window of a node starts.
    #[inline]
    pub fn window_start(&self, node: u32) -> u32 {
        let Track { first, lowest, highest } = self.track;
        let start = (first + (node * self.geometry.step) as i32).clamp(lowest, highest);
        (if start < 0 { start + self.row.cells() as i32 } else { start }) as u32
    }

    /// A place among the outputs, in cells, as a number.
    fn unit(&self, place: f64) -> f64 {
        // Every window mechanism is symmetric around the middle of its domain.
        let unit = 0.5 + (place - f64::from(self.row.cells()) / 2.0) * self.spacing;
        if self.geometry.is_truncated { unit.clamp(0.0, 1.0) } else { unit }
    }
}

/// A geometry in cells.
struct Layout {
    cells: u32,
    window: u32,
    first_start: u32,
}

impl Layout {
    /// Rounds lengths to whole cells; `None` if there are too many. A window never vanishes and never fills everything.
    fn of(geometry: &WindowGeometry) -> Option<Self> {
        let moved = f64::from(geometry.input_cells) * f64::from(geometry.step);
        let share = geometry.share;
        let (cells, window, first_start) = match geometry.movement {
            // An even window is centred on its node exactly.
            Movement::Shifted | Movement::Ring => {
                let window = 2.0 * (share * moved / 2.0).round();
                (moved, window.clamp(2f64.min(moved - 1.0), moved - 1.0), 0.0)
            }
            Movement::Travelling => {
                let window = (moved * share / (1.0 - share)).round().max(1.0);
                (moved + window, window, 0.0)
            }
            Movement::Inside { travel } => {
                let cells = (moved / travel).round();
                let window = (share * cells).round().clamp(1.0, cells - moved);
                let margin = ((cells - window - moved) / 2.0).round();
                (window + moved + 2.0 * margin, window, margin)
            }
            Movement::Blocks => (moved, f64::from(geometry.step), 0.0),
        };
        let fits = cells <= MAX_CELLS && window >= 1.0 && window < cells;
        fits.then_some(Self { cells: cells as u32, window: window as u32, first_start: first_start as u32 })
    }
}

/// The distance between the numbers that neighbouring cells stand for.
fn spacing(geometry: &WindowGeometry, row: &WindowRow) -> f64 {
    let moved = f64::from(geometry.input_cells) * f64::from(geometry.step);
    match geometry.decoding {
        Decoding::Compressed => 1.0 / f64::from(row.cells()),
        Decoding::Centred => 1.0 / moved,
        // The mean cell moves by (high - low) * window / total for each cell that the window moves; dividing by it
        // makes the mean report move with the value.
        Decoding::Unbiased => {
            let gain = (row.high() - row.low()) as f64 * f64::from(row.window());
            row.total() as f64 / (gain * moved)
        }
    }
}

impl Rows for WindowRows {
    fn input_cells(&self) -> u32 {
        self.geometry.input_cells
    }

    fn output_cells(&self) -> u32 {
        self.row.cells()
    }

    fn unit_value(&self, cell: u32) -> f64 {
        self.unit(f64::from(cell) + 0.5)
    }

    fn extent(&self, cell: u32) -> [f64; 2] {
        if self.geometry.is_points {
            return [self.unit_value(cell); 2];
        }
        [self.unit(f64::from(cell)), self.unit(f64::from(cell) + 1.0)]
    }

    fn runs(&self, node: u32) -> Vec<Run> {
        let (start, window, cells) = (self.window_start(node), self.row.window(), self.row.cells());
        let (high, low) = (self.row.high(), self.row.low());
        let wrapped = (start + window).saturating_sub(cells);
        let end = (start + window).min(cells);
        let runs = [
            Run { first: 0, count: wrapped, weight: high },
            Run { first: wrapped, count: start - wrapped, weight: low },
            Run { first: start, count: end - start, weight: high },
            Run { first: end, count: cells - end, weight: low },
        ];
        runs.into_iter().filter(|run| run.count > 0).collect()
    }

    fn weight(&self, node: u32, cell: u32) -> u64 {
        self.row.weight(self.window_start(node), cell)
    }

    fn total(&self) -> u128 {
        self.row.total()
    }

    #[inline]
    fn draw<R: CryptoRng + ?Sized>(&self, node: u32, rng: &mut R) -> u32 {
        self.draw_rounded(Placement { node, up: 0 }, node, rng)
    }

    /// One sampler draws both, with as few random bits as there can be.
    #[inline]
    fn draw_rounded<R: CryptoRng + ?Sized>(&self, placed: Placement, next: u32, rng: &mut R) -> u32 {
        let (place, is_up) = self.rounded.draw(placed.up, rng);
        let cell = self.window_start(if is_up { next } else { placed.node }) + place;
        if cell >= self.row.cells() { cell - self.row.cells() } else { cell }
    }

    fn as_window(&self) -> Option<&WindowRows> {
        Some(self)
    }

    fn worst_ratio(&self) -> Fraction {
        self.row.ratio()
    }

    fn worst_nodes(&self) -> [u32; 2] {
        let last = self.geometry.input_cells;
        match self.geometry.movement {
            Movement::Ring | Movement::Blocks => [0, last / 2],
            _ => [0, last],
        }
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        let margin = self.track.first.max(0) as u32;
        for number in [self.row.cells(), self.row.window(), margin, self.geometry.input_cells] {
            builder.number(u64::from(number));
        }
        builder.number(self.row.high()).number(self.row.low());
    }

    fn rounding(&self) -> Rounding {
        self.geometry.rounding
    }
}
