//! How long something took.

use std::time::{Duration, Instant};

/// Whose time is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// This thread's on the processor, which other programs do not lengthen much; where the system does not say it, everybody's.
    Thread,
    /// Everybody's: for work that several threads do.
    Wall,
}

/// Time that runs.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    begun: Instant,
    thread: Option<Duration>,
}

impl Stopwatch {
    pub(crate) fn start(clock: Clock) -> Self {
        let thread = if clock == Clock::Thread { thread_time() } else { None };
        Self { begun: Instant::now(), thread }
    }

    /// Whether everybody has waited this long.
    pub(crate) fn has_reached(&self, time: Duration) -> bool {
        self.begun.elapsed() >= time
    }

    /// The seconds that count. They are never zero: a clock that stood still would make a rate infinite.
    pub(crate) fn seconds(&self) -> f64 {
        let wall = self.begun.elapsed();
        let thread = self.thread.and_then(|before| thread_time()?.checked_sub(before));
        let counted = thread.filter(|time| !time.is_zero()).unwrap_or(wall);
        counted.as_secs_f64().max(1e-9)
    }
}

/// How long this thread was on a processor so far, where the system says so.
fn thread_time() -> Option<Duration> {
    // The system brings the number up to date when a thread offers its place to others.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_above_zero_by_either_clock() {
        for clock in [Clock::Thread, Clock::Wall] {
            let watch = Stopwatch::start(clock);
            assert!(watch.seconds() > 0.0 && watch.has_reached(Duration::ZERO), "{clock:?}");
            assert!(!watch.has_reached(Duration::MAX));
        }
    }

    #[test]
    fn a_thread_that_sleeps_takes_no_time_of_the_processor() {
        if thread_time().is_none() {
            return;
        }
        let (thread, wall) = (Stopwatch::start(Clock::Thread), Stopwatch::start(Clock::Wall));
        std::thread::sleep(Duration::from_millis(50));
        assert!(thread.seconds() < wall.seconds());
    }
}
