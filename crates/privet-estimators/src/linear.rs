//! Means of functions of the value, straight from the reports, with intervals that know their own bias.
//!
//! The mean of a function c of the value is estimated by the mean of a function a of the reports. Where `E[a | x] = c(x)` for
//! every x, that is unbiased for every population; but such an `a` may not exist (a window that does not move near the ends
//! cannot tell the values there apart) or may vary wildly. So `a` is the ridge solution: it trades variance against bias, and
//! since `E[a | x] - c(x)` is known exactly for every x, the interval is widened by the bias that the population at hand can
//! have, `sum over x of share(x) |E[a | x] - c(x)|` with estimated shares. Values with the same law count with the largest
//! bias among them. The amount of ridge is the one with the shortest interval.

use crate::frequency::CONFIDENCE;
use crate::statistics::normal_quantile;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use privet_core::Estimate;

/// What a fit starts from. The *places* are values at which the bias is checked; `a` is fitted from the laws of fewer ones.
#[derive(Debug)]
pub(crate) struct Ground {
    /// The estimated share of people near each place.
    pub shares: Vec<f64>,
    /// For each place the number of its class: places of one class have the same law.
    pub classes: Vec<usize>,
    /// Entry (i, k): the mean under place i of the density of law k over that of all reports.
    pub response: DMatrix<f64>,
    /// Entry (j, k): the mean under law j of the same.
    pub information: DMatrix<f64>,
    /// The mean over reports of the density of law k over that of all reports.
    pub observed: DVector<f64>,
    /// How many reports there are.
    pub n: f64,
}

/// Fits functions of the reports. Everything here does not depend on the function.
#[derive(Debug)]
pub(crate) struct Fitter {
    ground: Ground,
    eigen: SymmetricEigen<f64, nalgebra::Dyn>,
}

/// A fitted function of the reports.
#[derive(Debug, Clone)]
pub(crate) struct Functional {
    pub value: f64,
    pub variance: f64,
    /// The largest bias that the population at hand is estimated to allow.
    pub bias: f64,
    /// What is added to the mean over reports.
    pub shift: f64,
    pub coefficients: DVector<f64>,
    /// The mean over reports under each place.
    pub means: DVector<f64>,
}

/// A function of the value, at the places of the bias check and at those of the fit.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub fine: DVector<f64>,
    pub coarse: DVector<f64>,
}

impl Fitter {
    pub(crate) fn new(ground: Ground) -> Self {
        Self { eigen: SymmetricEigen::new(ground.information.clone()), ground }
    }

    /// The fit with the shortest interval.
    pub(crate) fn fit(&self, target: &Target) -> Functional {
        let width = |functional: &Functional| quantile() * functional.variance.sqrt() + functional.bias;
        let fits = (0..RIDGES).map(|index| self.fit_with(target, index));
        let best = fits.min_by(|one, two| width(one).total_cmp(&width(two)));
        best.unwrap_or_else(|| self.fit_with(target, 0))
    }

    /// Which ridge a target's best fit has, for targets that are alike.
    pub(crate) fn best_ridge(&self, target: &Target) -> usize {
        let width = |index: &usize| {
            let functional = self.fit_with(target, *index);
            quantile() * functional.variance.sqrt() + functional.bias
        };
        (0..RIDGES).min_by(|one, two| width(one).total_cmp(&width(two))).unwrap_or(0)
    }

    pub(crate) fn fit_with(&self, target: &Target, ridge: usize) -> Functional {
        let largest = self.eigen.eigenvalues.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let ridge = largest * 10f64.powf(-(ridge as f64) / 2.0);
        let mut coefficients = self.eigen.eigenvectors.tr_mul(&target.coarse);
        for (coefficient, value) in coefficients.iter_mut().zip(self.eigen.eigenvalues.iter()) {
            // What reports do not show at all cannot be fitted.
            *coefficient = if *value > 1e-12 * largest { *coefficient / (ridge + value) } else { 0.0 };
        }
        let coefficients = &self.eigen.eigenvectors * coefficients;
        let means = &self.ground.response * &coefficients;
        let shift: f64 = self.over_people(|i| target.fine[i] - means[i]);
        let error = |i: usize| (means[i] + shift - target.fine[i]).abs();
        let mut worst = vec![0.0f64; self.ground.classes.len()];
        for (i, class) in self.ground.classes.iter().enumerate() {
            worst[*class] = worst[*class].max(error(i));
        }
        let bias = self.over_people(|i| worst[self.ground.classes[i]]);
        let mut functional = Functional {
            value: coefficients.dot(&self.ground.observed) + shift,
            variance: 0.0,
            bias,
            shift,
            coefficients,
            means,
        };
        functional.variance = self.covariance(&functional, &functional).max(0.0);
        functional
    }

    /// The covariance of two fits over the draws of the reports, for the people at hand.
    pub(crate) fn covariance(&self, one: &Functional, two: &Functional) -> f64 {
        let all = one.coefficients.dot(&(&self.ground.information * &two.coefficients));
        (all - self.over_people(|i| one.means[i] * two.means[i])) / self.ground.n
    }

    /// The variance of a fit over the draws of people and of their reports, if each person makes one report. It also bounds that of
    /// people who make several about values of their own: a mean of several varies no more than one of them.
    pub(crate) fn variance_over_people(&self, fit: &Functional) -> f64 {
        let all = fit.coefficients.dot(&(&self.ground.information * &fit.coefficients));
        let mean = self.over_people(|i| fit.means[i]);
        ((all - mean * mean) / self.ground.n).max(0.0)
    }

    /// The estimated share of people near each place.
    pub(crate) fn people(&self) -> &[f64] {
        &self.ground.shares
    }

    fn over_people(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.ground.shares.iter().enumerate().map(|(index, share)| share * of(index)).sum()
    }
}

/// Ridges from the largest eigenvalue down by half powers of ten.
const RIDGES: usize = 20;

/// How many standard errors the intervals reach.
pub(crate) fn quantile() -> f64 {
    normal_quantile(1.0 - (1.0 - CONFIDENCE) / 2.0)
}

impl Functional {
    /// The estimate in units of `scale` from `origin`; `value`, where given, replaces the fitted number but not the interval.
    pub(crate) fn estimate(&self, origin: f64, scale: f64, n: u64, method: &'static str) -> Estimate {
        let value = origin + scale * self.value;
        let standard_error = scale * self.variance.sqrt();
        let reach = quantile() * standard_error + scale * self.bias;
        Estimate { value, standard_error, interval: [value - reach, value + reach], n, method }
    }
}
