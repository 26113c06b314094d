//! Channels on numbers and angles: finitely many rows, finitely many reports, everything in integers.
//!
//! The domain is cut into `input_cells` equal parts; there is a row of weights for each *node* between them. A value
//! between two nodes is rounded to one of them at random, with the probabilities that keep its mean: its law is a convex
//! mixture of two rows, so epsilon is kept and nothing is biased. A report is the index of a cell, and each cell stands for
//! a number.

#[cfg(not(target_family = "wasm"))]
mod batch;
mod decoded;
mod mechanism;
mod noise;
mod pieces;
mod table;
mod window;

pub use decoded::{Aim, DecodedRows};
pub use mechanism::{CalibratedRule, Calibration, LatticeMechanism, LatticeRule, NumberDomain};
pub use noise::{NoiseLattice, NoiseRows, RingNoiseRows};
pub use table::TableRows;
pub use window::{Decoding, Movement, WindowGeometry, WindowRows};

use privet_core::{
    Category, Channel, CryptoRng, Domain, Epsilon, ExpLowerBound, FingerprintBuilder, Fraction, Guarantee,
    ParameterError,
};

/// Equal weights of neighbouring cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The first cell.
    pub first: u32,
    /// How many cells.
    pub count: u32,
    /// The weight of each.
    pub weight: u64,
}

/// Where a value lies: just after a node, and how often it is rounded up to the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// The node below.
    pub node: u32,
    /// How many of 2^64 words round up.
    pub up: u64,
}

impl std::fmt::Debug for Placement {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // It is the private value in other clothes.
        formatter.write_str("Placement(private)")
    }
}

/// A channel with a row of integer weights for each node of its domain.
pub trait LatticeChannel: Channel<Report = Category>
where
    Self::Domain: Domain<Value = f64>,
{
    /// How many parts the domain is cut into.
    fn input_cells(&self) -> u32;

    /// How many rows there are: one more than parts on an interval, as many on a circle.
    fn nodes(&self) -> u32;

    /// The value of a node.
    fn node_value(&self, node: u32) -> f64;

    /// How many different reports there are.
    fn output_cells(&self) -> u32;

    /// The number that a report stands for. It does not fall as the cell grows, except around a circle.
    fn output_value(&self, cell: u32) -> f64;

    /// The row of a node, as runs that cover all cells in order.
    fn runs(&self, node: u32) -> Vec<Run>;

    /// The sum of the weights of every row.
    fn row_total(&self) -> u128;

    /// Where a value of the domain lies.
    fn place(&self, value: f64) -> Placement;

    /// The node that a value just after `node` is rounded up to.
    fn next_node(&self, node: u32) -> u32 {
        (node + 1) % self.nodes()
    }

    /// The weight of one cell in the row of a node.
    fn weight(&self, node: u32, cell: u32) -> u64 {
        weight_in(&self.runs(node), cell)
    }

    /// The exact probability of a report: the mixture of both neighbouring rows.
    fn mixture(&self, value: f64, cell: u32) -> Fraction {
        let Placement { node, up } = self.place(value);
        let share = |node: u32| Fraction::whole(u128::from(self.weight(node, cell)));
        let below = &Fraction::of_complement(up) * &share(node);
        let mixed = match up {
            0 => below,
            _ => &below + &(&Fraction::of_weight(up) * &share(self.next_node(node))),
        };
        &mixed / &Fraction::whole(self.row_total())
    }
}

/// How a value between two nodes becomes one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// At random, so that the mean is kept.
    Stochastic,
    /// To the nearest node; from the middle, down.
    Nearest,
    /// To the node below.
    Down,
}

/// The rows of a lattice channel, with the domain as the unit of length: everything but where the domain lies.
pub trait Rows: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// How many parts the domain is cut into.
    fn input_cells(&self) -> u32;

    /// How many different reports there are.
    fn output_cells(&self) -> u32;

    /// The number that a report stands for: 0 is the lower end of the domain and 1 the upper end.
    fn unit_value(&self, cell: u32) -> f64;

    /// The range of numbers that a report stands for; both ends are the same where it is a single point.
    fn extent(&self, cell: u32) -> [f64; 2];

    /// The row of a node, as runs that cover all cells in order.
    fn runs(&self, node: u32) -> Vec<Run>;

    /// The weight of one cell in the row of a node.
    fn weight(&self, node: u32, cell: u32) -> u64;

    /// The sum of the weights of every row.
    fn total(&self) -> u128;

    /// Draws a report for a node. How many random words it takes does not depend on the node.
    fn draw<R: CryptoRng + ?Sized>(&self, node: u32, rng: &mut R) -> u32;

    /// Draws a report for a value: for the node below it or for `next`, the node above.
    #[inline]
    fn draw_rounded<R: CryptoRng + ?Sized>(&self, placed: Placement, next: u32, rng: &mut R) -> u32 {
        let is_up = self.rounding() == Rounding::Stochastic && rng.next_u64() < placed.up;
        self.draw(if is_up { next } else { placed.node }, rng)
    }

    /// These rows as those of a window, if they are: reports of windows can be drawn many at once.
    fn as_window(&self) -> Option<&WindowRows> {
        None
    }

    /// The largest ratio of two rows.
    fn worst_ratio(&self) -> Fraction;

    /// Two nodes between which it occurs.
    fn worst_nodes(&self) -> [u32; 2];

    /// Adds everything that distinguishes these rows to a fingerprint.
    fn identify(&self, builder: &mut FingerprintBuilder);

    /// How values become nodes.
    fn rounding(&self) -> Rounding {
        Rounding::Stochastic
    }

    /// Where a node lies: 0 is the lower end of the domain and 1 the upper end.
    fn node_unit(&self, node: u32) -> f64 {
        f64::from(node) / f64::from(self.input_cells())
    }

    /// Where a value lies, given as a fraction of the domain.
    #[inline]
    fn place(&self, fraction: f64) -> Placement {
        let placed = place_fraction(fraction, self.input_cells());
        match self.rounding() {
            Rounding::Stochastic => placed,
            Rounding::Nearest => Placement { node: placed.node + u32::from(placed.up > 1 << 63), up: 0 },
            Rounding::Down => Placement { up: 0, ..placed },
        }
    }

    /// What one report promises.
    ///
    /// # Errors
    /// When there is nothing to promise: two rows are too different, or all are the same.
    fn guarantee(&self) -> Result<Guarantee, ParameterError> {
        pure_guarantee(&self.worst_ratio())
    }
}

/// The guarantee that the exact worst ratio of a channel gives.
fn pure_guarantee(worst_ratio: &Fraction) -> Result<Guarantee, ParameterError> {
    Ok(Guarantee::Pure { epsilon: Epsilon::new(worst_ratio.log_rounded_up())? })
}

/// The rows with about the largest scale, up to `largest`, whose exact worst ratio keeps epsilon. Rounding costs the last
/// few bits of epsilon, so the scale steps back, by eight times more each time.
///
/// # Errors
/// When epsilon is too small for 64-bit weights.
pub(crate) fn step_back<T: Rows>(
    epsilon: Epsilon,
    largest: f64,
    rows_at: impl Fn(f64) -> Result<T, ParameterError>,
) -> Result<T, ParameterError> {
    let bound = ExpLowerBound::of(epsilon);
    let mut step = 0.0;
    while step < 1.0 {
        let rows = rows_at(epsilon.get().min(largest) * (1.0 - step))?;
        let ratio = rows.worst_ratio();
        if ratio <= Fraction::whole(1) {
            break;
        }
        if ratio.is_at_most(&bound) {
            return Ok(rows);
        }
        step = if step == 0.0 { f64::EPSILON } else { 8.0 * step };
    }
    Err(ParameterError::EpsilonTooSmall { got: epsilon.get() })
}

/// The weight of a cell, looked up in runs.
pub(crate) fn weight_in(runs: &[Run], cell: u32) -> u64 {
    let index = runs.partition_point(|run| run.first <= cell);
    runs.get(index.saturating_sub(1)).map_or(0, |run| run.weight)
}

/// Places a fraction of the domain (0 to 1) on a lattice of `cells` parts.
#[inline]
pub(crate) fn place_fraction(fraction: f64, cells: u32) -> Placement {
    let scaled = fraction * f64::from(cells);
    // The cast rounds down and saturates, which also keeps a fraction above one inside. For one number it is faster than
    // `floor`, which is faster for many.
    let node = (scaled as u32).min(cells);
    // The difference is exact: both numbers are on the same binary grid. Signed casts take one instruction; the bit that
    // they cost is below 2^-63.
    let up = (((scaled - f64::from(node)) * 2f64.powi(63)) as i64 as u64) << 1;
    Placement { node, up: if node == cells { 0 } else { up } }
}
