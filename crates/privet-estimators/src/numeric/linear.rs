//! The laws of a lattice channel's places, from which functions of its reports are fitted.

use super::distribution::Distribution;
use super::groups::Groups;
use super::operator::Operator;
use crate::linear::{Fitter, Functional, Ground, Target};
use nalgebra::{DMatrix, DVector};
use privet_mechanisms::analysis::AnyNumeric;

/// Places at which `a` is fitted, and between two of them how many steps the bias is checked at.
const COARSE: usize = 64;
const FINE: usize = 4;

/// Fits functions of numbers or angles.
#[derive(Debug)]
pub(super) struct LinearEngine {
    /// The places of the bias check, as fractions of the domain.
    points: Vec<f64>,
    /// How many places the fit has.
    coarse: usize,
    pub(super) fitter: Fitter,
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
        let ground = Ground {
            shares: shares_near(points, evidence.distribution),
            classes: alike.iter().map(|(first, _)| *first).collect(),
            response,
            information,
            observed: DVector::from_vec(observed),
            n,
        };
        Self { points: points.clone(), coarse: coarse.columns(), fitter: Fitter::new(ground) }
    }

    /// A smooth function of the value as a fraction of the domain.
    pub(super) fn smooth(&self, of: impl Fn(f64) -> f64) -> Target {
        let fine = DVector::from_iterator(self.points.len(), self.points.iter().map(|point| of(*point)));
        let coarse = DVector::from_iterator(self.coarse, fine.iter().step_by(FINE).copied());
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
        let coarse = DVector::from_iterator(self.coarse, (0..self.coarse).map(|k| near(k * FINE)));
        Target { fine: DVector::from_vec(fine), coarse }
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
