//! Reports before and after.

use super::density::{Density, normalise};
use super::evidence::{Evidence, Readings};
use super::median::Medians;
use crate::rounding::Grid;
use crate::{Path, Place, TrajectoryError};
use std::collections::BTreeMap;

/// A public model of how people move from one place of a path to the next: with probability `jump` to anywhere, as the
/// population does, and otherwise to where the population is nearby, weighted with a bell of width `reach`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    reach: f64,
    jump: f64,
    /// The gap of time to which the reach belongs, where gaps are looked at.
    unit: Option<f64>,
}

impl Motion {
    /// `reach` is the standard deviation of a step in each inner coordinate of the space, in metres in a geographic box.
    ///
    /// # Errors
    /// When the reach is not a finite number above zero, or the probability of a jump is not above 0 and at most 1. Without any
    /// jump a single report far off would be believed against all others.
    pub fn new(reach: f64, jump: f64) -> Result<Self, TrajectoryError> {
        if reach > 0.0 && reach.is_finite() && jump > 0.0 && jump <= 1.0 {
            return Ok(Self { reach, jump, unit: None });
        }
        Err(TrajectoryError::incompatible(format!(
            "a motion needs a finite reach above 0 and a probability of jumps above 0 and at most 1: got {reach} and {jump}"
        )))
    }

    /// The same motion for reports whose times are known: the reach is that of a gap of `unit`, and the reach of any other
    /// gap is in proportion to its square root, as for someone who forgets where they were heading. Gaps are rounded to powers
    /// of two; one far below the unit, or none at all, still has a reach of a sixteenth. Paths without times take one unit
    /// for each step.
    ///
    /// # Errors
    /// When the unit is not a finite number above zero.
    pub fn in_time(self, unit: f64) -> Result<Self, TrajectoryError> {
        if unit > 0.0 && unit.is_finite() {
            return Ok(Self { unit: Some(unit), ..self });
        }
        Err(TrajectoryError::incompatible(format!("the unit of gaps must be finite and above 0: got {unit}")))
    }

    /// How often the unit is doubled to make each gap of a path; there is none before its first report.
    fn doublings(&self, times: Option<&Vec<f64>>, reports: usize) -> Vec<i32> {
        match (self.unit, times) {
            (Some(unit), Some(times)) => {
                let doublings = |pair: &[f64]| ((pair[1] - pair[0]) / unit).log2().round() as i32;
                let gaps = times.windows(2).map(|pair| doublings(pair).clamp(-8, 16));
                std::iter::once(0).chain(gaps).take(reports).collect()
            }
            _ => vec![0; reports],
        }
    }
}

/// Reports further ahead than this are not looked at, so that memory does not grow with the path.
const BLOCK: usize = 1024;

impl Evidence {
    /// The best reading of each report together with those before and after it in its path: the geometric median of its
    /// posterior under the motion, by the forward-backward algorithm. Only for paths in the order of time.
    pub fn smooth(&self, density: &Density, motion: &Motion) -> Vec<Path> {
        let of_path = |path: &Readings| motion.doublings(path.times.as_ref(), path.kernels.len());
        let gaps: Vec<Vec<i32>> = self.paths().iter().map(of_path).collect();
        let chain = Chain::new(self, density, motion, &gaps);
        let smooth = |path: &Readings, gaps: &[i32]| {
            let mut state = None;
            let mut places = Vec::with_capacity(path.kernels.len());
            for (block, gaps) in path.kernels.chunks(BLOCK).zip(gaps.chunks(BLOCK)) {
                state = chain.smooth(block, gaps, state, &mut places);
            }
            path.read_as(places)
        };
        self.paths().iter().zip(&gaps).map(|(path, gaps)| smooth(path, gaps)).collect()
    }
}

/// The hidden Markov chain of one person.
struct Chain<'a> {
    evidence: &'a Evidence,
    medians: Medians<'a>,
    shares: &'a [f64],
    /// By how often the unit of time is doubled.
    steps: BTreeMap<i32, Step>,
    jump: f64,
}

/// One step of the chain.
struct Step {
    blur: Blur,
    /// How many people are near each cell.
    nearby: Vec<f64>,
}

impl<'a> Chain<'a> {
    fn new(evidence: &'a Evidence, density: &'a Density, motion: &Motion, gaps: &[Vec<i32>]) -> Self {
        let shares = density.shares();
        let step = |doublings: i32| {
            let blur = Blur::new(evidence.grid(), motion.reach * 2f64.powf(0.5 * f64::from(doublings)));
            let mut nearby = shares.to_vec();
            blur.apply(&mut nearby);
            Step { blur, nearby }
        };
        let mut steps = BTreeMap::new();
        for doublings in gaps.iter().flatten() {
            steps.entry(*doublings).or_insert_with(|| step(*doublings));
        }
        Self { evidence, medians: Medians::new(evidence.grid()), shares, steps, jump: motion.jump }
    }

    /// Where a person goes who is distributed like this.
    fn advance(&self, state: &mut [f64], step: &Step) {
        let total: f64 = state.iter().sum();
        state.iter_mut().zip(&step.nearby).for_each(|(value, nearby)| *value = ratio(*value, *nearby));
        step.blur.apply(state);
        for (value, share) in state.iter_mut().zip(self.shares) {
            *value = share * (self.jump * total + (1.0 - self.jump) * *value);
        }
    }

    /// How likely what comes later is from each cell, given how likely it is from the cell after.
    fn retreat(&self, future: &mut [f64], step: &Step) {
        future.iter_mut().zip(self.shares).for_each(|(value, share)| *value *= share);
        let total: f64 = future.iter().sum();
        step.blur.apply(future);
        for (value, nearby) in future.iter_mut().zip(&step.nearby) {
            *value = self.jump * total + (1.0 - self.jump) * ratio(*value, *nearby);
        }
    }

    /// Reads a block of reports, given the gap before each and where the person was before all; gives where the person is at
    /// the end.
    fn smooth(
        &self,
        block: &[u32],
        gaps: &[i32],
        before: Option<Vec<f64>>,
        places: &mut Vec<Place>,
    ) -> Option<Vec<f64>> {
        let cells = self.shares.len();
        let mut likelihoods = vec![0.0; cells];
        let mut filtered: Vec<Vec<f64>> = Vec::with_capacity(block.len());
        for (kernel, gap) in block.iter().zip(gaps) {
            let mut state = match filtered.last().or(before.as_ref()) {
                None => self.shares.to_vec(),
                Some(last) => {
                    let mut state = last.clone();
                    self.advance(&mut state, &self.steps[gap]);
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
        for ((kernel, gap), mut state) in block.iter().zip(gaps).zip(filtered).rev() {
            state.iter_mut().zip(&future).for_each(|(value, future)| *value *= future);
            places.push(self.medians.of(&state));
            self.evidence.kernels.expand(*kernel as usize, &mut likelihoods);
            future.iter_mut().zip(&likelihoods).for_each(|(value, likelihood)| *value *= likelihood);
            self.retreat(&mut future, &self.steps[gap]);
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
