//! Days, and the stretches of days that reports are counted in. There is no finer time.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A day of the Gregorian calendar, from 1970 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Days since 1970-01-01.
    days: i64,
}

const FIRST_YEAR: i64 = 1970;
const LAST_YEAR: i64 = 9999;

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn month_lengths(year: i64) -> [i64; 12] {
    let february = if is_leap(year) { 29 } else { 28 };
    [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// Days from 1970-01-01 to the first of January of a year.
fn days_before(year: i64) -> i64 {
    let leap_days = |year: i64| year / 4 - year / 100 + year / 400;
    (year - FIRST_YEAR) * 365 + leap_days(year - 1) - leap_days(FIRST_YEAR - 1)
}

impl Date {
    /// The day of this year, month (1 to 12) and day of the month, if there is one from 1970 to 9999.
    pub fn new(year: i64, month: u32, day: u32) -> Option<Self> {
        if !(FIRST_YEAR..=LAST_YEAR).contains(&year) {
            return None;
        }
        let lengths = month_lengths(year);
        let length = *lengths.get(month.checked_sub(1)? as usize)?;
        let before: i64 = lengths.iter().take(month as usize - 1).sum();
        let day = i64::from(day);
        (1..=length).contains(&day).then(|| Self { days: days_before(year) + before + day - 1 })
    }

    /// The day that is this many days after 1970-01-01, if it is before the year 10000.
    pub fn from_days_since_1970(days: u32) -> Option<Self> {
        let days = i64::from(days);
        (days < days_before(LAST_YEAR + 1)).then_some(Self { days })
    }

    /// How many days it is after 1970-01-01.
    pub fn days_since_1970(self) -> u32 {
        // Both ends of the calendar fit.
        self.days as u32
    }

    /// Year, month and day of the month.
    fn parts(self) -> (i64, i64, i64) {
        // No year has more than 366 days, so this is the year or one before it.
        let mut year = FIRST_YEAR + self.days / 366;
        while days_before(year + 1) <= self.days {
            year += 1;
        }
        let mut left = self.days - days_before(year);
        let mut month = 1;
        for length in month_lengths(year) {
            if left < length {
                break;
            }
            left -= length;
            month += 1;
        }
        (year, month, left + 1)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(formatter, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Date {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, NotADate> {
        let is_written_so = text.len() == 10
            && text.bytes().enumerate().all(|(place, byte)| match place {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !is_written_so {
            return Err(NotADate);
        }
        let part = |from: usize, to: usize| text[from..to].parse::<u32>().map_err(|_| NotADate);
        Self::new(i64::from(part(0, 4)?), part(5, 7)?, part(8, 10)?).ok_or(NotADate)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A text that is no day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a date is written 2026-03-31, from 1970 to 9999")]
pub struct NotADate;

/// How long one report of a person stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Epoch {
    /// A day.
    Day,
    /// A week, from Monday on.
    Week,
    /// A month of the calendar.
    Month,
}

impl Epoch {
    /// Every length, from the shortest on.
    pub const ALL: [Self; 3] = [Self::Day, Self::Week, Self::Month];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// Which one of all a day lies in.
    pub(crate) fn number(self, date: Date) -> i64 {
        match self {
            Self::Day => date.days,
            // 1970-01-01 was a Thursday.
            Self::Week => (date.days + 3) / 7,
            Self::Month => {
                let (year, month, _) = date.parts();
                year * 12 + month - 1
            }
        }
    }
}

/// The time over which a person's budget is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Period {
    /// A day.
    Day,
    /// A week, from Monday on.
    Week,
    /// A month of the calendar.
    Month,
    /// All days of the collection.
    Collection,
}

impl Period {
    /// Every length, from the shortest on.
    pub const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Collection];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Collection => "collection",
        }
    }

    /// Whether two days of one collection lie in the same period.
    pub(crate) fn is_same(self, one: Date, other: Date) -> bool {
        let epoch = match self {
            Self::Day => Epoch::Day,
            Self::Week => Epoch::Week,
            Self::Month => Epoch::Month,
            Self::Collection => return true,
        };
        epoch.number(one) == epoch.number(other)
    }

    /// How many epochs at most have a day in one period of a collection with `all` epochs; `None` where the period is shorter
    /// than an epoch.
    pub(crate) fn epochs(self, epoch: Epoch, all: u32) -> Option<u32> {
        let most = match (self, epoch) {
            (Self::Collection, _) => all,
            (Self::Day, Epoch::Day) | (Self::Week, Epoch::Week) | (Self::Month, Epoch::Month) => 1,
            (Self::Week, Epoch::Day) => 7,
            (Self::Month, Epoch::Day) => 31,
            // A month of 31 days that begins on a Sunday or a Saturday touches six weeks.
            (Self::Month, Epoch::Week) => 6,
            _ => return None,
        };
        Some(most.min(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn date(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn known_days() {
        assert_eq!(date("1970-01-01").days_since_1970(), 0);
        assert_eq!(date("2000-03-01").days_since_1970(), 11_017);
        assert_eq!(date("2024-02-29").days_since_1970(), 19_782);
        assert_eq!(date("9999-12-31").days_since_1970(), 2_932_896);
        for text in [
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-01-32",
            "1969-12-31",
            "24-01-01",
            "2024-1-1",
            "2024/01/01",
            "2024-01-0é",
        ] {
            assert_eq!(text.parse::<Date>(), Err(NotADate), "{text}");
        }
    }

    proptest! {
        #[test]
        fn days_are_written_and_read(days in 0u32..2_932_897) {
            let day = Date::from_days_since_1970(days).unwrap();
            prop_assert_eq!(date(&day.to_string()), day);
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,12}") {
            let _ = text.parse::<Date>();
        }
    }

    #[test]
    fn weeks_begin_on_monday() {
        // 2024-01-01 was a Monday.
        assert_ne!(Epoch::Week.number(date("2023-12-31")), Epoch::Week.number(date("2024-01-01")));
        assert_eq!(Epoch::Week.number(date("2024-01-01")), Epoch::Week.number(date("2024-01-07")));
        assert_ne!(Epoch::Week.number(date("2024-01-07")), Epoch::Week.number(date("2024-01-08")));
    }

    /// Counted over every period of forty years.
    #[test]
    fn no_period_has_more_epochs_than_is_said() {
        for (period, epoch) in
            [(Period::Week, Epoch::Day), (Period::Month, Epoch::Day), (Period::Month, Epoch::Week)]
        {
            let stated = period.epochs(epoch, u32::MAX).unwrap() as usize;
            let days = (10_000..25_000).map(|days| Date::from_days_since_1970(days).unwrap());
            let mut most = 0;
            let mut inside: Vec<Date> = Vec::new();
            for day in days {
                if inside.first().is_some_and(|first| !period.is_same(*first, day)) {
                    inside.clear();
                }
                inside.push(day);
                let mut epochs: Vec<i64> = inside.iter().map(|day| epoch.number(*day)).collect();
                epochs.dedup();
                most = most.max(epochs.len());
            }
            assert_eq!(most, stated);
        }
    }
}
