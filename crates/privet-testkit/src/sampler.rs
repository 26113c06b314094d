//! Does the sampler draw from the law that the channel states?

use crate::ALPHA;
use crate::finding::Finding;
use crate::randomness::{Words, WordsTaken};
use privet_core::{BitVector, Channel, Domain, Mechanism, ReportBuffer, Rng};
use privet_estimators::statistics::{
    BinomialCount, binomial_lower_tail, binomial_upper_tail, chi_square_upper_tail,
};
use privet_mechanisms::categorical::FrequencyOracle;
use std::collections::HashMap;

/// Outcomes that are expected less often than this are counted together: below it the chi-square law is too far from the
/// true one at such small error probabilities.
const SMALLEST_EXPECTED: f64 = 100.0;
const ENUMERATED: usize = 1 << 13;
/// Draws for each possible report, so that the usual ones are tested one by one.
const DRAWS_PER_REPORT: usize = 250;
/// With more reports than this only the first, the middle and the last input are tried.
const MANY_REPORTS: usize = 512;

/// A chi-square test of the drawn reports against the exact probabilities, for each input, where the reports can be
/// enumerated. An outcome of probability zero that occurs is a finding of its own; rare outcomes are counted together and
/// judged by the exact binomial law rather than left out.
///
/// # Errors
/// What was found; a correct sampler fails with probability [`ALPHA`] for all inputs together.
pub fn check_sampler<M: Channel>(
    mechanism: &M,
    inputs: &[<M::Domain as Domain>::Value],
    draws: usize,
) -> Result<(), Finding> {
    let Some(reports) = mechanism.all_reports(ENUMERATED) else { return Ok(()) };
    let index: HashMap<Vec<u8>, usize> =
        reports.iter().enumerate().map(|(number, report)| (encoded(mechanism, report), number)).collect();
    let draws = draws.max(DRAWS_PER_REPORT * reports.len());
    let last = inputs.len().saturating_sub(1);
    let is_tried = |number: usize| reports.len() <= MANY_REPORTS || [0, last / 2, last].contains(&number);
    for (number, input) in inputs.iter().enumerate().filter(|(number, _)| is_tried(*number)) {
        let mut rng = Words::seeded(100 + number as u64);
        let mut counts = vec![0u64; reports.len()];
        for _ in 0..draws {
            let drawn = mechanism.randomize(input, &mut rng).ok();
            let place = drawn.and_then(|report| index.get(&encoded(mechanism, &report)).copied());
            *counts.get_mut(place.unwrap_or(usize::MAX)).ok_or(Finding::Impossible { input: number })? += 1;
        }
        let law: Vec<f64> =
            reports.iter().map(|report| mechanism.probability(input, report).to_f64()).collect();
        judge(number, &counts, &law, ALPHA / inputs.len() as f64)?;
    }
    Ok(())
}

fn encoded<M: Mechanism>(mechanism: &M, report: &M::Report) -> Vec<u8> {
    let mut slot = vec![0; mechanism.report_bytes()];
    mechanism.encode(report, &mut slot);
    slot
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
            judge(number, &[count, draws as u64 - count], &[expected, 1.0 - expected], alpha)?;
        }
    }
    Ok(())
}

/// A test that the bits of long reports are independent of each other: the joint law of neighbouring bits, of bits a word
/// apart, and of each bit with the first. `law` is the probability of a one at each place.
///
/// # Errors
/// What was found; a correct sampler fails with probability [`ALPHA`].
pub fn check_bit_pairs(
    bits: usize,
    law: impl Fn(usize) -> f64,
    draws: usize,
    mut draw: impl FnMut() -> BitVector,
) -> Result<(), Finding> {
    let distant = |distance: usize| (distance..bits).map(move |bit| (bit - distance, bit));
    let pairs: Vec<(usize, usize)> =
        distant(1).chain(distant(8)).chain(distant(64)).chain((1..bits).map(|bit| (0, bit))).collect();
    let mut counts = vec![[0u64; 4]; pairs.len()];
    for _ in 0..draws {
        let report = draw();
        for ((one, two), counts) in pairs.iter().zip(&mut counts) {
            counts[usize::from(report.get(*one)) * 2 + usize::from(report.get(*two))] += 1;
        }
    }
    for ((one, two), counts) in pairs.iter().zip(&counts) {
        let (a, b) = (law(*one), law(*two));
        let joint = [(1.0 - a) * (1.0 - b), (1.0 - a) * b, a * (1.0 - b), a * b];
        judge(*two, counts, &joint, ALPHA / pairs.len() as f64)?;
    }
    Ok(())
}

/// A test that the public part of a report (seed, row, cohort) is uniform whatever the input is: every bit, and every pair
/// of neighbouring bits. `public` gives the part as a number of `bits` bits.
///
/// # Errors
/// What was found; a correct sampler fails with probability [`ALPHA`].
pub fn check_public_part<M: Mechanism>(
    mechanism: &M,
    inputs: &[<M::Domain as Domain>::Value],
    bits: usize,
    public: impl Fn(&M::Report) -> u64,
) -> Result<(), Finding> {
    for (number, input) in inputs.iter().enumerate() {
        let mut rng = Words::seeded(700 + number as u64);
        let draw = || {
            let report = mechanism.randomize(input, &mut rng).ok();
            BitVector::from_words(vec![report.map_or(0, |report| public(&report))], bits)
        };
        check_bit_pairs(bits, |_| 0.5, 20_000, draw).map_err(|finding| match finding {
            Finding::Sampler { statistic, p_value, .. } => {
                Finding::Sampler { input: number, statistic, p_value }
            }
            other => other,
        })?;
    }
    Ok(())
}

/// Judges counts against their law: a chi-square test of the outcomes that are expected often, and an exact binomial test
/// of all others together.
fn judge(input: usize, counts: &[u64], law: &[f64], alpha: f64) -> Result<(), Finding> {
    let total = counts.iter().sum::<u64>();
    let (mut statistic, mut cells) = (0.0, 0u64);
    let (mut rare_probability, mut rare_count) = (0.0, 0u64);
    for (count, probability) in counts.iter().zip(law) {
        let expected = total as f64 * probability;
        if *probability == 0.0 && *count > 0 {
            return Err(Finding::Impossible { input });
        }
        if expected < SMALLEST_EXPECTED {
            rare_probability += probability;
            rare_count += count;
        } else {
            statistic += (*count as f64 - expected).powi(2) / expected;
            cells += 1;
        }
    }
    if cells > 1 {
        // One degree more than there is if nothing is rare would be lenient; one less if something is, strict by a hair.
        let degrees = if rare_probability > 0.0 { cells } else { cells - 1 };
        reject_below(input, statistic, chi_square_upper_tail(statistic, degrees), alpha / 2.0)?;
    }
    if rare_probability > 0.0 {
        let Some(count) = BinomialCount::new(rare_count, total) else { return Ok(()) };
        let tail =
            binomial_upper_tail(count, rare_probability).min(binomial_lower_tail(count, rare_probability));
        reject_below(input, rare_count as f64, tail, alpha / 4.0)?;
    }
    Ok(())
}

fn reject_below(input: usize, statistic: f64, p_value: f64, alpha: f64) -> Result<(), Finding> {
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
            // Which word comes next also tells halves apart.
            mechanism.randomize(input, &mut rng).ok().map(|_| (rng.words_taken(), rng.next_u64()))
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

/// Every report must have the stated length, survive encoding, and be the same in a batch; a buffer of another width must
/// be refused.
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
        let slot = encoded(mechanism, &report);
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
    let mut wider = ReportBuffer::new(mechanism.report_bytes() + 1);
    let refused = mechanism.randomize_batch(inputs, &mut rng, &mut wider).is_err() && wider.is_empty();
    let mut batch = ReportBuffer::new(mechanism.report_bytes());
    let drawn = mechanism.randomize_batch(inputs, &mut Words::seeded(300), &mut batch);
    if refused && drawn.is_ok() && batch == one_by_one { Ok(()) } else { Err(Finding::Batch) }
}
