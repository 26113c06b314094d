//! From the distribution of reports to an integer mechanism for every real input.

use super::{LineProblem, Objective, Unbiased};
use crate::LimitError;
use privet_core::ParameterError;
use privet_mechanisms::analysis::Analysis;
use privet_mechanisms::interval::SolvedInterval;
use privet_mechanisms::lattice::{Aim, DecodedRows};

/// How many equally likely cells the reports are divided into.
const CELLS: usize = 2048;

/// Windows that differ by this many cells from the programme's are tried as well.
const NEAR: i64 = 2;

/// The best mechanism whose reports are distributed like `floor` over `outputs`, and its loss.
pub(super) fn mechanism(
    problem: &LineProblem,
    outputs: &[f64],
    floor: &[f64],
) -> Result<(SolvedInterval, f64), LimitError> {
    let exp = problem.epsilon.get().exp();
    let total: f64 = floor.iter().sum();
    let window = ((1.0 / total - 1.0) / (exp - 1.0) * CELLS as f64).round() as i64;
    let mut best: Option<(SolvedInterval, f64)> = None;
    let mut last = LimitError::Infeasible;
    for units in [quantiles(outputs, floor, CELLS), spread_quantiles(outputs, floor, CELLS)] {
        for window in window - NEAR..=window + NEAR {
            let window = window.clamp(1, CELLS as i64 - 1) as u32;
            match with_window(problem, &units, window) {
                Ok(found) if best.as_ref().is_none_or(|best| found.1 < best.1) => best = Some(found),
                Ok(_) => {}
                Err(error) => last = error.into(),
            }
        }
    }
    best.ok_or(last)
}

/// As [`quantiles`], with the probability of each output spread evenly half-way to its neighbours. The ends stay points:
/// the best channels for absolute loss have some of their reports exactly there.
fn spread_quantiles(outputs: &[f64], floor: &[f64], cells: usize) -> Vec<f64> {
    let total: f64 = floor.iter().sum();
    let last = outputs.len() - 1;
    let range = |output: usize| match output {
        0 => [outputs[0]; 2],
        end if end == last => [outputs[last]; 2],
        inner => [inner - 1, inner + 1].map(|other| f64::midpoint(outputs[inner], outputs[other])),
    };
    let mut units = Vec::with_capacity(cells);
    let (mut output, mut below) = (0, 0.0);
    for cell in 0..cells {
        let place = (cell as f64 + 0.5) / cells as f64 * total;
        while output < last && below + floor[output] < place {
            below += floor[output];
            output += 1;
        }
        let [from, to] = range(output);
        let along = ((place - below) / floor[output].max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        units.push(from + along * (to - from));
    }
    units
}

fn with_window(
    problem: &LineProblem,
    units: &[f64],
    window: u32,
) -> Result<(SolvedInterval, f64), ParameterError> {
    let aim = if problem.unbiased.is_some() { Aim::Mean } else { Aim::Nearest };
    let numbers = match aim {
        Aim::Nearest => rounded(units),
        Aim::Mean => DecodedRows::covering(units, window, problem.epsilon)?,
    };
    if let Some(Unbiased { range: Some(_) }) = problem.unbiased {
        let [low, high] = problem.output_range().map(DecodedRows::number_of);
        if numbers.iter().any(|number| !(low..=high).contains(number)) {
            let reason = "the reports would lie outside the range".to_owned();
            return Err(ParameterError::Incompatible { reason });
        }
    }
    let rows = DecodedRows::new(numbers, window, aim, problem.epsilon)?;
    let mechanism = SolvedInterval::with_rows(problem.domain, rows)?;
    let analysis = Analysis::new(&mechanism);
    let achieved = match &problem.objective {
        Objective::Minimax => analysis.worst(problem.loss).error,
        Objective::Average(prior) => analysis.average(problem.loss, prior),
    };
    Ok((mechanism, achieved))
}

fn rounded(units: &[f64]) -> Vec<i64> {
    units.iter().map(|unit| DecodedRows::number_of(*unit)).collect()
}

/// What each of `cells` equally likely cells stands for.
fn quantiles(outputs: &[f64], floor: &[f64], cells: usize) -> Vec<f64> {
    let total: f64 = floor.iter().sum();
    let mut units = Vec::with_capacity(cells);
    let (mut output, mut below) = (0, 0.0);
    for cell in 0..cells {
        let place = (cell as f64 + 0.5) / cells as f64 * total;
        while output + 1 < outputs.len() && below + floor[output] < place {
            below += floor[output];
            output += 1;
        }
        units.push(outputs[output]);
    }
    units
}
