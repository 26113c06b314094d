//! Frequencies from a count-mean sketch.

use crate::bounds::Spread;
use crate::frequency::{Basis, Frequencies, NOTHING, Raw};
use crate::summary::{CountSummary, must_fit_rows};
use crate::{FrequencyEstimation, HasEstimator, Reading, Request};
use privet_core::{EstimateError, Estimator, Mechanism, ReportBuffer, ReportError, Summary, parallel};
use privet_mechanisms::categorical::{BitCounter, CountMeanSketch};
use std::sync::{Arc, OnceLock};

/// The mean over rows of the category's counter, less what noise and collisions put there.
///
/// The hash functions are fixed, so which categories share a counter is no chance: with d of all rows shared, somebody with the
/// other category adds `(d - 1/width) / (1 - 1/width)` to this one. Up to 32 768 categories the least and the most that anybody else
/// adds are counted and bound the bias, whatever the people hold. Beyond that it takes too long; the variance then has a
/// part for collisions, `(sum of squared frequencies) / (width x rows)`, as if hash functions were drawn anew, and the method's
/// name says so. The rest of the variance is from the noisy bits and from who drew which row.
#[derive(Debug, Clone)]
pub struct SketchEstimator {
    mechanism: CountMeanSketch,
    /// For each category the least and the most that somebody with another one adds.
    others: Arc<OnceLock<Option<Vec<[f64; 2]>>>>,
}

/// The most categories whose collisions are counted.
const MOST_COUNTED: u32 = 1 << 15;

const METHOD: &str = "count-mean sketch";
const METHOD_BY_CHANCE: &str = "count-mean sketch, as if hash functions were drawn anew";

/// The sketch after the noise is taken off.
struct Debiased {
    /// For each row and bucket, the estimated number of people.
    people: Vec<f64>,
    /// The estimated sum of squared frequencies.
    concentration: f64,
}

impl SketchEstimator {
    /// The estimator of the mechanism's reports.
    pub fn new(mechanism: CountMeanSketch) -> Self {
        Self { mechanism, others: Arc::default() }
    }

    /// For each category the least and the most that somebody with another one adds; none where there are too many to count.
    fn others(&self) -> Option<&Vec<[f64; 2]>> {
        self.others
            .get_or_init(|| (self.mechanism.domain().count() <= MOST_COUNTED).then(|| self.count_others()))
            .as_ref()
    }

    fn count_others(&self) -> Vec<[f64; 2]> {
        let categories: Vec<u32> = (0..self.mechanism.domain().count()).collect();
        let holders = self.holders_of_buckets();
        let share = 1.0 / self.width() as f64;
        let added = |shared: u32| (f64::from(shared) / self.rows() as f64 - share) / (1.0 - share);
        parallel::map(&categories, |category| {
            let mut shared = vec![0u32; categories.len()];
            for row in 0..self.rows() {
                let bucket = row * self.width() + self.mechanism.bucket(row as u32, *category) as usize;
                holders[bucket].iter().for_each(|other| shared[*other as usize] += 1);
            }
            let others =
                || categories.iter().filter(|other| *other != category).map(|other| shared[*other as usize]);
            [others().min(), others().max()].map(|shared| added(shared.unwrap_or(0)))
        })
    }

    /// The categories in each bucket of each row.
    fn holders_of_buckets(&self) -> Vec<Vec<u32>> {
        let mut holders = vec![Vec::new(); self.rows() * self.width()];
        for row in 0..self.rows() {
            for category in 0..self.mechanism.domain().count() {
                holders[row * self.width() + self.mechanism.bucket(row as u32, category) as usize]
                    .push(category);
            }
        }
        holders
    }

    fn rows(&self) -> usize {
        self.mechanism.parameters().rows as usize
    }

    fn width(&self) -> usize {
        self.mechanism.parameters().width as usize
    }

    /// The probabilities of a one in the own and in another bucket.
    fn bit_probabilities(&self) -> (f64, f64) {
        let thresholds = self.mechanism.thresholds();
        (thresholds.probability(true, true).to_f64(), thresholds.probability(false, true).to_f64())
    }

    fn debias(&self, counts: &[u64]) -> Debiased {
        let (own, other) = self.bit_probabilities();
        let (in_rows, bits) = counts.split_at(self.rows());
        let mut people = Vec::with_capacity(bits.len());
        let mut concentrations = Vec::new();
        for (n, row) in in_rows.iter().zip(bits.chunks_exact(self.width())) {
            let n = *n as f64;
            let of_row = row
                .iter()
                .map(|count| (*count as f64 - other * n) / self.mechanism.thresholds().difference());
            let start = people.len();
            people.extend(of_row);
            if n > 1.0 {
                let squares: f64 = people[start..].iter().map(|value| value * value).sum();
                let noise = n * (own * (1.0 - own) + (self.width() - 1) as f64 * other * (1.0 - other))
                    / self.mechanism.thresholds().difference().powi(2);
                concentrations.push((squares - noise - n) / (n * (n - 1.0)));
            }
        }
        let mean = concentrations.iter().sum::<f64>() / concentrations.len().max(1) as f64;
        let share = 1.0 / self.width() as f64;
        Debiased { people, concentration: ((mean - share) / (1.0 - share)).clamp(0.0, 1.0) }
    }

    fn variance(&self, frequency: f64, concentration: f64, n: f64) -> f64 {
        let (own, other) = self.bit_probabilities();
        let share = 1.0 / self.width() as f64;
        let hit = frequency + (1.0 - frequency) * share;
        let bits = (hit * own * (1.0 - own) + (1.0 - hit) * other * (1.0 - other))
            / (n * self.mechanism.thresholds().difference().powi(2));
        let rest = (concentration - frequency * frequency).max(0.0);
        let collisions = share * (1.0 - share) * (rest / self.rows() as f64 + (1.0 - frequency) / n);
        (bits + collisions) / (1.0 - share).powi(2)
    }
}

impl Estimator for SketchEstimator {
    type Summary = CountSummary;
    type Estimate = Frequencies;

    fn empty_summary(&self) -> CountSummary {
        CountSummary::empty(self.mechanism.fingerprint(), self.rows() * (1 + self.width()))
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        let (rows, width) = (self.rows(), self.width());
        let mut counts = vec![0; rows * (1 + width)];
        let (in_rows, bits) = counts.split_at_mut(rows);
        let mut counters = vec![BitCounter::new(width); rows];
        let mut slot = vec![0; width.div_ceil(8)];
        for bytes in reports.iter() {
            let report = self.mechanism.decode(bytes)?;
            let row = report.row as usize;
            in_rows[row] += 1;
            report.bits.write(&mut slot);
            counters[row].add(&slot, &mut bits[row * width..][..width])?;
        }
        for (counter, counts) in counters.iter_mut().zip(bits.chunks_exact_mut(width)) {
            counter.flush(counts);
        }
        summary.add(self.mechanism.fingerprint(), reports, &counts)
    }

    fn estimate(&self, summary: &CountSummary) -> Result<Frequencies, EstimateError> {
        self.frequencies(summary, &Request::default())
    }
}

impl FrequencyEstimation for SketchEstimator {
    fn frequencies(&self, summary: &CountSummary, request: &Request) -> Result<Frequencies, EstimateError> {
        request.step.require_projection("a count-mean sketch")?;
        let counts = summary.of_mechanism(self.mechanism.fingerprint(), self.rows() * (1 + self.width()))?;
        let n = summary.count();
        must_fit_rows(counts, n, self.rows())?;
        let debiased = self.debias(counts);
        let others = self.others();
        // Collisions are bias where they are counted, and chance where they are not.
        let concentration = if others.is_some() { 0.0 } else { debiased.concentration };
        let share = 1.0 / self.width() as f64;
        let categories = self.mechanism.domain();
        // One bit of one row, less what falls there by chance.
        let addition = 1.0 / (self.mechanism.thresholds().difference() * (1.0 - share));
        let raw = (0..categories.count()).map(|category| {
            let bucket =
                |row: usize| row * self.width() + self.mechanism.bucket(row as u32, category) as usize;
            let people: f64 = (0..self.rows()).map(|row| debiased.people[bucket(row)]).sum();
            let value = (people / n as f64 - share) / (1.0 - share);
            let held = value.clamp(0.0, 1.0);
            let of_draws = self.variance(held, concentration, n as f64) * n as f64;
            let spread = Spread { of_draws, of_people: of_draws + held * (1.0 - held) };
            let others = others.map_or(NOTHING, |others| others[category as usize]);
            Raw { label: categories.label(category), value, spread, skew: [addition; 2], people: n, others }
        });
        let tests = categories.count() as usize;
        let method = if others.is_some() { METHOD } else { METHOD_BY_CHANCE };
        let basis = Basis { n, request, method, tests };
        Ok(Frequencies::new(raw.collect(), basis).projected(request.step))
    }

    fn reading(&self) -> Reading<'_> {
        Reading::Sketch(&self.mechanism)
    }
}

impl HasEstimator for CountMeanSketch {
    type Estimator = SketchEstimator;
    fn estimator(&self) -> SketchEstimator {
        SketchEstimator::new(self.clone())
    }
}
