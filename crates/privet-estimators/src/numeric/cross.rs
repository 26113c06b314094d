//! Numbers and angles as one side of a cross-table.

use super::distribution::Distribution;
use super::groups::Groups;
use super::likelihood::{Likelihood, Start};
use super::linear::{Evidence, LinearEngine, Places};
use super::operator::Operator;
use super::smoothing::Smoothing;
use crate::cross_table::{Column, Side};
use nalgebra::DMatrix;
use privet_mechanisms::analysis::AnyNumeric;

/// How many bins the distribution has that the linear estimates start from.
const FINE_BINS: usize = 128;

/// What the reports of a lattice channel say about equal bins of its domain, from how many of them fell into each group.
pub(crate) fn side_of_numbers(channel: &dyn AnyNumeric, groups: Groups, bins: usize, counts: &[f64]) -> Side {
    let space = channel.space();
    let places = Places::new(channel, groups);
    let fine = Operator::of_bins(channel, groups, FINE_BINS);
    // Only weights are taken from it, so it need not be sharp.
    let start = Start { least_move: 1e-4, ..Start::uniform(FINE_BINS, space.is_ring()) };
    let shares = Likelihood::new(&fine, counts).smoothed(Smoothing::BINOMIAL, start);
    let mut density = Vec::new();
    fine.forward(&shares, &mut density);
    let whole: Vec<u64> = counts.iter().map(|count| *count as u64).collect();
    let distribution = Distribution::new(space, shares);
    let evidence =
        Evidence { places: &places, counts: &whole, distribution: &distribution, density: &density };
    let engine = LinearEngine::new(evidence);
    let target = |bin: usize| engine.inside([bin, bin + 1].map(|edge| edge as f64 / bins as f64));
    // Bins are alike, so one choice serves all.
    let ridge = engine.fitter.best_ridge(&target(bins / 2));
    let column = |bin: usize| {
        let target = target(bin);
        let fit = engine.fitter.fit_with(&target, ridge);
        let weights = places.weights(&fit, &density);
        let squares = places.means(|group| (weights[group] + fit.shift).powi(2));
        Column {
            means: fit.means.iter().map(|mean| mean + fit.shift).collect(),
            squares,
            truths: places.range_alike(&target),
            people: people_in(&target.fine.iter().copied().collect::<Vec<_>>(), engine.fitter.people()),
            weights,
            shift: fit.shift,
        }
    };
    Side { expected: bin_laws(channel, groups, bins), columns: (0..bins).map(column).collect() }
}

/// Entry (g, b): the probability of group g under bin b.
fn bin_laws(channel: &dyn AnyNumeric, groups: Groups, bins: usize) -> DMatrix<f64> {
    let operator = Operator::of_bins(channel, groups, bins);
    let mut laws = DMatrix::zeros(groups.count(), bins);
    let mut density = Vec::new();
    for bin in 0..bins {
        let mut unit = vec![0.0; bins];
        unit[bin] = 1.0;
        operator.forward(&unit, &mut density);
        for (group, value) in density.iter().enumerate() {
            laws[(group, bin)] = value * f64::from(groups.size(group));
        }
    }
    laws
}

/// How the people of a bin are spread over the places: as the estimated shares say, or evenly where these are zero.
fn people_in(inside: &[f64], shares: &[f64]) -> Vec<f64> {
    let weighed: Vec<f64> = inside.iter().zip(shares).map(|(inside, share)| inside * share).collect();
    let total: f64 = weighed.iter().sum();
    if total > 0.0 {
        return weighed.iter().map(|weight| weight / total).collect();
    }
    let all: f64 = inside.iter().sum();
    inside.iter().map(|inside| inside / all).collect()
}
