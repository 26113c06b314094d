//! A quantity between two means over reports.

use super::reach::{MeanOverReports, Tail};
use super::sampling::{Sampling, Spread};

/// Weights of groups of reports whose mean under every value is at least a function of the value.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    pub(crate) weights: Vec<f64>,
    /// The smallest and the largest variance of a report's weight, over all values.
    noise: [f64; 2],
    /// The mean of a report's weight under each of some values, of whose laws all others are mixtures.
    means: Vec<f64>,
    /// How far the mean under any value may be from such a mixture.
    off: f64,
    /// The means of the first three powers of a report's weight, at values that stand for all.
    moments: Vec<[f64; 3]>,
    /// Weights whose mean under every value is at most the square of the mean of these, where somebody found any.
    squares: Option<Vec<f64>>,
}

/// Two sides of a function of the value: of the function itself, and of its negative.
#[derive(Debug, Clone)]
pub(crate) struct Bracket {
    pub(crate) upper: Side,
    pub(crate) lower: Side,
    /// Whether the function is zero or one.
    is_indicator: bool,
    /// The mean of the upper weights is above that of the lower ones by at least and at most so much, whatever the people are like.
    gap: [f64; 2],
}

/// What reports say about a quantity: its mean lies between two others, which are known up to noise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bracketed {
    upper: MeanOverReports,
    /// Of the negative.
    lower: MeanOverReports,
    gap: Gap,
}

/// How far the expectations of both sides are apart.
#[derive(Debug, Clone, Copy)]
enum Gap {
    /// At least so much, whatever the people are like.
    Certain(f64),
    /// As far as the reports show: the mean of the negative.
    Shown(MeanOverReports),
}

/// How reports were counted and chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted<'a> {
    /// The share of reports in each group.
    pub(crate) shares: &'a [f64],
    /// How many people there are.
    pub(crate) people: f64,
    /// How many reports each of them made, about values of their own.
    pub(crate) reports_of_one: f64,
    pub(crate) sampling: Sampling,
}

/// The part of the error probability that goes to an overestimated gap.
const FOR_GAP: f64 = 0.02;

/// Gaps that differ by less than so many deviations do not make intervals shorter by what it takes to know them.
const WORTH_KNOWING: f64 = 0.3;

/// How far off a mean may be for its variance to be believed.
const DEVIATIONS: f64 = 3.0;

/// The skew of weights is looked at for so many values at most.
const MOST_MOMENTS: usize = 128;

impl Side {
    /// Weights, of which `means` gives the mean of any function of them under values that stand for all. Under a value between two
    /// of those the mean may be that of a coin with this variance.
    pub(crate) fn of_means(weights: Vec<f64>, means: impl Fn(&[f64]) -> Vec<f64>, coin: f64) -> Self {
        let power = |power: i32| -> Vec<f64> { weights.iter().map(|weight| weight.powi(power)).collect() };
        let [first, second, third] = [1, 2, 3].map(|exponent| means(&power(exponent)));
        let variances = || first.iter().zip(&second).map(|(first, second)| variance(*first, *second));
        let noise = [variances().fold(f64::INFINITY, f64::min), variances().fold(0.0, f64::max) + coin];
        let step = first.len().div_ceil(MOST_MOMENTS);
        let moments = (0..first.len()).step_by(step).map(|i| [first[i], second[i], third[i]]).collect();
        Self { weights, noise, means: first, off: 0.0, moments, squares: None }
    }

    /// The same weights, for groups that are cut more finely.
    pub(crate) fn with_weights(self, weights: Vec<f64>) -> Self {
        Self { weights, ..self }
    }

    /// With weights whose mean is at most the square of the mean of these.
    pub(crate) fn with_squares(self, squares: Vec<f64>) -> Self {
        Self { squares: Some(squares), ..self }
    }

    /// With means that are those of mixtures up to so much only.
    pub(crate) fn up_to(self, off: f64) -> Self {
        Self { off, ..self }
    }

    /// The smallest variance of a report's weight, over all values.
    pub(crate) fn least_variance(&self) -> f64 {
        self.noise[0]
    }

    /// The largest mean of a report's weight and its largest variance, over values that stand for all.
    pub(crate) fn largest_moments(&self) -> [f64; 2] {
        let largest =
            |of: fn(&[f64; 3]) -> f64| self.moments.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        [largest(|moments| moments[0]), largest(|moments| variance(moments[0], moments[1]))]
    }

    fn mean(&self, shares: &[f64]) -> f64 {
        // Shares add up to one up to rounding only. From one of the weights on, the mean of equal ones is exactly theirs.
        let first = self.weights.first().copied().unwrap_or(0.0);
        first + self.weights.iter().zip(shares).map(|(weight, share)| (weight - first) * share).sum::<f64>()
    }

    fn squares(&self, shares: &[f64]) -> f64 {
        self.weights.iter().zip(shares).map(|(weight, share)| weight * weight * share).sum()
    }

    fn rough_mean(&self, counted: &Counted<'_>) -> RoughMean {
        let mean = self.mean(counted.shares);
        let spread = variance(mean, self.squares(counted.shares));
        RoughMean { mean, error: (spread / counted.people).sqrt() }
    }

    /// What is known about the mean of the weights over reports. `squared_means` is a lower bound of the mean over people of the
    /// squared mean of a person's weight, as far as reports show one.
    fn measure(&self, counted: &Counted<'_>, squared_means: f64) -> MeanOverReports {
        let mean = self.mean(counted.shares);
        let squares = self.squares(counted.shares);
        let of_people = variance(mean, squares).max(self.noise[0]);
        let known = squared_means.max(mean * mean);
        let most = self.largest_variance_seen(counted.people * counted.reports_of_one);
        let of_draws = (squares - known).max(self.noise[0]).min(most).min(of_people);
        let spread = Spread { of_draws: of_draws / counted.reports_of_one, of_people };
        let is_everybody = counted.sampling.share() >= 1.0;
        MeanOverReports {
            mean,
            variance: counted.sampling.variance(spread),
            skew: if is_everybody { self.skew(None) / counted.reports_of_one } else { self.skew(Some(mean)) },
            n: counted.people,
        }
    }

    /// The largest variance that reports show if their mean is not further off than a few deviations.
    ///
    /// No people have more than the largest variance, but rare weights far below the mean come in greater numbers by chance. Then
    /// the mean is too low and what the reports show is larger, both in proportion; a variance cut off at the largest one would not
    /// reach back. So it may grow with the distance d as in [`MeanOverReports::upper`]: `d^2 n = z^2 (variance + skew d)`.
    fn largest_variance_seen(&self, reports: f64) -> f64 {
        let half = DEVIATIONS * DEVIATIONS * self.ratio_of_moments(None, -1.0) / (2.0 * reports);
        let distance = half + half.hypot(DEVIATIONS * (self.noise[1] / reports).sqrt());
        (distance / DEVIATIONS).powi(2) * reports
    }

    /// The largest ratio of the third to the second moment about a centre, or about the mean at each value.
    pub(crate) fn skew(&self, centre: Option<f64>) -> f64 {
        self.ratio_of_moments(centre, 1.0)
    }

    /// The same on one side: above for the sign of one, below for minus one.
    fn ratio_of_moments(&self, centre: Option<f64>, sign: f64) -> f64 {
        let ratio = |[first, second, third]: &[f64; 3]| {
            let c = centre.unwrap_or(*first);
            let squared = second - 2.0 * c * first + c * c;
            let cubed = third - 3.0 * c * second + 3.0 * c * c * first - c * c * c;
            // Where nothing varies nothing is skewed.
            if squared > 1e-12 * (second + c * c) { sign * cubed / squared } else { 0.0 }
        };
        self.moments.iter().map(ratio).fold(0.0, f64::max)
    }
}

impl Bracket {
    /// Both sides were made for the same values.
    pub(crate) fn new(upper: Side, lower: Side, is_indicator: bool) -> Self {
        let gaps = upper.means.iter().zip(&lower.means).map(|(upper, lower)| upper + lower);
        let off = upper.off + lower.off;
        let gap = gaps.fold([f64::INFINITY, 0.0], |[least, largest], gap| [gap.min(least), gap.max(largest)]);
        Self { gap: [(gap[0] - off).max(0.0), gap[1] + off], upper, lower, is_indicator }
    }

    /// Where no people could have a gap worth knowing, nothing is spent on it. The channel and the number of people decide that.
    fn gap(&self, counted: &Counted<'_>) -> Gap {
        let deviation = (self.upper.noise[0].max(self.lower.noise[0]) / counted.people).sqrt();
        if self.gap[1] - self.gap[0] < WORTH_KNOWING * deviation {
            return Gap::Certain(self.gap[0]);
        }
        let gaps = || self.upper.weights.iter().zip(&self.lower.weights).map(|(upper, lower)| upper + lower);
        let shown = |power: i32| gaps().zip(counted.shares).map(|(gap, share)| gap.powi(power) * share).sum();
        let (mean, squares): (f64, f64) = (shown(1), shown(2));
        let least = gaps().fold(f64::INFINITY, f64::min);
        // Whatever the people are like, no gap is further below its mean.
        let skew = (self.gap[1] - least).max(0.0);
        Gap::Shown(MeanOverReports {
            mean: -mean,
            variance: variance(mean, squares),
            skew,
            n: counted.people,
        })
    }

    /// What is between means of both sides that were measured otherwise, that below being of the negative.
    pub(crate) fn between(&self, upper: MeanOverReports, lower: MeanOverReports) -> Bracketed {
        Bracketed { upper, lower, gap: Gap::Certain(self.gap[0]) }
    }

    /// What the reports say.
    pub(crate) fn measure(&self, counted: &Counted<'_>) -> Bracketed {
        let [upper, lower] = if self.is_indicator {
            squared_means_of_indicator(self.upper.rough_mean(counted), self.lower.rough_mean(counted))
        } else {
            let of = |side: &Side| {
                side.squares.as_ref().map_or(f64::NEG_INFINITY, |squares| dot(squares, counted.shares))
            };
            [of(&self.upper), of(&self.lower)]
        };
        Bracketed {
            upper: self.upper.measure(counted, upper),
            lower: self.lower.measure(counted, lower),
            gap: self.gap(counted),
        }
    }
}

impl Bracketed {
    /// The two means without noise: the quantity is expected between them.
    pub(crate) fn range(&self) -> [f64; 2] {
        in_order([-self.lower.mean, self.upper.mean])
    }

    /// Where the quantity lies: each end is wrong with the probability of the tail at most.
    pub(crate) fn ends(&self, tail: Tail) -> [f64; 2] {
        in_order([-self.lower.upper(tail), self.upper.upper(tail)])
    }

    /// Where the quantity lies: one end or the other is wrong with twice the probability of the tail at most.
    ///
    /// Whoever is at the expectation of one side is at least a gap away from that of the other, so both ends are hardly ever
    /// wrong at once. With c deviations s at each end they are with probabilities `N(-c - x/s)` and `N(-c - (gap - x)/s)` at
    /// distances x and `gap - x`; the sum is convex in x, so largest at the ends of the gap. Without a gap c is the usual
    /// quantile, with a large one that of one side: this is the critical value of Armstrong and Kolesár.
    ///
    /// The gap of the people at hand is known from their reports up to noise. A small part of the probability is for its being
    /// overestimated (Berger and Boos, Journal of the American Statistical Association 89, 1994).
    pub(crate) fn interval(&self, tail: Tail) -> [f64; 2] {
        let (gap, tail) = match self.gap {
            Gap::Certain(gap) => (gap, tail),
            Gap::Shown(negative) => (-negative.upper(tail.part(2.0 * FOR_GAP)), tail.part(1.0 - FOR_GAP)),
        };
        let reach = [&self.upper, &self.lower].map(|side| side.upper(tail) - side.mean);
        let deviation = reach[0].max(reach[1]) / tail.quantile();
        let apart = if deviation > 0.0 { gap.max(0.0) / deviation } else { 0.0 };
        self.ends(tail.shared_across(apart))
    }

    /// The standard deviation of the side that varies more.
    pub(crate) fn standard_error(&self) -> f64 {
        self.upper.standard_error().max(self.lower.standard_error())
    }

    /// How far one deviation reaches. Where rare reports decide, the variance of a collection that happens to hold none of them is too
    /// small, and the bound of a score test is not.
    fn one_deviation(&self) -> f64 {
        let reach = |side: &MeanOverReports| side.upper(Tail::beyond(1.0)) - side.mean;
        reach(&self.upper).max(reach(&self.lower))
    }

    /// The standard deviation that a value may have which something else than the weights chose from what the reports leave open
    /// between limits: that of the sides, and half of what is open. Nothing that stays in a range deviates by more than half of it.
    pub(crate) fn deviation_within(&self, limits: [f64; 2]) -> f64 {
        let [low, high] = self.range().map(|end| end.clamp(limits[0], limits[1]));
        self.one_deviation() + (high - low) / 2.0
    }
}

/// Lower bounds of the mean squared mean of a person's weight, for both sides of an indicator.
///
/// An indicator is its own square. The upper weights have a mean of at least it, so their squared mean is at least the
/// indicator, and that at least the mean of the lower weights; the same holds for what is left to one. By chance the sides
/// pass each other; then neither is believed where it makes the bound larger.
///
/// Both means are known up to noise, which would make variances that are small beside it nothing; so they count less their errors.
pub(crate) fn squared_means_of_indicator(upper: RoughMean, lower: RoughMean) -> [f64; 2] {
    let [low, high] = in_order([-lower.mean, upper.mean]);
    [low - lower.error, -high - 2.0 * lower.mean - upper.error - 2.0 * lower.error]
}

/// A mean over reports and its standard deviation, roughly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoughMean {
    pub(crate) mean: f64,
    pub(crate) error: f64,
}

/// By chance the two sides can pass each other.
fn in_order([low, high]: [f64; 2]) -> [f64; 2] {
    [low.min(high), high.max(low)]
}

/// A variance from the means of the first two powers. What is left of equal numbers by rounding is nothing.
fn variance(first: f64, second: f64) -> f64 {
    let variance = second - first * first;
    if variance > 1e-14 * second { variance } else { 0.0 }
}

fn dot(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}
