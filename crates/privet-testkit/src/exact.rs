//! Privacy, with no tolerance.

use crate::finding::Finding;
use crate::randomness::Words;
use privet_core::{Channel, Domain, Epsilon, Fraction, Mechanism};

/// At most this many reports are enumerated; beyond, drawn reports stand in for all.
const ENUMERATED: usize = 1 << 13;
const DRAWN: usize = 400;

/// Looks at the probability of every report under every input: each input's must add up to one, no ratio may be above
/// e^epsilon, and the worst one must be the one that the mechanism states.
///
/// Where the reports are too many to enumerate, reports drawn for every input are looked at instead, under all inputs;
/// the worst ratio must still be the stated one, which those mechanisms reach with almost every report.
///
/// # Errors
/// What was found.
pub fn check_privacy<M: Channel>(
    mechanism: &M,
    inputs: &[<M::Domain as Domain>::Value],
    epsilon: Epsilon,
    slack: f64,
) -> Result<(), Finding> {
    let reports = match mechanism.all_reports(ENUMERATED) {
        Some(reports) => {
            check_totals(mechanism, inputs, &reports)?;
            reports
        }
        None => drawn(mechanism, inputs),
    };
    let seen = reports.iter().map(|report| ratio_of(mechanism, inputs, report)).max();
    let seen = seen.unwrap_or_else(|| Fraction::whole(1));
    let stated = mechanism.worst_ratio();
    let worst = if seen > stated { &seen } else { &stated };
    let (exact, claimed) = (worst.log_rounded_up(), epsilon.get());
    if exact > claimed || mechanism.guarantee().epsilon().get() < exact {
        return Err(Finding::Privacy { exact, claimed: claimed.min(mechanism.guarantee().epsilon().get()) });
    }
    if exact < claimed - slack {
        return Err(Finding::Slack { exact, claimed, slack });
    }
    let quick = |report: &M::Report| {
        let inputs = mechanism.worst_inputs();
        let [above, below] = inputs.map(|input| mechanism.probability(&input, report));
        mechanism.likelihood_ratio(&inputs, report) == above.checked_div(&below)
    };
    if seen == stated && reports.iter().all(quick) { Ok(()) } else { Err(Finding::StatedRatio) }
}

/// The largest against the smallest probability of one report.
fn ratio_of<M: Channel>(
    mechanism: &M,
    inputs: &[<M::Domain as Domain>::Value],
    report: &M::Report,
) -> Fraction {
    let probabilities: Vec<Fraction> =
        inputs.iter().map(|input| mechanism.probability(input, report)).collect();
    let (Some(largest), Some(smallest)) = (probabilities.iter().max(), probabilities.iter().min()) else {
        return Fraction::whole(1);
    };
    largest.checked_div(smallest).unwrap_or_else(|| Fraction::whole(u128::MAX).pow(4))
}

fn check_totals<M: Channel>(
    mechanism: &M,
    inputs: &[<M::Domain as Domain>::Value],
    reports: &[M::Report],
) -> Result<(), Finding> {
    for (number, input) in inputs.iter().enumerate() {
        let total = reports
            .iter()
            .fold(Fraction::whole(0), |sum, report| (&sum + &mechanism.probability(input, report)).reduced());
        if total != Fraction::whole(1) {
            return Err(Finding::Total { input: number });
        }
    }
    Ok(())
}

fn drawn<M: Mechanism>(mechanism: &M, inputs: &[<M::Domain as Domain>::Value]) -> Vec<M::Report> {
    let mut rng = Words::seeded(11);
    let draws = inputs.iter().cycle().take(DRAWN.max(inputs.len()));
    draws.filter_map(|input| mechanism.randomize(input, &mut rng).ok()).collect()
}
