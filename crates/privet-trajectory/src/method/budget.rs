//! What one path may lose, and how it is divided over its places.

use super::LocationMethod;
use crate::TrajectoryError;
use privet_core::{Epsilon, ParameterError};
use std::sync::Arc;

/// How much each place of a path may lose. All of it is public.
#[derive(Debug, Clone, PartialEq)]
pub enum PathBudget {
    /// Each place the same; a path loses more the longer it is.
    PerLocation(Epsilon),
    /// The whole path this much, evenly over a number of places that is fixed before.
    PerPath {
        /// For all places together.
        epsilon: Epsilon,
        /// For how many.
        places: u32,
    },
    /// The whole path this much, in proportion to public weights.
    Weighted {
        /// For all places together.
        epsilon: Epsilon,
        /// One for each place, each above zero.
        weights: Vec<f64>,
    },
}

impl PathBudget {
    /// The largest number of places over which one epsilon is divided.
    pub const MAX_PLACES: usize = 1 << 20;

    /// The epsilon of each place; for [`PathBudget::PerLocation`] a single one. They never add up to more than the whole.
    ///
    /// # Errors
    /// When there is no place or there are too many, or a weight is not a finite number above zero.
    pub fn epsilons(&self) -> Result<Vec<Epsilon>, TrajectoryError> {
        match self {
            Self::PerLocation(epsilon) => Ok(vec![*epsilon]),
            Self::PerPath { epsilon, places } => divided(*epsilon, &vec![1.0; *places as usize]),
            Self::Weighted { epsilon, weights } => divided(*epsilon, weights),
        }
    }

    /// One method for each place, for [`super::Stream::with_methods`]. Neighbours with the same epsilon share theirs.
    ///
    /// # Errors
    /// As for [`PathBudget::epsilons`], when a method cannot be built, and for [`PathBudget::PerLocation`], which needs one
    /// method only.
    pub fn methods(
        &self,
        build: impl Fn(Epsilon) -> Result<Box<dyn LocationMethod>, TrajectoryError>,
    ) -> Result<Vec<Arc<dyn LocationMethod>>, TrajectoryError> {
        if matches!(self, Self::PerLocation(_)) {
            return Err(TrajectoryError::incompatible("a budget for each place needs one method only"));
        }
        let mut methods: Vec<Arc<dyn LocationMethod>> = Vec::new();
        let mut before = None;
        for epsilon in self.epsilons()? {
            let method = match methods.last() {
                Some(last) if before == Some(epsilon) => Arc::clone(last),
                _ => Arc::from(build(epsilon)?),
            };
            methods.push(method);
            before = Some(epsilon);
        }
        Ok(methods)
    }
}

fn divided(epsilon: Epsilon, weights: &[f64]) -> Result<Vec<Epsilon>, TrajectoryError> {
    let most = PathBudget::MAX_PLACES;
    if weights.is_empty() || weights.len() > most {
        let count = weights.len();
        return Err(TrajectoryError::incompatible(format!(
            "a budget is divided over between 1 and {most} places: got {count}"
        )));
    }
    let total: f64 = weights.iter().sum();
    if !total.is_finite() || weights.iter().any(|weight| *weight <= 0.0) {
        return Err(TrajectoryError::incompatible("the weights of places must be finite and greater than 0"));
    }
    // Each operation errs by at most one part in 2^53, the sum by one for each place: taking this share off keeps the total.
    let caution = 1.0 - (weights.len() as f64 + 4.0) * f64::EPSILON;
    let part = |weight: &f64| Epsilon::new(epsilon.get() * (weight / total) * caution);
    let parts: Result<Vec<Epsilon>, ParameterError> = weights.iter().map(part).collect();
    Ok(parts?)
}
