//! How long something takes here.

use crate::ReproduceError;
use std::hint::black_box;
use std::time::Instant;

/// How often a time is measured. Other programs only ever lengthen it, so the shortest counts.
const TURNS: u32 = 5;

/// Milliseconds of one call, if so many are made one after the other; the shortest of a few measurements.
pub(crate) fn milliseconds<T>(
    calls: u32,
    mut work: impl FnMut() -> Result<T, ReproduceError>,
) -> Result<f64, ReproduceError> {
    let mut shortest = f64::INFINITY;
    for _ in 0..TURNS {
        let begin = Instant::now();
        for _ in 0..calls {
            black_box(work()?);
        }
        shortest = shortest.min(begin.elapsed().as_secs_f64());
    }
    Ok(1000.0 * shortest / f64::from(calls))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// A call that waits takes at least as long as it waits, and the shortest is no longer than the mean of all.
    #[test]
    fn times_are_those_of_one_call() {
        let wait = || {
            std::thread::sleep(Duration::from_millis(3));
            Ok(())
        };
        for calls in [1, 4] {
            let begin = Instant::now();
            let time = milliseconds(calls, wait).unwrap();
            let mean = 1000.0 * begin.elapsed().as_secs_f64() / f64::from(TURNS * calls);
            assert!((3.0..=mean).contains(&time), "{time} {mean}");
        }
    }
}
