//! One-dimensional mechanisms as parts of a method for places.

use super::laws::{equal_parts, part_at};
use crate::TrajectoryError;
use privet_core::{
    BuildOptions, Channel, Circle, CryptoRng, Domain, Epsilon, Fraction, Guarantee, InputError, Interval,
    Mechanism, MechanismInfo, ParameterError,
};
use privet_limit::line::LineProblem;
use privet_limit::{Cache, Objective, Problem, SolvedChannel, Stop};
use privet_mechanisms::analysis::Loss;
use privet_mechanisms::circle::{
    OptimalPiecewiseCircle, OptimalPiecewiseCircleSquared, Purkayastha, SectorRandomizedResponse,
    SquareWaveCircle,
};
use privet_mechanisms::interval::{
    MinimaxAbsolute, OptimalPiecewise, OptimalPiecewiseSquared, SquareWaveBounded,
};
use privet_mechanisms::lattice::{
    Calibration, LatticeChannel, LatticeMechanism, LatticeRule, NumberDomain, Placement, Run,
};
use std::fmt::Debug;
use std::ops::Range;

/// A mechanism on an interval or a circle, with its types erased.
pub trait Part: Debug + Send + Sync {
    /// What is said about the mechanism.
    fn info(&self) -> MechanismInfo;

    /// How many different reports there are.
    fn cells(&self) -> u32;

    /// The number that a report stands for, moved into the domain where it lies beyond.
    fn value(&self, cell: u32) -> f64;

    /// Draws a report.
    ///
    /// # Errors
    /// When the value lies outside the domain.
    fn draw(&self, value: f64, rng: &mut dyn CryptoRng) -> Result<u32, InputError>;

    /// The exact probability of a report.
    fn probability(&self, value: f64, cell: u32) -> Fraction;

    /// The probability that a report is one of `cells`.
    fn mass(&self, value: f64, cells: Range<u32>) -> f64;

    /// The reports that stand for the number nearest to `value`.
    fn cells_at(&self, value: f64) -> Range<u32>;

    /// How many values have a law of their own; all others have mixtures of those of two neighbours.
    fn nodes(&self) -> u32;

    /// From which value to which others can have a node's law, or a mixture with it. Around a circle the first and the last may
    /// lie beyond its ends.
    fn stretch(&self, node: u32) -> [f64; 2];

    /// The probability of each part of the reports at a node. `edges` has the first report of each part, and all reports
    /// belong to one.
    fn law(&self, node: u32, edges: &[u32]) -> Vec<f64>;

    /// The largest ratio of the probabilities of one report under two values.
    fn worst_ratio(&self) -> Fraction;
}

impl dyn Part {
    /// The first reports of about `count` equal parts. Reports that stand for the same number are in the same part.
    pub(super) fn edges(&self, count: u32) -> Vec<u32> {
        let first = |cell: u32| self.cells_at(self.value(cell)).start;
        let mut edges: Vec<u32> = equal_parts(self.cells(), count).into_iter().map(first).collect();
        edges.dedup();
        edges
    }

    /// The part of the reports that stand for the number nearest to a value.
    pub(super) fn part_of(&self, value: f64, edges: &[u32]) -> u32 {
        part_at(self.cells_at(value).start, edges)
    }
}

impl<K: LatticeRule> Part for LatticeMechanism<K> {
    fn info(&self) -> MechanismInfo {
        K::INFO
    }

    fn cells(&self) -> u32 {
        self.output_cells()
    }

    #[inline]
    fn value(&self, cell: u32) -> f64 {
        self.domain().nearest(self.output_value(cell))
    }

    #[inline]
    fn draw(&self, value: f64, rng: &mut dyn CryptoRng) -> Result<u32, InputError> {
        self.randomize(&value, rng).map(|report| report.0)
    }

    fn probability(&self, value: f64, cell: u32) -> Fraction {
        self.mixture(value, cell)
    }

    fn mass(&self, value: f64, cells: Range<u32>) -> f64 {
        let Placement { node, up } = self.place(value);
        let up = up as f64 / 2f64.powi(64);
        let next = self.next_node(node);
        let of_row = |node: u32| -> f64 {
            if cells.len() == 1 {
                return self.weight(node, cells.start) as f64;
            }
            let overlap = |first: u32, count: u32| {
                (first + count).min(cells.end).saturating_sub(first.max(cells.start))
            };
            let runs = self.runs(node);
            runs.iter().map(|run| f64::from(overlap(run.first, run.count)) * run.weight as f64).sum()
        };
        let above = if up > 0.0 { up * of_row(next) } else { 0.0 };
        (above + (1.0 - up) * of_row(node)) / self.row_total() as f64
    }

    fn cells_at(&self, value: f64) -> Range<u32> {
        let count = self.output_cells();
        // Numbers do not fall as the cell grows, so a cell can be searched for.
        let first_from = |value: f64| first_where(count, |cell| self.value(cell) >= value);
        let after = first_from(value) % count;
        let before = (after + count - 1) % count;
        let distance = |cell: u32| {
            let straight = (self.value(cell) - value).abs();
            if K::Domain::IS_RING { straight.min(self.domain().length() - straight) } else { straight }
        };
        let nearest = self.value(if distance(before) < distance(after) { before } else { after });
        first_from(nearest)..first_where(count, |cell| self.value(cell) > nearest)
    }

    fn nodes(&self) -> u32 {
        LatticeChannel::nodes(self)
    }

    fn stretch(&self, node: u32) -> [f64; 2] {
        let last = LatticeChannel::nodes(self) - 1;
        let turn = if K::Domain::IS_RING { self.domain().length() } else { 0.0 };
        let [first_before, last_after] = if K::Domain::IS_RING { [last, 0] } else { [0, last] };
        let before = if node == 0 { self.node_value(first_before) - turn } else { self.node_value(node - 1) };
        let after = if node == last { self.node_value(last_after) + turn } else { self.node_value(node + 1) };
        [before, after]
    }

    fn law(&self, node: u32, edges: &[u32]) -> Vec<f64> {
        let (total, runs) = (self.row_total() as f64, self.runs(node));
        let of_part = |part: usize| {
            let (from, to) = (edges[part], edges.get(part + 1).copied().unwrap_or(self.output_cells()));
            let overlap = |run: &Run| (run.first + run.count).min(to).saturating_sub(run.first.max(from));
            runs.iter().map(|run| f64::from(overlap(run)) * run.weight as f64).sum::<f64>() / total
        };
        (0..edges.len()).map(of_part).collect()
    }

    fn worst_ratio(&self) -> Fraction {
        Channel::worst_ratio(self)
    }
}

/// The first number below `count` for which `holds`, which must hold from there on; `count` if it never does.
fn first_where(count: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// The guarantee of parts that are drawn independently: their ratios multiply.
///
/// # Errors
/// When the product is no epsilon.
pub(super) fn product_guarantee(parts: [&dyn Part; 2]) -> Result<Guarantee, ParameterError> {
    let ratio = &parts[0].worst_ratio() * &parts[1].worst_ratio();
    Ok(Guarantee::Pure { epsilon: Epsilon::new(ratio.log_rounded_up())? })
}

/// A named mechanism for a coordinate or a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinePart {
    /// The piecewise mechanism with the smallest worst absolute error, as in the paper.
    OptimalPiecewise,
    /// The one with the smallest worst squared error.
    OptimalPiecewiseSquared,
    /// The square wave, redesigned to stay in the interval.
    SquareWave,
    /// The channel with the smallest worst absolute error of all, solved for at construction. On average over uniform values
    /// it has more error than the piecewise mechanisms.
    Minimax,
}

impl LinePart {
    /// The mechanism on an interval. A coarse lattice of `lattice` parts can be checked exhaustively.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights, or no minimax channel is found.
    pub fn build(
        self,
        domain: Interval,
        epsilon: Epsilon,
        lattice: Option<u32>,
    ) -> Result<Box<dyn Part>, TrajectoryError> {
        let calibration = Calibration { input_cells: lattice, ..Calibration::new(epsilon) };
        Ok(match self {
            Self::OptimalPiecewise => Box::new(OptimalPiecewise::calibrate(domain, &calibration)?),
            Self::OptimalPiecewiseSquared => {
                Box::new(OptimalPiecewiseSquared::calibrate(domain, &calibration)?)
            }
            Self::SquareWave => Box::new(SquareWaveBounded::calibrate(domain, &calibration)?),
            Self::Minimax => Box::new(minimax(domain, epsilon)?),
        })
    }
}

/// Solves for the channel with the smallest worst absolute error, or reads it from the cache.
fn minimax(domain: Interval, epsilon: Epsilon) -> Result<MinimaxAbsolute, TrajectoryError> {
    let problem = Problem::Line(LineProblem {
        domain,
        loss: Loss::Absolute,
        objective: Objective::Minimax,
        epsilon,
        unbiased: None,
    });
    let solution = Cache::of_environment()
        .solve(&problem, &Stop::default(), &mut |_| {})
        .map_err(|error| TrajectoryError::incompatible(error.to_string()))?;
    match solution.channel {
        SolvedChannel::Interval { rows, .. } => Ok(MinimaxAbsolute::with_rows(domain, rows)?),
        _ => Err(TrajectoryError::incompatible("an interval cannot have the channel of another domain")),
    }
}

/// A named mechanism for a direction or a longitude.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RingPart {
    /// The piecewise mechanism with the smallest worst absolute error, as in the paper. No private channel has less.
    OptimalPiecewise,
    /// The one with the smallest worst squared error.
    OptimalPiecewiseSquared,
    /// The square wave on the circle.
    SquareWave,
    /// Noise that falls off with the angle.
    Purkayastha,
    /// Randomised response on this many sectors, uniform inside: the strawman.
    Sectors(u32),
}

impl RingPart {
    /// The mechanism on a circle. A coarse lattice of `lattice` parts can be checked exhaustively; with sectors it is the
    /// number of cells in each.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights, or the number of sectors is not allowed.
    pub fn build(
        self,
        domain: Circle,
        epsilon: Epsilon,
        lattice: Option<u32>,
    ) -> Result<Box<dyn Part>, TrajectoryError> {
        let calibration = Calibration { input_cells: lattice, ..Calibration::new(epsilon) };
        Ok(match self {
            Self::OptimalPiecewise => Box::new(OptimalPiecewiseCircle::calibrate(domain, &calibration)?),
            Self::OptimalPiecewiseSquared => {
                Box::new(OptimalPiecewiseCircleSquared::calibrate(domain, &calibration)?)
            }
            Self::SquareWave => Box::new(SquareWaveCircle::calibrate(domain, &calibration)?),
            Self::Purkayastha => Box::new(Purkayastha::calibrate(domain, &calibration)?),
            Self::Sectors(sectors) => {
                let options = BuildOptions { bins: Some(sectors), ..BuildOptions::default() };
                Box::new(SectorRandomizedResponse::calibrate(
                    domain,
                    &Calibration { options, ..calibration },
                )?)
            }
        })
    }
}
