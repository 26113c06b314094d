//! Shares of categories from reports of pairs, by a collector who does not know which two reports belong together.

use crate::crowd::Pairs;
use crate::response::PairedOracle;
use crate::variance::SupportLaw;
use privet_core::{EstimateError, Estimator, ReportBuffer, ReportError, Summary, Target};
use privet_estimators::statistics::normal_quantile;
use privet_estimators::{
    Consistency, CountSummary, Frequencies, FrequencyEstimation, FrequencyEstimator, Reading, Request,
};

/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// Below this variance of a support count its law is too skewed for an interval from the variance alone.
const SMALLEST_NORMAL_VARIANCE: f64 = 100.0;

/// The unbiased estimate of [`FrequencyEstimator`], with the standard errors and intervals of paired reports.
///
/// The variance depends on the number of holders, and at a negative correlation strongly: it is smallest where nobody or
/// everybody holds the category. Putting the estimate itself into the formula would state far too small an error whenever the
/// estimate happens to fall to zero or below. So the interval is that of a score test: all numbers of holders from which the
/// estimate is less than so many of *their* standard deviations away. The standard error is the one in the middle of those that
/// are less than one away. With many reports both are the usual ones. Where the count varies by less than ten, the interval also covers the one of
/// independent reports.
#[derive(Debug, Clone)]
pub struct JointEstimator<O> {
    counting: FrequencyEstimator<O>,
    law: SupportLaw,
    alone: Option<u64>,
}

impl<O: PairedOracle> JointEstimator<O> {
    /// The estimator of reports whose people were all paired, but for one if their number is odd.
    pub fn new(oracle: O) -> Self {
        Self { law: oracle.law(), counting: FrequencyEstimator::new(oracle), alone: None }
    }

    /// States that `alone` people, among them the odd one, perturbed alone: their partner was lost.
    pub fn with_alone(self, alone: u64) -> Self {
        Self { alone: Some(alone), ..self }
    }

    fn pairs(&self, people: u64) -> Result<Pairs, EstimateError> {
        let Some(alone) = self.alone else { return Ok(Pairs::of(people)) };
        Pairs::with_alone(people, alone).map_err(|_| EstimateError::Damaged {
            reason: "the people who are not alone must be an even number of those who reported",
        })
    }
}

impl<O: PairedOracle> Estimator for JointEstimator<O> {
    type Summary = CountSummary;
    type Estimate = Frequencies;

    fn empty_summary(&self) -> CountSummary {
        self.counting.empty_summary()
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        self.counting.accumulate(summary, reports)
    }

    fn estimate(&self, summary: &CountSummary) -> Result<Frequencies, EstimateError> {
        self.frequencies(summary, &Request::default())
    }
}

impl<O: PairedOracle> FrequencyEstimation for JointEstimator<O> {
    /// Without a step: those of other estimators are about independent reports.
    fn frequencies(&self, summary: &CountSummary, request: &Request) -> Result<Frequencies, EstimateError> {
        if request.step != Consistency::None {
            return Err(EstimateError::Step { step: request.step.as_str(), method: METHOD });
        }
        let mut frequencies = self.counting.frequencies(summary, request)?;
        let score = Score::new(&self.law, self.pairs(summary.count())?, request.target);
        let rows = frequencies.rows.len().max(1) as f64;
        for row in &mut frequencies.rows {
            let estimate = &mut row.estimate;
            let reach = |alpha: f64| normal_quantile(1.0 - alpha / 2.0);
            let interval = score.interval(estimate.value, reach(1.0 - CONFIDENCE));
            let simultaneous = score.interval(estimate.value, reach((1.0 - CONFIDENCE) / rows));
            estimate.standard_error = score.variance_in(score.interval(estimate.value, 1.0)).sqrt();
            let is_small = score.variance_in(interval) * score.scale < SMALLEST_NORMAL_VARIANCE;
            estimate.method = METHOD;
            let covering = |new: [f64; 2], independent: [f64; 2]| {
                if is_small { [new[0].min(independent[0]), new[1].max(independent[1])] } else { new }
            };
            estimate.interval = covering(interval, estimate.interval);
            row.simultaneous_interval = covering(simultaneous, row.simultaneous_interval);
        }
        METHOD.clone_into(&mut frequencies.method);
        Ok(frequencies)
    }

    fn reading(&self) -> Reading<'_> {
        self.counting.reading()
    }
}

const METHOD: &str = "support counts of pairs";

/// The variance of an estimated share as a function of the true one: `constant + linear f + square f^2`.
struct Score {
    constant: f64,
    linear: f64,
    square: f64,
    /// What turns the variance of a share into that of a count.
    scale: f64,
}

impl Score {
    fn new(law: &SupportLaw, pairs: Pairs, target: Target) -> Self {
        let people = pairs.people() as f64;
        // Who holds the category is random too, if the people are drawn from a population.
        let of_people = match target {
            Target::Reported => 0.0,
            Target::Population => 1.0 / people,
        };
        let at = |share: f64| {
            law.estimate_variance(pairs, share * people) / (people * people)
                + of_people * share * (1.0 - share)
        };
        let (none, half, all) = (at(0.0), at(0.5), at(1.0));
        let square = 2.0 * (none + all - 2.0 * half);
        Self { constant: none, linear: all - none - square, square, scale: (people * law.difference).powi(2) }
    }

    fn variance(&self, share: f64) -> f64 {
        (self.constant + share * (self.linear + share * self.square)).max(0.0)
    }

    /// All shares f with |value - f| <= z sd(f).
    fn interval(&self, value: f64, z: f64) -> [f64; 2] {
        let quadratic = 1.0 - z * z * self.square;
        let half_linear = value + 0.5 * z * z * self.linear;
        let constant = value * value - z * z * self.constant;
        let discriminant = half_linear * half_linear - quadratic * constant;
        if quadratic > 0.0 && discriminant >= 0.0 {
            let root = discriminant.sqrt();
            return [(half_linear - root) / quadratic, (half_linear + root) / quadratic];
        }
        // No share fits, or all do: as far around the nearest share as its own deviation reaches.
        let nearest = value.clamp(0.0, 1.0);
        let reach = z * self.variance(nearest).sqrt();
        [value.min(nearest - reach), value.max(nearest + reach)]
    }

    /// The variance in the middle of an interval.
    fn variance_in(&self, [low, high]: [f64; 2]) -> f64 {
        self.variance((0.5 * (low + high)).clamp(0.0, 1.0))
    }
}
