//! The end of a key: the last day on which it is valid.

use std::fmt;
use std::str::FromStr;

use time::{Date, Month};

use crate::paste::Timestamp;

/// The Julian day of 1970-01-01.
const EPOCH: i32 = 2_440_588;

const DAY_MILLIS: u64 = 24 * 3600 * 1000;

/// The last day of a key in UTC, or `None` if it has no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyEnd(Option<Date>);

impl KeyEnd {
    /// Returns the first moment after the last day, or `None` if there is no end.
    pub fn timestamp(self) -> Option<Timestamp> {
        let days = u64::try_from(self.0?.to_julian_day() - EPOCH + 1).unwrap_or_default();
        Some(Timestamp::from_millis(days * DAY_MILLIS))
    }

    /// Returns true if the last day is over.
    pub fn has_passed(self, now: Timestamp) -> bool {
        self.timestamp().is_some_and(|end| now >= end)
    }
}

impl FromStr for KeyEnd {
    type Err = &'static str;

    /// Parses `2027-01-31` or `never`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "never" {
            return Ok(Self(None));
        }
        let is_date = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        let date = || {
            let month: u8 = text[5..7].parse().ok()?;
            let (year, day) = (text[..4].parse().ok()?, text[8..].parse().ok()?);
            Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()
        };
        let date = is_date.then(date).flatten().ok_or("is not a date")?;
        Ok(Self(Some(date)))
    }
}

/// Writes the end in the form that [`KeyEnd::from_str`] parses.
impl fmt::Display for KeyEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(date) = self.0 else {
            return f.write_str("never");
        };
        let (year, month, day) = date.to_calendar_date();
        write!(f, "{year:04}-{:02}-{day:02}", u8::from(month))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_valid_until_the_end_of_its_last_day() {
        // 2027-02-01T00:00:00Z by `date -u -d 2027-02-01 +%s`.
        let end: KeyEnd = "2027-01-31".parse().unwrap();
        let first_after = 1_801_440_000_000;
        assert!(!end.has_passed(Timestamp::from_millis(first_after - 1)));
        assert!(end.has_passed(Timestamp::from_millis(first_after)));
        assert_eq!(end.to_string(), "2027-01-31");
    }

    #[test]
    fn a_key_without_an_end_is_always_valid() {
        let end: KeyEnd = "never".parse().unwrap();
        assert!(!end.has_passed(Timestamp::from_millis(u64::MAX)));
        assert_eq!(
            (end, end.to_string().as_str()),
            (KeyEnd::default(), "never")
        );
    }

    #[test]
    fn a_day_that_does_not_exist_is_refused() {
        for text in [
            "",
            "2027",
            "2027-1-31",
            "2027-02-29",
            "2027-13-01",
            "31-01-2027",
            "2027/01/31",
            "+027-01-31",
            "2027-01-31T00:00:00Z",
            "2027-01-3é",
            "Never",
        ] {
            assert_eq!(text.parse::<KeyEnd>(), Err("is not a date"), "{text:?}");
        }
        let before_1970: KeyEnd = "1969-07-20".parse().unwrap();
        assert!(before_1970.has_passed(Timestamp::from_millis(0)));
    }
}
