//! The best channels on a circle.
//!
//! Turning a channel's inputs and reports together, by a random angle, keeps epsilon and makes the loss the same everywhere:
//! the average over all inputs. So the worst loss of the turned channel is at most that of the first, and only channels
//! that do not notice turning need to be looked at. Such a channel is a density on the circle between q and e^epsilon q, and
//! the best one has the high density on the nearest reports: a window around the value. What remains is its length, which
//! the circle mechanisms of `privet-mechanisms` choose in closed form. The certificate is one number.

use crate::LimitError;
use crate::certificate::{Cell, LineCertificate, SCALE, Setting};
use privet_core::sampling::WindowRow;
use privet_core::{Circle, Epsilon, ParameterError};
use privet_mechanisms::analysis::Loss;
use privet_mechanisms::circle::{OptimalPiecewiseCircle, OptimalPiecewiseCircleSquared};

/// A channel on a circle with the smallest loss, which is the same for every value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CircleProblem {
    /// Where values come from.
    pub domain: Circle,
    /// How errors are counted.
    pub loss: Loss,
    /// What the channel must keep.
    pub epsilon: Epsilon,
}

impl CircleProblem {
    /// The certificate with the best price, for the circle of length one.
    ///
    /// # Errors
    /// Never for a sound problem.
    pub fn certificate(&self) -> Result<LineCertificate, LimitError> {
        let at = |price: i64| LineCertificate {
            epsilon: self.epsilon,
            loss: self.loss,
            setting: Setting::Circle,
            magnitude: 0,
            points: Vec::new(),
            cells: vec![Cell { weight: SCALE as i64, price, slope: 0 }],
        };
        // A higher price proves more until it is too high and proves less: the best one is where nothing is missing yet.
        let (mut sound, mut unsound) = (0, SCALE as i64);
        while unsound - sound > 1 {
            let middle = sound + (unsound - sound) / 2;
            let nothing_missing = at(middle).bound()? >= (middle - 2) as f64 / SCALE;
            if nothing_missing { sound = middle } else { unsound = middle }
        }
        Ok(at(sound))
    }

    /// The weights of the channel, every row of which is the same window, turned.
    pub(crate) fn row(&self) -> Result<WindowRow, ParameterError> {
        Ok(match self.loss {
            Loss::Absolute => *OptimalPiecewiseCircle::new(self.domain, self.epsilon)?.rows().row(),
            Loss::Squared => *OptimalPiecewiseCircleSquared::new(self.domain, self.epsilon)?.rows().row(),
        })
    }

    /// What a loss on the circle of length one is in the domain's units.
    pub fn scale(&self) -> f64 {
        let period = self.domain.period();
        if self.loss == Loss::Absolute { period } else { period * period }
    }
}
