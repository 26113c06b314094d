//! Mechanisms on angles and times of day.

mod optimal_piecewise_circle;
mod optimal_piecewise_circle_squared;
mod purkayastha;
mod sector_randomized_response;
mod square_wave_circle;

pub use optimal_piecewise_circle::{AbsoluteErrorAround, OptimalPiecewiseCircle};
pub use optimal_piecewise_circle_squared::{OptimalPiecewiseCircleSquared, SquaredErrorAround};
pub use purkayastha::{GeodesicLaplace, Purkayastha};
pub use sector_randomized_response::{SectorRandomizedResponse, Sectors};
pub use square_wave_circle::{SquareWaveCircle, WaveAround};
