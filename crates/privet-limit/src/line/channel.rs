//! The linear programme over channels: finitely many inputs, finitely many reports.

use crate::programme::{Programme, Stop};
use crate::{LimitError, TooLarge};
use privet_core::Epsilon;
use privet_mechanisms::analysis::Loss;

/// A channel to be found: rows for `inputs`, columns for `outputs`, in units of the domain.
#[derive(Debug, Clone)]
pub(super) struct ChannelProgramme {
    pub epsilon: Epsilon,
    pub loss: Loss,
    /// Inputs with their shares of the loss that is minimised; without shares, the worst loss is.
    pub inputs: Vec<f64>,
    pub shares: Option<Vec<f64>>,
    pub outputs: Vec<f64>,
    pub is_unbiased: bool,
    /// Whether the mirror image of every input is meant as well. The outputs are symmetric around the middle then.
    pub is_mirrored: bool,
}

/// What the programme found.
#[derive(Debug, Clone)]
pub(super) struct ChannelSolution {
    /// The smallest probability of each output over all inputs.
    pub floor: Vec<f64>,
    /// Weight, price and price of the bias of each input.
    pub prices: Vec<Prices>,
}

/// The dual numbers of an input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prices {
    pub weight: f64,
    pub price: f64,
    pub slope: f64,
}

/// A solver keeps about this many bytes for each entry of the matrix.
const BYTES_PER_ENTRY: usize = 600;

impl ChannelProgramme {
    pub(super) fn solve(&self, stop: &Stop) -> Result<ChannelSolution, LimitError> {
        let (rows, columns) = (self.inputs.len(), self.outputs.len());
        // Two constraints of two entries and about three further entries for each pair.
        TooLarge::refuse_above(7 * rows * columns * BYTES_PER_ENTRY)?;
        let floors = rows * columns;
        let worst = floors + self.floor_count();
        let mut programme = Programme::new(worst + 1);
        let exp = self.epsilon.get().exp();
        for row in 0..rows {
            for column in 0..columns {
                let (entry, floor) = (row * columns + column, floors + self.floor_of(column));
                programme.at_most([(floor, 1.0), (entry, -1.0)], 0.0);
                programme.at_most([(entry, 1.0), (floor, -exp)], 0.0);
            }
        }
        let entries = |row: usize| (0..columns).map(move |column| row * columns + column);
        for row in 0..rows {
            programme.equal(entries(row).map(|entry| (entry, 1.0)), 1.0);
        }
        if self.is_unbiased {
            // Distances to the input are better conditioned than the numbers themselves.
            for (row, input) in self.inputs.iter().enumerate() {
                let bias = entries(row).zip(&self.outputs).map(|(entry, output)| (entry, output - input));
                programme.equal(bias, 0.0);
            }
        }
        self.add_losses(&mut programme, worst);
        let solution = programme.solve(stop)?;
        let floor = |column: usize| solution.values[floors + self.floor_of(column)].max(0.0);
        let weight = |row: usize| match &self.shares {
            Some(shares) => shares[row],
            None => solution.inequality_prices[2 * floors + row],
        };
        let slope = |row: usize| if self.is_unbiased { -solution.equality_prices[rows + row] } else { 0.0 };
        let prices = (0..rows)
            .map(|row| Prices {
                weight: weight(row),
                price: -solution.equality_prices[row],
                slope: slope(row),
            })
            .collect();
        Ok(ChannelSolution { floor: (0..columns).map(floor).collect(), prices })
    }

    /// Adds outputs and drops idle ones, with their mirror images where those are meant.
    pub(super) fn refine(&mut self, places: &[f64], is_idle: impl Fn(f64) -> bool) {
        let is_mirrored = self.is_mirrored;
        self.outputs.retain(|place| !(is_idle(*place) && (!is_mirrored || is_idle(1.0 - place))));
        self.outputs.extend(places);
        if self.is_mirrored {
            self.outputs.extend(places.iter().map(|place| 1.0 - place));
        }
        self.outputs.sort_by(f64::total_cmp);
        self.outputs.dedup_by(|one, other| (*one - *other).abs() < 1e-9);
        if self.is_mirrored {
            // Rounding must not take the mirror image of an output away.
            let mirrored: Vec<f64> = self.outputs.iter().rev().map(|place| 1.0 - place).collect();
            for (output, image) in self.outputs.iter_mut().zip(mirrored) {
                *output = f64::midpoint(*output, image);
            }
        }
    }

    fn add_losses(&self, programme: &mut Programme, worst: usize) {
        let columns = self.outputs.len();
        for (row, input) in self.inputs.iter().enumerate() {
            let losses = self.outputs.iter().enumerate().map(|(column, output)| {
                let distance = (output - input).abs();
                let loss = if self.loss == Loss::Absolute { distance } else { distance * distance };
                (row * columns + column, loss)
            });
            match &self.shares {
                Some(shares) => losses.for_each(|(entry, loss)| programme.cost(entry, shares[row] * loss)),
                None => programme.at_most(losses.chain([(worst, -1.0)]), 0.0),
            }
        }
        match &self.shares {
            Some(_) => programme.equal([(worst, 1.0)], 0.0),
            None => programme.cost(worst, 1.0),
        }
    }

    fn floor_count(&self) -> usize {
        if self.is_mirrored { self.outputs.len().div_ceil(2) } else { self.outputs.len() }
    }

    /// Which variable is the floor of a column: mirror images share one.
    fn floor_of(&self, column: usize) -> usize {
        if self.is_mirrored { column.min(self.outputs.len() - 1 - column) } else { column }
    }
}
