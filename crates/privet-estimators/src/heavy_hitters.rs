//! Frequent words, found prefix by prefix.

use crate::consistency::Consistency;
use crate::frequency::{CONFIDENCE, Frequencies, Raw};
use crate::statistics::normal_quantile;
use crate::summary::CountSummary;
use crate::{FrequencyEstimation, HasEstimator};
use privet_core::{EstimateError, Estimator, Mechanism, ReportBuffer, ReportError, Summary};
use privet_mechanisms::categorical::PrefixTree;

/// Grows prefixes byte by byte and keeps those that are significantly frequent.
///
/// At each length all one-byte extensions of the surviving prefixes are estimated from the people who reported on that
/// length. A prefix survives if its estimate is above zero at 95 % confidence over all extensions tested there; at most
/// [`HeavyHitters::MAX_SURVIVORS`] do. The frequency of a word is pooled over all lengths beyond its end, where the padded
/// prefix is the word itself.
#[derive(Debug, Clone)]
pub struct HeavyHitters {
    mechanism: PrefixTree,
    /// Support of the own bucket, and of the bucket of another prefix.
    own: f64,
    other: f64,
}

/// A prefix that is still in the race.
#[derive(Clone)]
struct Candidate {
    bytes: Vec<u8>,
    estimate: f64,
}

impl HeavyHitters {
    /// How many prefixes survive each length at most.
    pub const MAX_SURVIVORS: usize = 64;

    /// The finder for the mechanism's reports.
    pub fn new(mechanism: PrefixTree) -> Self {
        let row = mechanism.weights();
        let scale = 2f64.powi(-64);
        let (own, low) = (row.high() as f64 * scale, row.low() as f64 * scale);
        let shared = 1.0 / f64::from(row.count());
        Self { own, other: shared * own + (1.0 - shared) * low, mechanism }
    }

    fn counters(&self) -> usize {
        self.mechanism.levels() as usize * self.level_size()
    }

    fn level_size(&self) -> usize {
        PrefixTree::ROWS as usize * self.mechanism.weights().count() as usize
    }

    /// The estimate for one prefix from the counters of its length, which belong to `n` people.
    fn estimate_prefix(&self, counters: &[u64], n: f64, prefix: &[u8]) -> f64 {
        let key = self.mechanism.prefix_key(prefix);
        let buckets = self.mechanism.weights().count();
        let counter = |row: u32| counters[(row * buckets + self.mechanism.bucket(row, key)) as usize];
        let support: u64 = (0..PrefixTree::ROWS).map(counter).sum();
        (support as f64 / n - self.other) / (self.own - self.other)
    }

    /// The variance of an estimate from `n` people.
    fn variance(&self, value: f64, n: f64) -> f64 {
        let frequency = value.clamp(0.0, 1.0);
        let of = |probability: f64| probability * (1.0 - probability);
        (frequency * of(self.own) + (1.0 - frequency) * of(self.other))
            / (n * (self.own - self.other).powi(2))
    }

    /// One round: every extension of every survivor by one byte, then the significant ones.
    fn extend(&self, survivors: &[Candidate], counters: &[u64]) -> Vec<Candidate> {
        let n = counters.iter().sum::<u64>() as f64;
        if n == 0.0 {
            return Vec::new();
        }
        let extensions = survivors.iter().flat_map(|survivor| {
            // After the end of a word there is only padding; a word is not empty.
            let ended = survivor.bytes.last() == Some(&0);
            let first = u8::from(survivor.bytes.is_empty());
            let next = if ended { 0..=0 } else { first..=u8::MAX };
            next.map(|byte| [&survivor.bytes[..], &[byte]].concat())
        });
        let extensions: Vec<Vec<u8>> = extensions.collect();
        let threshold = normal_quantile(1.0 - (1.0 - CONFIDENCE) / extensions.len().max(1) as f64);
        let significant = extensions.into_iter().filter_map(|bytes| {
            let value = self.estimate_prefix(counters, n, &bytes);
            (value > threshold * self.variance(value, n).sqrt())
                .then_some(Candidate { bytes, estimate: value })
        });
        let mut kept: Vec<Candidate> = significant.collect();
        kept.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        kept.truncate(Self::MAX_SURVIVORS);
        kept
    }

    /// The frequency of a whole word, from all lengths at which its padded prefix is the word itself.
    fn pool(&self, word: &[u8], counts: &[u64]) -> Raw {
        let length = word.iter().position(|byte| *byte == 0).unwrap_or(word.len());
        let first = length.min(word.len() - 1);
        let levels = counts.chunks_exact(self.level_size()).enumerate().skip(first);
        let (mut weight, mut sum) = (0.0, 0.0);
        for (level, counters) in levels {
            let n = counters.iter().sum::<u64>() as f64;
            if n > 0.0 {
                // Weighing by people rather than by the estimated variance keeps the mean unbiased.
                weight += n;
                sum += n * self.estimate_prefix(counters, n, &word[..=level]);
            }
        }
        let value = sum / weight;
        let variance = self.variance(value, weight);
        Raw { label: String::from_utf8_lossy(&word[..length]).into_owned(), value, variance }
    }
}

impl Estimator for HeavyHitters {
    type Summary = CountSummary;
    type Estimate = Frequencies;

    fn empty_summary(&self) -> CountSummary {
        CountSummary::empty(self.mechanism.fingerprint(), self.counters())
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        let buckets = self.mechanism.weights().count() as usize;
        let mut counts = vec![0; self.counters()];
        for slot in reports.iter() {
            let report = self.mechanism.decode(slot)?;
            let row = report.level as usize * PrefixTree::ROWS as usize + report.row as usize;
            counts[row * buckets + report.bucket as usize] += 1;
        }
        summary.add(self.mechanism.fingerprint(), reports, &counts)
    }

    /// The words that were found, most frequent first; possibly none.
    fn estimate(&self, summary: &CountSummary) -> Result<Frequencies, EstimateError> {
        let counts = summary.of_mechanism(self.mechanism.fingerprint())?;
        let mut survivors = vec![Candidate { bytes: Vec::new(), estimate: 1.0 }];
        for counters in counts.chunks_exact(self.level_size()) {
            survivors = self.extend(&survivors, counters);
        }
        let mut raw: Vec<Raw> = survivors.iter().map(|word| self.pool(&word.bytes, counts)).collect();
        raw.sort_by(|a, b| b.value.total_cmp(&a.value));
        let tests = raw.len();
        Ok(Frequencies::new(raw, summary.count(), "prefix tree", tests))
    }
}

impl FrequencyEstimation for HeavyHitters {
    /// Words are only those that were found, so they need not add up to one.
    fn estimate_consistently(
        &self,
        summary: &CountSummary,
        step: Consistency,
    ) -> Result<Frequencies, EstimateError> {
        if matches!(step, Consistency::None | Consistency::NonNegative) {
            return Ok(self.estimate(summary)?.projected(step));
        }
        Err(EstimateError::Step { step: step.as_str(), method: "a prefix tree" })
    }
}

impl HasEstimator for PrefixTree {
    type Estimator = HeavyHitters;
    fn estimator(&self) -> HeavyHitters {
        HeavyHitters::new(self.clone())
    }
}
