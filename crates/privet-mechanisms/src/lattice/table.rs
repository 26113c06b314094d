//! Rows without a common shape: a table.

use super::{Rounding, Rows, Run};
use privet_core::sampling::{AliasTable, WeightRow, WorstRatio};
use privet_core::{CryptoRng, FingerprintBuilder, Fraction, ParameterError};
use std::sync::Arc;

/// A square table: as many reports as nodes, and a report stands for its node.
#[derive(Debug, Clone)]
pub struct TableRows {
    rows: Arc<Vec<WeightRow>>,
    tables: Arc<Vec<AliasTable>>,
    worst: WorstRatio,
    rounding: Rounding,
}

/// A relative weight for a scale and two places, counted in parts of the domain.
pub(crate) type TableLaw = fn(scale: f64, from: u32, to: u32, parts: u32) -> f64;

impl TableRows {
    /// Rounds the rows of a law at a scale.
    ///
    /// # Errors
    /// When the weights are not positive numbers.
    pub(crate) fn new(
        scale: f64,
        parts: u32,
        law: TableLaw,
        rounding: Rounding,
    ) -> Result<Self, ParameterError> {
        let rows = rows_at(scale, parts, law)?;
        let worst = WorstRatio::of(&rows);
        let tables = Arc::new(rows.iter().map(AliasTable::new).collect());
        Ok(Self { rows: Arc::new(rows), tables, worst, rounding })
    }

    fn parts(&self) -> u32 {
        self.rows.len() as u32 - 1
    }
}

fn rows_at(scale: f64, parts: u32, law: TableLaw) -> Result<Vec<WeightRow>, ParameterError> {
    let row = |from: u32| {
        let relative: Vec<f64> = (0..=parts).map(|to| law(scale, from, to, parts)).collect();
        WeightRow::from_relative(&relative)
    };
    (0..=parts).map(row).collect()
}

impl Rows for TableRows {
    fn input_cells(&self) -> u32 {
        self.parts()
    }

    fn output_cells(&self) -> u32 {
        self.parts() + 1
    }

    fn unit_value(&self, cell: u32) -> f64 {
        f64::from(cell) / f64::from(self.parts())
    }

    fn extent(&self, cell: u32) -> [f64; 2] {
        if self.rounding == Rounding::Nearest {
            return [self.unit_value(cell); 2];
        }
        [-0.5, 0.5].map(|side| ((f64::from(cell) + side) / f64::from(self.parts())).clamp(0.0, 1.0))
    }

    fn runs(&self, node: u32) -> Vec<Run> {
        let row = self.rows[node as usize].weights();
        (0u32..).zip(row).map(|(first, weight)| Run { first, count: 1, weight: *weight }).collect()
    }

    fn weight(&self, node: u32, cell: u32) -> u64 {
        self.rows[node as usize].weights()[cell as usize]
    }

    fn total(&self) -> u128 {
        1 << 64
    }

    #[inline]
    fn draw<R: CryptoRng + ?Sized>(&self, node: u32, rng: &mut R) -> u32 {
        self.tables[node as usize].draw(rng)
    }

    fn worst_ratio(&self) -> Fraction {
        self.worst.ratio.clone()
    }

    fn worst_nodes(&self) -> [u32; 2] {
        self.worst.rows
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        for weight in self.rows.iter().flat_map(WeightRow::weights) {
            builder.number(*weight);
        }
    }

    fn rounding(&self) -> Rounding {
        self.rounding
    }
}
