//! A window of constant length around the value: inside it reports are e^epsilon times as likely as outside. The named
//! mechanisms differ in how long the window is, how it moves, and what reports stand for.

use crate::lattice::{LatticeChannel, Placement, Run, place_fraction};
use privet_core::sampling::WindowRow;
use privet_core::{
    Build, Category, Channel, CryptoRng, Domain, DomainSpec, Epsilon, Fingerprint, FingerprintBuilder, Fraction,
    Guarantee, InputError, Interval, Mechanism, MechanismInfo, ParameterError, Piece, ReportBuffer, ReportError,
};
use std::fmt;
use std::marker::PhantomData;

/// How the window moves as the value goes from the lower to the upper end of the domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Placing {
    /// Centred on the value, but shifted to stay inside the outputs, which are the domain itself.
    Shifted,
    /// In proportion to the value, from one end of the outputs to the other.
    Travelling,
    /// In proportion to the value, leaving a margin at both ends of the outputs.
    TravellingInside {
        /// The distance that the window travels, in widths of the domain.
        travel: f64,
    },
}

/// What a report stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoding {
    /// The middle of its cell.
    Plain,
    /// The affine function of the cell for which the mean report is the value.
    Unbiased,
    /// The middle of its cell after the outputs are compressed onto the domain.
    Compressed,
    /// The middle of its cell, moved to the nearest end of the domain where it lies outside.
    Truncated,
}

/// A window mechanism on the unit interval, before it is put on a lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowGeometry {
    /// The ends of the outputs, in units of the domain.
    pub outputs: [f64; 2],
    /// The length of the window.
    pub length: f64,
    /// How it moves.
    pub placing: Placing,
    /// What reports stand for.
    pub decoding: Decoding,
    /// Into how many parts the domain is cut.
    pub input_cells: u32,
}

impl WindowGeometry {
    /// The usual number of parts of the domain: cells are then far smaller than any error that matters.
    pub const INPUT_CELLS: u32 = 1 << 16;

    /// A window centred on the value and shifted to stay inside the domain, which is also where reports lie.
    pub fn shifted(length: f64) -> Self {
        Self {
            outputs: [0.0, 1.0],
            length,
            placing: Placing::Shifted,
            decoding: Decoding::Plain,
            input_cells: Self::INPUT_CELLS,
        }
    }
}

/// What distinguishes one window mechanism from another.
pub trait WindowRule: Send + Sync + 'static {
    /// The page's facts.
    const INFO: MechanismInfo;

    /// The window for an epsilon.
    fn geometry(epsilon: Epsilon) -> WindowGeometry;
}

/// A window mechanism; see the named mechanisms.
#[derive(Clone)]
pub struct WindowMechanism<K> {
    interval: Interval,
    row: WindowRow,
    geometry: WindowGeometry,
    /// The start of the window at the lowest value, and how many cells it moves for each part of the domain.
    first_start: u32,
    step: u32,
    /// The number that cell zero stands for and the distance between cells, in units of the domain.
    origin: f64,
    spacing: f64,
    guarantee: Guarantee,
    rule: PhantomData<K>,
}

/// The largest number of cells: weights still have about 40 bits.
const MAX_CELLS: f64 = (1u32 << 24) as f64;

impl<K: WindowRule> WindowMechanism<K> {
    /// Puts the window on a lattice and calibrates its weights.
    ///
    /// # Errors
    /// When epsilon is too small or too large for the lattice: the window would have no cell, or all.
    pub fn new(interval: Interval, epsilon: Epsilon) -> Result<Self, ParameterError> {
        let geometry = K::geometry(epsilon);
        let layout = Layout::of(&geometry).ok_or_else(|| unsuitable(epsilon))?;
        let row = WindowRow::calibrate(layout.cells, layout.window, epsilon)?;
        let guarantee = Guarantee::Pure { epsilon: Epsilon::new(row.ratio().log_rounded_up())? };
        let (origin, spacing) = decoder(&geometry, &layout, &row);
        Ok(Self {
            interval,
            row,
            geometry,
            first_start: layout.first_start,
            step: layout.step,
            origin,
            spacing,
            guarantee,
            rule: PhantomData,
        })
    }

    /// The integer weights.
    pub fn row(&self) -> &WindowRow {
        &self.row
    }

    /// Where the window of a node starts.
    #[inline]
    pub fn window_start(&self, node: u32) -> u32 {
        let last = self.row.cells() - self.row.window();
        match self.geometry.placing {
            Placing::Shifted => node.saturating_sub(self.row.window() / 2).min(last),
            _ => self.first_start + node * self.step,
        }
    }

    #[inline]
    fn draw<R: CryptoRng + ?Sized>(&self, input: f64, rng: &mut R) -> u32 {
        let Placement { node, up } = self.place(input);
        let rounded = node + u32::from(rng.next_u64() < up);
        self.row.draw(self.window_start(rounded), rng)
    }
}

fn unsuitable(epsilon: Epsilon) -> ParameterError {
    ParameterError::Incompatible {
        reason: format!("epsilon {epsilon} leaves no window between one cell and all cells of the lattice"),
    }
}

/// A geometry in cells.
struct Layout {
    cells: u32,
    window: u32,
    first_start: u32,
    step: u32,
}

impl Layout {
    /// Rounds lengths to whole cells; `None` if the window vanishes or fills everything.
    fn of(geometry: &WindowGeometry) -> Option<Self> {
        let parts = f64::from(geometry.input_cells);
        let range = geometry.outputs[1] - geometry.outputs[0];
        let travel = match geometry.placing {
            Placing::Shifted => 1.0,
            Placing::Travelling => range - geometry.length,
            Placing::TravellingInside { travel } => travel,
        };
        // One cell for each part of the domain that the window travels.
        let cell = travel / parts;
        let cells = (range / cell).round();
        let mut window = (geometry.length / cell).round();
        if !(window.is_finite() && cells <= MAX_CELLS) {
            return None;
        }
        let first_start = match geometry.placing {
            Placing::Shifted => {
                // An even window is centred on its node exactly.
                window = 2.0 * (geometry.length / cell / 2.0).round();
                0.0
            }
            Placing::Travelling => {
                window = cells - parts;
                0.0
            }
            Placing::TravellingInside { .. } => ((cells - window - parts) / 2.0).round(),
        };
        (window >= 1.0 && window < cells && first_start >= 0.0).then_some(Self {
            cells: cells as u32,
            window: window as u32,
            first_start: first_start as u32,
            step: 1,
        })
    }
}

/// The number that cell zero stands for, and the distance between cells.
fn decoder(geometry: &WindowGeometry, layout: &Layout, row: &WindowRow) -> (f64, f64) {
    let cells = f64::from(layout.cells);
    let [low, high] = if geometry.decoding == Decoding::Compressed { [0.0, 1.0] } else { geometry.outputs };
    if geometry.decoding != Decoding::Unbiased {
        let spacing = (high - low) / cells;
        return (low + spacing / 2.0, spacing);
    }
    // The mean cell is (low weight * sum of all + (high - low weight) * sum of the window) / total, which moves by
    // `gain` cells for each cell that the window moves. Dividing by it makes the mean move with the value.
    let total = row.total() as f64;
    let window = f64::from(layout.window);
    let extra = (row.high() - row.low()) as f64;
    let gain = extra * window / total;
    let sum_all = cells * (cells - 1.0) / 2.0;
    let mean_at = |start: f64| {
        let sum_window = window * start + window * (window - 1.0) / 2.0;
        (row.low() as f64 * sum_all + extra * sum_window) / total
    };
    let spacing = 1.0 / (gain * f64::from(geometry.input_cells * layout.step));
    (-mean_at(f64::from(layout.first_start)) * spacing, spacing)
}

impl<K: WindowRule> Build for WindowMechanism<K> {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        let interval = Interval::from_spec(domain).ok_or_else(|| ParameterError::WrongDomain {
            mechanism: K::INFO.id,
            expected: K::INFO.domain,
            got: domain.to_string(),
        })?;
        Self::new(*interval, epsilon)
    }
}

impl<K: WindowRule> Mechanism for WindowMechanism<K> {
    type Domain = Interval;
    type Report = Category;
    const INFO: MechanismInfo = K::INFO;

    fn domain(&self) -> &Interval {
        &self.interval
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(K::INFO.id);
        self.interval.identify(&mut builder);
        for number in [self.row.cells(), self.row.window(), self.first_start, self.geometry.input_cells] {
            builder.number(u64::from(number));
        }
        builder.number(self.row.high()).number(self.row.low()).finish()
    }

    fn report_bits(&self) -> u32 {
        Category::bits(self.row.cells())
    }

    #[inline]
    fn randomize<R: CryptoRng + ?Sized>(&self, input: &f64, rng: &mut R) -> Result<Category, InputError> {
        self.interval.check(input)?;
        Ok(Category(self.draw(*input, rng)))
    }

    fn encode(&self, report: &Category, slot: &mut [u8]) {
        report.write(slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<Category, ReportError> {
        self.check_length(slot)?;
        Category::read(slot, self.row.cells())
    }

    fn randomize_batch<R: CryptoRng + ?Sized>(
        &self,
        inputs: &[f64],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        self.check_batch(inputs)?;
        for (input, slot) in inputs.iter().zip(reports.extend_slots(inputs.len())) {
            Category(self.draw(*input, rng)).write(slot);
        }
        Ok(())
    }
}

impl<K: WindowRule> LatticeChannel for WindowMechanism<K> {
    fn input_cells(&self) -> u32 {
        self.geometry.input_cells
    }

    fn nodes(&self) -> u32 {
        self.geometry.input_cells + 1
    }

    fn node_value(&self, node: u32) -> f64 {
        let fraction = f64::from(node) / f64::from(self.geometry.input_cells);
        self.interval.low() + fraction * self.interval.width()
    }

    fn output_cells(&self) -> u32 {
        self.row.cells()
    }

    fn output_value(&self, cell: u32) -> f64 {
        let unit = self.origin + f64::from(cell) * self.spacing;
        let unit = if self.geometry.decoding == Decoding::Truncated { unit.clamp(0.0, 1.0) } else { unit };
        self.interval.low() + unit * self.interval.width()
    }

    fn runs(&self, node: u32) -> Vec<Run> {
        let (start, window) = (self.window_start(node), self.row.window());
        let (high, low) = (self.row.high(), self.row.low());
        let runs = [
            Run { first: 0, count: start, weight: low },
            Run { first: start, count: window, weight: high },
            Run { first: start + window, count: self.row.cells() - start - window, weight: low },
        ];
        runs.into_iter().filter(|run| run.count > 0).collect()
    }

    fn row_total(&self) -> u128 {
        self.row.total()
    }

    #[inline]
    fn place(&self, value: f64) -> Placement {
        place_fraction((value - self.interval.low()) / self.interval.width(), self.geometry.input_cells)
    }
}

impl<K: WindowRule> Channel for WindowMechanism<K> {
    fn probability(&self, input: &f64, report: &Category) -> Fraction {
        self.mixture(*input, report.0)
    }

    fn worst_ratio(&self) -> Fraction {
        self.row.ratio()
    }

    fn worst_inputs(&self) -> [f64; 2] {
        [self.interval.low(), self.interval.high()]
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<Category>> {
        let cells = self.row.cells();
        (cells as usize <= limit).then(|| (0..cells).map(Category).collect())
    }

    fn pieces(&self, input: Option<&f64>) -> Vec<Piece> {
        let _ = input;
        Vec::new()
    }
}

impl<K: WindowRule> fmt::Debug for WindowMechanism<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", K::INFO.title, self.interval, self.guarantee)
    }
}
