//! Additive noise on a lattice. The noise is one integer row; a report beyond the public ends is moved to the nearest
//! of them, so that reports have a fixed length.

use super::{Rounding, Rows, Run};
use privet_core::sampling::{AliasTable, WeightRow};
use privet_core::{CryptoRng, FingerprintBuilder, Fraction, Guarantee, ParameterError};
use std::sync::Arc;

/// How fine a noise lattice is and how far its reports reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoiseLattice {
    /// Into how many parts the domain is cut.
    pub input_cells: u32,
    /// How many cells reports reach beyond each end of the domain.
    pub reach: u32,
}

impl NoiseLattice {
    /// A lattice whose reports reach `widths` widths of the domain beyond each end, with at most about `cells` cells.
    ///
    /// # Errors
    /// When even one cell for the whole domain would be too many.
    pub fn reaching(widths: f64, cells: u32, input_cells: Option<u32>) -> Result<Self, ParameterError> {
        /// No lattice has more cells than this.
        const MOST: f64 = (1u32 << 20) as f64;
        let fitting = f64::from(cells) / (2.0 * widths + 3.0);
        let finest = 2f64.powf(fitting.max(1.0).log2().floor()).min(f64::from(cells) / 4.0);
        let parts = input_cells.map_or(finest, f64::from);
        let reach = (widths * parts).ceil().max(1.0);
        let fits = 2.0 * (reach + parts) <= MOST;
        if !fits {
            return Err(ParameterError::Incompatible {
                reason: "the noise reaches so far that its lattice would have too many cells: use a larger epsilon or delta"
                    .into(),
            });
        }
        Ok(Self { input_cells: parts as u32, reach: reach as u32 })
    }

    /// The largest distance that noise can have, in cells.
    fn radius(self) -> usize {
        (self.input_cells + self.reach) as usize
    }
}

/// The rows of a mechanism that adds noise.
#[derive(Debug, Clone)]
pub struct NoiseRows {
    lattice: NoiseLattice,
    noise: Arc<Noise>,
    worst: Worst,
    /// What is promised instead of the worst ratio.
    promised: Option<Guarantee>,
    is_truncated: bool,
    rounding: Rounding,
}

#[derive(Debug)]
struct Noise {
    /// The weight of each distance from `-radius` to `radius`; both ends hold all that is further away.
    weights: Vec<u64>,
    /// For each node the weight of the lowest report: all noise that leads to it or below. Mirrored, that of the highest.
    ends: Vec<u64>,
    table: AliasTable,
    /// Where a new weight begins, from the second distance to the last but one.
    changes: Vec<u32>,
}

/// A ratio of two weights and the nodes that have them.
#[derive(Debug, Clone, Copy)]
struct Worst {
    weights: [u64; 2],
    nodes: [u32; 2],
}

impl Worst {
    fn ratio(&self) -> Fraction {
        &Fraction::of_weight(self.weights[0]) / &Fraction::of_weight(self.weights[1])
    }

    fn or(self, other: Self) -> Self {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let is_larger =
            product(other.weights[0], self.weights[1]) > product(self.weights[0], other.weights[1]);
        if is_larger { other } else { self }
    }
}

impl NoiseRows {
    /// Rounds a symmetric law of noise to integers. `relative` gives the weight at a distance in cells and does not grow
    /// with it; weights too small for 64 bits become one.
    ///
    /// # Errors
    /// When the weights are not numbers or grow with the distance.
    pub fn new(lattice: NoiseLattice, relative: impl Fn(f64) -> f64) -> Result<Self, ParameterError> {
        let half = half_weights(lattice.radius(), relative).ok_or_else(|| ParameterError::Incompatible {
            reason: "noise needs weights that do not grow with the distance".into(),
        })?;
        let weights: Vec<u64> = half.iter().skip(1).rev().chain(&half).copied().collect();
        let mut sum = 0u64;
        let mut ends: Vec<u64> = Vec::new();
        for weight in weights.iter().take(lattice.input_cells as usize + 1) {
            sum += weight;
            ends.push(sum);
        }
        ends.reverse();
        let row = WeightRow::new(weights)?;
        let weights = row.weights().to_vec();
        let is_change = |place: &u32| weights[*place as usize] != weights[*place as usize - 1];
        let changes = (2..weights.len() as u32 - 1).filter(is_change).collect();
        let noise = Noise { table: AliasTable::new(&row), weights, ends, changes };
        let worst = worst_of(&noise, lattice);
        Ok(Self {
            lattice,
            noise: Arc::new(noise),
            worst,
            promised: None,
            is_truncated: false,
            rounding: Rounding::Stochastic,
        })
    }

    /// The same rows with reports moved into the domain.
    pub fn truncated(self) -> Self {
        Self { is_truncated: true, ..self }
    }

    /// The same rows with another promise, which the caller has computed from them.
    pub(crate) fn promising(self, guarantee: Guarantee, rounding: Rounding) -> Self {
        Self { promised: Some(guarantee), rounding, ..self }
    }

    /// The weight of each distance of the noise, from the lowest to the highest; both ends hold all that is further away.
    pub fn noise(&self) -> &[u64] {
        &self.noise.weights
    }

    /// How many cells reports reach beyond each end of the domain.
    pub fn reach(&self) -> u32 {
        self.lattice.reach
    }

    fn last_cell(&self) -> u32 {
        self.lattice.input_cells + 2 * self.lattice.reach
    }

    fn unit(&self, place: f64) -> f64 {
        let unit = (place - f64::from(self.lattice.reach)) / f64::from(self.lattice.input_cells);
        if self.is_truncated { unit.clamp(0.0, 1.0) } else { unit }
    }
}

/// Integer weights for the distances 0 to `radius`; the last one holds all that is further away.
fn half_weights(radius: usize, relative: impl Fn(f64) -> f64) -> Option<Vec<u64>> {
    /// Beyond this share of the end's weight nothing is added up any more.
    const NEGLIGIBLE: f64 = 1e-9;
    const MOST_TERMS: usize = 1 << 21;
    let mut weights: Vec<f64> = (0..=radius).map(|distance| relative(distance as f64)).collect();
    let end = weights.pop()?;
    let further = (radius..).take(MOST_TERMS).map(|distance| relative(distance as f64));
    weights.push(further.take_while(|weight| *weight > NEGLIGIBLE * end).sum());
    let total = 2.0 * precise_sum(&weights) - weights.first()?;
    let falls = weights[..radius].windows(2).all(|pair| pair[1] <= pair[0]);
    if !(falls && total.is_finite() && total > 0.0) {
        return None;
    }
    // A little less, so that rounding never leaves the middle too little.
    let scale = 2f64.powi(64) / total * (1.0 - 4.0 * f64::EPSILON);
    let mut integers: Vec<u64> = weights.iter().map(|weight| ((weight * scale) as u64).max(1)).collect();
    // The middle takes what rounding leaves over; it is the largest weight, so it matters least there.
    let others: u128 = 2 * integers.iter().skip(1).copied().map(u128::from).sum::<u128>();
    let middle = u64::try_from((1u128 << 64).checked_sub(others)?).ok()?;
    (middle >= integers.get(1).copied()?).then(|| {
        integers[0] = middle;
        integers
    })
}

/// The sum with the rounding errors of all steps added back (Neumaier).
fn precise_sum(values: &[f64]) -> f64 {
    let (sum, lost) = values.iter().fold((0.0f64, 0.0), |(sum, lost), value| {
        let next = sum + value;
        let (large, small) = if sum > *value { (sum, *value) } else { (*value, sum) };
        (next, lost + ((large - next) + small))
    });
    sum + lost
}

/// For each report the largest against the smallest weight. The weights fall with the distance, so that these are the
/// nearest and the furthest of the nodes.
fn worst_of(noise: &Noise, lattice: NoiseLattice) -> Worst {
    let (parts, middle) = (lattice.input_cells as usize, lattice.radius());
    let last = parts + 2 * lattice.reach as usize;
    let at_end = Worst { weights: [noise.ends[0], noise.ends[parts]], nodes: [0, lattice.input_cells] };
    (1..last)
        .map(|cell| {
            // The nodes see this cell at the distances from `cell` (the last node) to `cell + parts` (the first).
            let nearest = middle.clamp(cell, cell + parts);
            let furthest =
                if cell.abs_diff(middle) > (cell + parts).abs_diff(middle) { cell } else { cell + parts };
            let node = |place: usize| (cell + parts - place) as u32;
            Worst {
                weights: [noise.weights[nearest], noise.weights[furthest]],
                nodes: [node(nearest), node(furthest)],
            }
        })
        .fold(at_end, Worst::or)
}

impl Rows for NoiseRows {
    fn input_cells(&self) -> u32 {
        self.lattice.input_cells
    }

    fn output_cells(&self) -> u32 {
        self.last_cell() + 1
    }

    fn unit_value(&self, cell: u32) -> f64 {
        self.unit(f64::from(cell))
    }

    fn extent(&self, cell: u32) -> [f64; 2] {
        let value = self.unit_value(cell);
        // The cell at a truncated end is where all that lies beyond goes.
        let is_end = self.is_truncated && (value <= 0.0 || value >= 1.0);
        if cell == 0 || cell == self.last_cell() || is_end {
            return [value; 2];
        }
        [self.unit(f64::from(cell) - 0.5), self.unit(f64::from(cell) + 0.5)]
    }

    fn runs(&self, node: u32) -> Vec<Run> {
        let (parts, last) = (self.lattice.input_cells, self.last_cell());
        let shift = parts - node;
        let changes = &self.noise.changes;
        let inner = changes.partition_point(|place| *place <= 1 + shift)
            ..changes.partition_point(|place| *place < last + shift);
        let starts = changes[inner].iter().map(|place| place - shift);
        let starts: Vec<u32> = [0, 1].into_iter().chain(starts).chain([last]).collect();
        let ends = starts.iter().skip(1).copied().chain([last + 1]);
        let run = |(first, end): (&u32, u32)| Run {
            first: *first,
            count: end - first,
            weight: self.weight(node, *first),
        };
        starts.iter().zip(ends).map(run).collect()
    }

    fn weight(&self, node: u32, cell: u32) -> u64 {
        let parts = self.lattice.input_cells;
        match cell {
            0 => self.noise.ends[node as usize],
            cell if cell == self.last_cell() => self.noise.ends[(parts - node) as usize],
            cell => self.noise.weights[(cell + parts - node) as usize],
        }
    }

    fn total(&self) -> u128 {
        1 << 64
    }

    #[inline]
    fn draw<R: CryptoRng + ?Sized>(&self, node: u32, rng: &mut R) -> u32 {
        let place = node + self.noise.table.draw(rng);
        place.saturating_sub(self.lattice.input_cells).min(self.last_cell())
    }

    fn worst_ratio(&self) -> Fraction {
        self.worst.ratio()
    }

    fn worst_nodes(&self) -> [u32; 2] {
        self.worst.nodes
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        builder.number(u64::from(self.lattice.input_cells)).number(u64::from(self.lattice.reach));
        for weight in &self.noise.weights[self.lattice.radius()..] {
            builder.number(*weight);
        }
    }

    fn rounding(&self) -> Rounding {
        self.rounding
    }

    fn guarantee(&self) -> Result<Guarantee, ParameterError> {
        self.promised.map_or_else(|| super::pure_guarantee(&self.worst.ratio()), Ok)
    }
}

/// Noise around a ring: every row is the same, turned.
#[derive(Debug, Clone)]
pub struct RingNoiseRows {
    row: Arc<WeightRow>,
    table: Arc<AliasTable>,
}

impl RingNoiseRows {
    /// Rounds relative weights to integers, one for each turn from 0 to one less than a whole one, largest at 0 and
    /// smallest half a turn away.
    ///
    /// # Errors
    /// When the weights are not positive numbers.
    pub fn new(relative: &[f64]) -> Result<Self, ParameterError> {
        let row = WeightRow::from_relative(relative)?;
        Ok(Self { table: Arc::new(AliasTable::new(&row)), row: Arc::new(row) })
    }

    fn cells(&self) -> u32 {
        self.row.weights().len() as u32
    }
}

impl Rows for RingNoiseRows {
    fn input_cells(&self) -> u32 {
        self.cells()
    }

    fn output_cells(&self) -> u32 {
        self.cells()
    }

    fn unit_value(&self, cell: u32) -> f64 {
        f64::from(cell) / f64::from(self.cells())
    }

    fn extent(&self, cell: u32) -> [f64; 2] {
        [-0.5, 0.5].map(|side| (f64::from(cell) + side) / f64::from(self.cells()))
    }

    fn runs(&self, node: u32) -> Vec<Run> {
        (0..self.cells()).map(|cell| Run { first: cell, count: 1, weight: self.weight(node, cell) }).collect()
    }

    fn weight(&self, node: u32, cell: u32) -> u64 {
        self.row.weights()[((cell + self.cells() - node) % self.cells()) as usize]
    }

    fn total(&self) -> u128 {
        1 << 64
    }

    #[inline]
    fn draw<R: CryptoRng + ?Sized>(&self, node: u32, rng: &mut R) -> u32 {
        let cell = node + self.table.draw(rng);
        if cell >= self.cells() { cell - self.cells() } else { cell }
    }

    fn worst_ratio(&self) -> Fraction {
        let [first, second] = self.worst_nodes();
        let weights = self.row.weights();
        debug_assert_eq!(first, 0);
        &Fraction::of_weight(weights[0]) / &Fraction::of_weight(weights[second as usize])
    }

    fn worst_nodes(&self) -> [u32; 2] {
        let smallest = (0..self.cells()).min_by_key(|turn| self.row.weights()[*turn as usize]).unwrap_or(0);
        [0, smallest]
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        for weight in self.row.weights() {
            builder.number(*weight);
        }
    }
}
