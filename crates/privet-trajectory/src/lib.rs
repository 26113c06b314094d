//! Locations and paths: each point is perturbed on its own under pure local differential privacy, for the whole continuous
//! space.

mod error;
mod path;

pub use error::TrajectoryError;
pub use path::{Path, Place};
