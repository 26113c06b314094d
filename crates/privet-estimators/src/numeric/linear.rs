//! Means of functions of the value, straight from the reports, with intervals that know their own bias.
//!
//! The mean of a function c of the value is estimated by the mean of a function a of the reports. Where `E[a | x] = c(x)` for
//! every x, that is unbiased for every population; but such an `a` may not exist (a window that does not move near the ends
//! cannot tell the values there apart) or may vary wildly. So `a` is the ridge solution: it trades variance against bias, and
//! since `E[a | x] - c(x)` is known exactly for every x, the interval is widened by the bias that the population at hand can
//! have, `sum over x of share(x) |E[a | x] - c(x)|` with estimated shares. Values with the same law count with the largest
//! bias among them. The amount of ridge is the one with the shortest interval.

use super::distribution::Distribution;
use super::groups::Groups;
use super::operator::Operator;
use crate::frequency::CONFIDENCE;
use crate::statistics::normal_quantile;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use privet_core::Estimate;
use privet_mechanisms::analysis::AnyNumeric;

/// Places at which `a` is fitted, and between two of them how many steps the bias is checked at.
const COARSE: usize = 64;
const FINE: usize = 4;

/// Everything that does not depend on the function.
#[derive(Debug)]
pub(super) struct LinearEngine {
    /// The places of the bias check, as fractions of the domain, and the estimated share of people near each.
    points: Vec<f64>,
    shares: Vec<f64>,
    /// Places with the same law as place i go from `alike[i].0` to `alike[i].1`.
    alike: Vec<(usize, usize)>,
    /// Entry (i, k): the mean under place i of the density of place k over that of all reports.
    response: DMatrix<f64>,
    eigen: SymmetricEigen<f64, nalgebra::Dyn>,
    information: DMatrix<f64>,
    /// The mean over reports of the density of place k over that of all reports.
    observed: DVector<f64>,
    n: f64,
}

/// A fitted function of the reports.
#[derive(Debug, Clone)]
pub(super) struct Functional {
    pub value: f64,
    pub variance: f64,
    /// The largest bias that the population at hand is estimated to allow.
    pub bias: f64,
    /// What is added to the mean over reports.
    pub shift: f64,
    coefficients: DVector<f64>,
    /// The mean over reports under each place.
    pub means: DVector<f64>,
}

/// The laws of the places, which do not depend on the reports.
#[derive(Debug)]
pub(super) struct Places {
    points: Vec<f64>,
    fine: Operator,
    coarse: Operator,
    alike: Vec<(usize, usize)>,
    groups: Groups,
}

impl Places {
    pub(super) fn new(channel: &dyn AnyNumeric, groups: Groups) -> Self {
        let count = COARSE * FINE + usize::from(!channel.space().is_ring());
        let points: Vec<f64> = (0..count).map(|index| index as f64 / (COARSE * FINE) as f64).collect();
        let coarse: Vec<f64> = points.iter().step_by(FINE).copied().collect();
        let fine = Operator::of_points(channel, groups, &points);
        let coarse = Operator::of_points(channel, groups, &coarse);
        Self { points, alike: alike(&fine), fine, coarse, groups }
    }

    /// What a fit adds to its value for a report in each group, up to the same constant for all.
    pub(super) fn weights(&self, functional: &Functional, density: &[f64]) -> Vec<f64> {
        // The operator takes no negative shares, so both signs go through it by themselves.
        let [above, below] = [1.0, -1.0].map(|sign| {
            let shares: Vec<f64> = functional.coefficients.iter().map(|c| (sign * c).max(0.0)).collect();
            let mut sums = Vec::new();
            self.coarse.forward(&shares, &mut sums);
            sums
        });
        above.iter().zip(below).zip(density).map(|((above, below), m)| (above - below) / m).collect()
    }

    /// For each place the mean of a function of the groups.
    pub(super) fn means(&self, of_group: impl Fn(usize) -> f64) -> Vec<f64> {
        let value = |group: usize| of_group(group) * f64::from(self.groups.size(group));
        let mut means = Vec::new();
        self.fine.backward(&mut (0..self.groups.count()).map(value).collect::<Vec<_>>(), &mut means);
        means
    }

    /// The smallest and the largest value of a target over the neighbours of each place that have the same law.
    pub(super) fn range_alike(&self, target: &Target) -> Vec<[f64; 2]> {
        let over = |(from, to): &(usize, usize)| {
            let values = target.fine.iter().skip(*from).take(to - from);
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(*x), high.max(*x)])
        };
        self.alike.iter().map(over).collect()
    }

    /// The places, as fractions of the domain.
    pub(super) fn points(&self) -> &[f64] {
        &self.points
    }
}

/// What is known about the reports before any function is fitted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub places: &'a Places,
    pub counts: &'a [u64],
    /// An estimate of where people are, and the density of reports that it leads to.
    pub distribution: &'a Distribution,
    pub density: &'a [f64],
}

/// A function of the value, at the places of the bias check and at those of the fit.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub fine: DVector<f64>,
    coarse: DVector<f64>,
}

impl LinearEngine {
    pub(super) fn new(evidence: Evidence<'_>) -> Self {
        let Places { points, coarse, alike, .. } = evidence.places;
        let response = response(&evidence);
        let information = DMatrix::from_fn(coarse.columns(), coarse.columns(), |i, k| {
            f64::midpoint(response[(i * FINE, k)], response[(k * FINE, i)])
        });
        let n = evidence.counts.iter().sum::<u64>() as f64;
        let relative = evidence.counts.iter().zip(evidence.density).map(|(count, m)| *count as f64 / n / m);
        let mut observed = Vec::new();
        coarse.backward(&mut relative.collect::<Vec<_>>(), &mut observed);
        Self {
            shares: shares_near(points, evidence.distribution),
            alike: alike.clone(),
            response,
            eigen: SymmetricEigen::new(information.clone()),
            information,
            observed: DVector::from_vec(observed),
            points: points.clone(),
            n,
        }
    }

    /// A smooth function of the value as a fraction of the domain.
    pub(super) fn smooth(&self, of: impl Fn(f64) -> f64) -> Target {
        let fine = DVector::from_iterator(self.points.len(), self.points.iter().map(|point| of(*point)));
        let coarse = DVector::from_iterator(self.observed.len(), fine.iter().step_by(FINE).copied());
        Target { fine, coarse }
    }

    /// One inside a range of fractions of the domain and zero outside; a range that begins above its end passes zero.
    pub(super) fn inside(&self, range: [f64; 2]) -> Target {
        let reach = 0.5 / (COARSE * FINE) as f64;
        let below = |limit: f64, point: f64| ((limit - point) / reach / 2.0 + 0.5).clamp(0.0, 1.0);
        // At the ends of a line all of the range counts.
        let starts = |point: f64| if range[0] <= 0.0 { 0.0 } else { below(range[0], point) };
        let ends = |point: f64| if range[1] >= 1.0 { 1.0 } else { below(range[1], point) };
        let turn = if range[0] > range[1] { 1.0 } else { 0.0 };
        let at = |point: &f64| turn + ends(*point) - starts(*point);
        let fine: Vec<f64> = self.points.iter().map(at).collect();
        // Fitted at its local means: a narrow range may lie between two places of the fit.
        let near = |index: usize| {
            let around = index.saturating_sub(FINE - 1)..(index + FINE).min(fine.len());
            let weights = around.map(|other| ((FINE - index.abs_diff(other)) as f64, fine[other]));
            let (sum, total) = weights.fold((0.0, 0.0), |(sum, all), (w, value)| (sum + w * value, all + w));
            sum / total
        };
        let coarse =
            DVector::from_iterator(self.observed.len(), (0..self.observed.len()).map(|k| near(k * FINE)));
        Target { fine: DVector::from_vec(fine), coarse }
    }

    /// The fit with the shortest interval.
    pub(super) fn fit(&self, target: &Target) -> Functional {
        let width = |functional: &Functional| quantile() * functional.variance.sqrt() + functional.bias;
        let fits = (0..RIDGES).map(|index| self.fit_with(target, index));
        let best = fits.min_by(|one, two| width(one).total_cmp(&width(two)));
        best.unwrap_or_else(|| self.fit_with(target, 0))
    }

    /// Which ridge a target's best fit has, for targets that are alike.
    pub(super) fn best_ridge(&self, target: &Target) -> usize {
        let width = |index: &usize| {
            let functional = self.fit_with(target, *index);
            quantile() * functional.variance.sqrt() + functional.bias
        };
        (0..RIDGES).min_by(|one, two| width(one).total_cmp(&width(two))).unwrap_or(0)
    }

    pub(super) fn fit_with(&self, target: &Target, ridge: usize) -> Functional {
        let largest = self.eigen.eigenvalues.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let ridge = largest * 10f64.powf(-(ridge as f64) / 2.0);
        let mut coefficients = self.eigen.eigenvectors.tr_mul(&target.coarse);
        for (coefficient, value) in coefficients.iter_mut().zip(self.eigen.eigenvalues.iter()) {
            // What reports do not show at all cannot be fitted.
            *coefficient = if *value > 1e-12 * largest { *coefficient / (ridge + value) } else { 0.0 };
        }
        let coefficients = &self.eigen.eigenvectors * coefficients;
        let means = &self.response * &coefficients;
        let shift: f64 = self.over_people(|i| target.fine[i] - means[i]);
        let error = |i: usize| (means[i] + shift - target.fine[i]).abs();
        let worst_alike = |i: usize| {
            let (from, to) = self.alike[i];
            if to - from == 1 { error(i) } else { (from..to).map(error).fold(0.0, f64::max) }
        };
        let bias = self.over_people(worst_alike);
        let mut functional = Functional {
            value: coefficients.dot(&self.observed) + shift,
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
    pub(super) fn covariance(&self, one: &Functional, two: &Functional) -> f64 {
        let all = one.coefficients.dot(&(&self.information * &two.coefficients));
        (all - self.over_people(|i| one.means[i] * two.means[i])) / self.n
    }

    /// The estimated share of people near each place.
    pub(super) fn people(&self) -> &[f64] {
        &self.shares
    }

    fn over_people(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.shares.iter().enumerate().map(|(index, share)| share * of(index)).sum()
    }
}

/// Ridges from the largest eigenvalue down by half powers of ten.
const RIDGES: usize = 20;

/// How many standard errors the intervals reach.
pub(super) fn quantile() -> f64 {
    normal_quantile(1.0 - (1.0 - CONFIDENCE) / 2.0)
}

impl Functional {
    /// The estimate in units of `scale` from `origin`; `value`, where given, replaces the fitted number but not the interval.
    pub(super) fn estimate(&self, origin: f64, scale: f64, n: u64, method: &'static str) -> Estimate {
        let value = origin + scale * self.value;
        let standard_error = scale * self.variance.sqrt();
        let reach = quantile() * standard_error + scale * self.bias;
        Estimate { value, standard_error, interval: [value - reach, value + reach], n, method }
    }
}

fn response(evidence: &Evidence<'_>) -> DMatrix<f64> {
    let Places { fine, coarse, groups, .. } = evidence.places;
    let mut response = DMatrix::zeros(fine.columns(), coarse.columns());
    let (mut density, mut sums) = (Vec::new(), Vec::new());
    for column in 0..coarse.columns() {
        let mut unit = vec![0.0; coarse.columns()];
        unit[column] = 1.0;
        coarse.forward(&unit, &mut density);
        for (group, value) in density.iter_mut().enumerate() {
            *value *= f64::from(groups.size(group)) / evidence.density[group];
        }
        fine.backward(&mut density, &mut sums);
        response.column_mut(column).copy_from_slice(&sums);
    }
    response
}

/// The share of people nearest to each place.
fn shares_near(points: &[f64], distribution: &Distribution) -> Vec<f64> {
    let space = distribution.space();
    let reach = 0.5 / (COARSE * FINE) as f64;
    let cdf = |unit: f64| distribution.cdf(space.from_unit(unit));
    let mut shares: Vec<f64> = points.iter().map(|point| cdf(point + reach) - cdf(point - reach)).collect();
    if space.is_ring() {
        shares[0] += 1.0 - cdf(1.0 - reach);
    }
    let total: f64 = shares.iter().sum();
    shares.iter().map(|share| share / total).collect()
}

/// For each place the first and one past the last of the neighbours with the same law.
fn alike(operator: &Operator) -> Vec<(usize, usize)> {
    let count = operator.columns();
    let mut ranges = Vec::with_capacity(count);
    let mut first = 0;
    while first < count {
        let mut end = first + 1;
        while end < count && operator.same(first, end) {
            end += 1;
        }
        ranges.extend(std::iter::repeat_n((first, end), end - first));
        first = end;
    }
    ranges
}
