//! The law of the report of one input.

use super::decoder::{Decoder, Moments, Progression};
use super::{ErrorReport, Loss, Space};
use crate::lattice::Run;

/// The probabilities of all reports of one input.
#[derive(Clone)]
pub struct Law<'a> {
    pub(super) decoder: &'a Decoder,
    pub(super) space: Space,
    /// The input in units of the domain, and as it was given.
    pub(super) unit: f64,
    pub(super) input: f64,
    pub(super) total: f64,
    /// The rows between which the input is rounded, with their probabilities.
    pub(super) rows: Vec<(f64, Vec<Run>)>,
}

impl std::fmt::Debug for Law<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Law(of a private input)")
    }
}

/// A stretch of reports with one density, or an atom where it has no length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DensityPiece {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its probability.
    pub mass: f64,
}

impl DensityPiece {
    /// The probability per unit of length; infinite for an atom.
    pub fn density(&self) -> f64 {
        self.mass / (self.to - self.from)
    }

    /// Whether all of it is at one number.
    pub fn is_atom(&self) -> bool {
        self.to <= self.from
    }
}

/// The moments of a row around an input, in units of the domain.
pub(super) fn row_moments(decoder: &Decoder, runs: &[Run], input: f64) -> Moments {
    let mut sum = Moments::default();
    for run in runs {
        sum.add(run.weight as f64, decoder.moments(*run, input));
    }
    sum
}

impl Law<'_> {
    fn moments(&self) -> Moments {
        let mut sum = Moments::default();
        for (share, runs) in &self.rows {
            sum.add(share / self.total, row_moments(self.decoder, runs, self.unit));
        }
        sum
    }

    /// The input.
    pub fn input(&self) -> f64 {
        self.input
    }

    /// The expected loss.
    pub fn expected(&self, loss: Loss) -> f64 {
        self.error(loss).error
    }

    /// The expected loss with bias and variance.
    pub fn error(&self, loss: Loss) -> ErrorReport {
        let moments = self.moments();
        let width = self.space.width();
        let error = match loss {
            Loss::Absolute => moments.absolute,
            Loss::Squared => moments.second,
        };
        ErrorReport {
            error: error * loss.scale(width),
            input: self.input,
            bias: moments.first * width,
            variance: (moments.second - moments.first.powi(2)).max(0.0) * width * width,
        }
    }

    /// The mean report less the input; on a circle the mean signed distance.
    pub fn bias(&self) -> f64 {
        self.moments().first * self.space.width()
    }

    /// The variance of the report; on a circle that of the signed distance.
    pub fn variance(&self) -> f64 {
        self.error(Loss::Squared).variance
    }

    /// The probability of a report of at most `value`; on a circle, from zero up to `value`.
    pub fn cdf(&self, value: f64) -> f64 {
        let limit = self.space.to_unit(value);
        self.count(|progression| progression.at_most(limit))
    }

    /// The probability of a report from the first to the second number, both included. On a circle the first may be the
    /// larger: the range then passes through zero.
    pub fn mass(&self, range: [f64; 2]) -> f64 {
        let [from, to] = range.map(|end| self.space.to_unit(end));
        if from <= to || !self.space.is_ring() {
            return self.count(|progression| progression.at_most(to).saturating_sub(progression.below(from)));
        }
        self.count(|progression| progression.at_most(to) + progression.count - progression.below(from))
    }

    /// The probability that the report is at most `distance` away from the input.
    pub fn within(&self, distance: f64) -> f64 {
        let width = self.space.width();
        if !self.space.is_ring() {
            return self.mass([self.input - distance, self.input + distance]);
        }
        if distance < 0.0 {
            return 0.0;
        }
        if distance >= width / 2.0 {
            return 1.0;
        }
        let wrapped = |value: f64| value.rem_euclid(width);
        self.mass([wrapped(self.input - distance), wrapped(self.input + distance)])
    }

    fn count(&self, cells: impl Fn(&Progression) -> u32) -> f64 {
        let of_run = |run: &Run| {
            let count: u64 = self.decoder.of_run(*run).map(|part| u64::from(cells(&part))).sum();
            run.weight as f64 * count as f64
        };
        let of_row = |(share, runs): &(f64, Vec<Run>)| share * runs.iter().map(of_run).sum::<f64>();
        self.rows.iter().map(of_row).sum::<f64>() / self.total
    }

    /// The law as stretches of constant density, in order, each cell spread over its own width. For plots: the report
    /// itself is always the number in the middle.
    pub fn pieces(&self) -> Vec<DensityPiece> {
        let mut pieces: Vec<DensityPiece> = Vec::new();
        for run in self.mixed() {
            for part in self.decoder.of_run(run.0) {
                let half = part.step / 2.0;
                let from = self.space.from_unit(part.start - half);
                let to = self.space.from_unit(part.at(part.count - 1) + half);
                let mass = run.1 * f64::from(part.count);
                match pieces.last_mut() {
                    Some(last) if last.is_atom() && last.from == from && to == from => last.mass += mass,
                    _ => pieces.push(DensityPiece { from, to, mass }),
                }
            }
        }
        pieces
    }

    /// Runs of the mixture of both rows, with the probability of each cell.
    fn mixed(&self) -> Vec<(Run, f64)> {
        let mut starts: Vec<u32> =
            self.rows.iter().flat_map(|(_, runs)| runs.iter().map(|run| run.first)).collect();
        starts.sort_unstable();
        starts.dedup();
        let end = self.rows.iter().filter_map(|(_, runs)| runs.last()).map(|run| run.first + run.count).max();
        let ends = starts.iter().skip(1).copied().chain(end);
        let probability = |cell: u32| {
            let of_row = |(share, runs): &(f64, Vec<Run>)| {
                let index = runs.partition_point(|run| run.first <= cell).saturating_sub(1);
                share * runs[index].weight as f64
            };
            self.rows.iter().map(of_row).sum::<f64>() / self.total
        };
        let run = |(first, end): (&u32, u32)| {
            (Run { first: *first, count: end - first, weight: 1 }, probability(*first))
        };
        starts.iter().zip(ends).map(run).collect()
    }
}
