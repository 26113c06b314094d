//! The grid of inputs and reports for which the programme over channels is solved.

use crate::LimitError;
use crate::channels::{ChannelProgramme, ChannelSolution, Matrix};
use crate::programme::Stop;
use privet_core::Epsilon;
use privet_mechanisms::analysis::Loss;

/// A channel to be found: rows for `inputs`, columns for `outputs`, in units of the domain.
#[derive(Debug, Clone)]
pub(super) struct Grid {
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

impl Grid {
    pub(super) fn solve(&self, stop: &Stop) -> Result<ChannelSolution, LimitError> {
        ChannelProgramme::refuse_too_large(self.inputs.len(), self.outputs.len())?;
        // Distances to the input are better conditioned than the numbers themselves.
        let distances = || Matrix::of(&self.inputs, &self.outputs, |input, output| output - input);
        let power = if self.loss == Loss::Absolute { 1 } else { 2 };
        ChannelProgramme {
            epsilon: self.epsilon,
            losses: Matrix::of(&self.inputs, &self.outputs, |input, output| {
                (output - input).abs().powi(power)
            }),
            shares: self.shares.as_deref(),
            biases: self.is_unbiased.then(distances),
            is_mirrored: self.is_mirrored,
        }
        .solve(stop)
    }

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
}
