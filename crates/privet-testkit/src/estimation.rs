//! Is the estimator right on average, does it vary as it says, and do summaries add up?

use crate::ALPHA;
use crate::finding::Finding;
use crate::randomness::Words;
use privet_core::{Categories, Estimator, Mechanism, ReportBuffer, Summary};
use privet_estimators::statistics::{chi_square_upper_tail, normal_quantile};
use privet_estimators::{CountSummary, Frequencies, FrequencyEstimation, HasEstimator};

/// Repeats a small collection and compares the mean and the spread of the estimates with the truth and the stated
/// variance, for every category.
///
/// # Errors
/// What was found; a correct estimator fails with probability [`ALPHA`].
pub fn check_estimator<M>(mechanism: &M, people: &[u32], repetitions: usize) -> Result<(), Finding>
where
    M: Mechanism<Domain = Categories> + HasEstimator<Estimator: FrequencyEstimation>,
{
    let runs: Vec<Frequencies> =
        (0..repetitions).filter_map(|run| collect_once(mechanism, people, 5000 + run as u64)).collect();
    let truth = truth_of(people, mechanism.domain().count());
    let tests = 2.0 * truth.len() as f64;
    let z_limit = normal_quantile(1.0 - ALPHA / tests / 2.0);
    for (category, truth) in truth.iter().enumerate() {
        let values: Vec<f64> = runs.iter().map(|run| run.rows[category].estimate.value).collect();
        let stated: Vec<f64> =
            runs.iter().map(|run| run.rows[category].estimate.standard_error.powi(2)).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = stated.iter().sum::<f64>() / n;
        let z = (mean - truth) / (variance / n).sqrt();
        if values.len() < repetitions || z.is_nan() || z.abs() > z_limit {
            return Err(Finding::Bias { category, mean, truth: *truth, z });
        }
        // Sums of squares of normal estimates follow a chi-square law; both tails are judged.
        let squares = values.iter().map(|value| (value - truth).powi(2)).sum::<f64>();
        let statistic = squares / variance;
        let above = chi_square_upper_tail(statistic, values.len() as u64);
        if above.min(1.0 - above) < ALPHA / tests / 2.0 {
            return Err(Finding::Variance { category, ratio: statistic / n });
        }
    }
    Ok(())
}

fn truth_of(people: &[u32], categories: u32) -> Vec<f64> {
    // Counted and divided once: a sum of rounded parts can be above one, where no interval of a share reaches.
    let mut counts = vec![0u32; categories as usize];
    people.iter().for_each(|person| counts[*person as usize] += 1);
    counts.iter().map(|count| f64::from(*count) / people.len() as f64).collect()
}

fn collect_once<M>(mechanism: &M, people: &[u32], seed: u64) -> Option<Frequencies>
where
    M: Mechanism<Domain = Categories> + HasEstimator<Estimator: FrequencyEstimation>,
{
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(people, &mut Words::seeded(seed), &mut reports).ok()?;
    let estimator = mechanism.estimator();
    let mut summary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &reports).ok()?;
    estimator.estimate(&summary).ok()
}

/// Splits one stream of reports in several ways; the merged summaries must be the same bytes.
///
/// # Errors
/// What was found.
pub fn check_merge<M: Mechanism + HasEstimator>(
    mechanism: &M,
    inputs: &[<M::Domain as privet_core::Domain>::Value],
) -> Result<(), Finding> {
    let people: Vec<_> = inputs.iter().cycle().take(1000).copied().collect();
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(&people, &mut Words::seeded(400), &mut reports).map_err(|_| Finding::Merge)?;
    let estimator = mechanism.estimator();
    let summary_of = |from: usize, to: usize| {
        let mut part = ReportBuffer::new(mechanism.report_bytes());
        let pushed = reports.iter().skip(from).take(to - from).try_for_each(|report| part.push(report));
        let mut summary = estimator.empty_summary();
        pushed.and_then(|()| estimator.accumulate(&mut summary, &part)).map_err(|_| Finding::Merge)?;
        Ok(summary)
    };
    let whole = summary_of(0, 1000)?;
    for cut in [0, 1, 300, 999, 1000] {
        let (left, right) = (summary_of(0, cut)?, summary_of(cut, 1000)?);
        for (mut into, from) in [(left.clone(), &right), (right.clone(), &left)] {
            into.merge(from).map_err(|_| Finding::Merge)?;
            if into.to_bytes() != whole.to_bytes() {
                return Err(Finding::Merge);
            }
        }
    }
    let restored = CountSummary::from_bytes(&whole.to_bytes());
    if restored.as_ref() == Ok(&whole) { Ok(()) } else { Err(Finding::Merge) }
}

/// How often intervals covered the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    /// The share of all category intervals, over all repetitions, that held the truth.
    pub marginal: f64,
    /// In how many repetitions all simultaneous intervals held at once.
    pub simultaneous: usize,
    /// How many repetitions there were.
    pub repetitions: usize,
    /// The largest distance of an estimate from its truth, in standard errors.
    pub largest_z: f64,
}

/// Repeats a collection and counts how often the intervals hold.
pub fn coverage<M>(mechanism: &M, people: &[u32], seeds: std::ops::Range<u64>) -> Coverage
where
    M: Mechanism<Domain = Categories> + HasEstimator<Estimator: FrequencyEstimation>,
{
    let truth = truth_of(people, mechanism.domain().count());
    let inside = |interval: [f64; 2], truth: f64| (interval[0]..=interval[1]).contains(&truth);
    let mut result = Coverage { marginal: 0.0, simultaneous: 0, repetitions: 0, largest_z: 0.0 };
    let mut held = 0usize;
    for run in seeds.filter_map(|seed| collect_once(mechanism, people, seed)) {
        let rows = || run.rows.iter().zip(&truth);
        held += rows().filter(|(row, truth)| inside(row.estimate.interval, **truth)).count();
        result.simultaneous +=
            usize::from(rows().all(|(row, truth)| inside(row.simultaneous_interval, *truth)));
        result.repetitions += 1;
        let distances =
            rows().map(|(row, truth)| ((row.estimate.value - truth) / row.estimate.standard_error).abs());
        result.largest_z = distances.fold(result.largest_z, f64::max);
    }
    result.marginal = held as f64 / (result.repetitions * truth.len()).max(1) as f64;
    result
}
