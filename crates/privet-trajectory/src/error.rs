//! What can go wrong with locations.

use privet_core::{InputError, ParameterError};
use thiserror::Error;

/// Why there is no report, no metric or no estimate. Nothing in it says where a place is.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TrajectoryError {
    /// The parameters do not fit.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A place is outside the space.
    #[error(transparent)]
    Input(#[from] InputError),
}
