//! Jobs of unequal length on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Does all jobs, each by the first thread that is free, and gives the results in the order of the jobs. `work` is told the
/// job's place.
pub(crate) fn in_order<J: Sync, T: Send>(jobs: &[J], work: impl Fn(usize, &J) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs.len())));
    std::thread::scope(|scope| {
        for _ in 0..privet_core::parallel::cores() {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(place) else { return };
                    let result = work(place, job);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}
