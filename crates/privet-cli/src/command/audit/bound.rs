//! How much likelier an event is under one input than under another, at least.

use crate::failure::Failure;
use privet::statistics::{BinomialCount, clopper_pearson_lower, clopper_pearson_upper};

/// How many reports are drawn for each input, and how sure a bound must be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sampling {
    pub(super) samples: u64,
    pub(super) confidence: f64,
}

impl Sampling {
    pub(super) fn new(samples: u64, confidence: f64) -> Result<Self, Failure> {
        if !(0.0..1.0).contains(&confidence) {
            return Err(Failure::Usage {
                message: format!("the confidence must be at least 0 and below 1: got {confidence}"),
                hint: None,
            });
        }
        Ok(Self { samples, confidence })
    }

    /// How often a bound may be wrong.
    pub(super) fn alpha(&self) -> f64 {
        1.0 - self.confidence
    }

    /// The samples that choose the event.
    pub(super) fn choosing(&self) -> u64 {
        self.samples / 2
    }

    /// The samples that test it; none of them has helped to choose it.
    pub(super) fn testing(&self) -> u64 {
        self.samples - self.choosing()
    }

    /// The bound for an event that always happens under one input and never under another.
    pub(super) fn largest_bound(&self, tests: usize) -> f64 {
        let counts = EventCounts { likelier: self.testing(), other: 0, trials: self.testing() };
        counts.log_ratio_bound(self.alpha() / tests as f64, 0.0)
    }
}

/// How often an event happened in equally many trials under two inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EventCounts {
    pub(super) likelier: u64,
    pub(super) other: u64,
    pub(super) trials: u64,
}

impl EventCounts {
    /// A lower bound of the log-ratio of the event's probabilities, after `delta` is taken off the likelier one, that is
    /// wrong with probability `alpha` at most: Clopper-Pearson bounds of both, each wrong with half of it.
    pub(super) fn log_ratio_bound(&self, alpha: f64, delta: f64) -> f64 {
        let count = |successes| BinomialCount::new(successes, self.trials);
        let (Some(likelier), Some(other)) = (count(self.likelier), count(self.other)) else { return 0.0 };
        let lower = clopper_pearson_lower(likelier, alpha / 2.0);
        let upper = clopper_pearson_upper(other, alpha / 2.0);
        // Nothing is left for a likelier event of probability delta or less; the logarithm is then no number.
        ((lower - delta).max(0.0) / upper).ln().max(0.0)
    }

    /// Roughly that bound, for choosing among many events.
    pub(super) fn score(&self) -> f64 {
        // About five standard errors, for the confidences that audits use.
        const WIDTH: f64 = 5.0;
        let (likelier, other) = (self.likelier as f64 + 0.5, self.other as f64 + 0.5);
        (likelier / other).ln() - WIDTH * (1.0 / likelier + 1.0 / other).sqrt()
    }
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
