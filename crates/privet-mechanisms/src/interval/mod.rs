//! Mechanisms on numbers in a bounded interval.

mod duchi;
mod hybrid;
mod hybrid_rows;
mod optimal_piecewise;
mod optimal_piecewise_squared;
mod optimal_piecewise_unbiased;
mod piecewise;
mod piecewise_compressed;
mod piecewise_truncated;
pub(crate) mod shares;
mod square_wave;
mod square_wave_bounded;
mod square_wave_compressed;
mod square_wave_truncated;

pub use duchi::{Duchi, TwoPoints};
pub use hybrid::{Hybrid, WindowAndPoints};
pub use hybrid_rows::HybridRows;
pub use optimal_piecewise::{AbsoluteError, OptimalPiecewise};
pub use optimal_piecewise_squared::{OptimalPiecewiseSquared, SquaredError};
pub use optimal_piecewise_unbiased::{OptimalPiecewiseUnbiased, UnbiasedInside};
pub use piecewise::{Piecewise, TravellingWindow};
pub use piecewise_compressed::{CompressedPiecewise, PiecewiseCompressed};
pub use piecewise_truncated::{PiecewiseTruncated, TruncatedPiecewise};
pub use square_wave::{CentredWave, SquareWave};
pub use square_wave_bounded::{BoundedWave, SquareWaveBounded};
pub use square_wave_compressed::{CompressedWave, SquareWaveCompressed};
pub use square_wave_truncated::{SquareWaveTruncated, TruncatedWave};
