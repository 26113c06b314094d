//! What tasks that take no random bytes are measured beside.

use std::hint::black_box;

/// How many lines and columns the table has.
pub(crate) const SIDE: usize = 1024;

/// A fixed loop over a table of a million numbers: one round of expectation-maximisation as the usual code does it.
pub(crate) struct DenseRound {
    table: Vec<f64>,
    shares: Vec<f64>,
}

/// What the peer of such tasks is.
pub(crate) const NOTE: &str = "one round of expectation-maximisation with a dense table of 1024 by 1024";

impl DenseRound {
    pub(crate) fn new() -> Self {
        let weight = |index: usize| 1.0 + (index % 7) as f64;
        Self { table: (0..SIDE * SIDE).map(weight).collect(), shares: vec![1.0 / SIDE as f64; SIDE] }
    }

    /// Makes the round, and says that it is one.
    pub(crate) fn run(&mut self) -> usize {
        let table = black_box(&self.table);
        let means: Vec<f64> = table
            .chunks_exact(SIDE)
            .map(|row| row.iter().zip(&self.shares).map(|(weight, share)| weight * share).sum())
            .collect();
        let mut factors = vec![0.0; SIDE];
        for (row, mean) in table.chunks_exact(SIDE).zip(&means) {
            row.iter().zip(&mut factors).for_each(|(weight, factor)| *factor += weight / mean);
        }
        let total: f64 = self.shares.iter().zip(&factors).map(|(share, factor)| share * factor).sum();
        self.shares.iter_mut().zip(&factors).for_each(|(share, factor)| *share *= factor / total);
        black_box(&mut self.shares);
        1
    }
}
