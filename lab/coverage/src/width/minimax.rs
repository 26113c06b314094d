//! The least half-width that any weights of reports have, over all populations.
//!
//! Weights w of the groups of reports estimate a linear quantity by their mean. Let B be their largest bias and s the largest
//! standard deviation of one report's weight, over all populations. With n reports the interval that always holds has the
//! half-width `S cv(B/S)`, where `S = s / sqrt(n)` and cv(t) is the .95 quantile of |N(t, 1)|. (A constant may be added to the
//! weights, so B is half of the distance between the largest and the smallest bias.) The least such half-width over all
//! weights is the *affine minimax value* (Donoho 1994).
//!
//! For every price of bias the weights with the least `s + price B` are those of a convex programme with cones. Half-widths are
//! convex in (B, s) and grow with both, so the best weights have the price at which the half-width falls as fast in one as it
//! rises in the other; that price is found by halving.
//!
//! **The check.** Each programme has a dual, and its solution is tested without the solver. Let F be any population, M the
//! covariance of a report's group for it, and d a difference of two measures of equal mass with total mass at most the price.
//! If `d' P M^-1 P' d <= 1` then `s + price B >= sum of d(x) x` for all weights: `w' P' d <= sd_F(w) <= s` and
//! `sum of d(x) (x - P_x w) <= |d| B`. This is the modulus of continuity: two populations that reports hardly tell apart, whose
//! means differ. The values of both sides are given, and tables show how far they are apart.

use super::cones::{Affine, ConeProgramme};
use super::points::Points;
use anyhow::{Context, Result};
use nalgebra::{DMatrix, DVector};
use privet_core::Target;
use privet_estimators::statistics::{normal_quantile, normal_upper_tail};

/// A value between two bounds that were computed independently.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounded {
    /// What some weights reach.
    pub value: f64,
    /// What none can be below.
    pub at_least: f64,
    /// By how much intervals with these weights are longer because large weights are rare: the bound is that of a score test.
    pub rare: f64,
}

/// Whose variance counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Variance<'a> {
    /// The largest over all populations.
    Worst(Target),
    /// That of one population, with this covariance of groups.
    At(&'a DMatrix<f64>),
}

/// Bias and standard deviation of one report under the weights that are best for a price.
#[derive(Debug, Clone, Copy)]
struct Tangent {
    price: f64,
    bias: f64,
    deviation: f64,
    /// What `deviation + price * bias` is at least, for all weights.
    at_least: f64,
    /// The largest ratio of the third to the second central moment of a weight.
    skew: f64,
}

/// Prices are halved so often: the half-width is flat at its least.
const HALVINGS: usize = 5;

/// The largest price that matters, over the root of the number of reports: the slope of cv far out.
const LARGEST_PRICE: f64 = 0.608;
const SMALLEST_PRICE: f64 = 0.003;

/// The least half-width for the mean.
pub(super) fn least_half_width(points: &Points, n: u64, variance: Variance<'_>) -> Result<Bounded> {
    let root = (n as f64).sqrt();
    let (mut low, mut high) = ((SMALLEST_PRICE * root).ln(), (LARGEST_PRICE * root).ln());
    let mut tangents = vec![tangent(points, LARGEST_PRICE * root, variance)?];
    for _ in 0..HALVINGS {
        let price = f64::midpoint(low, high).exp();
        let tangent = tangent(points, price, variance)?;
        let wanted = root * price_at(root * tangent.bias / tangent.deviation);
        if price < wanted {
            low = price.ln()
        } else {
            high = price.ln()
        }
        tangents.push(tangent);
    }
    let of = |tangent: &Tangent| half_width(tangent.bias, tangent.deviation / root);
    let best = tangents.iter().min_by(|one, two| of(one).total_cmp(&of(two))).context("no weights")?;
    let value = of(best).min(0.5);
    Ok(Bounded { value, at_least: below_all(&tangents, root).min(value), rare: rare_factor(best, root) })
}

/// The factor of the bound `b^2 = z^2 (variance + skew b) / n` over that without skew.
fn rare_factor(tangent: &Tangent, root: f64) -> f64 {
    let half = -normal_quantile(0.025) * tangent.skew / (2.0 * tangent.deviation * root);
    half + half.hypot(1.0)
}

/// The least half-width of pairs of bias and deviation that lie above all tangents.
fn below_all(tangents: &[Tangent], root: f64) -> f64 {
    const STEPS: u32 = 4000;
    let at = |step: u32| {
        let bias = 0.5 * (f64::from(step) / f64::from(STEPS)).powi(3);
        let line = |tangent: &Tangent| tangent.at_least - tangent.price * bias;
        (bias, tangents.iter().map(line).fold(0.0, f64::max) / root)
    };
    // Between two steps the bias is at least that of the first, and the deviation at least that of the second.
    (0..STEPS).map(|step| half_width(at(step).0, at(step + 1).1)).fold(f64::INFINITY, f64::min)
}

/// `S cv(B / S)`.
pub(super) fn half_width(bias: f64, deviation: f64) -> f64 {
    if deviation <= 0.0 { bias } else { deviation * critical_value(bias / deviation) }
}

/// The .95 quantile of |N(t, 1)|.
fn critical_value(t: f64) -> f64 {
    let beyond = |c: f64| normal_upper_tail(c - t) + normal_upper_tail(c + t);
    let (mut low, mut high) = (t - normal_quantile(0.05) - 0.01, t - normal_quantile(0.025));
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if beyond(middle) > 0.05 { low = middle } else { high = middle }
    }
    high
}

/// By how much the half-width rises with the bias, over how much it rises with the deviation, where their ratio is t.
fn price_at(t: f64) -> f64 {
    let step = 1e-4;
    let slope = (critical_value(t + step) - critical_value((t - step).max(0.0))) / (step + step.min(t));
    slope / (critical_value(t) - t * slope).max(1e-9)
}

/// The best weights for a price, and the bound from the dual.
fn tangent(points: &Points, price: f64, variance: Variance<'_>) -> Result<Tangent> {
    let (count, groups) = points.laws.shape();
    let centres = if matches!(variance, Variance::Worst(Target::Reported)) { count } else { 1 };
    let (deviation, bias) = (groups + centres, groups + centres + 1);
    let mut costs = vec![0.0; groups + centres + 2];
    (costs[deviation], costs[bias]) = (1.0, price);
    let mut programme = ConeProgramme::new(costs);
    for sign in [1.0, -1.0] {
        let row = |x: usize| {
            let mut terms: Vec<(usize, f64)> =
                points.laws.row(x).iter().enumerate().map(|(group, p)| (group, sign * p)).collect();
            terms.push((bias, 1.0));
            Affine { constant: -sign * points.values[x], terms }
        };
        programme.not_negative((0..count).map(row).collect());
    }
    add_lengths(&mut programme, points, deviation, variance)?;
    let optimum = programme.solve()?;
    let weights = DVector::from_column_slice(&optimum.variables[..groups]);
    let lengths = cone_prices(points, &optimum.prices[2 * count..], variance);
    let difference: Vec<f64> = (0..count).map(|x| optimum.prices[x] - optimum.prices[count + x]).collect();
    Ok(Tangent {
        price,
        bias: points.largest_bias(&weights),
        deviation: points.deviation(&weights, variance),
        skew: points.skew(&weights),
        at_least: dual_value(points, price, &difference, &lengths, variance)?,
    })
}

/// The deviation is at least that of every population, or of one.
fn add_lengths(
    programme: &mut ConeProgramme,
    points: &Points,
    deviation: usize,
    variance: Variance<'_>,
) -> Result<()> {
    let groups = points.laws.ncols();
    let target = match variance {
        Variance::Worst(target) => target,
        Variance::At(covariance) => {
            programme.at_least_length(deviation, rows_of(&root_of(covariance)?));
            return Ok(());
        }
    };
    for (x, law) in points.laws.row_iter().enumerate() {
        let centre = groups + if target == Target::Reported { x } else { 0 };
        let row = |(group, p): (usize, &f64)| Affine {
            constant: 0.0,
            terms: vec![(group, p.sqrt()), (centre, -p.sqrt())],
        };
        let rows = law.iter().enumerate().filter(|(_, p)| **p > 0.0).map(row).collect();
        programme.at_least_length(deviation, rows);
    }
    Ok(())
}

/// The price of the length of each point's cone: a population for which the deviation is largest.
fn cone_prices(points: &Points, prices: &[f64], variance: Variance<'_>) -> Vec<f64> {
    if matches!(variance, Variance::At(_)) {
        return Vec::new();
    }
    let mut at = 0;
    let mut found = Vec::new();
    for law in points.laws.row_iter() {
        found.push(prices[at].max(0.0));
        at += 1 + law.iter().filter(|p| **p > 0.0).count();
    }
    found
}

/// The bound of the dual, for any signed measure and any population: neither needs to be the best.
fn dual_value(
    points: &Points,
    price: f64,
    difference: &[f64],
    population: &[f64],
    variance: Variance<'_>,
) -> Result<f64> {
    let covariance = match variance {
        Variance::At(covariance) => covariance.clone(),
        Variance::Worst(target) => points.covariance(population, target),
    };
    let mut difference = DVector::from_column_slice(difference);
    // Two measures of equal mass: what is too much on one side is taken away from it.
    let [above, below] = [1.0, -1.0].map(|sign| difference.iter().map(|d| (sign * d).max(0.0)).sum::<f64>());
    let common = above.min(below);
    difference.iter_mut().for_each(|d| *d *= common / if *d > 0.0 { above } else { below }.max(1e-300));
    let mass = 2.0 * common;
    let seen = points.laws.tr_mul(&difference);
    let cholesky = regular(&covariance).cholesky().context("a covariance is not positive")?;
    let told_apart = seen.dot(&cholesky.solve(&seen)).max(0.0).sqrt();
    let shrink = (price / mass.max(1e-300)).min(1.0 / told_apart.max(1e-300));
    Ok(shrink * difference.iter().zip(&points.values).map(|(d, value)| d * value).sum::<f64>())
}

/// A covariance whose null space, which holds the constants at least, is filled by next to nothing.
pub(super) fn regular(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    let (count, trace) = (covariance.nrows(), covariance.trace());
    let mut regular = covariance.add_scalar(trace / (count * count) as f64);
    (0..count).for_each(|at| regular[(at, at)] += 1e-12 * trace / count as f64);
    regular
}

/// A matrix whose product with its transpose, in the other order, is the covariance.
pub(super) fn root_of(covariance: &DMatrix<f64>) -> Result<DMatrix<f64>> {
    let mut covariance = covariance.clone();
    let ridge = 1e-12 * covariance.trace();
    (0..covariance.nrows()).for_each(|at| covariance[(at, at)] += ridge);
    Ok(covariance.cholesky().context("a covariance is not positive")?.l().transpose())
}

/// The sums of variables that a matrix makes.
pub(super) fn rows_of(matrix: &DMatrix<f64>) -> Vec<Affine> {
    let row = |row: usize| {
        let terms = (0..matrix.ncols()).map(|column| (column, matrix[(row, column)]));
        Affine { constant: 0.0, terms: terms.filter(|(_, factor)| *factor != 0.0).collect() }
    };
    (0..matrix.nrows()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_are_known_ones() {
        // Armstrong and Kolesár, table 1.
        for (t, expected) in [(0.0, 1.960), (0.1, 1.970), (0.5, 2.181), (1.0, 2.646), (2.0, 3.645)] {
            assert!((critical_value(t) - expected).abs() < 1.5e-3, "{t}: {}", critical_value(t));
        }
    }

    /// Randomised response about two values: without bias the weights are known, and bias helps little.
    #[test]
    fn two_values_have_the_known_optimum_and_both_sides_agree() {
        let keep = 0.75;
        let laws = DMatrix::from_row_slice(2, 2, &[keep, 1.0 - keep, 1.0 - keep, keep]);
        let points = Points { values: vec![0.0, 1.0], laws };
        let n = 40_000;
        let found = least_half_width(&points, n, Variance::Worst(Target::Reported)).unwrap();
        let unbiased = 1.959964 * (keep * (1.0 - keep)).sqrt() / (2.0 * keep - 1.0) / (n as f64).sqrt();
        assert!(found.value <= unbiased * 1.001 && found.value > 0.98 * unbiased, "{found:?} {unbiased}");
        assert!(found.at_least > 0.97 * found.value, "{found:?}");
    }
}
