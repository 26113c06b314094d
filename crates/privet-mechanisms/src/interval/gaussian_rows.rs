//! Gaussian noise on a lattice, calibrated on the sampler that runs.

use crate::lattice::{Calibration, NoiseLattice, NoiseRows, Rounding, Rows};
use privet_core::{Delta, Epsilon, ExpLowerBound, Guarantee, ParameterError};

/// What delta bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The standard relaxation: for every set of reports, P(set given x) <= e^epsilon P(set given x') + delta.
    Approximate,
    /// The probability of drawing a report whose log-ratio is above epsilon.
    Probabilistic,
}

/// Reports reach this many standard deviations beyond the domain; less than 1e-12 of the noise lies further out.
const REACH: f64 = 7.3;
/// Enough cells to place the noise well; all shifts are checked, so more would only be slower.
const CELLS: u32 = 1 << 15;
/// Beyond this the weights of far reports vanish against 2^64; a larger epsilon is not spent.
const MAX_EPSILON: f64 = 20.0;

/// The rows with about the smallest standard deviation whose exact delta is at most the one asked for.
pub(super) fn rows(calibration: &Calibration, meaning: Meaning) -> Result<NoiseRows, ParameterError> {
    let delta = calibration.options.delta.filter(|delta| delta.get() > 0.0);
    let delta = delta.ok_or_else(|| ParameterError::Incompatible {
        reason: "Gaussian noise needs a delta above 0; there is no default".into(),
    })?;
    let epsilon = Epsilon::new(calibration.epsilon.get().min(MAX_EPSILON))?;
    let smallest = smallest_deviation(epsilon, delta, meaning, calibration.input_cells)?;
    let mut step = 0.0;
    while step < 1.0 {
        let deviation = smallest * (1.0 + step);
        let lattice = lattice_for(deviation, calibration.input_cells)?;
        let rows = NoiseRows::new(lattice, bell(lattice, deviation))?;
        let exact = exact_delta(&rows, epsilon, meaning);
        if exact <= delta.get() {
            let delta = Delta::new(exact)?;
            let (guarantee, rounding) = match meaning {
                Meaning::Approximate => (Guarantee::Approximate { epsilon, delta }, Rounding::Stochastic),
                // A mixture of rows may be exposed where neither row is, so values go to the nearest node.
                Meaning::Probabilistic => (Guarantee::Probabilistic { epsilon, delta }, Rounding::Nearest),
            };
            return Ok(rows.promising(guarantee, rounding));
        }
        step = if step == 0.0 { f64::EPSILON } else { 8.0 * step };
    }
    Err(ParameterError::EpsilonTooSmall { got: epsilon.get() })
}

fn lattice_for(deviation: f64, input_cells: Option<u32>) -> Result<NoiseLattice, ParameterError> {
    /// Sixteen steps of each width are finer than any deviation that matters needs.
    const FINEST: u32 = 512;
    let lattice = NoiseLattice::reaching(REACH * deviation, CELLS, input_cells)?;
    if lattice.input_cells <= FINEST || input_cells.is_some() {
        return Ok(lattice);
    }
    NoiseLattice::reaching(REACH * deviation, CELLS, Some(FINEST))
}

fn bell(lattice: NoiseLattice, deviation: f64) -> impl Fn(f64) -> f64 {
    let unit = f64::from(lattice.input_cells) * deviation;
    move |distance| (-0.5 * (distance / unit).powi(2)).exp()
}

/// The standard deviation for which the law before rounding has this delta between both ends of the domain.
fn smallest_deviation(
    epsilon: Epsilon,
    delta: Delta,
    meaning: Meaning,
    input_cells: Option<u32>,
) -> Result<f64, ParameterError> {
    let exceeds = |deviation: f64| -> Result<bool, ParameterError> {
        let lattice = lattice_for(deviation, input_cells)?;
        Ok(approximate_delta(lattice, bell(lattice, deviation), epsilon, meaning) > delta.get())
    };
    let mut low = 1.0 / 64.0;
    let mut high = low;
    while exceeds(high)? {
        low = high;
        high *= 2.0;
    }
    // Twenty halvings come within a millionth; the search goes on in integers from there.
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if exceeds(middle)? { low = middle } else { high = middle }
    }
    Ok(high)
}

fn approximate_delta(
    lattice: NoiseLattice,
    relative: impl Fn(f64) -> f64,
    epsilon: Epsilon,
    meaning: Meaning,
) -> f64 {
    let (parts, reach) = (i64::from(lattice.input_cells), i64::from(lattice.reach));
    let bound = epsilon.get().exp();
    let (mut total, mut exposed) = (0.0, 0.0);
    for place in -reach..=reach {
        let here = relative(place as f64);
        let there = relative((place - parts) as f64);
        total += here;
        if here > bound * there {
            exposed += if meaning == Meaning::Approximate { here - bound * there } else { here };
        }
    }
    exposed / total
}

/// The delta of the integers, rounded up: the worst over all shifts of the noise by 1 to as many cells as the domain has.
///
/// Two nodes see each other's reports a shift apart. Weights fall with the distance, so only reports below the middle of
/// the shift can be exposed. The lowest report stands for all below it and is counted with them, term by term, which is
/// not less; the highest is likelier under the higher node and never exposed. The probabilistic delta is the mass of
/// everything up to the last exposed report, at least of the lowest.
pub(super) fn exact_delta(rows: &NoiseRows, epsilon: Epsilon, meaning: Meaning) -> f64 {
    /// e^epsilon as a fixed-point number, rounded down.
    const FIXED: u32 = 32;
    let factor = (ExpLowerBound::of(epsilon).to_fraction().to_f64() * (1.0 - 1e-15) * 2f64.powi(32)) as u128;
    let noise = rows.noise();
    let is_exposed = |place: usize, shift: usize| {
        let there = place.checked_sub(shift).map_or(0, |place| u128::from(noise[place]));
        (u128::from(noise[place]) << FIXED).checked_sub(factor * there).filter(|excess| *excess > 0)
    };
    // Beyond the middle of the shift the other weight is the larger one.
    let middle = noise.len() / 2;
    let worst = (1..=rows.input_cells() as usize).map(|shift| {
        let places = 0..=middle + shift / 2;
        match meaning {
            Meaning::Approximate => places.filter_map(|place| is_exposed(place, shift)).sum::<u128>(),
            Meaning::Probabilistic => {
                let lowest = rows.input_cells() as usize;
                let last = places.rev().find(|place| is_exposed(*place, shift).is_some()).unwrap_or(0);
                let exposed = &noise[..=last.max(lowest)];
                exposed.iter().map(|weight| u128::from(*weight) << FIXED).sum::<u128>()
            }
        }
    });
    (worst.max().unwrap_or(0) as f64 * 2f64.powi(-96)).next_up()
}
