//! Work on two cores where there are two.

use std::num::NonZeroUsize;
use std::thread;

/// The results of a function for each item, in order. They do not depend on how many cores there are.
pub(super) fn map<I: Sync, O: Send>(items: &[I], work: impl Fn(&I) -> O + Sync) -> Vec<O> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = items.len().div_ceil(cores).max(1);
    thread::scope(|scope| {
        let mut chunks = items.chunks(share);
        let first = chunks.next().unwrap_or(&[]);
        let others: Vec<_> =
            chunks.map(|chunk| scope.spawn(|| chunk.iter().map(&work).collect::<Vec<O>>())).collect();
        let mut results: Vec<O> = first.iter().map(&work).collect();
        for other in others {
            match other.join() {
                Ok(part) => results.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}
