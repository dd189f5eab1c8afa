//! Dates: converts milliseconds since 1970 to a date and time of day in UTC.

use std::fmt;

use time::UtcDateTime;

/// A second in UTC, from 1970 to the year 999,999. It displays as RFC 3339, the form that `datetime` attributes need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Utc(UtcDateTime);

impl Utc {
    /// Returns the second that contains this millisecond. A millisecond after the last supported second becomes that
    /// second.
    pub(crate) fn from_epoch_millis(millis: u64) -> Self {
        let seconds = i64::try_from(millis / 1000).expect("a thousandth of `u64::MAX` fits");
        Self(UtcDateTime::from_unix_timestamp(seconds).unwrap_or(UtcDateTime::MAX))
    }

    /// Returns the date as people read it: `2026-11-21 07:06:05 UTC`.
    pub(crate) fn in_words(self) -> String {
        self.written(' ', " UTC")
    }

    /// Returns the date as text. It does not use `format!`, which is slower, because every page has dates.
    fn written(self, separator: char, end: &str) -> String {
        let (year, month, day) = self.0.to_calendar_date();
        let (hour, minute, second) = self.0.as_hms();
        let mut number = itoa::Buffer::new();
        let mut text = String::with_capacity("2026-11-21 07:06:05 UTC".len());
        text.push_str(number.format(year));
        for (before, two_digits) in [
            ('-', u8::from(month)),
            ('-', day),
            (separator, hour),
            (':', minute),
            (':', second),
        ] {
            text.push(before);
            text.push_str(&number.format(100 + two_digits)[1..]);
        }
        text.push_str(end);
        text
    }
}

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written('T', "Z"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_have_their_dates() {
        // The expected dates are from `date -u -d @SECONDS`.
        for (millis, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (951_868_800_000, "2000-03-01T00:00:00Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59Z"),
            (1_735_689_599_000, "2024-12-31T23:59:59Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
            (253_402_300_800_000, "10000-01-01T00:00:00Z"),
        ] {
            assert_eq!(Utc::from_epoch_millis(millis).to_string(), expected);
        }
        assert_eq!(
            Utc::from_epoch_millis(0).in_words(),
            "1970-01-01 00:00:00 UTC"
        );
    }

    #[test]
    fn each_day_of_four_centuries_follows_the_one_before() {
        let leap = |year: i32| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for number in 0..146_097 {
            let date = Utc::from_epoch_millis(number * 86_400_000);
            let date = date.0.to_calendar_date();
            assert_eq!((date.0, u8::from(date.1), date.2), (year, month, day));
            let length = match month {
                2 => 28 + u8::from(leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }

    #[test]
    fn a_time_beyond_the_last_date_has_the_last_date() {
        let last = Utc::from_epoch_millis(u64::MAX);
        assert_eq!(last.to_string(), "999999-12-31T23:59:59Z");
    }
}
