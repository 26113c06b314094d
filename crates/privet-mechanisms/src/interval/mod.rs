//! Mechanisms on numbers in a bounded interval.

mod duchi;
mod gaussian;
mod gaussian_probabilistic;
mod gaussian_rows;
mod grid_exponential;
mod grid_randomized_response;
mod hybrid;
mod hybrid_rows;
mod laplace;
mod laplace_bounded;
mod laplace_truncated;
mod minimax_absolute;
mod minimax_squared;
mod minimax_unbiased;
mod optimal_piecewise;
mod optimal_piecewise_squared;
mod optimal_piecewise_unbiased;
mod piecewise;
mod piecewise_compressed;
mod piecewise_truncated;
pub(crate) mod shares;
mod solved;
mod square_wave;
mod square_wave_bounded;
mod square_wave_compressed;
mod square_wave_truncated;
mod staircase;

pub use duchi::{Duchi, TwoPoints};
pub use gaussian::{Gaussian, GaussianNoise};
pub use gaussian_probabilistic::{GaussianProbabilistic, ProbabilisticGaussianNoise, theorem_18_deviation};
pub use grid_exponential::{ExponentialOnPoints, GridExponential};
pub use grid_randomized_response::{GridRandomizedResponse, ResponseOnPoints};
pub use hybrid::{Hybrid, WindowAndPoints};
pub use hybrid_rows::HybridRows;
pub use laplace::{Laplace, LaplaceNoise};
pub use laplace_bounded::{InsideOnly, LaplaceBounded};
pub use laplace_truncated::{LaplaceTruncated, TruncatedLaplaceNoise};
pub use minimax_absolute::{LeastWorstAbsolute, MinimaxAbsolute};
pub use minimax_squared::{LeastWorstSquared, MinimaxSquared};
pub use minimax_unbiased::{LeastWorstVariance, MinimaxUnbiased};
pub use optimal_piecewise::{AbsoluteError, OptimalPiecewise};
pub use optimal_piecewise_squared::{OptimalPiecewiseSquared, SquaredError};
pub use optimal_piecewise_unbiased::{OptimalPiecewiseUnbiased, UnbiasedInside};
pub use piecewise::{Piecewise, TravellingWindow};
pub use piecewise_compressed::{CompressedPiecewise, PiecewiseCompressed};
pub use piecewise_truncated::{PiecewiseTruncated, TruncatedPiecewise};
pub use solved::{FoundOnInterval, SolvedInterval};
pub use square_wave::{CentredWave, SquareWave};
pub use square_wave_bounded::{BoundedWave, SquareWaveBounded};
pub use square_wave_compressed::{CompressedWave, SquareWaveCompressed};
pub use square_wave_truncated::{SquareWaveTruncated, TruncatedWave};
pub use staircase::{Staircase, Stairs};

use crate::lattice::{Calibration, NoiseLattice};
use privet_core::ParameterError;

/// The number of parts of a grid mechanism.
fn grid_parts(calibration: &Calibration) -> Result<u32, ParameterError> {
    const DEFAULT: u32 = 100;
    const MOST: u32 = 1023;
    let parts = calibration.options.bins.or(calibration.input_cells).unwrap_or(DEFAULT);
    if (1..=MOST).contains(&parts) {
        return Ok(parts);
    }
    Err(ParameterError::Incompatible {
        reason: format!("the number of bins must be between 1 and {MOST}: got {parts}"),
    })
}

/// Beyond this rate the far weights of noise vanish against 2^64, and a larger epsilon cannot be spent.
const MAX_RATE: f64 = 20.0;

/// The lattice for noise that falls off at the rate epsilon, with at most about `finest` parts of the domain.
fn noise_lattice(calibration: &Calibration, finest: f64) -> Result<NoiseLattice, ParameterError> {
    const CELLS: u32 = 1 << 17;
    let rate = calibration.epsilon.get().min(MAX_RATE);
    // e^-16.6 is 2^-24: the smallest weights still have about 30 bits. The reach beyond the domain must stay many times
    // the spread of the noise where epsilon itself takes a large part of those bits.
    let reach = (16.6 - rate).max(12.0).min((24.0 - rate).max(4.0));
    let widths = reach / rate;
    let cells = CELLS.min((finest * (2.0 * widths + 3.0)).ceil() as u32);
    NoiseLattice::reaching(widths, cells, calibration.input_cells)
}
