//! Reports before and after.

use super::density::{Density, normalise};
use super::evidence::Evidence;
use super::median::Medians;
use crate::rounding::Grid;
use crate::{Path, Place, TrajectoryError};

/// A public model of how people move from one place of a path to the next: with probability `jump` to anywhere, as the
/// population does, and otherwise to where the population is nearby, weighted with a bell of width `reach`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    reach: f64,
    jump: f64,
}

impl Motion {
    /// `reach` is the standard deviation of a step in each inner coordinate of the space, in metres in a geographic box.
    ///
    /// # Errors
    /// When the reach is not a finite number above zero, or the probability of a jump is not above 0 and at most 1. Without any
    /// jump a single report far off would be believed against all others.
    pub fn new(reach: f64, jump: f64) -> Result<Self, TrajectoryError> {
        if reach > 0.0 && reach.is_finite() && jump > 0.0 && jump <= 1.0 {
            return Ok(Self { reach, jump });
        }
        Err(TrajectoryError::incompatible(format!(
            "a motion needs a finite reach above 0 and a probability of jumps above 0 and at most 1: got {reach} and {jump}"
        )))
    }
}

/// Reports further ahead than this are not looked at, so that memory does not grow with the path.
const BLOCK: usize = 1024;

impl Evidence {
    /// The best reading of each report together with those before and after it in its path: the geometric median of its
    /// posterior under the motion, by the forward-backward algorithm. Only for paths in the order of time.
    pub fn smooth(&self, density: &Density, motion: &Motion) -> Vec<Path> {
        let chain = Chain::new(self, density, motion);
        let smooth = |kernels: &[u32]| {
            let mut state = None;
            let mut places = Vec::with_capacity(kernels.len());
            for block in kernels.chunks(BLOCK) {
                state = chain.smooth(block, state, &mut places);
            }
            places
        };
        self.paths().iter().map(|path| Path { id: path.id.clone(), places: smooth(&path.kernels) }).collect()
    }
}

/// The hidden Markov chain of one person.
struct Chain<'a> {
    evidence: &'a Evidence,
    medians: Medians<'a>,
    shares: &'a [f64],
    blur: Blur,
    /// How many people are near each cell.
    nearby: Vec<f64>,
    jump: f64,
}

impl<'a> Chain<'a> {
    fn new(evidence: &'a Evidence, density: &'a Density, motion: &Motion) -> Self {
        let blur = Blur::new(evidence.grid(), motion.reach);
        let mut nearby = density.shares().to_vec();
        blur.apply(&mut nearby);
        let medians = Medians::new(evidence.grid());
        Self { evidence, medians, shares: density.shares(), blur, nearby, jump: motion.jump }
    }

    /// Where a person goes who is distributed like this.
    fn advance(&self, state: &mut [f64]) {
        let total: f64 = state.iter().sum();
        state.iter_mut().zip(&self.nearby).for_each(|(value, nearby)| *value = ratio(*value, *nearby));
        self.blur.apply(state);
        for (value, share) in state.iter_mut().zip(self.shares) {
            *value = share * (self.jump * total + (1.0 - self.jump) * *value);
        }
    }

    /// How likely what comes later is from each cell, given how likely it is from the cell after.
    fn retreat(&self, future: &mut [f64]) {
        future.iter_mut().zip(self.shares).for_each(|(value, share)| *value *= share);
        let total: f64 = future.iter().sum();
        self.blur.apply(future);
        for (value, nearby) in future.iter_mut().zip(&self.nearby) {
            *value = self.jump * total + (1.0 - self.jump) * ratio(*value, *nearby);
        }
    }

    /// Reads a block of reports, given where the person was before it; gives where the person is at its end.
    fn smooth(&self, block: &[u32], before: Option<Vec<f64>>, places: &mut Vec<Place>) -> Option<Vec<f64>> {
        let cells = self.shares.len();
        let mut likelihoods = vec![0.0; cells];
        let mut filtered: Vec<Vec<f64>> = Vec::with_capacity(block.len());
        for kernel in block {
            let mut state = match filtered.last().or(before.as_ref()) {
                None => self.shares.to_vec(),
                Some(last) => {
                    let mut state = last.clone();
                    self.advance(&mut state);
                    state
                }
            };
            self.evidence.kernels.expand(*kernel as usize, &mut likelihoods);
            state.iter_mut().zip(&likelihoods).for_each(|(value, likelihood)| *value *= likelihood);
            normalise(&mut state);
            filtered.push(state);
        }
        let last = filtered.last().cloned();
        let mut future = vec![1.0; cells];
        let start = places.len();
        for (kernel, mut state) in block.iter().zip(filtered).rev() {
            state.iter_mut().zip(&future).for_each(|(value, future)| *value *= future);
            places.push(self.medians.of(&state));
            self.evidence.kernels.expand(*kernel as usize, &mut likelihoods);
            future.iter_mut().zip(&likelihoods).for_each(|(value, likelihood)| *value *= likelihood);
            self.retreat(&mut future);
            normalise(&mut future);
        }
        places[start..].reverse();
        last
    }
}

/// A quotient that is zero where nobody is.
fn ratio(value: f64, nearby: f64) -> f64 {
    if nearby > 0.0 { value / nearby } else { 0.0 }
}

/// A bell in both coordinates, one after the other.
struct Blur {
    shape: [usize; 2],
    /// The bell in each coordinate at 0, 1, 2, ... cells.
    bells: [Vec<f64>; 2],
}

impl Blur {
    fn new(grid: &Grid, reach: f64) -> Self {
        let shape = grid.shape().map(|side| side as usize);
        let bell = |axis: usize| {
            let width = reach / grid.cell_widths()[axis];
            let last = (4.0 * width).ceil().min(shape[axis] as f64) as usize;
            (0..=last).map(|cells| (-0.5 * (cells as f64 / width).powi(2)).exp()).collect()
        };
        Self { shape, bells: [bell(0), bell(1)] }
    }

    fn apply(&self, values: &mut [f64]) {
        let [rows, columns] = self.shape;
        let mut blurred = vec![0.0; values.len()];
        for (from, to) in values.chunks_exact(columns).zip(blurred.chunks_exact_mut(columns)) {
            for (column, value) in from.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                for (other, sum) in to.iter_mut().enumerate() {
                    *sum += value * self.bells[1].get(column.abs_diff(other)).copied().unwrap_or(0.0);
                }
            }
        }
        values.fill(0.0);
        for row in 0..rows {
            let reach = self.bells[0].len() - 1;
            for other in row.saturating_sub(reach)..(row + reach + 1).min(rows) {
                let weight = self.bells[0][row.abs_diff(other)];
                let (from, to) =
                    (&blurred[other * columns..][..columns], &mut values[row * columns..][..columns]);
                to.iter_mut().zip(from).for_each(|(sum, value)| *sum += weight * value);
            }
        }
    }
}
