//! The estimator of every lattice channel.

use super::answer::{Angles, Method, Numbers, RangeShare};
use super::brackets::{Brackets, MOST_GROUPS, Question};
use super::direction::Directions;
use super::distribution::{Distribution, bin_of};
use super::groups::Groups;
use super::least_squares::least_squares;
use super::likelihood::{Likelihood, Start};
use super::measure::Measure;
use super::operator::Operator;
use super::smoothing::Smoothing;
use super::values::Values;
use crate::bounds::{Counted, Kept, Purpose, Sampling};
use crate::summary::{CountSummary, must_add_up};
use crate::{Answer, HasEstimator, Populations, Request};
use privet_core::{EstimateError, Estimator, Fingerprint, ReportBuffer, ReportError, Summary};
use privet_mechanisms::analysis::AnyNumeric;
use privet_mechanisms::lattice::{LatticeMechanism, LatticeRule};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Estimates from the reports of a lattice channel on numbers or angles.
///
/// The summary is a histogram of reports over at most 4096 groups of neighbouring cells, and the sum of the reports in fixed
/// point. Distributions are estimated by likelihood; intervals hold for every population, by weights of reports that bracket
/// what is asked (`bounds`), designed from the channel and the number of reports alone and kept for the next summary.
#[derive(Debug, Clone)]
pub struct NumberEstimator {
    channel: Arc<dyn AnyNumeric>,
    /// The channel in short: of some it takes long to compute.
    fingerprint: Fingerprint,
    groups: Groups,
    /// The numbers of the lowest and the highest report.
    ends: [f64; 2],
    /// The operator that was used last: collections are often asked for the same number of bins again.
    last: Arc<Mutex<Option<Arc<Operator>>>>,
    /// The operator behind the value of the mean.
    of_mean: Arc<OnceLock<Operator>>,
    values: Kept<Populations, Values>,
    brackets: Kept<Design, Brackets>,
}

/// What brackets were designed for.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Design {
    populations: Populations,
    purpose: Purpose,
}

/// An estimate of the mean: the mean of a number for each report, plus a constant.
pub(crate) struct MeanOfGroups {
    pub(crate) counts: Vec<u64>,
    /// For each group the number of a report in it.
    pub(crate) weights: Vec<f64>,
    /// The distance between the smallest and the largest number.
    pub(crate) range: f64,
    pub(crate) value: f64,
}

/// One in the fixed point of the sum of reports.
const FIXED_ONE: f64 = (1u64 << 62) as f64;

/// How many counters of a summary are sums: both words of the reports' numbers in fixed point.
pub(crate) const SUMS: usize = 2;

/// More bins than this make no sense with 4096 counters.
const MOST_CELLS: usize = 4096;

/// Smoothing makes neighbouring bins alike, so it works on bins no wider than these; wider ones are made of them.
const FINE_BINS: usize = 50;

/// No channel tells more bins apart than these: beyond, smoothed shares are spread evenly inside each of them.
const MOST_SMOOTHED: usize = 256;

/// The amount of smoothing is chosen on at most so many bins, and in so many groups if there are more.
const HELD_OUT_BINS: usize = 64;
const HELD_OUT_GROUPS: u32 = 512;

/// Likelihoods are computed in at least so many groups, as far as there are.
const FEWEST_GROUPS: u32 = 1024;

/// The bins of the distribution whose mean decides what the reports leave open.
const MEAN_BINS: usize = 64;

impl NumberEstimator {
    /// The estimator of a channel's reports.
    pub fn new(channel: Arc<dyn AnyNumeric>) -> Self {
        let groups = Groups::of(channel.output_cells());
        let last = channel.output_cells() - 1;
        let ends = [channel.output_value(0), channel.output_value(last)];
        let (last, of_mean) = (Arc::default(), Arc::default());
        let fingerprint = channel.fingerprint();
        let (values, brackets) = (Kept::default(), Kept::default());
        Self { channel, fingerprint, groups, ends, last, of_mean, values, brackets }
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
        Ok(self.fine_distribution(summary, method, bins)?.in_bins(bins))
    }

    /// The distribution over the bins that it is estimated on: those that are asked for, or parts of them, or fewer.
    fn fine_distribution(
        &self,
        summary: &CountSummary,
        method: Method,
        bins: usize,
    ) -> Result<Distribution, EstimateError> {
        let counts = self.counts(summary)?;
        if !(1..=MOST_CELLS).contains(&bins) {
            return Err(EstimateError::NotIdentifiable { reason: "a distribution has 1 to 4096 bins" });
        }
        if method == Method::Histogram {
            return Ok(Distribution::new(self.channel.space(), self.histogram(counts, bins)));
        }
        let estimated = match bins {
            _ if !method.is_smoothed() => bins,
            _ if bins > MOST_SMOOTHED => MOST_SMOOTHED,
            _ => bins * FINE_BINS.div_ceil(bins),
        };
        let merged = merge(self.groups, self.likelihood_groups(estimated), counts);
        let shares = self.shares(&self.operator(estimated), &merged, method);
        Ok(Distribution::new(self.channel.space(), shares))
    }

    /// The groups in which likelihoods are computed: several for each bin.
    fn likelihood_groups(&self, bins: usize) -> Groups {
        self.groups.coarsened((4 * bins as u32).next_power_of_two().max(FEWEST_GROUPS))
    }

    /// Everything that was asked for.
    ///
    /// # Errors
    /// As for [`NumberEstimator::distribution`], and when a range does not lie in the domain or a class of populations does
    /// not exist.
    pub fn answer(&self, summary: &CountSummary, request: &Request) -> Result<Answer, EstimateError> {
        self.check(request)?;
        // Ranges and quantiles cut bins, so how many are shown should not matter to them.
        let fine = self.fine_distribution(summary, request.method, request.bins)?;
        let distribution = fine.in_bins(request.bins);
        let counts = self.design_counts(summary)?;
        let shares = shares_of(&counts)?;
        let measure = self.measure(&shares, summary.count(), request);
        let bins = measure.bins(&distribution);
        let range = |[from, to]: &[f64; 2]| {
            let units = [*from, *to].map(|end| self.channel.space().to_unit(end));
            RangeShare { from: *from, to: *to, share: measure.share(units, fine.range([*from, *to])) }
        };
        let ranges = request.ranges.iter().map(range).collect();
        let (n, method, populations) = (summary.count(), request.method, request.populations);
        if self.channel.space().is_ring() {
            let found = Directions::new(&measure).mean_vector();
            return Ok(Answer::Angles(Angles {
                direction: found.direction,
                direction_told: found.is_told,
                resultant_length: found.length,
                distribution,
                bins,
                ranges,
                n,
                method,
                populations,
            }));
        }
        let quantiles = measure.quantiles(&fine, &request.quantiles);
        let mean = measure.mean(|| self.likeliest_mean(&counts));
        Ok(Answer::Numbers(Numbers { mean, distribution, bins, quantiles, ranges, n, method, populations }))
    }

    fn check(&self, request: &Request) -> Result<(), EstimateError> {
        if let Populations::Smooth { bins } = request.populations
            && !(2..=MOST_SMOOTH_BINS).contains(&bins)
        {
            let reason = "smooth populations are spread evenly inside each of 2 to 256 bins";
            return Err(EstimateError::NotIdentifiable { reason });
        }
        let space = self.channel.space();
        let is_inside = |range: &[f64; 2]| {
            let units = range.map(|end| space.to_unit(end));
            units.iter().all(|unit| (-1e-9..=1.0 + 1e-9).contains(unit))
                && if space.is_ring() { units[0] != units[1] } else { units[0] <= units[1] }
        };
        let levels = request.quantiles.iter().all(|level| (0.0..=1.0).contains(level));
        if request.ranges.iter().all(is_inside) && levels {
            return Ok(());
        }
        let reason = "ranges lie in the domain, from their lower to their upper end (on a circle between two different angles; \
                      the whole circle is from 0 to its period), and levels between 0 and 1";
        Err(EstimateError::NotIdentifiable { reason })
    }

    /// The mean of the likeliest distribution, as a fraction of the domain.
    fn likeliest_mean(&self, counts: &[u64]) -> f64 {
        let operator =
            self.of_mean.get_or_init(|| Operator::of_bins(&*self.channel, self.design_groups(), MEAN_BINS));
        let counts: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
        let shares = Likelihood::new(operator, &counts).maximise(vec![1.0 / MEAN_BINS as f64; MEAN_BINS]);
        let space = self.channel.space();
        space.to_unit(Distribution::new(space, shares).mean())
    }

    /// What reads reports, for a request.
    fn measure<'a>(&self, shares: &'a [f64], n: u64, request: &Request) -> Measure<'a> {
        let sampling = Sampling::new(request.target, n, request.took_part);
        let people = n as f64;
        let purpose = Purpose::new(people, sampling.share());
        let design = Design { populations: request.populations, purpose };
        let brackets = self.brackets.get(design, |Design { populations, purpose }| {
            let values = self.values.get(*populations, |populations| {
                Values::new(&*self.channel, self.design_groups(), *populations)
            });
            Brackets::new(&values, *purpose)
        });
        let counted = Counted { shares, people, reports_of_one: 1.0, sampling };
        Measure { brackets, counted, space: self.channel.space(), n, target: request.target }
    }

    fn design_groups(&self) -> Groups {
        Groups::at_most(self.channel.output_cells(), MOST_GROUPS)
    }

    /// The counters in the groups that weights are designed for.
    fn design_counts(&self, summary: &CountSummary) -> Result<Vec<u64>, EstimateError> {
        Ok(merge(self.groups, self.design_groups(), self.counts(summary)?))
    }

    fn operator(&self, bins: usize) -> Arc<Operator> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(operator) if operator.columns() == bins => operator.clone(),
            _ => {
                let groups = self.likelihood_groups(bins);
                let operator = Arc::new(Operator::of_bins(&*self.channel, groups, bins));
                *last = Some(operator.clone());
                operator
            }
        }
    }

    /// The counters of the groups.
    fn counts<'a>(&self, summary: &'a CountSummary) -> Result<&'a [u64], EstimateError> {
        let groups = self.groups.count();
        let counters = summary.with_sums_of_mechanism(self.fingerprint, groups + SUMS, SUMS)?;
        must_add_up(&counters[..groups], summary.count())?;
        Ok(&counters[..groups])
    }

    fn shares(&self, operator: &Operator, counts: &[u64], method: Method) -> Vec<f64> {
        let ring = self.channel.space().is_ring();
        if method == Method::LeastSquares {
            let (n, groups) = (total(counts), self.likelihood_groups(operator.columns()));
            let density = counts
                .iter()
                .enumerate()
                .map(|(group, count)| *count as f64 / n / f64::from(groups.size(group)));
            return least_squares(operator, &density.collect::<Vec<_>>());
        }
        let smoothing = match method {
            Method::ExpectationMaximization => Smoothing::NONE,
            Method::SmoothedByHeldOut => self.held_out_smoothing(operator, counts),
            _ => Smoothing::BINOMIAL,
        };
        let counts: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
        Likelihood::new(operator, &counts).smoothed(smoothing, Start::uniform(operator.columns(), ring))
    }

    /// The smoothing under which left-out reports are most likely, found on few bins if there are many.
    fn held_out_smoothing(&self, operator: &Operator, counts: &[u64]) -> Smoothing {
        let ring = self.channel.space().is_ring();
        let bins = operator.columns();
        if bins <= HELD_OUT_BINS {
            return Smoothing::by_held_out_likelihood(operator, counts, ring);
        }
        let (fine, coarse) = (self.likelihood_groups(bins), self.groups.coarsened(HELD_OUT_GROUPS));
        let few = Operator::of_bins(&*self.channel, coarse, HELD_OUT_BINS);
        let found = Smoothing::by_held_out_likelihood(&few, &merge(fine, coarse, counts), ring);
        found.on_finer_bins(bins as f64 / HELD_OUT_BINS as f64)
    }

    /// The reports as they are. Cells of one group that lie in different bins share its count evenly.
    fn histogram(&self, counts: &[u64], bins: usize) -> Vec<f64> {
        let space = self.channel.space();
        let n = total(counts);
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

    /// The mean as a mean over reports: of weights halfway between both sides of its bracket.
    ///
    /// # Errors
    /// As for [`NumberEstimator::distribution`], and for angles, which have no mean of this kind.
    pub(crate) fn mean_of_groups(&self, summary: &CountSummary) -> Result<MeanOfGroups, EstimateError> {
        let counts = self.design_counts(summary)?;
        let space = self.channel.space();
        if space.is_ring() {
            return Err(EstimateError::Step { step: "mean", method: "directions of angles" });
        }
        let shares = shares_of(&counts)?;
        let request = Request { bins: 1, ..Request::default() };
        let measure = self.measure(&shares, summary.count(), &request);
        let bracket = measure.brackets.bracket(Question::Value);
        let both = bracket.upper.weights.iter().zip(&bracket.lower.weights);
        let weights: Vec<f64> = both.map(|(upper, lower)| (upper - lower) / 2.0 * space.width()).collect();
        let [low, high] = measure.bracketed(Question::Value).range();
        let value = space.from_unit(f64::midpoint(low, high));
        Ok(MeanOfGroups { counts, range: range(weights.iter().copied()), weights, value })
    }

    /// A report's number in fixed point, in two words of 32 bits so that sums of billions do not overflow.
    fn fixed_point(&self, cell: u32) -> [u64; 2] {
        let [low, high] = self.ends;
        let fraction = (self.channel.output_value(cell) - low) / (high - low);
        let fixed = (fraction.clamp(0.0, 1.0) * FIXED_ONE) as u64;
        [fixed >> 32, fixed & u64::from(u32::MAX)]
    }
}

/// Counters of groups that are unions of others.
fn merge(fine: Groups, coarse: Groups, counts: &[u64]) -> Vec<u64> {
    let mut merged = vec![0u64; coarse.count()];
    for (group, count) in counts.iter().enumerate() {
        let sum = &mut merged[coarse.group(fine.start(group))];
        *sum = sum.saturating_add(*count);
    }
    merged
}

/// The share of reports in each group.
fn shares_of(counts: &[u64]) -> Result<Vec<f64>, EstimateError> {
    let n = total(counts);
    if n == 0.0 {
        return Err(EstimateError::Damaged { reason: "no report is in any group" });
    }
    Ok(counts.iter().map(|count| *count as f64 / n).collect())
}

fn total(counts: &[u64]) -> f64 {
    counts.iter().map(|count| *count as f64).sum()
}

/// The most bins inside of which smooth populations are spread evenly.
const MOST_SMOOTH_BINS: u32 = 256;

/// The distance between the smallest and the largest.
fn range(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    high - low
}

impl Estimator for NumberEstimator {
    type Summary = CountSummary;
    type Estimate = Answer;

    fn empty_summary(&self) -> CountSummary {
        CountSummary::empty(self.fingerprint, self.groups.count() + SUMS)
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
        summary.add(self.fingerprint, reports, &counts)
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
