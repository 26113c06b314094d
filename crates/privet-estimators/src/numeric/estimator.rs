//! The estimator of every lattice channel.

use super::answer::{Angles, Method, Numbers, Quantile, RangeShare};
use super::distribution::{Distribution, bin_of};
use super::groups::Groups;
use super::least_squares::least_squares;
use super::likelihood::{Likelihood, Start};
use super::linear::{Evidence, LinearEngine, Places};
use super::operator::Operator;
use super::smoothing::Smoothing;
use crate::linear::{Functional, quantile};
use crate::summary::CountSummary;
use crate::{Answer, HasEstimator, Request};
use privet_core::{Estimate, EstimateError, Estimator, ReportBuffer, ReportError, Summary};
use privet_mechanisms::analysis::{Analysis, AnyNumeric};
use privet_mechanisms::lattice::{LatticeMechanism, LatticeRule};
use std::f64::consts::TAU;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Estimates from the reports of a lattice channel on numbers or angles.
///
/// The summary is a histogram of reports over at most 4096 groups of neighbouring cells, and the sum of the reports in fixed
/// point: their mean is kept to all digits, everything else up to the detail of one group.
#[derive(Debug, Clone)]
pub struct NumberEstimator {
    channel: Arc<dyn AnyNumeric>,
    groups: Groups,
    /// The numbers of the lowest and the highest report.
    ends: [f64; 2],
    prepared: Arc<OnceLock<Prepared>>,
    /// The operator that was used last: collections are often asked for the same number of bins again.
    last: Arc<Mutex<Option<Arc<Operator>>>>,
    /// What was fitted last: of one summary the answer, the influence of a report and the robust estimate are asked for.
    fitted: Arc<Mutex<Option<Arc<Fitted>>>>,
}

/// The linear engine of a summary.
#[derive(Debug)]
struct Fitted {
    counts: Vec<u64>,
    engine: LinearEngine,
    /// The density of reports in each group that the engine takes as given.
    density: Vec<f64>,
}

/// An estimate of the mean: the mean of a number for each report, plus a constant.
pub(crate) struct MeanOfGroups<'a> {
    pub(crate) counts: &'a [u64],
    /// For each group the number of a report in it, averaged over its cells.
    pub(crate) weights: Vec<f64>,
    /// The distance between the smallest and the largest number.
    pub(crate) range: f64,
    pub(crate) value: f64,
}

/// What every estimate needs and no report changes; made when first needed.
#[derive(Debug)]
struct Prepared {
    places: Places,
    /// The bins of the distribution that linear estimates start from.
    operator: Operator,
    /// The variance of a report at each place, if reports are unbiased.
    variances: Option<Vec<f64>>,
}

impl Prepared {
    const BINS: usize = 128;

    fn new(channel: &dyn AnyNumeric, groups: Groups) -> Self {
        let places = Places::new(channel, groups);
        let space = channel.space();
        let analysis = Analysis::new(channel);
        // Just inside the upper end, whatever rounding says.
        let variance = |point: &f64| {
            let law = analysis.law(space.from_unit(point.min(1.0 - 1e-12)));
            law.map_or(f64::NAN, |law| law.variance())
        };
        let is_unbiased = !space.is_ring() && analysis.is_unbiased(UNBIASED);
        let variances = is_unbiased.then(|| places.points().iter().map(variance).collect());
        Self { operator: Operator::of_bins(channel, groups, Self::BINS), places, variances }
    }
}

/// A mean report within this part of the domain's width of the value counts as unbiased.
const UNBIASED: f64 = 1e-9;

/// One in the fixed point of the sum of reports.
const FIXED_ONE: f64 = (1u64 << 62) as f64;

/// How many counters of a summary are sums: both words of the reports' numbers in fixed point.
pub(crate) const SUMS: usize = 2;

/// More bins than this make no sense with 4096 counters.
const MOST_BINS: usize = 4096;

impl NumberEstimator {
    /// The estimator of a channel's reports.
    pub fn new(channel: Arc<dyn AnyNumeric>) -> Self {
        let groups = Groups::of(channel.output_cells());
        let last = channel.output_cells() - 1;
        let ends = [channel.output_value(0), channel.output_value(last)];
        Self { channel, groups, ends, prepared: Arc::default(), last: Arc::default(), fitted: Arc::default() }
    }

    fn prepared(&self) -> &Prepared {
        self.prepared.get_or_init(|| Prepared::new(&*self.channel, self.groups))
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
        let operator = self.operator(bins);
        Ok(Distribution::new(self.channel.space(), self.shares(&operator, counts, method)))
    }

    /// Everything that was asked for.
    ///
    /// # Errors
    /// As for [`NumberEstimator::distribution`].
    pub fn answer(&self, summary: &CountSummary, request: &Request) -> Result<Answer, EstimateError> {
        let counts = self.counts(summary)?;
        let distribution = self.distribution(summary, request.method, request.bins)?;
        let fitted = self.fitted(counts);
        let engine = &fitted.engine;
        let n = summary.count();
        let share = |range: [f64; 2]| self.range(engine, &distribution, range, n);
        let bins = self.bin_shares(engine, &distribution, n);
        let ranges = request.ranges.iter().map(|range| share(*range)).collect();
        if self.channel.space().is_ring() {
            let (direction, resultant_length) = self.direction(engine, n);
            let method = request.method;
            let angles = Angles { direction, resultant_length, distribution, bins, ranges, n, method };
            return Ok(Answer::Angles(angles));
        }
        let quantiles = self.quantiles(engine, &distribution, &request.quantiles, n);
        let mean = self.mean(engine, summary);
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

    fn operator(&self, bins: usize) -> Arc<Operator> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(operator) if operator.columns() == bins => operator.clone(),
            _ => {
                let operator = Arc::new(Operator::of_bins(&*self.channel, self.groups, bins));
                *last = Some(operator.clone());
                operator
            }
        }
    }

    /// The counters of the groups.
    fn counts<'a>(&self, summary: &'a CountSummary) -> Result<&'a [u64], EstimateError> {
        let groups = self.groups.count();
        let counters = summary.with_sums_of_mechanism(self.channel.fingerprint(), groups + SUMS, SUMS)?;
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

    /// The linear engine of counts.
    fn fitted(&self, counts: &[u64]) -> Arc<Fitted> {
        let last = self.fitted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(fitted) = last.filter(|fitted| fitted.counts == counts) {
            return fitted;
        }
        // Nobody waits for the lock while this takes its time.
        let fitted = Arc::new(self.fit(counts));
        *self.fitted.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&fitted));
        fitted
    }

    /// The linear engine around a smooth distribution of a fixed number of bins, whatever was asked for.
    fn fit(&self, counts: &[u64]) -> Fitted {
        let Prepared { places, operator, .. } = self.prepared();
        let space = self.channel.space();
        let as_numbers: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
        // Only weights are taken from it, so it need not be sharp.
        let start = Start { least_move: 1e-4, ..Start::uniform(operator.columns(), space.is_ring()) };
        let shares = Likelihood::new(operator, &as_numbers).smoothed(Smoothing::BINOMIAL, start);
        let mut density = Vec::new();
        operator.forward(&shares, &mut density);
        let distribution = Distribution::new(space, shares);
        let evidence = Evidence { places, counts, distribution: &distribution, density: &density };
        Fitted { counts: counts.to_vec(), engine: LinearEngine::new(evidence), density }
    }

    /// The mean as a mean over reports.
    ///
    /// # Errors
    /// As for [`NumberEstimator::distribution`], and for angles, which have no mean of this kind.
    pub(crate) fn mean_of_groups<'a>(
        &self,
        summary: &'a CountSummary,
    ) -> Result<MeanOfGroups<'a>, EstimateError> {
        let counts = self.counts(summary)?;
        let space = self.channel.space();
        if space.is_ring() {
            return Err(EstimateError::Step { step: "mean", method: "directions of angles" });
        }
        if self.prepared().variances.is_some() {
            let mean = |group: usize| {
                let cells = self.groups.start(group)..self.groups.start(group + 1);
                let sum: f64 = cells.map(|cell| self.channel.output_value(cell)).sum();
                sum / f64::from(self.groups.size(group))
            };
            let weights = (0..self.groups.count()).map(mean).collect();
            let range = self.ends[1] - self.ends[0];
            return Ok(MeanOfGroups { counts, weights, range, value: self.mean_report(summary) });
        }
        let fitted = self.fitted(counts);
        let functional = fitted.engine.fitter.fit(&fitted.engine.smooth(|unit| unit));
        let mut weights = self.prepared().places.weights(&functional, &fitted.density);
        weights.iter_mut().for_each(|weight| *weight *= space.width());
        let value = space.from_unit(functional.value);
        Ok(MeanOfGroups { counts, range: range(weights.iter().copied()), weights, value })
    }

    /// The mean: of the reports where the channel is unbiased, else the linear estimate with its bias in the interval.
    fn mean(&self, engine: &LinearEngine, summary: &CountSummary) -> Estimate {
        let space = self.channel.space();
        let n = summary.count();
        let Some(variances) = &self.prepared().variances else {
            let linear = engine.fitter.fit(&engine.smooth(|unit| unit));
            return linear.estimate(space.low(), space.width(), n, "linear estimate, bias in the interval");
        };
        let value = self.mean_report(summary);
        let variance: f64 =
            engine.fitter.people().iter().zip(variances).map(|(share, variance)| share * variance).sum();
        let standard_error = (variance / n as f64).sqrt();
        let reach = quantile() * standard_error;
        let interval = [value - reach, value + reach];
        Estimate { value, standard_error, interval, n, method: "mean of unbiased reports" }
    }

    /// A report's number in fixed point, in two words of 32 bits so that sums of billions do not overflow.
    fn fixed_point(&self, cell: u32) -> [u64; 2] {
        let [low, high] = self.ends;
        let fraction = (self.channel.output_value(cell) - low) / (high - low);
        let fixed = (fraction.clamp(0.0, 1.0) * FIXED_ONE) as u64;
        [fixed >> 32, fixed & u64::from(u32::MAX)]
    }

    fn mean_report(&self, summary: &CountSummary) -> f64 {
        let sum = match summary.counts().get(self.groups.count()..) {
            Some([high, low]) => *high as f64 * 2f64.powi(32) + *low as f64,
            _ => 0.0,
        };
        let [low, high] = self.ends;
        low + (high - low) * (sum / summary.count() as f64 / FIXED_ONE)
    }

    fn range(
        &self,
        engine: &LinearEngine,
        distribution: &Distribution,
        range: [f64; 2],
        n: u64,
    ) -> RangeShare {
        let functional =
            engine.fitter.fit(&engine.inside(range.map(|end| self.channel.space().to_unit(end))));
        share_of(range, distribution.range(range), &functional, n)
    }

    fn bin_shares(&self, engine: &LinearEngine, distribution: &Distribution, n: u64) -> Vec<RangeShare> {
        let bins = distribution.shares().len();
        let target = |bin: usize| engine.inside([bin, bin + 1].map(|edge| edge as f64 / bins as f64));
        // Bins are alike, so one choice serves all.
        let ridge = engine.fitter.best_ridge(&target(bins / 2));
        let share = |(bin, share): (usize, &f64)| {
            share_of(distribution.bin(bin), *share, &engine.fitter.fit_with(&target(bin), ridge), n)
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
        // Cumulative shares are alike, so one choice of ridge serves all.
        let target = |step: usize| engine.inside([0.0, place(step)]);
        let ridge = engine.fitter.best_ridge(&target(STEPS / 2));
        let band =
            |step: usize| engine.fitter.fit_with(&target(step), ridge).estimate(0.0, 1.0, n, "").interval;
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
        let cos = engine.fitter.fit(&engine.smooth(|unit| (TAU * unit).cos()));
        let sin = engine.fitter.fit(&engine.smooth(|unit| (TAU * unit).sin()));
        let (c, s) = (cos.value, sin.value);
        let length = c.hypot(s);
        let covariance = engine.fitter.covariance(&cos, &sin);
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

/// The distance between the smallest and the largest.
fn range(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    high - low
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
        CountSummary::empty(self.channel.fingerprint(), self.groups.count() + SUMS)
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        let mut counts = vec![0; self.groups.count() + SUMS];
        let mut sums = [0u64; SUMS];
        for slot in reports.iter() {
            let cell = self.channel.decode(slot)?.0;
            counts[self.groups.group(cell)] += 1;
            sums.iter_mut().zip(self.fixed_point(cell)).for_each(|(sum, word)| *sum += word);
        }
        counts[self.groups.count()..].copy_from_slice(&sums);
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
