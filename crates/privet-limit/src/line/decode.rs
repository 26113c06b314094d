//! From the distribution of reports to an integer mechanism for every real input.

use super::{LineProblem, Objective, Unbiased};
use crate::LimitError;
use privet_core::ParameterError;
use privet_mechanisms::analysis::Analysis;
use privet_mechanisms::interval::SolvedInterval;
use privet_mechanisms::lattice::{Aim, DecodedRows};

/// How many equally likely cells the reports are divided into: so many that a window has enough of them, between these two.
const FEWEST_CELLS: usize = 2048;
const MOST_CELLS: usize = 16384;
const CELLS_OF_A_WINDOW: f64 = 64.0;

/// Windows are tried that differ by this part of the programme's, and then by less.
const FIRST_STEP: u32 = 16;

/// A window that improves the loss by less is not worth looking further.
const WORTH_IT: f64 = 1.0 - 1e-5;

/// A distribution of reports in equally likely cells.
#[derive(Debug, Clone)]
pub(super) struct Decoder<'a> {
    problem: &'a LineProblem,
    /// What the cells stand for.
    units: Vec<f64>,
    /// How many of them are likelier.
    window: u32,
}

impl<'a> Decoder<'a> {
    /// `floor` is the smallest probability of each of the reports `outputs`.
    pub(super) fn new(problem: &'a LineProblem, outputs: &[f64], floor: &[f64]) -> Self {
        let total: f64 = floor.iter().sum();
        let share = (1.0 / total - 1.0) / (problem.epsilon.get().exp() - 1.0);
        let wanted = (CELLS_OF_A_WINDOW / share) as usize;
        let cells = wanted.min(MOST_CELLS).next_power_of_two().max(FEWEST_CELLS);
        let window = (share * cells as f64).round() as u32;
        Self { problem, units: quantiles(outputs, floor, cells), window: window.clamp(1, cells as u32 - 1) }
    }

    /// The mechanism and its loss.
    pub(super) fn mechanism(&self) -> Result<(SolvedInterval, f64), ParameterError> {
        let Self { problem, units, window } = self;
        let aim = if problem.unbiased.is_some() { Aim::Mean } else { Aim::Nearest };
        let numbers = match aim {
            Aim::Nearest => units.iter().map(|unit| DecodedRows::number_of(*unit)).collect(),
            Aim::Mean => DecodedRows::covering(units, *window, problem.epsilon)?,
        };
        if let Some(Unbiased { range: Some(_) }) = problem.unbiased {
            let [low, high] = problem.output_range().map(DecodedRows::number_of);
            if numbers.iter().any(|number| !(low..=high).contains(number)) {
                let reason = "the reports would lie outside the range".to_owned();
                return Err(ParameterError::Incompatible { reason });
            }
        }
        let rows = DecodedRows::new(numbers, *window, aim, problem.epsilon)?;
        let mechanism = SolvedInterval::with_rows(problem.domain, rows)?;
        let analysis = Analysis::new(&mechanism);
        let achieved = match &problem.objective {
            Objective::Minimax => analysis.worst(problem.loss).error,
            Objective::Average(prior) => analysis.average(problem.loss, prior),
        };
        Ok((mechanism, achieved))
    }
}

/// The best mechanism whose reports are distributed like one of these, and its loss.
pub(super) fn best(decoders: Vec<Decoder>) -> Result<(SolvedInterval, f64), LimitError> {
    let mut last = LimitError::Infeasible;
    let mut best: Option<(Decoder, (SolvedInterval, f64))> = None;
    for decoder in decoders {
        match decoder.mechanism() {
            Ok(found) if best.as_ref().is_none_or(|best| found.1 < best.1.1) => best = Some((decoder, found)),
            Ok(_) => {}
            Err(error) => last = error.into(),
        }
    }
    let (decoder, found) = best.ok_or(last)?;
    Ok(with_better_window(decoder, found))
}

/// Longer and shorter windows, as long as they are better. The distribution is known less exactly at a small epsilon, when all
/// windows are nearly as good.
fn with_better_window(mut decoder: Decoder, mut found: (SolvedInterval, f64)) -> (SolvedInterval, f64) {
    let mut step = (decoder.window / FIRST_STEP).max(1);
    while step > 0 {
        let longer = (decoder.window + step).min(decoder.units.len() as u32 - 1);
        let shorter = decoder.window.saturating_sub(step).max(1);
        let better = [longer, shorter].into_iter().find_map(|window| {
            let other = Decoder { window, ..decoder.clone() };
            other.mechanism().ok().filter(|other| other.1 < found.1 * WORTH_IT).map(|found| (other, found))
        });
        match better {
            Some(better) => (decoder, found) = better,
            None => step /= 2,
        }
    }
    found
}

/// What each of `cells` equally likely cells stands for. The probability of each report is spread evenly half-way to its
/// neighbours. The ends stay points: the best channels for absolute loss have some of their reports exactly there.
fn quantiles(outputs: &[f64], floor: &[f64], cells: usize) -> Vec<f64> {
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
