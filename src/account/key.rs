//! Keys: each belongs to someone whom the operator knows by a name, and gives rights.
//!
//! Invariants: a key has 128 random bits. Only its hash is stored, so a lost key cannot be shown again.

use std::fmt;
use std::str::FromStr;

use time::{Date, Month};

use super::Rights;
use crate::limit::Multiplier;
use crate::paste::{Timestamp, Token, TokenHash};

/// The start of every key, by which people and scanners for lost secrets know it.
const PREFIX: &str = "tbk_";

/// Returns true if a text claims to be a key. It may be malformed.
pub fn is_key(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// Returns true if a text has the prefix and the length of a key. The token of a paste is shorter.
pub fn is_whole_key(text: &str) -> bool {
    is_key(text) && text.len() == Key::LENGTH
}

/// A key, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The holder of the key, and its rights.
    pub grant: KeyGrant,
    /// The hash of its text.
    pub hash: TokenHash,
}

/// The operator's decisions about a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyGrant {
    /// The holder.
    pub name: KeyName,
    /// The rights of the holder.
    pub rights: Rights,
    /// The factor by which the limits of the holder's client are multiplied.
    pub multiplier: Multiplier,
    /// The last day of the key.
    pub end: KeyEnd,
}

/// The name of a key: 1 to 64 of `A-Za-z0-9._@-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName(String);

impl Key {
    /// The characters of a key.
    pub const LENGTH: usize = PREFIX.len() + 22;

    /// Makes a key of these random bytes. Also returns its text, which only its holder may get.
    pub fn from_random(grant: KeyGrant, random: [u8; 16]) -> (Self, String) {
        let text = [PREFIX, Token::from_random(random).as_str()].concat();
        let hash = TokenHash::of(&text);
        (Self { grant, hash }, text)
    }
}

impl KeyName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte);
        match text.len() {
            1..=64 if text.bytes().all(is_allowed) => Ok(Self(text.to_owned())),
            _ => Err("is not a name"),
        }
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

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
        match self.0 {
            Some(date) => date.fmt(f),
            None => f.write_str("never"),
        }
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
