//! Weights of reports whose mean is never below a function of the value, and as little above it as can be.

use super::programme::{Conditions, Programme, Search};
use super::reach::Tail;
use nalgebra::{DMatrix, DVector};

/// For how many people, and how they were chosen, weights are designed. Which of them are taken changes the lengths of
/// intervals, not their honesty, so numbers that are alike share one design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Purpose {
    /// Four times the binary logarithm of the number of people, rounded down.
    people: i32,
    /// Twice the share of people who reported, rounded.
    share: i32,
}

impl Purpose {
    pub(crate) fn new(people: f64, share: f64) -> Self {
        // For more people weights would use differences of laws that rounding does not leave.
        let people = people.clamp(1.0, MOST_PEOPLE);
        Self { people: (4.0 * people.log2()).floor() as i32, share: (2.0 * share).round() as i32 }
    }

    /// The normal quantile over the root of the number of people.
    pub(crate) fn reach(self) -> f64 {
        Tail::ONE.quantile() / 2f64.powf(f64::from(self.people) / 4.0).sqrt()
    }

    /// The share of people who reported.
    pub(crate) fn share(self) -> f64 {
        f64::from(self.share) / 2.0
    }
}

/// Designs weights for one channel and one reference population.
///
/// The weights a of the groups of reports must have a mean under every value x of at least c(x), `P_x a >= c(x)`. Among all of
/// them those are wanted whose upper end is lowest for the reference population: `p a + k sd(a)`, where p is the law of its reports
/// and `k = z / sqrt(n)`. This is convex; its dual asks for the population whose mean of c is largest among all that n reports
/// cannot tell from the reference. With the right factor t it is the quadratic programme `min t p a + var(a) / 2`, which
/// [`Programme`] solves; t is right when `sd(a) = k t`.
///
/// The reference only decides for whom the interval is shortest. Whoever asks sees to it that the conditions hold for every value.
///
/// The variance is that of the draws, plus that of people as far as they are random: with the share s of people who reported it
/// is `p a^2 - s sum of f_x (P_x a)^2 - (1 - s) (p a)^2`.
#[derive(Debug)]
pub(crate) struct Design {
    /// How the reports of the reference population are spread over groups.
    reports: DVector<f64>,
    covariance: DMatrix<f64>,
    programme: Programme,
}

/// Weights are designed for so many people at most. They serve for more: what they leave open then does not shrink further.
const MOST_PEOPLE: f64 = (1 << 23) as f64;

/// The largest part of the variance over people that is left out: without noise there would be nothing left.
const LARGEST_SHARE: f64 = 0.9999;

/// The squared mean counts for so much beside the variance, so that constants are not free.
const OF_MEAN: f64 = 0.01;

/// A part of each group's variance that is added to it: groups that are always reported together cannot be told apart.
const RIDGE: f64 = 1e-9;

/// The deviation may differ from the wanted one by this factor: the optimum is flat.
const NEAR_ENOUGH: f64 = 1.1;
const MAX_CORRECTIONS: usize = 8;

impl Design {
    /// A design for the laws of the points of a reference population, in rows, and its shares. `share` is that of people
    /// who reported. `None` where nothing can be solved.
    pub(crate) fn new(laws: &DMatrix<f64>, reference: &DVector<f64>, share: f64) -> Option<Self> {
        // A group that nobody reports has no say, whatever it is divided by.
        let reports = laws.tr_mul(reference).map(|report| if report > 1e-15 { report } else { 1e-15 });
        let squares = DMatrix::from_diagonal(&reports);
        Self::in_coordinates(laws, reference, share, squares)
    }

    /// A design for weights that are sums of some functions of the report. The laws are the means of these functions under the
    /// points, in rows, and `squares` the means of their products for the reference population.
    pub(crate) fn in_coordinates(
        laws: &DMatrix<f64>,
        reference: &DVector<f64>,
        share: f64,
        squares: DMatrix<f64>,
    ) -> Option<Self> {
        let reports = laws.tr_mul(reference);
        let share = share.clamp(0.0, LARGEST_SHARE);
        let mut weighed = laws.clone();
        for (mut row, share) in weighed.row_iter_mut().zip(reference.iter()) {
            row *= share.sqrt();
        }
        let ridge = squares.diagonal() * RIDGE;
        let mut covariance = squares;
        covariance.gemm_tr(-share, &weighed, &weighed, 1.0);
        covariance.ger(share - 1.0, &reports, &reports, 1.0);
        let mut matrix = covariance.clone();
        matrix.ger(OF_MEAN, &reports, &reports, 1.0);
        (0..reports.len()).for_each(|index| matrix[(index, index)] += ridge[index]);
        Some(Self { programme: Programme::new(matrix)?, reports, covariance })
    }

    /// Weights whose means under some laws, in rows, are at least `wanted`, for `reach = z / sqrt(n)`. `None` where no weights
    /// are better than a constant.
    pub(crate) fn majorant(&self, laws: &DMatrix<f64>, wanted: &[f64], reach: f64) -> Option<Vec<f64>> {
        self.hunt(laws, wanted)?.majorant(reach)
    }

    /// A search for such weights that can go on for other reaches, and with more laws. `None` where a constant is best.
    pub(crate) fn hunt<'a>(&'a self, laws: &'a DMatrix<f64>, wanted: &'a [f64]) -> Option<Hunt<'a>> {
        let (smallest, largest) = wanted
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| (low.min(*c), high.max(*c)));
        let range = largest - smallest;
        let search = self.programme.search(Conditions { rows: laws, bounds: wanted });
        (range > 0.0).then_some(Hunt { design: self, search, range, t: None })
    }

    /// The mean of weights for the reference population.
    pub(crate) fn mean(&self, weights: &[f64]) -> f64 {
        self.reports.iter().zip(weights).map(|(share, weight)| share * weight).sum()
    }

    /// The standard deviation of a report's weight for the reference population.
    pub(crate) fn deviation(&self, weights: &[f64]) -> f64 {
        let weights = DVector::from_column_slice(weights);
        weights.dot(&(&self.covariance * &weights)).max(0.0).sqrt()
    }
}

/// Where one is in the search for weights.
pub(crate) struct Hunt<'a> {
    design: &'a Design,
    search: Search<'a>,
    /// Of what is wanted.
    range: f64,
    /// The factor that was right last.
    t: Option<f64>,
}

impl<'a> Hunt<'a> {
    /// The weights for a reach; `None` where no weights are better than a constant.
    pub(crate) fn majorant(&mut self, reach: f64) -> Option<Vec<f64>> {
        // Weights that tell everything vary about so much.
        let mut t = self.t.unwrap_or(self.range / reach);
        let mut weights = DVector::zeros(0);
        for _ in 0..MAX_CORRECTIONS {
            weights = self.search.minimise(&(&self.design.reports * t)).clone();
            let deviation = self.design.deviation(weights.as_slice());
            if deviation.is_nan() || deviation < 1e-4 * self.range {
                // Reports cannot exclude that everybody is where c is largest, or nearly so.
                return None;
            }
            self.t = Some(t);
            let ratio = deviation / (reach * t);
            if (NEAR_ENOUGH.recip()..=NEAR_ENOUGH).contains(&ratio) {
                break;
            }
            t *= ratio.clamp(0.05, 20.0);
        }
        weights.iter().all(|weight| weight.is_finite()).then(|| weights.as_slice().to_vec())
    }

    /// The same search with more conditions behind those that there are.
    pub(crate) fn under<'b>(self, laws: &'b DMatrix<f64>, wanted: &'b [f64]) -> Hunt<'b>
    where
        'a: 'b,
    {
        let search = self.search.under(Conditions { rows: laws, bounds: wanted });
        Hunt { design: self.design, search, range: self.range, t: self.t }
    }
}
