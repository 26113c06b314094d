//! Estimators that cells share: what is designed for one population serves the next.

use anyhow::Result;
use privet_estimators::registry::AnyEstimator;
use std::sync::{Arc, Mutex, PoisonError};

/// Those that were asked for last, newest first. Neighbouring cells have the same mechanism.
static KEPT: Mutex<Vec<(String, Arc<dyn AnyEstimator>)>> = Mutex::new(Vec::new());

const MOST: usize = 8;

/// The estimator of this name, or the one that is built now.
pub(super) fn estimator(
    name: String,
    build: impl FnOnce() -> Result<Box<dyn AnyEstimator>>,
) -> Result<Arc<dyn AnyEstimator>> {
    let known = |kept: &[(String, Arc<dyn AnyEstimator>)]| {
        kept.iter().find(|(known, _)| *known == name).map(|(_, estimator)| Arc::clone(estimator))
    };
    // Others wait while one is built, so that nothing is built twice.
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(estimator) = known(&kept) {
        return Ok(estimator);
    }
    let built: Arc<dyn AnyEstimator> = Arc::from(build()?);
    kept.insert(0, (name, Arc::clone(&built)));
    kept.truncate(MOST);
    Ok(built)
}
