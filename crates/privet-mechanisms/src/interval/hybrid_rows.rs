//! A window and two points in one row: the mixture of two mechanisms, drawn with one word.

use super::shares;
use crate::lattice::{Calibration, Decoding, Rows, Run, WindowGeometry, WindowRows};
use privet_core::{CryptoRng, ExpLowerBound, FingerprintBuilder, Fraction, ParameterError};

/// Rows whose first words lead to one of two points and whose other words lead to the window mechanism. Below the
/// epsilon at which the mixture pays, there are the two points only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HybridRows {
    window: Option<WindowRows>,
    /// How many words lead to one of the two points.
    point_words: u128,
    /// The smallest weight of a point: that of the upper one at the lower end.
    point_low: u64,
    /// How many cells of the window mechanism come before each point, in the order of their values.
    before: [u32; 2],
    input_cells: u32,
}

impl HybridRows {
    /// Mixes both mechanisms with the shares that make the worst variance smallest.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights.
    pub fn new(calibration: &Calibration) -> Result<Self, ParameterError> {
        let epsilon = calibration.epsilon;
        let share = if epsilon.get() > threshold() { (-epsilon.get() / 2.0).exp() } else { 1.0 };
        // A few words must be left for the points, whatever epsilon is.
        const FEWEST: u128 = 1 << 32;
        let point_words = if share < 1.0 { ((share * 2f64.powi(64)) as u128).max(FEWEST) } else { 1 << 64 };
        let whole = ExpLowerBound::of(epsilon).smallest_weight(1, 1, 1);
        let point_low = match share {
            1.0 => whole,
            _ => ((u128::from(whole) * point_words) >> 64) as u64 + 1,
        };
        if 2 * u128::from(point_low) >= point_words {
            return Err(ParameterError::EpsilonTooSmall { got: epsilon.get() });
        }
        let mut rows = Self { window: None, point_words, point_low, before: [0, 0], input_cells: 1 };
        if share < 1.0 {
            let geometry = WindowGeometry::travelling(shares::absolute_error(epsilon), Decoding::Unbiased);
            let window = WindowRows::within(geometry, calibration, (1 << 64) - point_words)?;
            let below = |point: f64| {
                let (mut low, mut high) = (0, window.output_cells());
                while low < high {
                    let middle = low + (high - low) / 2;
                    if window.unit_value(middle) < point { low = middle + 1 } else { high = middle }
                }
                low
            };
            rows.before = [below(rows.point(0)), below(rows.point(1))];
            rows.input_cells = window.input_cells();
            rows.window = Some(window);
        }
        Ok(rows)
    }

    /// The words for the upper point in the row of a node. They grow in proportion to the value.
    #[inline]
    fn upper(&self, node: u32) -> u64 {
        let gain = self.point_words - 2 * u128::from(self.point_low);
        self.point_low + (gain * u128::from(node) / u128::from(self.input_cells)) as u64
    }

    fn lower(&self, node: u32) -> u64 {
        (self.point_words - u128::from(self.upper(node))) as u64
    }

    /// The number that a point stands for.
    fn point(&self, which: u32) -> f64 {
        let gain = self.point_words - 2 * u128::from(self.point_low);
        let half = 0.5 * self.point_words as f64 / gain as f64;
        if which == 0 { 0.5 - half } else { 0.5 + half }
    }

    /// The places of both points among all cells.
    fn places(&self) -> [u32; 2] {
        [self.before[0], self.before[1] + 1]
    }

    fn kind(&self, cell: u32) -> Cell {
        let [lower, upper] = self.places();
        match cell {
            cell if cell == lower => Cell::Point(0),
            cell if cell == upper => Cell::Point(1),
            cell => Cell::Window(cell - u32::from(cell > lower) - u32::from(cell > upper)),
        }
    }

    /// The place of a window cell among all cells.
    #[inline]
    fn shifted(&self, cell: u32) -> u32 {
        cell + u32::from(cell >= self.before[0]) + u32::from(cell >= self.before[1])
    }
}

enum Cell {
    Point(u32),
    Window(u32),
}

/// The epsilon above which the mixture has a smaller worst variance than the two points alone.
fn threshold() -> f64 {
    let root = 405.0 * 241f64.sqrt();
    let cubes = (6353.0 - root).cbrt() + (6353.0 + root).cbrt();
    ((2.0 * cubes - 5.0) / 27.0).ln()
}

impl Rows for HybridRows {
    fn input_cells(&self) -> u32 {
        self.input_cells
    }

    fn output_cells(&self) -> u32 {
        2 + self.window.map_or(0, |window| window.output_cells())
    }

    fn unit_value(&self, cell: u32) -> f64 {
        match (self.kind(cell), &self.window) {
            (Cell::Window(cell), Some(window)) => window.unit_value(cell),
            (Cell::Point(which) | Cell::Window(which), _) => self.point(which),
        }
    }

    fn extent(&self, cell: u32) -> [f64; 2] {
        match (self.kind(cell), &self.window) {
            (Cell::Window(cell), Some(window)) => window.extent(cell),
            _ => [self.unit_value(cell); 2],
        }
    }

    fn runs(&self, node: u32) -> Vec<Run> {
        let [lower, upper] = self.places();
        let mut runs = vec![
            Run { first: lower, count: 1, weight: self.lower(node) },
            Run { first: upper, count: 1, weight: self.upper(node) },
        ];
        let window_runs = self.window.map_or_else(Vec::new, |window| window.runs(node));
        for run in window_runs {
            let end = run.first + run.count;
            // A run that holds a point is cut before it.
            let cuts = self.before.map(|before| before.clamp(run.first, end));
            for (first, end) in [(run.first, cuts[0]), (cuts[0], cuts[1]), (cuts[1], end)] {
                if first < end {
                    runs.push(Run { first: self.shifted(first), count: end - first, weight: run.weight });
                }
            }
        }
        runs.sort_unstable_by_key(|run| run.first);
        runs
    }

    fn weight(&self, node: u32, cell: u32) -> u64 {
        match (self.kind(cell), &self.window) {
            (Cell::Window(cell), Some(window)) => window.weight(node, cell),
            (Cell::Point(0), _) => self.lower(node),
            _ => self.upper(node),
        }
    }

    fn total(&self) -> u128 {
        self.point_words + self.window.map_or(0, |window| window.total())
    }

    #[inline]
    fn draw<R: CryptoRng + ?Sized>(&self, node: u32, rng: &mut R) -> u32 {
        let total = self.total();
        let mut word = rng.next_u64();
        while u128::from(word) >= total {
            word = rng.next_u64();
        }
        match &self.window {
            Some(window) if u128::from(word) >= self.point_words => {
                let rest = (u128::from(word) - self.point_words) as u64;
                self.shifted(window.row().outcome(window.window_start(node), rest))
            }
            _ => self.places()[usize::from(word < self.upper(node))],
        }
    }

    fn worst_ratio(&self) -> Fraction {
        let points =
            &Fraction::of_weight(self.upper(self.input_cells)) / &Fraction::of_weight(self.point_low);
        self.window.map_or(points.clone(), |window| points.max(window.worst_ratio()))
    }

    fn worst_nodes(&self) -> [u32; 2] {
        [0, self.input_cells]
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        builder.number(self.point_low).number((self.point_words >> 1) as u64);
        if let Some(window) = &self.window {
            window.identify(builder);
        }
    }
}
