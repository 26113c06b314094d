//! The estimator of every lattice channel.

use super::answer::{Angles, Method, Numbers, Quantile, RangeShare};
use super::distribution::{Distribution, bin_of};
use super::groups::Groups;
use super::least_squares::least_squares;
use super::likelihood::{Likelihood, Start};
use super::linear::{Evidence, Functional, LinearEngine, quantile};
use super::operator::Operator;
use super::smoothing::Smoothing;
use crate::summary::CountSummary;
use crate::{Answer, HasEstimator, Request};
use privet_core::{Estimate, EstimateError, Estimator, ReportBuffer, ReportError, Summary};
use privet_mechanisms::analysis::{Analysis, AnyNumeric};
use privet_mechanisms::lattice::{LatticeMechanism, LatticeRule};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Estimates from the reports of a lattice channel on numbers or angles.
///
/// The summary is a histogram of reports over at most 4096 groups of neighbouring cells, and the sum of the cells' indices: the
/// mean of the reports is kept exactly, everything else up to the detail of one group.
#[derive(Debug, Clone)]
pub struct NumberEstimator {
    channel: Arc<dyn AnyNumeric>,
    groups: Groups,
}

/// A mean report within this part of the domain's width of the value counts as unbiased.
const UNBIASED: f64 = 1e-9;

/// More bins than this make no sense with 4096 counters.
const MOST_BINS: usize = 4096;

impl NumberEstimator {
    /// The estimator of a channel's reports.
    pub fn new(channel: Arc<dyn AnyNumeric>) -> Self {
        let groups = Groups::of(channel.output_cells());
        Self { channel, groups }
    }

    /// The channel.
    pub fn channel(&self) -> &dyn AnyNumeric {
        &*self.channel
    }

    /// The distribution over equal bins.
    ///
    /// # Errors
    /// When there are no reports, the summary is another mechanism's, or there are no bins or more than 4096.
    pub fn distribution(
        &self,
        summary: &CountSummary,
        method: Method,
        bins: usize,
    ) -> Result<Distribution, EstimateError> {
        let counts = self.counts(summary)?;
        if !(1..=MOST_BINS).contains(&bins) {
            return Err(EstimateError::NotIdentifiable { reason: "a distribution has 1 to 4096 bins" });
        }
        if method == Method::Histogram {
            return Ok(Distribution::new(self.channel.space(), self.histogram(counts, bins)));
        }
        let operator = Operator::of_bins(&*self.channel, self.groups, bins);
        Ok(Distribution::new(self.channel.space(), self.shares(&operator, counts, method)))
    }

    /// Everything that was asked for.
    ///
    /// # Errors
    /// As for [`NumberEstimator::distribution`].
    pub fn answer(&self, summary: &CountSummary, request: &Request) -> Result<Answer, EstimateError> {
        let counts = self.counts(summary)?;
        let distribution = self.distribution(summary, request.method, request.bins)?;
        let engine = self.engine(counts);
        let n = summary.count();
        let share = |range: [f64; 2]| self.range(&engine, &distribution, range, n);
        let bins = self.bin_shares(&engine, &distribution, n);
        let ranges = request.ranges.iter().map(|range| share(*range)).collect();
        if self.channel.space().is_ring() {
            let (direction, resultant_length) = self.direction(&engine, n);
            let method = request.method;
            let angles = Angles { direction, resultant_length, distribution, bins, ranges, n, method };
            return Ok(Answer::Angles(angles));
        }
        let quantiles = self.quantiles(&engine, &distribution, &request.quantiles, n);
        let mean = self.mean(&engine, summary);
        Ok(Answer::Numbers(Numbers {
            mean,
            distribution,
            bins,
            quantiles,
            ranges,
            n,
            method: request.method,
        }))
    }

    /// The counters of the groups.
    fn counts<'a>(&self, summary: &'a CountSummary) -> Result<&'a [u64], EstimateError> {
        let groups = self.groups.count();
        let counters = summary.with_sum_of_mechanism(self.channel.fingerprint(), groups + 1)?;
        Ok(&counters[..groups])
    }

    fn shares(&self, operator: &Operator, counts: &[u64], method: Method) -> Vec<f64> {
        let ring = self.channel.space().is_ring();
        let n = counts.iter().sum::<u64>() as f64;
        if method == Method::LeastSquares {
            let density = counts
                .iter()
                .enumerate()
                .map(|(group, count)| *count as f64 / n / f64::from(self.groups.size(group)));
            return least_squares(operator, &density.collect::<Vec<_>>());
        }
        let smoothing = match method {
            Method::ExpectationMaximization => Smoothing::NONE,
            Method::SmoothedByHeldOut => Smoothing::by_held_out_likelihood(operator, counts, ring),
            _ => Smoothing::BINOMIAL,
        };
        let counts: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
        Likelihood::new(operator, &counts).smoothed(smoothing, Start::uniform(operator.columns(), ring))
    }

    /// The reports as they are. Cells of one group that lie in different bins share its count evenly.
    fn histogram(&self, counts: &[u64], bins: usize) -> Vec<f64> {
        let space = self.channel.space();
        let n = counts.iter().sum::<u64>() as f64;
        let mut shares = vec![0.0; bins];
        for (group, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let each = *count as f64 / n / f64::from(self.groups.size(group));
            for cell in self.groups.start(group)..self.groups.start(group + 1) {
                let unit = space.to_unit(self.channel.output_value(cell));
                let inside = if space.is_ring() { unit - unit.floor() } else { unit };
                shares[bin_of(inside, bins)] += each;
            }
        }
        shares
    }

    /// The linear engine around a smooth distribution of a fixed number of bins, whatever was asked for.
    fn engine(&self, counts: &[u64]) -> LinearEngine {
        const BINS: usize = 128;
        let operator = Operator::of_bins(&*self.channel, self.groups, BINS);
        let shares = self.shares(&operator, counts, Method::Smoothed);
        let mut density = Vec::new();
        operator.forward(&shares, &mut density);
        let distribution = Distribution::new(self.channel.space(), shares);
        LinearEngine::new(Evidence {
            channel: &*self.channel,
            groups: self.groups,
            counts,
            distribution: &distribution,
            density: &density,
        })
    }

    /// The mean: of the reports where the channel is unbiased, else the linear estimate with its bias in the interval.
    fn mean(&self, engine: &LinearEngine, summary: &CountSummary) -> Estimate {
        let space = self.channel.space();
        let n = summary.count();
        let linear = engine.fit(&engine.smooth(|unit| unit));
        let linear = linear.estimate(space.low(), space.width(), n, "linear estimate, bias in the interval");
        match self.affine_decoder() {
            Some([origin, step]) if Analysis::new(&*self.channel).is_unbiased(UNBIASED) => {
                let sum = summary.counts().last().copied().unwrap_or(0) as f64;
                let value = origin + step * sum / n as f64;
                let variance = self.mean_variance(engine);
                let standard_error = (variance / n as f64).sqrt();
                let reach = quantile() * standard_error;
                let interval = [value - reach, value + reach];
                Estimate { value, standard_error, interval, n, method: "mean of unbiased reports" }
            }
            _ => linear,
        }
    }

    /// The mean over people of the variance of one report.
    fn mean_variance(&self, engine: &LinearEngine) -> f64 {
        let space = self.channel.space();
        let analysis = Analysis::new(&*self.channel);
        let variance = |unit: f64| {
            // Just inside the upper end, whatever rounding says.
            analysis.law(space.from_unit(unit.min(1.0 - 1e-12))).map_or(0.0, |law| law.variance())
        };
        engine.people().map(|(point, share)| share * variance(point)).sum()
    }

    /// The number of cell zero and the distance between cells, if reports are equally spaced.
    fn affine_decoder(&self) -> Option<[f64; 2]> {
        let cells = self.channel.output_cells();
        let (origin, last) = (self.channel.output_value(0), self.channel.output_value(cells - 1));
        let step = (last - origin) / f64::from(cells - 1);
        let tolerance = 1e-11 * (last - origin).abs().max(origin.abs()).max(last.abs());
        let on_line = |cell: u32| {
            (origin + step * f64::from(cell) - self.channel.output_value(cell)).abs() <= tolerance
        };
        (0..self.groups.count()).all(|group| on_line(self.groups.start(group))).then_some([origin, step])
    }

    fn range(
        &self,
        engine: &LinearEngine,
        distribution: &Distribution,
        range: [f64; 2],
        n: u64,
    ) -> RangeShare {
        let functional = engine.fit(&engine.inside(range.map(|end| self.channel.space().to_unit(end))));
        share_of(range, distribution.range(range), &functional, n)
    }

    fn bin_shares(&self, engine: &LinearEngine, distribution: &Distribution, n: u64) -> Vec<RangeShare> {
        let bins = distribution.shares().len();
        let target = |bin: usize| engine.inside([bin, bin + 1].map(|edge| edge as f64 / bins as f64));
        // Bins are alike, so one choice serves all.
        let ridge = engine.best_ridge(&target(bins / 2));
        let share = |(bin, share): (usize, &f64)| {
            share_of(distribution.bin(bin), *share, &engine.fit_with(&target(bin), ridge), n)
        };
        distribution.shares().iter().enumerate().map(share).collect()
    }

    /// Quantiles of the distribution; a quantile's interval holds the values whose cumulative share may be the level.
    fn quantiles(
        &self,
        engine: &LinearEngine,
        distribution: &Distribution,
        levels: &[f64],
        n: u64,
    ) -> Vec<Quantile> {
        const STEPS: usize = 64;
        if levels.is_empty() {
            return Vec::new();
        }
        let space = self.channel.space();
        let place = |step: usize| step as f64 / STEPS as f64;
        let band =
            |step: usize| engine.fit(&engine.inside([0.0, place(step)])).estimate(0.0, 1.0, n, "").interval;
        let mut bands = vec![[0.0, 0.0]];
        bands.extend((1..STEPS).map(band));
        bands.push([1.0, 1.0]);
        let quantile_of = |level: &f64| {
            let first = bands.iter().position(|band| band[1] >= *level).unwrap_or(STEPS);
            let last = bands.iter().rposition(|band| band[0] <= *level).unwrap_or(0);
            // Between two steps the band is taken as a straight line.
            let crossing = |step: usize, side: usize| {
                let (Some(next), Some(here)) = (bands.get(step + 1), bands.get(step)) else {
                    return place(step);
                };
                let part = ((level - here[side]) / (next[side] - here[side])).clamp(0.0, 1.0);
                place(step) + if part.is_finite() { part } else { 0.0 } / STEPS as f64
            };
            let low = if first == 0 { 0.0 } else { crossing(first - 1, 1) };
            let high = crossing(last, 0);
            let interval = [low, high].map(|unit| space.from_unit(unit));
            let standard_error = (interval[1] - interval[0]) / 2.0 / quantile();
            let value = distribution.quantile(*level);
            let method = "inverse of the distribution";
            Quantile { level: *level, value: Estimate { value, standard_error, interval, n, method } }
        };
        levels.iter().map(quantile_of).collect()
    }

    /// The mean direction and the resultant length, by the delta method from the means of cosine and sine.
    fn direction(&self, engine: &LinearEngine, n: u64) -> (Estimate, Estimate) {
        let period = self.channel.space().width();
        let cos = engine.fit(&engine.smooth(|unit| (TAU * unit).cos()));
        let sin = engine.fit(&engine.smooth(|unit| (TAU * unit).sin()));
        let (c, s) = (cos.value, sin.value);
        let length = c.hypot(s);
        let covariance = engine.covariance(&cos, &sin);
        let along =
            (c * c * cos.variance + 2.0 * c * s * covariance + s * s * sin.variance) / (length * length);
        let across =
            (s * s * cos.variance - 2.0 * c * s * covariance + c * c * sin.variance) / (length * length);
        let bias = cos.bias.hypot(sin.bias);
        let length_error = along.max(0.0).sqrt();
        let reach = quantile() * length_error + bias;
        let interval = [length - reach, length + reach].map(|end| end.clamp(0.0, 1.0));
        let resultant = Estimate {
            value: length.min(1.0),
            standard_error: length_error,
            interval,
            n,
            method: "linear estimate of cosine and sine",
        };
        let turn = period / TAU;
        let value = s.atan2(c).rem_euclid(TAU) * turn;
        let standard_error = across.max(0.0).sqrt() / length * turn;
        let reach = quantile() * standard_error + (bias / length).min(TAU) * turn;
        // A direction that may be anything has the whole circle as its interval.
        let reach = if interval[0] > 0.0 && reach < period / 2.0 { reach } else { period / 2.0 };
        let method = "linear estimate of cosine and sine";
        (Estimate { value, standard_error, interval: [value - reach, value + reach], n, method }, resultant)
    }
}

fn share_of(range: [f64; 2], value: f64, functional: &Functional, n: u64) -> RangeShare {
    let linear = functional.estimate(0.0, 1.0, n, "distribution, interval by linear estimate");
    let interval = linear.interval.map(|end| end.clamp(0.0, 1.0));
    RangeShare { from: range[0], to: range[1], share: Estimate { value, interval, ..linear } }
}

impl Estimator for NumberEstimator {
    type Summary = CountSummary;
    type Estimate = Answer;

    fn empty_summary(&self) -> CountSummary {
        CountSummary::empty(self.channel.fingerprint(), self.groups.count() + 1)
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        let mut counts = vec![0; self.groups.count() + 1];
        let mut sum = 0u64;
        for slot in reports.iter() {
            let cell = self.channel.decode(slot)?.0;
            counts[self.groups.group(cell)] += 1;
            sum += u64::from(cell);
        }
        counts[self.groups.count()] = sum;
        summary.add(self.channel.fingerprint(), reports, &counts)
    }

    fn estimate(&self, summary: &CountSummary) -> Result<Answer, EstimateError> {
        self.answer(summary, &Request::default())
    }
}

impl<K: LatticeRule> HasEstimator for LatticeMechanism<K> {
    type Estimator = NumberEstimator;
    fn estimator(&self) -> NumberEstimator {
        NumberEstimator::new(Arc::new(self.clone()))
    }
}
