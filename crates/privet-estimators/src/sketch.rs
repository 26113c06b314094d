//! Frequencies from a count-mean sketch.

use crate::bounds::Spread;
use crate::frequency::{Basis, Frequencies, Raw};
use crate::summary::CountSummary;
use crate::{FrequencyEstimation, HasEstimator, Reading, Request};
use privet_core::{EstimateError, Estimator, Mechanism, ReportBuffer, ReportError, Summary};
use privet_mechanisms::categorical::{BitCounter, CountMeanSketch};

/// The mean over rows of the category's counter, less what noise and collisions put there.
///
/// Unbiased over the choice of hash functions. The variance has a part from the noisy bits, one from who drew which row,
/// and one from categories that share a counter: the last is `(sum of squared frequencies) / (width x rows)`, with the sum
/// estimated from the counters themselves.
#[derive(Debug, Clone)]
pub struct SketchEstimator {
    mechanism: CountMeanSketch,
}

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
        Self { mechanism }
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
        let debiased = self.debias(counts);
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
            let of_draws = self.variance(held, debiased.concentration, n as f64) * n as f64;
            let spread = Spread { of_draws, of_people: of_draws + held * (1.0 - held) };
            Raw { label: categories.label(category), value, spread, skew: [addition; 2], people: n }
        });
        let tests = categories.count() as usize;
        let basis = Basis { n, request, method: "count-mean sketch", tests };
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
