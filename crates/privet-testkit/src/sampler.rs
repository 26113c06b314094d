//! Does the sampler draw from the law that the channel states?

use crate::ALPHA;
use crate::finding::Finding;
use crate::randomness::{Words, WordsTaken};
use privet_core::{Channel, Domain, Mechanism, ReportBuffer};
use privet_estimators::statistics::chi_square_upper_tail;
use privet_mechanisms::categorical::FrequencyOracle;

/// Outcomes that are expected less often than this are counted together.
const SMALLEST_EXPECTED: f64 = 5.0;
const ENUMERATED: usize = 1 << 13;
/// Draws for each possible report, at least.
const DRAWS_PER_REPORT: usize = 20;

/// A chi-square test of the drawn reports against the exact probabilities, for each input, where the reports can be
/// enumerated, with at least twenty draws for each. An outcome of probability zero that occurs is a finding of its own, and rare outcomes are counted together
/// rather than left out.
///
/// # Errors
/// What was found; a correct sampler fails with probability [`ALPHA`] for all inputs together.
pub fn check_sampler<M: Channel>(
    mechanism: &M,
    inputs: &[<M::Domain as Domain>::Value],
    draws: usize,
) -> Result<(), Finding> {
    let Some(reports) = mechanism.all_reports(ENUMERATED) else { return Ok(()) };
    let key = |report: &M::Report| {
        let mut slot = vec![0; mechanism.report_bytes()];
        mechanism.encode(report, &mut slot);
        slot
    };
    let index: std::collections::HashMap<Vec<u8>, usize> =
        reports.iter().enumerate().map(|(number, report)| (key(report), number)).collect();
    let draws = draws.max(DRAWS_PER_REPORT * reports.len());
    for (number, input) in inputs.iter().enumerate() {
        let mut rng = Words::seeded(100 + number as u64);
        let mut counts = vec![0u64; reports.len()];
        for _ in 0..draws {
            let drawn = mechanism.randomize(input, &mut rng).ok();
            let place = drawn.and_then(|report| index.get(&key(&report)).copied());
            *counts.get_mut(place.unwrap_or(usize::MAX)).ok_or(Finding::Impossible { input: number })? += 1;
        }
        let law: Vec<f64> =
            reports.iter().map(|report| mechanism.probability(input, report).to_f64()).collect();
        let (statistic, degrees) = chi_square(&counts, &law).ok_or(Finding::Impossible { input: number })?;
        judge(number, statistic, degrees, ALPHA / inputs.len() as f64)?;
    }
    Ok(())
}

/// A test of how often each category is supported, for domains whose reports cannot be enumerated: every category must be
/// supported as often as the channel states, the last one included.
///
/// # Errors
/// What was found; a correct sampler fails with probability [`ALPHA`] for all inputs and categories together.
pub fn check_support<M>(mechanism: &M, inputs: &[u32], draws: usize) -> Result<(), Finding>
where
    M: Mechanism<Domain = privet_core::Categories> + FrequencyOracle,
{
    let support = mechanism.support();
    let (own, other) = (support.own.to_f64(), support.other.to_f64());
    let categories = mechanism.categories().count();
    let alpha = ALPHA / (inputs.len() as f64 * f64::from(categories));
    for (number, input) in inputs.iter().enumerate() {
        let mut rng = Words::seeded(200 + number as u64);
        let mut reports = ReportBuffer::new(mechanism.report_bytes());
        let unreadable = Finding::Codec { input: number };
        mechanism
            .randomize_batch(&vec![*input; draws], &mut rng, &mut reports)
            .map_err(|_| unreadable.clone())?;
        let mut counts = vec![0; categories as usize];
        mechanism.tally(&reports, &mut counts).map_err(|_| unreadable)?;
        for (category, count) in (0u32..).zip(counts) {
            let expected = if category == *input { own } else { other };
            let cells = [count, draws as u64 - count];
            let (statistic, degrees) = chi_square(&cells, &[expected, 1.0 - expected])
                .ok_or(Finding::Impossible { input: number })?;
            judge(number, statistic, degrees, alpha)?;
        }
    }
    Ok(())
}

/// The statistic and its degrees of freedom, or `None` if something impossible was counted.
fn chi_square(counts: &[u64], law: &[f64]) -> Option<(f64, u64)> {
    let total = counts.iter().sum::<u64>() as f64;
    let (mut statistic, mut cells) = (0.0, 0u64);
    let (mut rare_expected, mut rare_count) = (0.0, 0u64);
    for (count, probability) in counts.iter().zip(law) {
        let expected = total * probability;
        if *probability == 0.0 && *count > 0 {
            return None;
        }
        if expected < SMALLEST_EXPECTED {
            rare_expected += expected;
            rare_count += count;
        } else {
            statistic += (*count as f64 - expected).powi(2) / expected;
            cells += 1;
        }
    }
    if rare_expected > 0.0 {
        // With so few expected, the sum is still judged: a tiny expectation makes any surplus count heavily.
        statistic += (rare_count as f64 - rare_expected).powi(2) / rare_expected.max(1.0);
        cells += 1;
    }
    Some((statistic, cells.saturating_sub(1)))
}

fn judge(input: usize, statistic: f64, degrees: u64, alpha: f64) -> Result<(), Finding> {
    let p_value = chi_square_upper_tail(statistic, degrees.max(1));
    if p_value < alpha { Err(Finding::Sampler { input, statistic, p_value }) } else { Ok(()) }
}

/// Draws with the same random words must take the same number of them whatever the input is.
///
/// # Errors
/// What was found.
pub fn check_randomness<M: Mechanism>(
    mechanism: &M,
    inputs: &[<M::Domain as Domain>::Value],
) -> Result<(), Finding> {
    for seed in 0..200 {
        let taken = |input| {
            let mut rng = Words::seeded(1000 + seed);
            mechanism.randomize(input, &mut rng).ok().map(|_| rng.words_taken())
        };
        let first = inputs.first().and_then(taken);
        for (number, input) in inputs.iter().enumerate() {
            if taken(input) != first {
                return Err(Finding::RandomnessTaken { input: number });
            }
        }
    }
    Ok(())
}

/// Every report must have the stated length, survive encoding, and be the same in a batch.
///
/// # Errors
/// What was found.
pub fn check_codec<M: Mechanism>(
    mechanism: &M,
    inputs: &[<M::Domain as Domain>::Value],
) -> Result<(), Finding> {
    let mut one_by_one = ReportBuffer::new(mechanism.report_bytes());
    let mut rng = Words::seeded(300);
    for (number, input) in inputs.iter().enumerate() {
        let broken = Finding::Codec { input: number };
        let report = mechanism.randomize(input, &mut rng).map_err(|_| broken.clone())?;
        let mut slot = vec![0; mechanism.report_bytes()];
        mechanism.encode(&report, &mut slot);
        if mechanism.decode(&slot).as_ref() != Ok(&report) {
            return Err(broken);
        }
        let longer = [&slot[..], &[0]].concat();
        let shorter = &slot[..slot.len() - 1];
        if mechanism.decode(&longer).is_ok() || mechanism.decode(shorter).is_ok() {
            return Err(broken);
        }
        one_by_one.push(&slot).map_err(|_| broken)?;
    }
    let mut batch = ReportBuffer::new(mechanism.report_bytes());
    let drawn = mechanism.randomize_batch(inputs, &mut Words::seeded(300), &mut batch);
    if drawn.is_err() || batch != one_by_one { Err(Finding::Batch) } else { Ok(()) }
}
