//! How many of how many.

/// A number of successes among a number of trials, with successes never above trials.
///
/// The two numbers have names because a function of two bare integers is silently wrong when they are
/// swapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BinomialCount {
    successes: u64,
    trials: u64,
}

impl BinomialCount {
    /// Makes a count, or returns `None` where `successes` exceeds `trials`.
    pub fn new(successes: u64, trials: u64) -> Option<Self> {
        (successes <= trials).then_some(Self { successes, trials })
    }

    /// The number of successes.
    pub fn successes(self) -> u64 {
        self.successes
    }

    /// The number of trials.
    pub fn trials(self) -> u64 {
        self.trials
    }

    /// The number of trials that were not successes.
    pub fn failures(self) -> u64 {
        self.trials - self.successes
    }

    /// The same experiment with the names of success and failure exchanged.
    pub fn mirrored(self) -> Self {
        Self { successes: self.failures(), trials: self.trials }
    }

    /// The same trials with one success fewer, or with none where there was none.
    pub(super) fn with_one_success_fewer(self) -> Self {
        Self { successes: self.successes.saturating_sub(1), trials: self.trials }
    }
}

#[cfg(test)]
mod tests {
    use super::BinomialCount;

    #[test]
    fn more_successes_than_trials_are_refused() {
        assert_eq!(BinomialCount::new(1, 0), None);
        assert_eq!(BinomialCount::new(u64::MAX, u64::MAX - 1), None);
    }

    #[test]
    fn mirroring_exchanges_successes_and_failures() {
        let count = BinomialCount::new(3, 10).unwrap();
        assert_eq!((count.successes(), count.failures(), count.trials()), (3, 7, 10));
        assert_eq!(count.mirrored(), BinomialCount::new(7, 10).unwrap());
        assert_eq!(count.mirrored().mirrored(), count);
    }
}
