//! One square window in two dimensions, with the whole epsilon.

mod decoder;
mod errors;

use crate::categorical::pure_guarantee;
use decoder::{Axis, Decoder, best_window};
use privet_core::sampling::WindowRow;
use privet_core::{
    Build, Category, Channel, CryptoRng, Domain, DomainSpec, Epsilon, Fingerprint, FingerprintBuilder,
    Fraction, Guarantee, InputError, Mechanism, MechanismInfo, Numerics, ParameterError, Piece, Rectangle,
    ReportBuffer, ReportError,
};
use std::fmt;

/// A square window of constant size around a place, shifted to stay inside the rectangle: its cells are e^epsilon times as
/// likely as all others, and each cell is read where the average error is smallest.
///
/// # What it protects
/// One place in a rectangle: any two places of it, however far from each other, are indistinguishable up to epsilon.
/// # Formula
/// The rectangle is cut into n x m cells, about four million. The window of a place is a x b cells around it, as square as cells
/// allow. P(cell) = e^epsilon / (n m + (e^epsilon - 1) a b) in the window and e^epsilon times less elsewhere. A report is read
/// coordinate by coordinate, nearer to the middle than its cell; readings and the size of the window minimise the average
/// distance for uniform places. In the unit square at epsilon 1, 2, 4, 6, 8, 10: .365 .310 .188 .103 .054 .028.
///
/// Readings leave bands of the rectangle empty, which maps of raw reports show; estimated densities do not. In the unit square
/// at epsilon 4 no coordinate is read below .103 or between .242 and .315, nor in the mirror images of these bands. At the
/// border that is because a report from there may come from half a window around it, and is read in the middle of that. The
/// other band is where windows begin to be shifted: the cell that is a window's length from the border may come from all
/// places up to the border, its neighbour from none of those within half a window of it.
/// # Domain
/// `rectangle:LOW_A,HIGH_A,LOW_B,HIGH_B`.
/// # Guarantee
/// Pure epsilon, for the whole rectangle at once, tight.
/// # Cost
/// 22 bits per report; one random word and one division per draw; about 60 kB of memory.
/// # Numerics
/// Integer-exact: all rows have the same two weights in another order. Where the window of a place lies is rounded to whole
/// cells: a bias of at most half a cell, 1/4096 of a side of a square. Readings are floating-point functions of reports.
/// # When not to use it
/// Where means of coordinates are wanted: reports are biased towards the middle, because that makes them more accurate.
/// # Reference
/// Privet's own.
/// # Example
/// ```
/// use privet_core::{Epsilon, Interval, Rectangle};
/// use privet_mechanisms::plane::SquareWindow;
/// let side = Interval::new(0.0, 1.0)?;
/// let mechanism = SquareWindow::new(Rectangle::new([side, side])?, Epsilon::new(6.0)?)?;
/// assert!(mechanism.average_error() < 0.105);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[derive(Clone)]
pub struct SquareWindow {
    rectangle: Rectangle,
    lattice: [u32; 2],
    window: [u32; 2],
    row: WindowRow,
    readings: [Readings; 2],
    average_error: f64,
    guarantee: Guarantee,
}

/// The probability of one reading from each crossing of two sets of lines: `base + factors[0][i] * factors[1][j]` from where
/// line i of the first coordinate meets line j of the second.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossingMasses {
    /// What all crossings have in common.
    pub base: f64,
    /// One factor for each line of each coordinate.
    pub factors: [Vec<f64>; 2],
}

/// What the cells of one axis are read as, in shares of its length.
#[derive(Clone)]
struct Readings {
    of_cell: Vec<f64>,
    /// All cells, by their readings and then by their numbers.
    sorted: Vec<u32>,
}

impl Readings {
    fn new(of_cell: Vec<f64>) -> Self {
        let mut sorted: Vec<u32> = (0..of_cell.len() as u32).collect();
        let reading = |cell: &u32| of_cell[*cell as usize];
        sorted.sort_unstable_by(|a, b| reading(a).total_cmp(&reading(b)).then(a.cmp(b)));
        Self { of_cell, sorted }
    }

    fn at(&self, rank: usize) -> f64 {
        self.sorted.get(rank).map_or(f64::INFINITY, |cell| self.of_cell[*cell as usize])
    }

    /// The cells that are read as the number nearest to `share`, in rising order.
    fn cells_at(&self, share: f64) -> &[u32] {
        let after = self.sorted.partition_point(|cell| self.of_cell[*cell as usize] < share);
        let is_before = after > 0 && share - self.at(after - 1) < self.at(after) - share;
        let nearest = self.at(if is_before { after - 1 } else { after });
        let first = self.sorted.partition_point(|cell| self.of_cell[*cell as usize] < nearest);
        let end = self.sorted.partition_point(|cell| self.of_cell[*cell as usize] <= nearest);
        &self.sorted[first..end]
    }
}

impl SquareWindow {
    /// About how many cells there are: an error below any that epsilon allows, and weights of 64 bits still have 42 for each.
    const CELLS: f64 = (1 << 22) as f64;

    /// Chooses the window and the readings with the smallest average error. Takes about a tenth of a second.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights.
    pub fn new(rectangle: Rectangle, epsilon: Epsilon) -> Result<Self, ParameterError> {
        let [first, second] = rectangle.widths();
        let columns = (Self::CELLS * (first / second)).sqrt().round().clamp(1.0, Self::CELLS);
        let rows = (Self::CELLS / columns).round().max(1.0);
        Self::with_lattice(rectangle, epsilon, [columns as u32, rows as u32])
    }

    /// The same on a lattice of this many cells along each side. Coarse ones can be checked exhaustively.
    ///
    /// # Errors
    /// As for [`SquareWindow::new`], and when there are fewer than two cells or more than 2^24.
    pub fn with_lattice(
        rectangle: Rectangle,
        epsilon: Epsilon,
        lattice: [u32; 2],
    ) -> Result<Self, ParameterError> {
        let cells = u64::from(lattice[0]) * u64::from(lattice[1]);
        if !(2..=1 << 24).contains(&cells) {
            return Err(ParameterError::Incompatible {
                reason: format!("a lattice needs between 2 and 2^24 cells: got {cells}"),
            });
        }
        // In units of the longer side, because cubes of lengths must be finite.
        let longest = rectangle.widths()[0].max(rectangle.widths()[1]);
        let lengths = rectangle.widths().map(|width| width / longest);
        // Beyond this the window is a single cell anyway, and e^epsilon still is a number.
        let excess = epsilon.get().min(60.0).exp_m1();
        let window = whole_window(lattice, lengths, best_window(lengths, excess));
        let axes = std::array::from_fn(|axis| Axis {
            length: lengths[axis],
            window: lengths[axis] * f64::from(window[axis]) / f64::from(lattice[axis]),
        });
        let decoder = Decoder::best(axes, excess);
        let row = WindowRow::calibrate(cells as u32, window[0] * window[1], epsilon)?;
        Ok(Self {
            rectangle,
            lattice,
            window,
            readings: std::array::from_fn(|axis| Readings::new(decoder.table(axis, lattice[axis]))),
            average_error: decoder.average_error() * longest,
            guarantee: pure_guarantee(&row.ratio())?,
            row,
        })
    }

    /// How many cells there are along each side.
    pub fn lattice(&self) -> [u32; 2] {
        self.lattice
    }

    /// How many cells the window has along each side.
    pub fn window(&self) -> [u32; 2] {
        self.window
    }

    /// The integer weights.
    pub fn row(&self) -> &WindowRow {
        &self.row
    }

    /// The average distance between a place and what its report is read as, for uniform places.
    pub fn average_error(&self) -> f64 {
        self.average_error
    }

    /// The first cell of a place's window along each side.
    #[inline]
    pub fn window_start(&self, place: &[f64; 2]) -> [u32; 2] {
        std::array::from_fn(|axis| self.start_along(axis, place[axis]))
    }

    /// The column and row that an outcome of the weights stands for. Outcomes count through the window first, then through
    /// the rest of its columns, then through all other columns, around the ring that joins opposite sides.
    #[inline]
    fn cell_at(&self, outcome: u32, start: [u32; 2]) -> [u32; 2] {
        let ([columns, rows], [across, along]) = (self.lattice, self.window);
        let (inside, beside) = (across * along, across * (rows - along));
        let (first, second, rank, width) = if outcome < inside {
            (0, 0, outcome, along)
        } else if outcome < inside + beside {
            (0, along, outcome - inside, rows - along)
        } else {
            (across, 0, outcome - inside - beside, rows)
        };
        let around = |place: u32, cells: u32| if place >= cells { place - cells } else { place };
        [around(start[0] + first + rank / width, columns), around(start[1] + second + rank % width, rows)]
    }

    /// Draws the column and row that a place of the rectangle is reported as.
    #[inline]
    pub fn draw_cell<R: CryptoRng + ?Sized>(&self, place: &[f64; 2], rng: &mut R) -> [u32; 2] {
        self.cell_at(self.row.draw(0, rng), self.window_start(place))
    }

    #[inline]
    fn draw<R: CryptoRng + ?Sized>(&self, place: &[f64; 2], rng: &mut R) -> Category {
        let [column, row] = self.draw_cell(place, rng);
        Category(column * self.lattice[1] + row)
    }

    /// The place that a column and a row are read as. Both must be cells of the lattice.
    #[inline]
    pub fn read(&self, cell: [u32; 2]) -> [f64; 2] {
        self.rectangle.point_at(std::array::from_fn(|axis| self.readings[axis].of_cell[cell[axis] as usize]))
    }

    /// The place that a report is read as.
    pub fn output_value(&self, report: Category) -> [f64; 2] {
        let last = self.row.cells() - 1;
        let cell = report.0.min(last);
        self.read([cell / self.lattice[1], cell % self.lattice[1]])
    }

    /// The integer weight of a cell, given as column and row, when the window starts at `start`.
    pub fn weight(&self, start: [u32; 2], cell: [u32; 2]) -> u64 {
        let is_inside = |axis: usize| cell[axis].wrapping_sub(start[axis]) < self.window[axis];
        if is_inside(0) && is_inside(1) { self.row.high() } else { self.row.low() }
    }

    /// The first cell of a window along one side, for a coordinate of its place.
    #[inline]
    fn start_along(&self, axis: usize, coordinate: f64) -> u32 {
        let (side, cells, window) = (self.rectangle.sides()[axis], self.lattice[axis], self.window[axis]);
        let share = (coordinate - side.low()) / side.width();
        let start = share * f64::from(cells) - 0.5 * f64::from(window) + 0.5;
        // A conversion rounds down and saturates, so nothing lies before the first cell.
        (start as u32).min(cells - window)
    }

    /// The cells along one side that are read as the number nearest to a coordinate, in rising order; there is one at least.
    pub fn cells_at(&self, axis: usize, coordinate: f64) -> &[u32] {
        let side = self.rectangle.sides()[axis];
        self.readings[axis].cells_at((coordinate - side.low()) / side.width())
    }

    /// How many of some cells, which rise, the window of a coordinate holds.
    fn inside(&self, axis: usize, cells: &[u32], coordinate: f64) -> f64 {
        let start = self.start_along(axis, coordinate);
        let before = |end: u32| cells.partition_point(|cell| *cell < end);
        (before(start + self.window[axis]) - before(start)) as f64
    }

    /// The probability of all cells that are read as the place nearest to `read`.
    pub fn mass(&self, place: &[f64; 2], read: &[f64; 2]) -> f64 {
        let cells: [&[u32]; 2] = std::array::from_fn(|axis| self.cells_at(axis, read[axis]));
        let inside = self.inside(0, cells[0], place[0]) * self.inside(1, cells[1], place[1]);
        let (high, low) = (self.row.high() as f64, self.row.low() as f64);
        (low * (cells[0].len() * cells[1].len()) as f64 + (high - low) * inside) / self.row.total() as f64
    }

    /// The same for all places where two sets of lines cross.
    pub fn crossing_masses(&self, lines: [&[f64]; 2], read: &[f64; 2]) -> CrossingMasses {
        let cells: [&[u32]; 2] = std::array::from_fn(|axis| self.cells_at(axis, read[axis]));
        let (high, low) = (self.row.high() as f64, self.row.low() as f64);
        let total = self.row.total() as f64;
        let scales = [(high - low) / total, 1.0];
        let factors = std::array::from_fn(|axis| {
            let factor = |line: &f64| scales[axis] * self.inside(axis, cells[axis], *line);
            lines[axis].iter().map(factor).collect()
        });
        CrossingMasses { base: low * (cells[0].len() * cells[1].len()) as f64 / total, factors }
    }
}

/// A window of whole cells that is neither empty nor everything.
fn whole_window(lattice: [u32; 2], lengths: [f64; 2], side: f64) -> [u32; 2] {
    let mut window: [u32; 2] = std::array::from_fn(|axis| {
        let cells = (side / lengths[axis] * f64::from(lattice[axis])).round();
        (cells as u32).clamp(1, lattice[axis])
    });
    if window == lattice {
        let longer = usize::from(lattice[1] > lattice[0]);
        window[longer] -= 1;
    }
    window
}

impl Build for SquareWindow {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        let rectangle = Rectangle::from_spec(domain).ok_or_else(|| ParameterError::WrongDomain {
            mechanism: Self::INFO.id,
            expected: Self::INFO.domain,
            got: domain.to_string(),
        })?;
        Self::new(*rectangle, epsilon)
    }
}

impl Mechanism for SquareWindow {
    type Domain = Rectangle;
    type Report = Category;
    const INFO: MechanismInfo = MechanismInfo {
        id: "window-2d",
        synonyms: &["square-window"],
        title: "Square window in the plane",
        domain: "rectangle",
        goal: "point",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "Privet",
        status: "stable",
    };

    fn domain(&self) -> &Rectangle {
        &self.rectangle
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(Self::INFO.id);
        self.rectangle.identify(&mut builder);
        self.lattice.iter().chain(&self.window).for_each(|number| {
            builder.number(u64::from(*number));
        });
        builder.number(self.row.high()).number(self.row.low());
        builder.finish()
    }

    fn report_bits(&self) -> u32 {
        Category::bits(self.row.cells())
    }

    #[inline]
    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        input: &[f64; 2],
        rng: &mut R,
    ) -> Result<Category, InputError> {
        self.rectangle.check(input)?;
        Ok(self.draw(input, rng))
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
        inputs: &[[f64; 2]],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        self.check_batch(inputs, reports)?;
        for (input, slot) in inputs.iter().zip(reports.extend_slots(inputs.len())) {
            self.draw(input, rng).write(slot);
        }
        Ok(())
    }
}

impl Channel for SquareWindow {
    fn probability(&self, input: &[f64; 2], report: &Category) -> Fraction {
        if report.0 >= self.row.cells() {
            return Fraction::whole(0);
        }
        let cell = [report.0 / self.lattice[1], report.0 % self.lattice[1]];
        let weight = self.weight(self.window_start(input), cell);
        Fraction::new(u128::from(weight), self.row.total()).unwrap_or_else(|| Fraction::whole(0))
    }

    /// Windows at opposite corners differ and have the same size, so some cell is high under one and low under the other.
    fn worst_ratio(&self) -> Fraction {
        self.row.ratio()
    }

    fn worst_inputs(&self) -> [[f64; 2]; 2] {
        [self.rectangle.point_at([0.0, 0.0]), self.rectangle.point_at([1.0, 1.0])]
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<Category>> {
        (self.row.cells() as usize <= limit).then(|| (0..self.row.cells()).map(Category).collect())
    }

    fn pieces(&self, _input: Option<&[f64; 2]>) -> Vec<Piece> {
        let (inside, all) = (u64::from(self.row.window()), u64::from(self.row.cells()));
        let mass = |weight: u64| {
            Fraction::new(u128::from(weight), self.row.total()).unwrap_or_else(|| Fraction::whole(0))
        };
        vec![
            Piece::each("cell near the input", inside, &mass(self.row.high())),
            Piece::each("other cell", all - inside, &mass(self.row.low())),
        ]
    }
}

impl fmt::Debug for SquareWindow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, b], [n, m], title) = (self.window, self.lattice, Self::INFO.title);
        write!(formatter, "{title}({}, {a} x {b} of {n} x {m} cells, {})", self.rectangle, self.guarantee)
    }
}

#[cfg(test)]
mod tests;
