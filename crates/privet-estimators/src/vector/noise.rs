//! How a coordinate of reports varies, and what that says about its mean.

use crate::bounds::{MeanOverReports, Tail};
use privet_core::Target;

/// What reports show about one coordinate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) mean: f64,
    pub(super) variance: f64,
    pub(super) n: f64,
}

impl Seen {
    fn mirrored(self) -> Self {
        Self { mean: -self.mean, ..self }
    }
}

/// How one coordinate of a report varies around its mean, whatever the vector. A mechanism computes it from its channel.
///
/// - **Variance**: what the reports show, but not less than that of any vector. Among the people who reported only draws are random,
///   so it is not more than the largest one either, however different people are; a rare report adds up to its square over n, and so
///   much is left. Few reports show no variance, and the largest one is taken.
/// - **Skew**: that of the worst vector, or the most that numbers in the range of reports can have if that is less.
/// - **Gap**: a mean of n reports that take few values moves in steps of a gap over n, of which half is added at both ends, as for
///   counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoordinateNoise {
    /// The smallest and the largest variance.
    pub variances: [f64; 2],
    /// The largest ratio of the third to the second central moment, on either side. A rare report at a distance r has the ratio r.
    pub skew: f64,
    /// The root of the largest ratio of the fourth to the second central moment: how far out rare reports lie.
    pub tail: f64,
    /// Between which numbers reports lie; infinite where they are never seen at an end.
    pub reports: [f64; 2],
    /// Between which numbers the mean report of any vector lies.
    pub means: [f64; 2],
    /// The widest gap between two numbers next to each other that a report can be.
    pub gap: f64,
}

/// Below so many reports a variance is bounded and not estimated.
const FEW: f64 = 10.0;

impl CoordinateNoise {
    /// Noise that may be anywhere, from its second, third and fourth central moments for vectors that stand for all.
    pub fn of_moments(moments: impl IntoIterator<Item = [f64; 3]>, means: [f64; 2]) -> Self {
        let (mut least, mut largest, mut skew, mut tail) = (f64::INFINITY, 0.0f64, 0.0f64, 0.0f64);
        for [second, third, fourth] in moments {
            (least, largest) = (least.min(second), largest.max(second));
            // Where nothing varies there is no ratio.
            if second > 0.0 {
                skew = skew.max((third / second).abs());
                tail = tail.max((fourth / second).sqrt());
            }
        }
        let reports = [f64::NEG_INFINITY, f64::INFINITY];
        Self { variances: [least, largest], skew, tail, reports, means, gap: 0.0 }
    }

    /// In another unit, which is so many of this one.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            variances: self.variances.map(|variance| variance * factor * factor),
            skew: self.skew * factor,
            tail: self.tail * factor,
            reports: self.reports.map(|end| end * factor),
            means: self.means.map(|end| end * factor),
            gap: self.gap * factor,
        }
    }

    /// Where the mean of all reports is expected.
    pub(super) fn interval(&self, seen: Seen, target: Target) -> [f64; 2] {
        [-self.mirrored().upper(seen.mirrored(), target), self.upper(seen, target)]
    }

    /// The standard deviation of the mean.
    pub(super) fn standard_error(&self, seen: Seen, target: Target) -> f64 {
        self.measure(seen, target).standard_error()
    }

    fn mirrored(self) -> Self {
        let mirrored = |[low, high]: [f64; 2]| [-high, -low];
        Self { reports: mirrored(self.reports), means: mirrored(self.means), ..self }
    }

    /// The upper end of an interval.
    fn upper(&self, seen: Seen, target: Target) -> f64 {
        self.measure(seen, target).upper(Tail::ONE) + self.gap / (2.0 * seen.n)
    }

    fn measure(&self, seen: Seen, target: Target) -> MeanOverReports {
        let variance = self.variance(seen, target);
        let skew = self.skew_of(seen.mean, variance, target);
        MeanOverReports { mean: seen.mean, variance, skew, n: seen.n }
    }

    /// The variance of what one report adds.
    fn variance(&self, Seen { variance, n, .. }: Seen, target: Target) -> f64 {
        let [least, largest] = self.variances;
        let of_people = match target {
            Target::Reported => 0.0,
            // The largest variance of numbers in a range (Popoviciu).
            Target::Population => (self.means[1] - self.means[0]).powi(2) / 4.0,
        };
        let most = largest + of_people + self.tail * self.tail / n;
        if n < FEW { most } else { variance.max(least).min(most) }
    }

    /// The largest ratio of the third to the second central moment of one report, above the mean; see [`MeanOverReports::skew`].
    fn skew_of(&self, mean: f64, variance: f64, target: Target) -> f64 {
        let of_people = match target {
            Target::Reported => 0.0,
            Target::Population => {
                let [low, high] = self.means;
                largest_skew(high - mean.max(low), (variance - self.variances[1]).max(0.0))
            }
        };
        (self.skew + of_people).min(largest_skew(self.reports[1] - mean, variance))
    }
}

/// No distribution of numbers up to `above` their mean, with this variance v, has a larger ratio of the third to the second central
/// moment than `above - v/above`, and not less than zero: because `(y - above) (y + v/above)^2` is never positive. Numbers that take
/// two values have it.
fn largest_skew(above: f64, variance: f64) -> f64 {
    if above > 0.0 { (above - variance / above).max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reports that are zero but for one in `rarity`, and plus or minus `rarity` otherwise; their mean is at most `furthest`.
    #[derive(Debug, Clone, Copy)]
    struct Signs {
        rarity: f64,
        furthest: f64,
    }

    impl Signs {
        fn noise(self) -> CoordinateNoise {
            let Self { rarity: r, furthest } = self;
            let at = |x: f64| {
                [
                    r - x * x,
                    r * r * x - 3.0 * r * x + 2.0 * x.powi(3),
                    r.powi(3) - (4.0 * r * r - 6.0 * r) * x * x - 3.0 * x.powi(4),
                ]
            };
            let moments = (0..=100).map(|part| at(furthest * f64::from(part) / 100.0));
            let gap = if r > 1.0 { r } else { 2.0 };
            CoordinateNoise {
                reports: [-r, r],
                gap,
                ..CoordinateNoise::of_moments(moments, [-furthest, furthest])
            }
        }

        /// The interval from so many positive and negative ones among n reports.
        fn interval(self, signs: [u32; 2], n: u32, noise: CoordinateNoise, target: Target) -> [f64; 2] {
            let ([plus, minus], n) = (signs.map(f64::from), f64::from(n));
            let mean = self.rarity * (plus - minus) / n;
            let squares = self.rarity * self.rarity * (plus + minus) - n * mean * mean;
            noise.interval(Seen { mean, variance: squares / (n - 1.0), n }, target)
        }

        /// The smallest probability, over all means, that the interval from n reports holds the mean.
        fn least_coverage(self, n: u32, noise: CoordinateNoise, target: Target) -> f64 {
            const PARTS: u32 = 200;
            let is_possible = |[plus, minus]: &[u32; 2]| match self.rarity > 1.0 {
                true => plus + minus <= n,
                false => plus + minus == n,
            };
            let signs = (0..=n).flat_map(|plus| (0..=n).map(move |minus| [plus, minus])).filter(is_possible);
            let intervals: Vec<([u32; 2], [f64; 2])> =
                signs.map(|signs| (signs, self.interval(signs, n, noise, target))).collect();
            let coverage = |part: u32| {
                let mean = self.furthest * f64::from(part) / f64::from(PARTS);
                let holding = intervals.iter().filter(|(_, [low, high])| (*low..=*high).contains(&mean));
                holding.map(|(signs, _)| self.probability(*signs, n, mean)).sum::<f64>()
            };
            (0..=PARTS).map(coverage).fold(1.0, f64::min)
        }

        fn probability(self, [plus, minus]: [u32; 2], n: u32, mean: f64) -> f64 {
            let of = [1.0 + mean, 1.0 - mean].map(|share| share / (2.0 * self.rarity));
            let rest = n - plus - minus;
            let power = |share: f64, count: u32| if count == 0 { 0.0 } else { f64::from(count) * share.ln() };
            let ways = ln_factorial(n) - ln_factorial(plus) - ln_factorial(minus) - ln_factorial(rest);
            (ways + power(of[0], plus) + power(of[1], minus) + power(1.0 - 1.0 / self.rarity, rest)).exp()
        }
    }

    fn ln_factorial(count: u32) -> f64 {
        (2..=count).map(|factor| f64::from(factor).ln()).sum()
    }

    proptest! {
        #[test]
        fn no_numbers_are_more_skewed_than_two_values(
            numbers in prop::collection::vec((-1f64..1.0, 0.01f64..1.0), 2..6),
        ) {
            let total: f64 = numbers.iter().map(|(_, weight)| weight).sum();
            let mean = numbers.iter().map(|(number, weight)| number * weight).sum::<f64>() / total;
            let central = |power: i32| {
                numbers.iter().map(|(number, weight)| (number - mean).powi(power) * weight).sum::<f64>() / total
            };
            let most = numbers.iter().map(|(number, _)| number - mean).fold(0.0, f64::max);
            let (ratio, bound) = (central(3) / central(2), largest_skew(most, central(2)));
            prop_assert!(ratio <= bound + 1e-9, "{} {}", ratio, bound);
            prop_assert!(numbers.len() > 2 || ratio < 0.0 || (ratio - bound).abs() < 1e-9);
        }
    }

    /// No simulation: every number of reports of either sign, with its probability.
    #[test]
    fn intervals_from_two_or_three_values_hold_whatever_the_mean() {
        let check = |signs: Signs, n: u32| {
            for target in [Target::Reported, Target::Population] {
                let coverage = signs.least_coverage(n, signs.noise(), target);
                assert!(coverage >= 0.95, "{signs:?} {n} {target:?}: {coverage}");
            }
        };
        for furthest in [1.0, 0.96, 0.46, 0.05] {
            (2..=12).chain([20, 50, 200]).for_each(|n| check(Signs { rarity: 1.0, furthest }, n));
            (2..=12).chain([20, 50]).for_each(|n| check(Signs { rarity: 3.0, furthest }, n));
            [2, 9, 10, 35].into_iter().for_each(|n| check(Signs { rarity: 64.0, furthest }, n));
        }
        // Without what is known about the reports they do not.
        let signs = Signs { rarity: 1.0, furthest: 1.0 };
        let smooth = CoordinateNoise { skew: 0.0, gap: 0.0, ..signs.noise() };
        assert!(signs.least_coverage(50, smooth, Target::Reported) < 0.94);
    }

    #[test]
    fn intervals_from_two_values_are_hardly_longer_than_normal_ones() {
        let two_values = Signs { rarity: 1.0, furthest: 1.0 };
        for (n, most) in [(50, 1.25), (2000, 1.05)] {
            let [low, high] = two_values.interval([n / 2; 2], n, two_values.noise(), Target::Reported);
            let normal = 1.959_964 / f64::from(n).sqrt();
            assert!((high - low) / 2.0 < most * normal, "{n}: {}", (high - low) / 2.0 / normal);
        }
    }

    /// Among the people who reported noise of a known variance is all that is random, however different they are.
    #[test]
    fn people_who_differ_do_not_make_the_noise_larger() {
        let noise = CoordinateNoise::of_moments([[0.01, 0.0, 3e-4]], [-1.0, 1.0]);
        let [reported, population] = [Target::Reported, Target::Population]
            .map(|target| Signs { rarity: 1.0, furthest: 1.0 }.interval([500; 2], 1000, noise, target)[1]);
        assert!((reported / (1.96 * (0.01f64 / 1000.0).sqrt()) - 1.0).abs() < 0.02, "{reported}");
        assert!((population / (1.96 * (1.0f64 / 1000.0).sqrt()) - 1.0).abs() < 0.02, "{population}");
    }
}
