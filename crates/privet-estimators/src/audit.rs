//! Audits: how much likelier an event is under one input than under another, at least.

use crate::statistics::{BinomialCount, clopper_pearson_lower, clopper_pearson_upper};
use privet_core::{Generator, InputError, ParameterError, ReportBuffer, ReportError};
use privet_mechanisms::registry::{AnyMechanism, WorstInput};
use thiserror::Error;

/// Why an audit found nothing. Never happens with a mechanism that accepts what it writes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AuditError {
    /// A worst input outside the domain.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A report that the mechanism itself refuses.
    #[error(transparent)]
    Report(#[from] ReportError),
}

/// Reports that are held at once.
const BATCH_BYTES: usize = 4 << 20;

/// How many reports are drawn for each input, and how sure a bound must be.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// Reports for each input.
    pub samples: u64,
    /// How sure a bound must be.
    pub confidence: f64,
}

impl Sampling {
    /// Checks both.
    ///
    /// # Errors
    /// When the confidence is no probability below one.
    pub fn new(samples: u64, confidence: f64) -> Result<Self, ParameterError> {
        if !(0.0..1.0).contains(&confidence) {
            let reason = format!("the confidence must be at least 0 and below 1: got {confidence}");
            return Err(ParameterError::Incompatible { reason });
        }
        Ok(Self { samples, confidence })
    }

    /// How often a bound may be wrong.
    pub fn alpha(&self) -> f64 {
        1.0 - self.confidence
    }

    /// The samples that choose the event.
    pub fn choosing(&self) -> u64 {
        self.samples / 2
    }

    /// The samples that test it; none of them has helped to choose it.
    pub fn testing(&self) -> u64 {
        self.samples - self.choosing()
    }

    /// The bound for an event that always happens under one input and never under another.
    pub fn largest_bound(&self, tests: usize) -> f64 {
        let counts = EventCounts { likelier: self.testing(), other: 0, trials: self.testing() };
        counts.log_ratio_bound(self.alpha() / tests as f64, 0.0)
    }
}

/// How often an event happened in equally many trials under two inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventCounts {
    /// Under the input where it is likelier.
    pub likelier: u64,
    /// Under the other one.
    pub other: u64,
    /// Trials under each.
    pub trials: u64,
}

impl EventCounts {
    /// A lower bound of the log-ratio of the event's probabilities, after `delta` is taken off the likelier one, that is
    /// wrong with probability `alpha` at most: Clopper-Pearson bounds of both, each wrong with half of it.
    pub fn log_ratio_bound(&self, alpha: f64, delta: f64) -> f64 {
        let count = |successes| BinomialCount::new(successes, self.trials);
        let (Some(likelier), Some(other)) = (count(self.likelier), count(self.other)) else { return 0.0 };
        let lower = clopper_pearson_lower(likelier, alpha / 2.0);
        let upper = clopper_pearson_upper(other, alpha / 2.0);
        // Nothing is left for a likelier event of probability delta or less; the logarithm is then no number.
        ((lower - delta).max(0.0) / upper).ln().max(0.0)
    }

    /// Roughly that bound, for choosing among many events.
    pub fn score(&self) -> f64 {
        // About five standard errors, for the confidences that audits use.
        const WIDTH: f64 = 5.0;
        let (likelier, other) = (self.likelier as f64 + 0.5, self.other as f64 + 0.5);
        (likelier / other).ln() - WIDTH * (1.0 / likelier + 1.0 / other).sqrt()
    }
}

/// Thresholds that are tried.
const MAX_CANDIDATES: usize = 128;

/// The event is "the report is at least so much likelier under the first worst input than under the second". The likelihood
/// is computed from the channel, but only to choose the event: what is counted are reports, and the bound would hold for
/// any event. `progress` hears how many reports were drawn since it was called last.
///
/// # Errors
/// When the mechanism does not accept its own worst inputs, or not its own reports.
pub fn lower_bound(
    mechanism: &dyn AnyMechanism,
    sampling: Sampling,
    rng: &mut Generator,
    progress: &mut dyn FnMut(u64),
) -> Result<f64, AuditError> {
    let mut draw = |which, count| log_ratios(mechanism, which, count, rng, progress);
    let choosing =
        [draw(WorstInput::First, sampling.choosing())?, draw(WorstInput::Second, sampling.choosing())?];
    let delta = mechanism.guarantee().delta();
    let Some(threshold) = best_threshold(&choosing, sampling, delta) else { return Ok(0.0) };
    let testing =
        [draw(WorstInput::First, sampling.testing())?, draw(WorstInput::Second, sampling.testing())?];
    Ok(counts(&testing, threshold).log_ratio_bound(sampling.alpha(), delta))
}

/// The log-ratios of reports for one of the two inputs, sorted.
fn log_ratios(
    mechanism: &dyn AnyMechanism,
    which: WorstInput,
    count: u64,
    rng: &mut Generator,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<f64>, AuditError> {
    let mut ratios = Vec::with_capacity(count as usize);
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    let limit = (BATCH_BYTES / mechanism.report_bytes().max(1)).max(16) as u64;
    let mut left = count;
    while left > 0 {
        let chunk = left.min(limit);
        reports.clear();
        mechanism.randomize_worst_input(which, chunk as usize, rng, &mut reports)?;
        for report in reports.iter() {
            ratios.push(mechanism.worst_log_ratio(report)?);
        }
        left -= chunk;
        progress(chunk);
    }
    ratios.sort_by(f64::total_cmp);
    Ok(ratios)
}

/// How many reports of each input are at least as telling as the threshold.
fn counts([first, second]: &[Vec<f64>; 2], threshold: f64) -> EventCounts {
    let above = |sorted: &[f64]| (sorted.len() - sorted.partition_point(|ratio| *ratio < threshold)) as u64;
    EventCounts { likelier: above(first), other: above(second), trials: first.len() as u64 }
}

fn best_threshold(choosing: &[Vec<f64>; 2], sampling: Sampling, delta: f64) -> Option<f64> {
    let mut candidates = choosing[0].clone();
    candidates.dedup();
    let step = candidates.len().div_ceil(MAX_CANDIDATES).max(1);
    // From the top, so that the most telling one is always tried.
    let tried = candidates.iter().rev().step_by(step);
    let scored =
        tried.map(|ratio| (counts(choosing, *ratio).log_ratio_bound(sampling.alpha(), delta), *ratio));
    scored.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, ratio)| ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_stay_below_the_observed_ratio_and_above_zero() {
        let counts = EventCounts { likelier: 7_000, other: 3_000, trials: 10_000 };
        let bound = counts.log_ratio_bound(1e-6, 0.0);
        assert!(bound > 0.7 && bound < (7.0f64 / 3.0).ln(), "{bound}");
        assert!(counts.log_ratio_bound(1e-6, 0.1) < bound && counts.log_ratio_bound(1e-6, 0.9) == 0.0);
        assert_eq!(EventCounts { likelier: 1, other: 3_000, trials: 10_000 }.log_ratio_bound(1e-6, 0.0), 0.0);
        assert_eq!(EventCounts { likelier: 0, other: 0, trials: 10_000 }.log_ratio_bound(1e-6, 0.0), 0.0);
    }

    #[test]
    fn telling_the_truth_is_detected_up_to_the_number_of_samples() {
        let sampling = Sampling::new(100_000, 0.999_999).unwrap();
        // -ln(1 - (alpha / 2)^(1/n)) is about ln(n / ln(2 / alpha)).
        let expected = (50_000.0f64 / (2e6f64).ln()).ln();
        assert!((sampling.largest_bound(1) - expected).abs() < 1e-3);
        assert!(sampling.largest_bound(90) < sampling.largest_bound(1));
    }

    #[test]
    fn confidences_are_probabilities_below_one() {
        for confidence in [1.0, -0.1, 2.0, f64::NAN] {
            assert!(Sampling::new(1000, confidence).is_err(), "{confidence}");
        }
    }
}
