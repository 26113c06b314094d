//! The best channel there can be, and the proof.

pub mod certificate;
mod error;
pub mod line;
mod programme;

use error::TooLarge;

pub use error::LimitError;
pub use line::{LineProblem, LineSolution, Objective, Unbiased};
pub use programme::Stop;
