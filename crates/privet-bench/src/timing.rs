//! Rates by the clock, in turns.

use crate::clock::{Clock, Stopwatch};
use std::time::Duration;

/// How long a task is measured, and in how many turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    turns: usize,
    ours: Duration,
    peer: Duration,
    clock: Clock,
}

/// Of each turn the larger part is ours: the peer is the steadier of both.
const OUR_SHARE: f64 = 0.75;

/// An odd number, so that one turn is in the middle.
const TURNS: usize = 15;

/// As [`TURNS`], for a first impression.
const QUICK_TURNS: usize = 5;
const QUICK_SECONDS: f64 = 0.2;

impl Patience {
    /// About this many seconds for a task and its peer together; what is no time at all counts as zero, and a turn
    /// takes at least one batch.
    pub fn seconds(seconds: f64) -> Self {
        Self::of(TURNS, seconds)
    }

    /// A fifth of a second in few turns: for a first impression.
    pub fn quick() -> Self {
        Self::of(QUICK_TURNS, QUICK_SECONDS)
    }

    /// One batch of each: whether it runs at all.
    pub fn once() -> Self {
        Self::of(1, 0.0)
    }

    fn of(turns: usize, seconds: f64) -> Self {
        let turn = Duration::try_from_secs_f64(seconds / turns as f64).unwrap_or_default();
        let ours = turn.mul_f64(OUR_SHARE);
        Self { turns, ours, peer: turn.saturating_sub(ours), clock: Clock::Thread }
    }

    /// The same by everybody's clock, for work that several threads do.
    pub(crate) fn of_all_threads(self) -> Self {
        Self { clock: Clock::Wall, ..self }
    }

    /// Whether it is for a first impression only.
    pub(crate) fn is_quick(self) -> bool {
        self.turns < TURNS
    }

    /// How often we and the peer take turns.
    pub(crate) fn turns(self) -> usize {
        self.turns
    }

    /// Runs both in turns. Each call says how many items it did.
    pub(crate) fn take_turns<E>(
        self,
        mut ours: impl FnMut() -> Result<usize, E>,
        mut peer: impl FnMut() -> Result<usize, E>,
    ) -> Result<Timed, E> {
        let turn =
            |_| Ok(Turn { ours: self.rate(self.ours, &mut ours)?, peer: self.rate(self.peer, &mut peer)? });
        (0..self.turns).map(turn).collect::<Result<_, E>>().map(Timed::of)
    }

    /// Repeats until the time is over, and gives items per second.
    fn rate<E>(self, at_least: Duration, work: &mut impl FnMut() -> Result<usize, E>) -> Result<f64, E> {
        let watch = Stopwatch::start(self.clock);
        let mut items = work()?;
        while !watch.has_reached(at_least) {
            items += work()?;
        }
        Ok(items as f64 / watch.seconds())
    }
}

/// Items per second, of both, one after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Turn {
    pub(crate) ours: f64,
    pub(crate) peer: f64,
}

impl Turn {
    fn ratio(self) -> f64 {
        self.ours / self.peer
    }
}

/// What all turns say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Timed {
    /// The turn whose ratio is in the middle. What slows down the machine for longer than a turn slows down both of its halves, so the
    /// ratio is steadier than the rates.
    pub(crate) middle: Turn,
    /// How far a turn usually is from the one in the middle, as a share of its ratio.
    pub(crate) noise: f64,
    pub(crate) turns: usize,
}

/// The standard deviation of normal errors, in units of their median absolute deviation.
const NORMAL: f64 = 1.4826;

impl Timed {
    pub(crate) fn of(mut turns: Vec<Turn>) -> Self {
        turns.sort_by(|one, other| one.ratio().total_cmp(&other.ratio()));
        let middle = turns.get(turns.len() / 2).copied().unwrap_or(Turn { ours: 0.0, peer: 0.0 });
        let mut distances: Vec<f64> =
            turns.iter().map(|turn| (turn.ratio() / middle.ratio() - 1.0).abs()).collect();
        distances.sort_by(f64::total_cmp);
        let noise = NORMAL * distances.get(distances.len() / 2).copied().unwrap_or(0.0);
        Self { middle, noise, turns: turns.len() }
    }

    /// The same where an item of ours takes so many of the peer's.
    pub(crate) fn with_peer_items(self, items: f64) -> Self {
        Self { middle: Turn { peer: self.middle.peer / items, ..self.middle }, ..self }
    }

    /// With what is counted, and what the peer is.
    pub(crate) fn in_units(self, unit: &'static str, peer: impl Into<String>) -> Measured {
        Measured { timed: self, unit, note: format!("peer: {}", peer.into()) }
    }
}

/// What was measured for a task.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    pub(crate) timed: Timed,
    pub(crate) unit: &'static str,
    pub(crate) note: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(ratios: &[f64]) -> Timed {
        Timed::of(ratios.iter().map(|ratio| Turn { ours: 10.0 * ratio, peer: 10.0 }).collect())
    }

    #[test]
    fn the_turn_in_the_middle_counts_and_the_others_are_noise() {
        let found = timed(&[0.5, 0.48, 0.52, 0.05, 0.51]);
        assert_eq!(found.middle, Turn { ours: 5.0, peer: 10.0 });
        // The distances are 0, 2 %, 4 %, 4 % and 90 %.
        assert!((found.noise - NORMAL * 0.04).abs() < 1e-12, "{found:?}");
        assert_eq!(found.turns, 5);
    }

    #[test]
    fn equal_turns_have_no_noise_and_one_turn_has_none_either() {
        assert_eq!(timed(&[0.25; 7]).noise, 0.0);
        assert_eq!(timed(&[3.0]).noise, 0.0);
    }

    #[test]
    fn a_peer_whose_items_are_smaller_is_divided() {
        let found = timed(&[0.5]).with_peer_items(4.0);
        assert_eq!(found.middle, Turn { ours: 5.0, peer: 2.5 });
    }

    #[test]
    fn both_take_turns() {
        let order = std::cell::RefCell::new(String::new());
        let note = |letter| {
            order.borrow_mut().push(letter);
            Ok::<_, ()>(1)
        };
        Patience::of(3, 0.0).take_turns(|| note('o'), || note('p')).unwrap();
        assert_eq!(*order.borrow(), "opopop");
    }

    #[test]
    fn what_is_no_time_counts_as_none() {
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Patience::seconds(seconds).ours, Duration::ZERO, "{seconds}");
        }
        assert_eq!(Patience::seconds(15.0).ours + Patience::seconds(15.0).peer, Duration::from_secs(1));
    }
}
