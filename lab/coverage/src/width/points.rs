//! A channel as a table: values that stand for all, and the laws of their reports.

use super::minimax::Variance;
use nalgebra::{DMatrix, DVector};
use privet_core::Target;

/// Values and the probabilities of groups of reports under each of them.
#[derive(Debug)]
pub(super) struct Points {
    pub(super) values: Vec<f64>,
    /// A row for each value.
    pub(super) laws: DMatrix<f64>,
}

impl Points {
    /// Half of the distance between the largest and the smallest bias of weights for the mean.
    pub(super) fn largest_bias(&self, weights: &DVector<f64>) -> f64 {
        let means = &self.laws * weights;
        let biases = means.iter().zip(&self.values).map(|(mean, value)| mean - value);
        let [low, high] =
            biases.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], b| [low.min(b), high.max(b)]);
        (high - low) / 2.0
    }

    /// The standard deviation of one report's weight.
    pub(super) fn deviation(&self, weights: &DVector<f64>, variance: Variance<'_>) -> f64 {
        let means = &self.laws * weights;
        let squares = &self.laws * weights.map(|weight| weight * weight);
        let largest = |around: &dyn Fn(usize) -> f64| {
            let at = |x: usize| squares[x] - 2.0 * around(x) * means[x] + around(x) * around(x);
            (0..means.len()).map(at).fold(0.0, f64::max).sqrt()
        };
        match variance {
            Variance::At(covariance) => weights.dot(&(covariance * weights)).max(0.0).sqrt(),
            Variance::Worst(Target::Reported) => largest(&|x| means[x]),
            Variance::Worst(Target::Population) => {
                // The largest variance over mixtures is the least, over centres, of the largest mean square around it.
                let (mut low, mut high) = (means.min(), means.max());
                for _ in 0..60 {
                    let [left, right] = [2.0 * low + high, low + 2.0 * high].map(|sum| sum / 3.0);
                    if largest(&|_| left) < largest(&|_| right) { high = right } else { low = left }
                }
                largest(&|_| f64::midpoint(low, high))
            }
        }
    }

    /// The largest ratio of the third to the second central moment of one report's weight, on either side.
    pub(super) fn skew(&self, weights: &DVector<f64>) -> f64 {
        let ratio = |law: nalgebra::RowDVector<f64>| {
            let moment = |centre: f64, power: i32| -> f64 {
                law.iter().zip(weights.iter()).map(|(p, weight)| p * (weight - centre).powi(power)).sum()
            };
            let mean = moment(0.0, 1);
            moment(mean, 3).abs() / moment(mean, 2).max(1e-300)
        };
        self.laws.row_iter().map(|row| ratio(row.clone_owned())).fold(0.0, f64::max)
    }

    /// The covariance of the group of a report of a population, given by any weights of the points.
    pub(super) fn covariance(&self, population: &[f64], target: Target) -> DMatrix<f64> {
        let total: f64 = population.iter().sum::<f64>().max(1e-300);
        let shares = DVector::from_iterator(population.len(), population.iter().map(|share| share / total));
        let reports = self.laws.tr_mul(&shares);
        let mut covariance = DMatrix::from_diagonal(&reports);
        match target {
            Target::Population => covariance.ger(-1.0, &reports, &reports, 1.0),
            Target::Reported => {
                let mut weighed = self.laws.clone();
                for (mut row, share) in weighed.row_iter_mut().zip(shares.iter()) {
                    row *= share.sqrt();
                }
                covariance.gemm_tr(-1.0, &weighed, &weighed, 1.0);
            }
        }
        covariance
    }
}
