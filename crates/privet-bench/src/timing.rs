//! Rates by the clock.

use std::time::{Duration, Instant};

/// How long a task is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    ours: Duration,
    peer: Duration,
}

/// How many times we and the peer take turns.
const TURNS: u32 = 5;

/// Of each turn the larger part is ours: the peer is the steadier of both.
const OUR_SHARE: f64 = 0.75;

impl Patience {
    /// About this many seconds for a task and its peer together; what is no time at all counts as zero, and a turn
    /// takes at least one batch.
    pub fn seconds(seconds: f64) -> Self {
        let turn = Duration::try_from_secs_f64(seconds / f64::from(TURNS)).unwrap_or_default();
        let ours = turn.mul_f64(OUR_SHARE);
        Self { ours, peer: turn.saturating_sub(ours) }
    }

    /// Runs both in turns and gives the best rate of each, in items per second. Each call says how many items it did.
    pub(crate) fn best_rates<E>(
        self,
        mut ours: impl FnMut() -> Result<usize, E>,
        mut peer: impl FnMut() -> Result<usize, E>,
    ) -> Result<Rates, E> {
        let mut best = Rates { ours: 0.0, peer: 0.0 };
        for _ in 0..TURNS {
            best.ours = best.ours.max(rate(self.ours, &mut ours)?);
            best.peer = best.peer.max(rate(self.peer, &mut peer)?);
        }
        Ok(best)
    }
}

/// Items per second.
pub(crate) struct Rates {
    pub(crate) ours: f64,
    pub(crate) peer: f64,
}

/// Repeats until the time is over.
fn rate<E>(at_least: Duration, work: &mut impl FnMut() -> Result<usize, E>) -> Result<f64, E> {
    let start = Instant::now();
    let mut items = 0;
    loop {
        items += work()?;
        let elapsed = start.elapsed();
        if elapsed >= at_least {
            // A clock that stood still would make the rate infinite.
            return Ok(items as f64 / elapsed.as_secs_f64().max(1e-9));
        }
    }
}
