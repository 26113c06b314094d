//! The part of a report whose law is the same for everybody, and counters of it.

use super::hull::{Bounds, Cell, with_sums};
use crate::reading::HashedBits;
use crate::statistics::{BinomialCount, ln_binomial_coefficient};
use privet_mechanisms::categorical::{FrequencyOracle, Invariant};

/// At most so many counters.
const CELLS: usize = 64;

/// The invariant part of a mechanism's reports in at most 64 cells, with the probability of each.
#[derive(Debug, Clone)]
pub(super) struct InvariantLaw {
    part: Part,
    probabilities: Vec<f64>,
}

#[derive(Debug, Clone)]
enum Part {
    /// How many bits are one behind the first `skip` bytes; the number at which each cell begins.
    Ones { skip: usize, starts: Vec<u32> },
    /// The first 64 bits, by their highest six.
    Seed,
    /// Whether there is a one.
    Zero,
}

impl InvariantLaw {
    /// The law for reports that support categories, if there is anything to check.
    pub(super) fn of_oracle(oracle: &dyn FrequencyOracle) -> Option<Self> {
        match oracle.invariant() {
            Invariant::Nothing => None,
            Invariant::Ones => {
                let support = oracle.support();
                let bits = oracle.categories().count() as usize;
                Some(Self::of_ones(0, &ones(bits, 1, [support.own.to_f64(), support.other.to_f64()])))
            }
            Invariant::Seed => {
                Some(Self { part: Part::Seed, probabilities: vec![1.0 / CELLS as f64; CELLS] })
            }
            Invariant::Zero(probability) => {
                let zero = probability.to_f64();
                Some(Self { part: Part::Zero, probabilities: vec![zero, 1.0 - zero] })
            }
        }
    }

    /// The law for noisy bits under a hash function.
    pub(super) fn of_bits(bits: &HashedBits) -> Self {
        Self::of_ones(HashedBits::ROW_BYTES, &ones(bits.bits, bits.held, [bits.set, bits.unset]))
    }

    /// Neighbouring numbers of ones share a cell until it has its part of the probability.
    fn of_ones(skip: usize, law: &[f64]) -> Self {
        let (mut starts, mut probabilities) = (vec![0], vec![0.0]);
        for (ones, probability) in (0u32..).zip(law) {
            if let Some(last) = probabilities.last_mut().filter(|last| **last < 1.0 / CELLS as f64) {
                *last += probability;
            } else {
                starts.push(ones);
                probabilities.push(*probability);
            }
        }
        Self { part: Part::Ones { skip, starts }, probabilities }
    }

    pub(super) fn cells(&self) -> usize {
        self.probabilities.len()
    }

    /// The cell of a report.
    pub(super) fn cell(&self, report: &[u8]) -> usize {
        match &self.part {
            Part::Ones { skip, starts } => {
                let ones = report.iter().skip(*skip).map(|byte| byte.count_ones()).sum::<u32>();
                starts.partition_point(|start| *start <= ones).saturating_sub(1)
            }
            Part::Seed => report.get(7).map_or(0, |byte| usize::from(byte >> 2)),
            Part::Zero => usize::from(report.iter().any(|byte| *byte != 0)),
        }
    }

    /// The counters beside their probabilities.
    pub(super) fn compare(&self, counts: &[u64]) -> Vec<Cell> {
        let cells: Vec<Bounds> = self.probabilities.iter().map(|p| [*p; 2]).collect();
        let sums: Vec<Bounds> = self
            .probabilities
            .iter()
            .scan(0.0, |sum, p| {
                *sum += p;
                Some([*sum; 2])
            })
            .collect();
        with_sums(counts, &cells, &sums)
    }

    /// What a cell, or a sum of the first cells, is about.
    pub(super) fn name(&self, index: usize) -> String {
        let (is_sum, cell) = (index >= self.cells(), index % self.cells());
        match &self.part {
            Part::Ones { starts, .. } => {
                let from = if is_sum { 0 } else { starts[cell] };
                match starts.get(cell + 1) {
                    Some(end) => format!("reports with {from} to {} ones", end - 1),
                    None => format!("reports with {from} or more ones"),
                }
            }
            Part::Seed if is_sum => format!("seeds in the first {} of {CELLS} parts", cell + 1),
            Part::Seed => format!("seeds in part {} of {CELLS}", cell + 1),
            Part::Zero if cell == 0 => "reports that support every category".to_owned(),
            Part::Zero => "reports that do not support every category".to_owned(),
        }
    }
}

/// The law of the number of ones among `bits` independent bits, of which `held` are one with the first probability and
/// the others with the second.
fn ones(bits: usize, held: usize, [set, unset]: [f64; 2]) -> Vec<f64> {
    let others = bits - held.min(bits);
    let (yes, no) = (unset.ln(), (-unset).ln_1p());
    let binomial = |k: usize| {
        let choices = BinomialCount::new(k as u64, others as u64).map_or(0.0, ln_binomial_coefficient);
        (choices + k as f64 * yes + (others - k) as f64 * no).exp()
    };
    let mut law: Vec<f64> = (0..=others).map(binomial).collect();
    law.resize(bits + 1, 0.0);
    for _ in 0..bits - others {
        for k in (0..law.len()).rev() {
            let below = if k == 0 { 0.0 } else { law[k - 1] };
            law[k] = law[k] * (1.0 - set) + below * set;
        }
    }
    law
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_of_three_bits_by_hand() {
        let law = ones(3, 1, [0.5, 0.25]);
        let wanted = [0.5 * 0.5625, 0.5 * 0.5625 + 0.5 * 0.375, 0.5 * 0.375 + 0.5 * 0.0625, 0.5 * 0.0625];
        for (got, wanted) in law.iter().zip(wanted) {
            assert!((got - wanted).abs() < 1e-15, "{got} {wanted}");
        }
    }

    #[test]
    fn cells_cover_all_numbers_of_ones() {
        let law = InvariantLaw::of_ones(0, &ones(1000, 1, [0.5, 0.1]));
        assert!((30..=CELLS).contains(&law.cells()));
        assert!((law.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(law.cell(&[0; 125]), 0);
        assert_eq!(law.cell(&[255; 125]), law.cells() - 1);
        assert_eq!(law.name(law.cells() - 1).split(' ').next_back(), Some("ones"));
    }
}
