//! Mechanisms on numbers in a bounded interval.

mod optimal_piecewise;
mod window;

pub use optimal_piecewise::{AbsoluteError, OptimalPiecewise};

pub use window::{Decoding, Placing, WindowGeometry, WindowMechanism, WindowRule};
