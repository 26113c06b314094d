//! Where people are, from everybody's reports.

use super::evidence::Evidence;
use super::median::Medians;
use crate::rounding::Grid;
use crate::{Path, Place};

/// The shares of a population in the cells of a grid.
#[derive(Debug, Clone)]
pub struct Density {
    grid: Grid,
    shares: Vec<f64>,
}

/// Rounds stop when this many together make the log-likelihood of all reports larger by less than [`LEAST_GAIN`].
const GAIN_ROUNDS: usize = 10;
/// A gain that says nothing about people.
const LEAST_GAIN: f64 = 0.5;
const MAX_ROUNDS: usize = 2000;

impl Density {
    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The share of each cell; they add up to 1, and the second coordinate runs fastest.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// The place with the smallest expected distance to a person: the best constant answer, with no report at all.
    pub fn geometric_median(&self) -> Place {
        Medians::new(&self.grid).of(&self.shares)
    }

    /// The shares of a coarser grid; `None` where its lines are not lines of this grid.
    pub fn coarse(&self, shape: [u32; 2]) -> Option<Vec<f64>> {
        let blocks = blocks(&self.grid, shape)?;
        Some(sums(&self.shares, &blocks, shape))
    }
}

/// Whether the lines of a coarser grid are lines of a fine one.
pub(super) fn divides(shape: [u32; 2], fine: [u32; 2]) -> bool {
    (0..2).all(|axis| shape[axis] > 0 && fine[axis].is_multiple_of(shape[axis]))
}

/// The block of each cell; `None` where the lines of the blocks are not lines of the grid.
pub(super) fn blocks(grid: &Grid, shape: [u32; 2]) -> Option<Vec<u32>> {
    let fine = grid.shape();
    divides(shape, fine).then(|| {
        let steps = [fine[0] / shape[0], fine[1] / shape[1]];
        let block = |cell: u32| (cell / fine[1] / steps[0]) * shape[1] + cell % fine[1] / steps[1];
        (0..fine[0] * fine[1]).map(block).collect()
    })
}

/// The sums over blocks.
pub(super) fn sums(shares: &[f64], blocks: &[u32], shape: [u32; 2]) -> Vec<f64> {
    let mut sums = vec![0.0; shape[0] as usize * shape[1] as usize];
    for (share, block) in shares.iter().zip(blocks) {
        sums[*block as usize] += share;
    }
    sums
}

impl Evidence {
    /// The density under which all reports are most likely, by expectation-maximisation from the uniform one. It stops when
    /// further rounds hardly make the reports more likely: that leaves it smoother than the maximum, which is a set of spikes.
    pub fn density(&self) -> Density {
        Density { grid: self.grid().clone(), shares: self.maximise(&self.counts(|_| 1.0)) }
    }

    /// How often each kernel was reported, with a weight for each path.
    pub(super) fn counts(&self, weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut counts = vec![0.0; self.kernels.count()];
        for (index, path) in self.paths().iter().enumerate() {
            let weight = weight(index);
            path.kernels.iter().for_each(|kernel| counts[*kernel as usize] += weight);
        }
        counts
    }

    pub(super) fn maximise(&self, counts: &[f64]) -> Vec<f64> {
        let inside = self.is_inside().iter().filter(|is_inside| **is_inside).count() as f64;
        let mut shares: Vec<f64> =
            self.is_inside().iter().map(|is_inside| f64::from(u8::from(*is_inside)) / inside).collect();
        let (mut probabilities, mut factors) = (Vec::new(), Vec::new());
        let mut before = f64::NEG_INFINITY;
        for round in 0..MAX_ROUNDS {
            self.kernels.forward(&shares, &mut probabilities);
            if round % GAIN_ROUNDS == 0 {
                let log = log_likelihood(counts, &probabilities);
                if log - before < LEAST_GAIN {
                    break;
                }
                before = log;
            }
            for (probability, count) in probabilities.iter_mut().zip(counts) {
                *probability = if *count > 0.0 { count / *probability } else { 0.0 };
            }
            self.kernels.backward(&probabilities, &mut factors, shares.len());
            shares.iter_mut().zip(&factors).for_each(|(share, factor)| *share *= factor);
            normalise(&mut shares);
        }
        shares
    }

    /// The best reading of each report alone: the geometric median of its posterior, which has the smallest expected distance
    /// to the person's place.
    pub fn medians(&self, density: &Density) -> Vec<Path> {
        let medians = Medians::new(self.grid());
        let mut posterior = vec![0.0; density.shares.len()];
        let mut median = |kernel: usize| {
            self.kernels.expand(kernel, &mut posterior);
            posterior.iter_mut().zip(&density.shares).for_each(|(value, share)| *value *= share);
            medians.of(&posterior)
        };
        let of_kernels: Vec<Place> = (0..self.kernels.count()).map(&mut median).collect();
        let read = |kernels: &[u32]| kernels.iter().map(|kernel| of_kernels[*kernel as usize]).collect();
        self.paths().iter().map(|path| path.read_as(read(&path.kernels))).collect()
    }
}

fn log_likelihood(counts: &[f64], probabilities: &[f64]) -> f64 {
    let pairs = counts.iter().zip(probabilities).filter(|(count, _)| **count > 0.0);
    pairs.map(|(count, probability)| count * probability.ln()).sum()
}

pub(super) fn normalise(shares: &mut [f64]) {
    let total: f64 = shares.iter().sum();
    if total > 0.0 {
        shares.iter_mut().for_each(|share| *share /= total);
    }
}
