//! How far above a mean over reports its expectation may lie.

use crate::statistics::{normal_quantile, normal_upper_tail};

/// The confidence of all intervals.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// The probability with which the truth may lie beyond one end of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tail(f64);

impl Tail {
    /// Of one interval with two ends.
    pub(crate) const ONE: Self = Self((1.0 - CONFIDENCE) / 2.0);

    /// Of one of `count` intervals that hold together (Bonferroni).
    pub(crate) fn of_many(count: usize) -> Self {
        Self(Self::ONE.0 / count.max(1) as f64)
    }

    /// A part of this one, for several tests that fail together.
    pub(crate) fn part(self, part: f64) -> Self {
        Self(self.0 * part)
    }

    /// The tail t of each of two ends which are so many deviations apart that together they have twice this probability:
    /// `t + N(-c - apart)`, where c is the quantile of t.
    pub(crate) fn shared_across(self, apart: f64) -> Self {
        let (mut low, mut high) = (self.0, 2.0 * self.0);
        for _ in 0..30 {
            let middle = Self(f64::midpoint(low, high));
            let both = middle.0 + normal_upper_tail(middle.quantile() + apart);
            if both > 2.0 * self.0 { high = middle.0 } else { low = middle.0 }
        }
        Self(low)
    }

    /// Of being so many standard deviations above the mean.
    pub(crate) fn beyond(deviations: f64) -> Self {
        Self(normal_upper_tail(deviations))
    }

    /// The probability.
    pub(crate) fn get(self) -> f64 {
        self.0
    }

    /// The normal quantile that is exceeded with this probability.
    pub(crate) fn quantile(self) -> f64 {
        -normal_quantile(self.0)
    }
}

/// A mean over independent reports, and what is known about how it varies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeanOverReports {
    /// The mean.
    pub(crate) mean: f64,
    /// The variance of what one report adds, estimated or bounded.
    pub(crate) variance: f64,
    /// The largest ratio of the third to the second central moment of what one report adds, at least zero: how long its tail
    /// above the mean is. A rare addition of size r has the ratio r.
    pub(crate) skew: f64,
    /// How many reports.
    pub(crate) n: f64,
}

impl MeanOverReports {
    /// The largest expectation from which the mean is not too far below.
    ///
    /// A normal bound from the estimated variance is too short where the mean comes from rare large additions: a mean that is
    /// too small by chance comes with a variance that is too small. So the variance is taken at the expectation that is tested,
    /// as in a score test: it rises with it by the skew, which is exact for Poisson numbers of additions. The bound solves
    /// `(bound - mean)^2 = z^2 (variance + skew (bound - mean)) / n`. With many reports it is the usual one. The quantile is
    /// widened for an estimated variance as Student's is.
    pub(crate) fn upper(&self, tail: Tail) -> f64 {
        let z = tail.quantile();
        let z = z + (z * z * z + z) / (4.0 * self.n);
        let half = z * z * self.skew / (2.0 * self.n);
        self.mean + half + (half * half + z * z * self.variance.max(0.0) / self.n).sqrt()
    }

    /// The standard deviation of the mean.
    pub(crate) fn standard_error(&self) -> f64 {
        (self.variance.max(0.0) / self.n).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of events: the exact bounds are those of Garwood, from tables of the Poisson distribution.
    #[test]
    fn bounds_of_small_counts_are_nearly_exact_and_not_below() {
        let exact = [(0u32, 3.689), (1, 5.572), (2, 7.225), (5, 11.668), (10, 18.390), (20, 30.888)];
        for (count, exact) in exact {
            // In so many reports that Student's correction is nothing.
            let n = 1e9;
            let mean = f64::from(count) / n;
            let bound = MeanOverReports { mean, variance: mean, skew: 1.0, n }.upper(Tail::ONE) * n;
            assert!(bound >= exact - 0.02 && bound < exact + 0.2, "{count}: {bound} {exact}");
        }
    }

    /// The critical values of Armstrong and Kolesár (2018, table 1) for a bias of so many deviations; the ends are two of it apart.
    #[test]
    fn tails_are_shared_as_with_a_folded_normal() {
        for (bias, critical) in
            [(0.0, 1.960), (0.1, 1.970), (0.3, 2.0512), (0.5, 2.181), (1.0, 2.650), (2.0, 3.645)]
        {
            let c = Tail::ONE.shared_across(2.0 * bias).quantile() + bias;
            assert!((c - critical).abs() < 0.02, "{bias}: {c}");
        }
    }

    #[test]
    fn many_reports_have_the_usual_bound() {
        let mean = MeanOverReports { mean: 0.3, variance: 0.21, skew: 0.4, n: 1e8 };
        let usual = 0.3 + 1.959964 * (0.21f64 / 1e8).sqrt();
        assert!((mean.upper(Tail::ONE) - usual).abs() < 1e-7);
        assert!((Tail::of_many(10).get() - 0.0025).abs() < 1e-15);
    }
}
