//! The linear programme over channels: finitely many inputs, finitely many outputs.

use crate::certificate::SCALE;
use crate::programme::{Programme, Stop};
use crate::{LimitError, TooLarge};
use privet_core::Epsilon;

/// A channel to be found. Matrices have a row for each input and a column for each output.
#[derive(Debug, Clone)]
pub(crate) struct ChannelProgramme<'a> {
    pub epsilon: Epsilon,
    /// How bad each output is for each input.
    pub losses: Matrix,
    /// The inputs' shares of the loss that is minimised; without shares, the worst loss is.
    pub shares: Option<&'a [f64]>,
}

/// Numbers in rows of equal length.
#[derive(Debug, Clone)]
pub(crate) struct Matrix {
    columns: usize,
    entries: Vec<f64>,
}

/// What the programme found.
#[derive(Debug, Clone)]
pub(crate) struct ChannelSolution {
    /// The smallest probability of each output over all inputs.
    pub floor: Vec<f64>,
    /// Weight and price of each input.
    pub prices: Vec<Prices>,
}

/// The dual numbers of an input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prices {
    pub weight: f64,
    pub price: f64,
}

/// A solver keeps about this many bytes for each entry of the matrix.
const BYTES_PER_ENTRY: usize = 600;

/// Beyond this, e^epsilon is more than a solver can handle. What keeps this keeps any larger epsilon.
pub(crate) const LARGEST_EPSILON: f64 = 40.0;

impl Matrix {
    /// The value of each row at each column.
    pub(crate) fn of<R, C>(rows: &[R], columns: &[C], value: impl Fn(&R, &C) -> f64) -> Self {
        let entries =
            rows.iter().flat_map(|row| columns.iter().map(|column| value(row, column)).collect::<Vec<_>>());
        Self { columns: columns.len(), entries: entries.collect() }
    }

    fn rows(&self) -> usize {
        self.entries.len() / self.columns
    }

    /// The entries of a row with their positions in the matrix.
    fn terms(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let from = row * self.columns;
        (from..from + self.columns).map(|entry| (entry, self.entries[entry]))
    }
}

impl ChannelProgramme<'_> {
    /// Refuses channels with so many inputs and outputs that the programme would not fit into memory.
    pub(crate) fn refuse_too_large(inputs: usize, outputs: usize) -> Result<(), LimitError> {
        // Two constraints of two entries and about three further entries for each pair.
        TooLarge::refuse_above(inputs.saturating_mul(outputs).saturating_mul(7 * BYTES_PER_ENTRY))
    }

    pub(crate) fn solve(&self, stop: &Stop) -> Result<ChannelSolution, LimitError> {
        let (rows, columns) = (self.losses.rows(), self.losses.columns);
        Self::refuse_too_large(rows, columns)?;
        let floors = rows * columns;
        let worst = floors + columns;
        let mut programme = Programme::new(worst + 1);
        let exp = self.epsilon.get().min(LARGEST_EPSILON).exp();
        for entry in 0..floors {
            let floor = floors + entry % columns;
            programme.at_most([(floor, 1.0), (entry, -1.0)], 0.0);
            programme.at_most([(entry, 1.0), (floor, -exp)], 0.0);
        }
        for row in 0..rows {
            programme.equal((row * columns..(row + 1) * columns).map(|entry| (entry, 1.0)), 1.0);
        }
        self.add_losses(&mut programme, worst);
        let solution = programme.solve(stop)?;
        let weight = |row: usize| match self.shares {
            Some(shares) => shares[row],
            None => solution.inequality_prices[2 * floors + row],
        };
        let price = |row: usize| Prices { weight: weight(row), price: -solution.equality_prices[row] };
        let floor = solution.values[floors..worst].iter().map(|floor| floor.max(0.0)).collect();
        Ok(ChannelSolution { floor, prices: (0..rows).map(price).collect() })
    }

    fn add_losses(&self, programme: &mut Programme, worst: usize) {
        for row in 0..self.losses.rows() {
            let losses = self.losses.terms(row);
            match self.shares {
                Some(shares) => losses.for_each(|(entry, loss)| programme.cost(entry, shares[row] * loss)),
                None => programme.at_most(losses.chain([(worst, -1.0)]), 0.0),
            }
        }
        match self.shares {
            Some(_) => programme.equal([(worst, 1.0)], 0.0),
            None => programme.cost(worst, 1.0),
        }
    }
}

impl ChannelSolution {
    /// The prices for weights that add up to one at most, however the solver and the integers round: a common factor changes
    /// nothing else.
    pub(crate) fn normalised_prices(&self) -> Vec<Prices> {
        const LESS: f64 = 1.0 - 1e-10;
        let total: f64 = self.prices.iter().map(|prices| prices.weight.max(0.0)).sum();
        let factor = LESS / total;
        let scaled = |prices: &Prices| Prices {
            weight: prices.weight.max(0.0) * factor,
            price: prices.price * factor,
        };
        self.prices.iter().map(scaled).collect()
    }
}

impl Prices {
    /// The weight in a certificate: rounded down, which only makes the bound weaker.
    pub(crate) fn whole_weight(&self) -> i64 {
        (self.weight * SCALE).floor() as i64
    }

    /// The price in a certificate.
    pub(crate) fn whole_price(&self) -> i64 {
        whole(self.price)
    }
}

/// A number in a certificate.
pub(crate) fn whole(number: f64) -> i64 {
    (number * SCALE).round() as i64
}
