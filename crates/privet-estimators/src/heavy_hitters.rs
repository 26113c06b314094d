//! Frequent words, found prefix by prefix.

use crate::bounds::{CONFIDENCE, Spread};
use crate::consistency::Consistency;
use crate::frequency::{Basis, Frequencies, NOTHING, Raw};
use crate::statistics::{BinomialCount, binomial_upper_tail, normal_quantile};
use crate::summary::{CountSummary, must_add_up};
use crate::{FrequencyEstimation, HasEstimator, Reading, Request};
use privet_core::{EstimateError, Estimator, Mechanism, ReportBuffer, ReportError, Summary};
use privet_mechanisms::categorical::PrefixTree;

/// Grows prefixes byte by byte and keeps those that are significantly frequent.
///
/// At each length all one-byte extensions of the surviving prefixes are estimated from the people who reported on that
/// length. A prefix survives if so much support would come about without it with a probability of at most 5 % over all
/// extensions tested there, by the exact binomial tail and by a normal bound that includes collisions; at most
/// [`HeavyHitters::MAX_SURVIVORS`] do. The frequency of a word is pooled over all lengths beyond its end, where the padded
/// prefix is the word itself.
///
/// The hash functions are public and fixed, so a prefix that shares buckets with a frequent one is favoured by all people
/// alike. That adds `(sum of squared frequencies) / (rows x (buckets - 1))` to every variance, however many people there
/// are; the sum is estimated from pairs of reports in the same row. Who reports on which length is a lottery, which is part of the
/// variance as well. Words that are found tend to be overestimated, because their own reports chose them. Only
/// intervals that hold for all words tested at once allow for that, so `interval` is the simultaneous one, and the method says so.
#[derive(Debug, Clone)]
pub struct HeavyHitters {
    mechanism: PrefixTree,
    /// Support of the own bucket, and of the bucket of another prefix.
    own: f64,
    other: f64,
    /// The probability of one particular wrong bucket.
    low: f64,
    /// `own - low` and `own - other`, each rounded once.
    spread: f64,
    difference: f64,
}

/// How the frequencies were computed, and why no interval is about one word alone.
const METHOD: &str =
    "prefix tree; words were chosen by their reports, so each interval is the one that holds for all at once";

/// A prefix that is still in the race.
#[derive(Clone)]
struct Candidate {
    bytes: Vec<u8>,
    estimate: f64,
}

/// What the people of one prefix length reported.
struct Level<'a> {
    counters: &'a [u64],
    people: u64,
    /// The estimated sum of squared frequencies of all prefixes of this length.
    concentration: f64,
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
        let spread = (row.high() - row.low()) as f64 * scale;
        let difference = spread * (1.0 - shared);
        Self { own, other: shared * own + (1.0 - shared) * low, low, spread, difference, mechanism }
    }

    fn counters(&self) -> usize {
        self.mechanism.levels() as usize * self.level_size()
    }

    fn buckets(&self) -> u32 {
        self.mechanism.weights().count()
    }

    fn level_size(&self) -> usize {
        PrefixTree::ROWS as usize * self.buckets() as usize
    }

    fn level<'a>(&self, counters: &'a [u64]) -> Level<'a> {
        let (mut equal, mut pairs) = (0.0, 0.0);
        for row in counters.chunks_exact(self.buckets() as usize) {
            let people = row.iter().map(|count| *count as f64).sum::<f64>();
            equal += row.iter().map(|count| *count as f64 * (*count as f64 - 1.0)).sum::<f64>();
            pairs += people * (people - 1.0);
        }
        // Two reports of a row are equal with probability g low^2 + 2 low (own - low) + (own - low)^2 h, where h is the sum
        // of squared shares of the buckets; over hash functions h is 1/g + (1 - 1/g) times the wanted sum.
        let share = 1.0 / f64::from(self.buckets());
        let noise = self.low * (self.low / share + 2.0 * self.spread);
        let bucket_squares = (equal / pairs - noise) / self.spread.powi(2);
        let concentration = (bucket_squares - share) / (1.0 - share);
        let people = counters.iter().fold(0u64, |sum, count| sum.saturating_add(*count));
        // Without two reports in any row nothing is known: the worst case.
        let concentration = if pairs > 0.0 { concentration.clamp(0.0, 1.0) } else { 1.0 };
        Level { counters, people, concentration }
    }

    /// How many reports of a level support a prefix.
    fn support(&self, level: &Level<'_>, prefix: &[u8]) -> u64 {
        let key = self.mechanism.prefix_key(prefix);
        let bucket = |row: u32| (row * self.buckets() + self.mechanism.bucket(row, key)) as usize;
        (0..PrefixTree::ROWS).fold(0, |sum, row| sum.saturating_add(level.counters[bucket(row)]))
    }

    fn estimate_prefix(&self, level: &Level<'_>, support: u64) -> f64 {
        (support as f64 / level.people as f64 - self.other) / self.difference
    }

    /// The variance that the draws of `people` reports give to an estimate.
    fn draw_variance(&self, value: f64, people: f64) -> f64 {
        let frequency = value.clamp(0.0, 1.0);
        let of = |probability: f64| probability * (1.0 - probability);
        (frequency * of(self.own) + (1.0 - frequency) * of(self.other)) / (people * self.difference.powi(2))
    }

    /// The variance that collisions with other prefixes give to the estimate of one that a share `value` holds.
    fn collision_variance(&self, value: f64, level: &Level<'_>) -> f64 {
        let others = (level.concentration - value.clamp(0.0, 1.0).powi(2)).max(0.0);
        others / (f64::from(PrefixTree::ROWS) * f64::from(self.buckets() - 1))
    }

    /// Every extension of every survivor by one byte.
    fn extensions(survivors: &[Candidate]) -> Vec<Vec<u8>> {
        let extend = |survivor: &Candidate| {
            // After the end of a word there is only padding; a word is not empty.
            let ended = survivor.bytes.last() == Some(&0);
            let first = u8::from(survivor.bytes.is_empty());
            let next = if ended { 0..=0 } else { first..=u8::MAX };
            let prefix = survivor.bytes.clone();
            next.map(move |byte| [&prefix[..], &[byte]].concat())
        };
        survivors.iter().flat_map(extend).collect()
    }

    /// The extensions that are significantly frequent, at most [`Self::MAX_SURVIVORS`].
    fn significant(&self, extensions: Vec<Vec<u8>>, level: &Level<'_>) -> Vec<Candidate> {
        let alpha = (1.0 - CONFIDENCE) / extensions.len().max(1) as f64;
        let absent = self.draw_variance(0.0, level.people as f64) + self.collision_variance(0.0, level);
        let threshold = normal_quantile(1.0 - alpha) * absent.sqrt();
        let mut kept: Vec<Candidate> = extensions
            .into_iter()
            .filter_map(|bytes| {
                let support = self.support(level, &bytes);
                let estimate = self.estimate_prefix(level, support);
                // The exact tail is for few people, where the normal bound is none.
                let tail = BinomialCount::new(support, level.people)
                    .map_or(1.0, |count| binomial_upper_tail(count, self.other));
                (estimate > threshold && tail <= alpha).then_some(Candidate { bytes, estimate })
            })
            .collect();
        kept.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        kept.truncate(Self::MAX_SURVIVORS);
        kept
    }

    /// The frequency of a whole word, from all lengths at which its padded prefix is the word itself.
    fn pool(&self, word: &[u8], levels: &[Level<'_>]) -> Raw {
        let length = word.iter().position(|byte| *byte == 0).unwrap_or(word.len());
        let whole = || (0..word.len()).zip(levels).skip(length.min(word.len() - 1));
        let people: f64 = whole().map(|(_, level)| level.people as f64).sum();
        // Weighing by people rather than by the estimated variance keeps the mean unbiased.
        let share = |level: &Level<'_>| level.people as f64 / people;
        let reporting = || whole().filter(|(_, level)| level.people > 0);
        let value: f64 = reporting()
            .map(|(end, level)| {
                share(level) * self.estimate_prefix(level, self.support(level, &word[..=end]))
            })
            .sum();
        let collisions: f64 =
            reporting().map(|(_, level)| share(level).powi(2) * self.collision_variance(value, level)).sum();
        // One report of the own bucket or of another, less what falls there by chance.
        let addition = (1.0 - 2.0 * self.other.min(self.own)) / self.difference;
        let held = value.clamp(0.0, 1.0);
        let of_draws = self.draw_variance(value, 1.0) + collisions * people;
        Raw {
            label: readable(&word[..length]),
            value,
            spread: Spread { of_draws, of_people: of_draws + held * (1.0 - held) },
            skew: [addition.abs(); 2],
            people: people as u64,
            others: NOTHING,
        }
    }
}

/// The word as text; bytes that are no text are written as escapes, so that different words look different.
fn readable(word: &[u8]) -> String {
    std::str::from_utf8(word).map_or_else(|_| word.escape_ascii().to_string(), str::to_owned)
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
        self.frequencies(summary, &Request::default())
    }
}

impl FrequencyEstimation for HeavyHitters {
    /// Words are only those that were found, so they need not add up to one.
    fn frequencies(&self, summary: &CountSummary, request: &Request) -> Result<Frequencies, EstimateError> {
        if !matches!(request.step, Consistency::None | Consistency::NonNegative) {
            return Err(EstimateError::Step { step: request.step.as_str(), method: "a prefix tree" });
        }
        let counts = summary.of_mechanism(self.mechanism.fingerprint(), self.counters())?;
        must_add_up(counts, summary.count())?;
        let levels: Vec<Level<'_>> =
            counts.chunks_exact(self.level_size()).map(|counters| self.level(counters)).collect();
        let mut survivors = vec![Candidate { bytes: Vec::new(), estimate: 1.0 }];
        let mut tests = 0;
        for level in &levels {
            let extensions = Self::extensions(&survivors);
            tests = extensions.len();
            survivors = if level.people > 0 { self.significant(extensions, level) } else { Vec::new() };
        }
        let mut raw: Vec<Raw> = survivors.iter().map(|word| self.pool(&word.bytes, &levels)).collect();
        raw.sort_by(|a, b| b.value.total_cmp(&a.value));
        let basis = Basis { n: summary.count(), request, method: METHOD, tests };
        let mut found = Frequencies::new(raw, basis);
        found.rows.iter_mut().for_each(|row| row.estimate.interval = row.simultaneous_interval);
        Ok(found.projected(request.step))
    }

    fn reading(&self) -> Reading<'_> {
        Reading::Words
    }
}

impl HasEstimator for PrefixTree {
    type Estimator = HeavyHitters;
    fn estimator(&self) -> HeavyHitters {
        HeavyHitters::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Case;
    use crate::{Answer, Consistency, Request};
    use privet_core::Values;
    use privet_core::domain::Word;

    /// A word that its own reports chose has no interval of its own: only the one for all words tested allows for the choice.
    #[test]
    fn found_words_have_the_interval_of_all_at_once() {
        let people = [("ab", 1500), ("cd", 900), ("e", 600)];
        let words = people.iter().flat_map(|(word, count)| vec![Word::new(word).unwrap(); *count]);
        let case = Case::small("prefix-tree", 6.0);
        let summary = case.summary(&case.reports(&Values::Words(words.collect()), 1));
        for step in [Consistency::None, Consistency::NonNegative] {
            let Answer::Frequencies(found) = case.estimator.answer(&summary, &step.into()).unwrap() else {
                panic!("words have frequencies")
            };
            assert_eq!(found.rows.len(), 3, "{found:?}");
            assert!(found.method.contains("holds for all at once"), "{}", found.method);
            for row in &found.rows {
                assert_eq!(row.estimate.interval, row.simultaneous_interval, "{}", row.label);
                // Wider than what two deviations reach: there are hundreds of words that could have been found.
                let [low, high] = row.estimate.interval;
                assert!(high - low > 5.0 * row.estimate.standard_error, "{row:?}");
            }
        }
        // Categories that were listed beforehand keep an interval each.
        let case = Case::small("grr", 2.0);
        let summary = case.summary(&case.reports(&Values::Categories(vec![3; 500]), 1));
        let Answer::Frequencies(listed) = case.estimator.answer(&summary, &Request::default()).unwrap()
        else {
            panic!("categories have frequencies")
        };
        assert!(listed.rows.iter().all(|row| row.estimate.interval != row.simultaneous_interval));
    }
}
