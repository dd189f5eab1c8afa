//! Dates: a count of milliseconds since 1970 as a date and time of day in UTC.
//!
//! What it must not know: the clock. It has no leap seconds, as the count has none.
//! The days become a date by Howard Hinnant's `civil_from_days`
//! (<https://howardhinnant.github.io/date_algorithms.html>), cut to days from 1970 on, so that nothing is negative.
//! A crate for dates would be many thousand lines for these thirty.

use std::fmt;

/// A second in UTC, from 1970 on. Displays as RFC 3339, which is what `datetime` attributes take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Utc {
    year: u64,
    month: u64,
    day: u64,
    second_of_day: u64,
}

impl Utc {
    /// The second that this millisecond lies in.
    pub(crate) fn from_epoch_millis(millis: u64) -> Self {
        let seconds = millis / 1000;
        // Years are counted from 1 March, so that the leap day is the last of its year; eras of 400 years are all of
        // one length. 719,468 days lie between 0000-03-01 and 1970-01-01.
        let days = seconds / 86_400 + 719_468;
        let era = days / 146_097;
        let day_of_era = days % 146_097;
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let month = if month_from_march < 10 {
            month_from_march + 3
        } else {
            month_from_march - 9
        };
        Self {
            year: era * 400 + year_of_era + u64::from(month <= 2),
            month,
            day: day_of_year - (153 * month_from_march + 2) / 5 + 1,
            second_of_day: seconds % 86_400,
        }
    }

    /// As a person reads it: `2026-11-21 07:06:05 UTC`.
    pub(crate) fn in_words(self) -> String {
        self.written(' ', " UTC")
    }

    /// Every page has some of these, so they are not written by the machinery of `format!`.
    fn written(self, between: char, end: &str) -> String {
        let time = self.second_of_day;
        let mut number = itoa::Buffer::new();
        let mut text = String::with_capacity("2026-11-21 07:06:05 UTC".len());
        // Years have had four digits since 1000, and the count begins later.
        text.push_str(number.format(self.year));
        for (before, two_digits) in [
            ('-', self.month),
            ('-', self.day),
            (between, time / 3600),
            (':', time / 60 % 60),
            (':', time % 60),
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
    fn known_moments_have_their_dates() {
        // The expectations are those of `date -u -d @SECONDS`.
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
        let leap = |year: u64| {
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
        };
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for number in 0..146_097 {
            let date = Utc::from_epoch_millis(number * 86_400_000);
            assert_eq!((date.year, date.month, date.day), (year, month, day));
            let length = match month {
                2 => 28 + u64::from(leap(year)),
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
    fn the_end_of_the_count_has_a_date_too() {
        assert!(Utc::from_epoch_millis(u64::MAX).year > 584_000_000);
    }
}
