//! What one path may lose, and how it is divided over its places.

use super::LocationMethod;
use crate::TrajectoryError;
use privet_core::Epsilon;
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
            Self::PerPath { epsilon, places } => {
                check_count(*places as usize)?;
                Ok(vec![epsilon.divided(*places)?; *places as usize])
            }
            Self::Weighted { epsilon, weights } => {
                check_count(weights.len())?;
                Ok(epsilon.shared(weights)?)
            }
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

fn check_count(places: usize) -> Result<(), TrajectoryError> {
    let most = PathBudget::MAX_PLACES;
    if (1..=most).contains(&places) {
        return Ok(());
    }
    Err(TrajectoryError::incompatible(format!(
        "a budget is divided over between 1 and {most} places: got {places}"
    )))
}
