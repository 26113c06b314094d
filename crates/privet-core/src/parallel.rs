//! Work on all cores.

use std::num::NonZeroUsize;
use std::thread;

/// How many threads can work at once.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// The results of a function for each item, in order. They do not depend on how many cores there are.
pub fn map<I: Sync, O: Send>(items: &[I], work: impl Fn(&I) -> O + Sync) -> Vec<O> {
    let share = items.len().div_ceil(cores()).max(1);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order() {
        for count in [0, 1, 2, 3, 1000] {
            let items: Vec<u64> = (0..count).collect();
            let squares: Vec<u64> = items.iter().map(|item| item * item).collect();
            assert_eq!(map(&items, |item| item * item), squares);
        }
    }
}
