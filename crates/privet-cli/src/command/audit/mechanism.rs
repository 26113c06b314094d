//! A bound on a mechanism's epsilon from reports that it draws.

use super::bound::{EventCounts, Sampling};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::batch_rows;
use privet::{AnyMechanism, Generator, ReportBuffer, WorstInput};

/// Thresholds that are tried.
const MAX_CANDIDATES: usize = 128;

/// The event is "the report is at least so much likelier under the first worst input than under the second". The likelihood
/// is computed from the channel, but only to choose the event: what is counted are reports, and the bound would hold for
/// any event.
pub(super) fn lower_bound(
    mechanism: &dyn AnyMechanism,
    sampling: Sampling,
    rng: &mut Generator,
    progress: &mut Progress,
) -> Result<f64, Failure> {
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
    progress: &mut Progress,
) -> Result<Vec<f64>, Failure> {
    let mut ratios = Vec::with_capacity(count as usize);
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    let limit = batch_rows(mechanism.report_bytes()) as u64;
    let mut left = count;
    while left > 0 {
        let chunk = left.min(limit);
        reports.clear();
        mechanism.randomize_worst_input(which, chunk as usize, rng, &mut reports)?;
        for report in reports.iter() {
            ratios.push(mechanism.worst_log_ratio(report)?);
        }
        left -= chunk;
        progress.add(chunk);
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
