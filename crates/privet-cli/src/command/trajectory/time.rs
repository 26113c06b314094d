//! Times as numbers: those that tables hold, or seconds since 1970 for dates.

/// How a table writes its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    Numbers,
    Dates,
}

const SECONDS_OF_A_DAY: f64 = 86_400.0;

impl Clock {
    /// The clock that reads a text, if there is one.
    pub(super) fn of(text: &str) -> Option<Self> {
        [Self::Numbers, Self::Dates].into_iter().find(|clock| clock.read(text).is_some())
    }

    /// A finite number, or the seconds since 1970 of a date such as 2012-04-08, 2012-04-08 00:03:35 or
    /// 2012-04-08T00:03:35.5+09:00.
    pub(super) fn read(self, text: &str) -> Option<f64> {
        match self {
            Self::Numbers => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            Self::Dates => seconds(text.trim()),
        }
    }

    /// The same as a text.
    pub(super) fn write(self, time: f64) -> String {
        match self {
            Self::Numbers => time.to_string(),
            Self::Dates => date(time),
        }
    }
}

fn seconds(text: &str) -> Option<f64> {
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let mut next = || parts.next()?.parse::<u32>().ok();
    let (year, month, day) = (next()?, next()?, next()?);
    if parts.next().is_some() || !(1..=9999).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    if !(1..=days_of_month(year, month)).contains(&day) {
        return None;
    }
    let time = time.map_or(Some(0.0), seconds_of_day)?;
    Some(days_since_1970(year, month, day) * SECONDS_OF_A_DAY + time)
}

/// Seconds since midnight of the meridian of Greenwich.
fn seconds_of_day(text: &str) -> Option<f64> {
    let (clock, zone) = match text.find(['Z', '+', '-']) {
        Some(place) => text.split_at(place),
        None => (text, "Z"),
    };
    let mut parts = clock.split(':');
    let (hours, minutes) = (parts.next()?.parse::<u32>().ok()?, parts.next()?.parse::<u32>().ok()?);
    let seconds = parts.next().map_or(Some(0.0), |text| text.parse::<f64>().ok())?;
    if parts.next().is_some() || hours > 23 || minutes > 59 || !(0.0..61.0).contains(&seconds) {
        return None;
    }
    let ahead = match zone.strip_prefix(['+', '-']) {
        None => 0,
        Some(offset) => {
            let (hours, minutes) = offset.split_once(':').or_else(|| offset.split_at_checked(2))?;
            let minutes = hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    Some(f64::from(hours * 3600 + minutes * 60) + seconds - 60.0 * f64::from(ahead))
}

fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_month(year: u32, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_since_1970(year: u32, month: u32, day: u32) -> f64 {
    let before = year - 1;
    let leaps = before / 4 - before / 100 + before / 400;
    let of_months: u32 = (1..month).map(|month| days_of_month(year, month)).sum();
    // The first day of the first year was 719 162 days before 1970.
    f64::from(before * 365 + leaps + of_months + day - 1) - 719_162.0
}

/// The date of some seconds since 1970; what no date can have stays a number.
fn date(time: f64) -> String {
    let days = (time / SECONDS_OF_A_DAY).floor();
    let (mut year, mut left) = (1, days + 719_162.0);
    if !(0.0..=3_652_058.0).contains(&left) {
        return time.to_string();
    }
    // At most 9999 turns.
    let days_of_year = |year: u32| if is_leap(year) { 366.0 } else { 365.0 };
    while left >= days_of_year(year) {
        left -= days_of_year(year);
        year += 1;
    }
    let mut month = 1;
    while left >= f64::from(days_of_month(year, month)) {
        left -= f64::from(days_of_month(year, month));
        month += 1;
    }
    let seconds = time - days * SECONDS_OF_A_DAY;
    let (hours, minutes) = ((seconds / 3600.0).floor(), (seconds / 60.0).floor() % 60.0);
    let rest = (seconds % 60.0).floor();
    format!("{year:04}-{month:02}-{:02}T{hours:02}:{minutes:02}:{rest:02}Z", left + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_seconds() {
        for (text, expected) in [
            ("1970-01-01", 0.0),
            ("1970-01-01T00:00:00Z", 0.0),
            ("2012-04-08 00:03:35", 1_333_843_415.0),
            ("2012-04-08T09:03:35+09:00", 1_333_843_415.0),
            ("2012-04-07T19:03:35.25-0500", 1_333_843_415.25),
            ("2000-02-29 12:00", 951_825_600.0),
            ("1969-12-31 23:59:59", -1.0),
        ] {
            assert_eq!(Clock::of(text), Some(Clock::Dates));
            assert_eq!(Clock::Dates.read(text), Some(expected), "{text}");
        }
        assert_eq!(Clock::Dates.write(1_333_843_415.0), "2012-04-08T00:03:35Z");
        for day in [-719_162.0, -1.0, 0.0, 59.0, 11_016.0, 18_000.0, 2_932_896.0] {
            let time = day * SECONDS_OF_A_DAY + 3661.0;
            assert_eq!(seconds(&date(time)), Some(time));
        }
        assert_eq!(Clock::Dates.write(1e30), "1000000000000000000000000000000");
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "noon",
            "NaN",
            "inf",
            "2011-02-29",
            "2012-13-01",
            "2012-00-01",
            "2012-01-32",
            "2012-01",
            "0000-01-01",
            "2012-01-01-01",
            "2012-01-01 24:00",
            "2012-01-01 10:61",
            "2012-01-01 10:00:99",
            "2012-01-01 10",
            "2012-01-01T10:00+x",
        ] {
            assert_eq!(Clock::of(text), None, "{text}");
        }
        assert_eq!(Clock::of(" -1.5 "), Some(Clock::Numbers));
    }
}
