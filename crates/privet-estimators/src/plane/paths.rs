//! Shares of places from whole paths.

use super::brackets::Brackets;
use super::cells::Cells;
use crate::bounds::{
    Bracket, Bracketed, Kept, MeanOverReports, Purpose, RoughMean, Side, squared_means_of_indicator,
};
use crate::frequency::Frequency;
use privet_core::{EstimateError, Target, parallel};
use privet_mechanisms::plane::PlaneLaws;

/// Estimates the shares of the cells of a grid from paths: several reports of each person, on places.
///
/// **What is estimated.** The share of a path is the part of its places that lie in the cell, and the share of the cell is the
/// mean of these over all paths: each person counts alike, however many places they have. Paths without reports count for nobody.
///
/// **The interval** holds for every population. The weights of a cell have a mean under every place of at least its indicator
/// (or at most), so the mean of a path's weights is expected above (below) its share, and that over paths above (below)
/// the share of the cell. One path is one observation:
/// - among the people who reported, only draws are random. They are independent given the places, so the variance of a
///   path's mean is `sum of var(w) / m^2`, of which the sum of `w^2 / m^2` is an estimate from above; what the indicator shows
///   of the squared mean is taken off;
/// - in the population, or where the places themselves were drawn from those of a path, the variance is that of the means of
///   paths.
#[derive(Debug)]
pub struct PathShares {
    laws: PlaneLaws,
    shape: [u32; 2],
    brackets: Kept<Purpose, Brackets>,
}

/// Whom an estimate from paths is about.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathQuestion {
    /// The people who reported, or a population.
    pub target: Target,
    /// Whether the places that were reported about were drawn from those of a path: a lottery that counts as noise.
    pub is_drawn: bool,
}

impl PathQuestion {
    /// Whether paths are random, and not only the draws of their reports.
    pub fn is_by_path(self) -> bool {
        self.target == Target::Population || self.is_drawn
    }
}

const METHOD: &str = "likeliest density, interval by bracketing weights over paths";

/// Below so many reports, or paths where they differ at random, a variance is bounded and not estimated.
const FEW: f64 = 10.0;

impl PathShares {
    /// For the laws of groups of reports from every place, and these numbers of cells along the sides. Weights are found
    /// when they are first asked for, and kept.
    pub fn new(laws: PlaneLaws, shape: [u32; 2]) -> Self {
        Self { laws, shape, brackets: Kept::default() }
    }

    /// The share of each cell, along the first side first. `paths` has the groups of the reports of each path, and `values`
    /// the best single numbers, which are moved into the intervals.
    ///
    /// # Errors
    /// When there is no path with a report, or only one where paths are random.
    pub fn estimate(
        &self,
        paths: &[Vec<u32>],
        values: &[f64],
        question: PathQuestion,
    ) -> Result<Vec<Frequency>, EstimateError> {
        let reported = Reported::new(paths, self.laws.groups())?;
        let is_by_path = question.is_by_path();
        if is_by_path && reported.paths < 2.0 {
            return Err(EstimateError::TooFewReports { needed: 2, got: 1 });
        }
        let purpose = Purpose::new(reported.reports(), f64::from(u8::from(!is_by_path)));
        let brackets =
            self.brackets.get(purpose, |purpose| Brackets::of_laws(self.laws.clone(), self.shape, *purpose));
        let cells = Cells {
            count: brackets.of_cells.len(),
            n: reported.paths as u64,
            method: METHOD,
            target: question.target,
        };
        let row = |(cell, bracket): &(usize, &Bracket)| {
            cells.estimate(*cell, &reported.measure(bracket, is_by_path), Some(values[*cell]))
        };
        let numbered: Vec<(usize, &Bracket)> = brackets.of_cells.iter().enumerate().collect();
        Ok(parallel::map(&numbered, row))
    }
}

/// The reports of paths, counted so that every path counts alike.
struct Reported<'a> {
    of_paths: &'a [Vec<u32>],
    /// How many paths have a report.
    paths: f64,
    /// The mean over paths of the share of each group: `1/m` for each of m reports.
    shares: Vec<f64>,
    /// The mean over paths of `1/m^2` for each of m reports: how groups count for variances.
    squared: Vec<f64>,
    /// The mean of `1/m`.
    total_squared: f64,
    /// The fewest reports of a path.
    shortest: f64,
}

impl<'a> Reported<'a> {
    fn new(of_paths: &'a [Vec<u32>], groups: usize) -> Result<Self, EstimateError> {
        let paths = of_paths.iter().filter(|path| !path.is_empty()).count() as f64;
        if paths == 0.0 {
            return Err(EstimateError::TooFewReports { needed: 1, got: 0 });
        }
        let (mut shares, mut squared) = (vec![0.0; groups], vec![0.0; groups]);
        let mut shortest = f64::INFINITY;
        for path in of_paths.iter().filter(|path| !path.is_empty()) {
            let part = 1.0 / path.len() as f64;
            shortest = shortest.min(path.len() as f64);
            for group in path {
                shares[*group as usize] += part / paths;
                squared[*group as usize] += part * part / paths;
            }
        }
        let total_squared = squared.iter().sum();
        Ok(Self { of_paths, paths, shares, squared, total_squared, shortest })
    }

    /// As many reports that count alike say as much as these.
    fn reports(&self) -> f64 {
        self.paths / self.total_squared
    }

    fn measure(&self, bracket: &Bracket, is_by_path: bool) -> Bracketed {
        let Bracket { upper, lower, .. } = bracket;
        if is_by_path {
            return bracket.between(self.by_path(upper), self.by_path(lower));
        }
        let [of_upper, of_lower] = squared_means_of_indicator(self.rough_mean(upper), self.rough_mean(lower));
        bracket.between(self.by_draw(upper, of_upper), self.by_draw(lower, of_lower))
    }

    /// The mean of weights as groups count for variances.
    fn rough_mean(&self, side: &Side) -> RoughMean {
        let squares: f64 = side.weights.iter().zip(&self.squared).map(|(w, share)| w * w * share).sum();
        RoughMean {
            mean: dot(&side.weights, &self.squared),
            error: (squares / self.paths).sqrt() / self.shortest,
        }
    }

    /// Only draws are random. In units of reports that count alike, of which there are many even if paths are few.
    fn by_draw(&self, side: &Side, squared_means: f64) -> MeanOverReports {
        let squares: f64 = side.weights.iter().zip(&self.squared).map(|(w, share)| w * w * share).sum();
        let mean_square = dot(&side.weights, &self.squared).powi(2) / self.total_squared;
        let estimated = (squares - squared_means.max(mean_square)) / self.total_squared;
        let n = self.reports();
        let variance =
            if n < FEW { largest_variance(&side.weights) } else { estimated.max(side.least_variance()) };
        // The skew of a mean of m draws is that of one divided by m, in the units of paths.
        let skew = side.skew(None) / (self.shortest * self.total_squared);
        MeanOverReports { mean: dot(&side.weights, &self.shares), variance, skew, n }
    }

    /// Paths are random, and with them their places.
    fn by_path(&self, side: &Side) -> MeanOverReports {
        let of_path = |path: &Vec<u32>| {
            path.iter().map(|group| side.weights[*group as usize]).sum::<f64>() / path.len() as f64
        };
        let means: Vec<f64> = self.of_paths.iter().filter(|path| !path.is_empty()).map(of_path).collect();
        let mean = means.iter().sum::<f64>() / self.paths;
        let squares = means.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
        let least = side.least_variance() * self.total_squared;
        let variance = match self.paths < FEW {
            true => largest_variance(&side.weights),
            false => (squares / (self.paths - 1.0)).max(least),
        };
        MeanOverReports { mean, variance, skew: self.skew_of_paths(side, mean), n: self.paths }
    }

    /// The largest ratio of the third to the second moment about the mean of all, of the mean of one path.
    ///
    /// A path whose expectation is d above the mean of all, with the variance v and the third central moment r v of its draws,
    /// has the ratio `(r v + 3 d v + d^3) / (v + d^2) = d + (r + 2 d) v / (v + d^2)`, which rises with v.
    fn skew_of_paths(&self, side: &Side, mean: f64) -> f64 {
        const STEPS: u32 = 64;
        let ratio = side.skew(None) / self.shortest;
        let [highest, variance] = side.largest_moments();
        let (highest, variance) = ((highest - mean).max(0.0), variance / self.shortest);
        let at = |step: u32| {
            let above = highest * f64::from(step) / f64::from(STEPS);
            let of_draws = variance / (variance + above * above);
            above + if of_draws.is_nan() { 0.0 } else { (ratio + 2.0 * above) * of_draws }
        };
        (0..=STEPS).map(at).fold(0.0, f64::max)
    }
}

/// No distribution of numbers in a range has a larger variance (Popoviciu).
fn largest_variance(weights: &[f64]) -> f64 {
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
    (most - least).powi(2) / 4.0
}

fn dot(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}
