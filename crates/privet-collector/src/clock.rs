//! What day it is, somewhere on Earth.

use privet_policy::Date;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where the time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clock {
    /// The clock of the machine.
    #[default]
    System,
    /// A time that stands still, in seconds since 1970: for tests and for made-up people.
    Fixed(u64),
}

const DAY: u64 = 24 * 60 * 60;

/// Clocks on Earth are up to 14 hours ahead of Greenwich and up to 12 behind it.
const AHEAD: u64 = 14 * 60 * 60;
const BEHIND: u64 = 12 * 60 * 60;

impl Clock {
    /// A clock that stands still at noon of a day.
    pub fn at_noon(day: Date) -> Self {
        Self::Fixed(u64::from(day.days_since_1970()) * DAY + DAY / 2)
    }

    /// Seconds since 1970.
    fn seconds(self) -> u64 {
        match self {
            Self::System => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            Self::Fixed(seconds) => seconds,
        }
    }

    /// Today in Greenwich, in days since 1970.
    pub(crate) fn today(self) -> u32 {
        days(self.seconds())
    }

    /// The first and the last day that are today somewhere. A device counts days where its person lives.
    pub(crate) fn days_on_earth(self) -> [Option<Date>; 2] {
        let now = self.seconds();
        [now.saturating_sub(BEHIND), now + AHEAD].map(|seconds| Date::from_days_since_1970(days(seconds)))
    }
}

fn days(seconds: u64) -> u32 {
    u32::try_from(seconds / DAY).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_in_the_east_and_ends_in_the_west() {
        let day = |text: &str| text.parse::<Date>().ok();
        let noon = Clock::at_noon("2026-03-15".parse().unwrap());
        assert_eq!(noon.days_on_earth(), [day("2026-03-15"), day("2026-03-16")]);
        let Clock::Fixed(seconds) = noon else { panic!("it stands still") };
        assert_eq!(
            Clock::Fixed(seconds - 3 * 60 * 60).days_on_earth(),
            [day("2026-03-14"), day("2026-03-15")]
        );
        assert_eq!(noon.today(), day("2026-03-15").unwrap().days_since_1970());
    }
}
