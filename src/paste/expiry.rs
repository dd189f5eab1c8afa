//! Expiries. An expiry is the time after which a paste expires: `90s`, `10m`, `2h`, `7d`, `4w`, `1y` or `never`. Units
//! may be words, too: `10min`, `2hours`. A year has 365 days.
//!
//! Invariants: a finite expiry is at least one second, and its seconds fit 64 bits. The default of a policy is at most
//! its longest expiry. A number without a unit is refused. Other pastebins read such a number as seconds, minutes,
//! hours or epoch milliseconds. A wrong guess could delete a paste too early.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use thiserror::Error;

/// The units, largest first. Each has a letter, its length in seconds and a name.
const UNITS: [(char, u64, &str); 6] = [
    ('y', 365 * 24 * 3600, "year"),
    ('w', 7 * 24 * 3600, "week"),
    ('d', 24 * 3600, "day"),
    ('h', 3600, "hour"),
    ('m', 60, "minute"),
    ('s', 1, "second"),
];

/// The time after which a paste expires. `Never` is greater than any number of seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expiry {
    /// The paste expires after this many seconds.
    Seconds(NonZeroU64),
    /// The paste does not expire. It is stored until it is deleted or evicted.
    #[default]
    Never,
}

/// Why a text is not an expiry. Its message continues a sentence that starts with the name of the option.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExpiryError {
    /// The text is a number without a unit.
    #[error("has no unit")]
    NoUnit,
    /// The text is a number with a unit that does not exist. The unit consists of a few ASCII letters.
    #[error("has the unknown unit `{0}`")]
    UnknownUnit(String),
    /// The text is not a number with a unit.
    #[error("is not a duration")]
    Malformed,
    /// The number is zero.
    #[error("is zero")]
    Zero,
    /// The number of seconds does not fit 64 bits.
    #[error("is too long")]
    Overflow,
}

impl Expiry {
    /// Makes an expiry of this many seconds.
    ///
    /// # Errors
    /// Fails if `seconds` is zero.
    pub fn from_seconds(seconds: u64) -> Result<Self, ExpiryError> {
        NonZeroU64::new(seconds)
            .map(Self::Seconds)
            .ok_or(ExpiryError::Zero)
    }

    /// Returns the seconds of the expiry, or `None` if the paste never expires.
    pub fn seconds(self) -> Option<u64> {
        match self {
            Self::Seconds(seconds) => Some(seconds.get()),
            Self::Never => None,
        }
    }

    /// Returns the expiry in words: `7 days`, `90 seconds`, `never`.
    pub fn in_words(self) -> String {
        match self {
            Self::Never => "never".to_owned(),
            Self::Seconds(seconds) => {
                let (count, _, unit) = in_largest_unit(seconds.get());
                let plural = if count == 1 { "" } else { "s" };
                format!("{count} {unit}{plural}")
            }
        }
    }
}

/// Returns the seconds as a count of the largest unit that divides them, with the unit's letter and name. Weeks are
/// returned as days, since most people say `28 days`.
fn in_largest_unit(seconds: u64) -> (u64, char, &'static str) {
    UNITS
        .iter()
        .filter(|(letter, ..)| *letter != 'w')
        .find(|(_, size, _)| seconds.is_multiple_of(*size))
        .map_or((seconds, 's', "second"), |(letter, size, name)| {
            (seconds / size, *letter, *name)
        })
}

impl FromStr for Expiry {
    type Err = ExpiryError;

    fn from_str(text: &str) -> Result<Self, ExpiryError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("never") {
            return Ok(Self::Never);
        }
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        if number.is_empty() {
            return Err(ExpiryError::Malformed);
        }
        if unit.is_empty() {
            return Err(ExpiryError::NoUnit);
        }
        let size = unit_size(unit).ok_or_else(|| unknown_unit(unit))?;
        let count: u64 = number.parse().map_err(|_| ExpiryError::Overflow)?;
        Self::from_seconds(count.checked_mul(size).ok_or(ExpiryError::Overflow)?)
    }
}

/// Returns the seconds of a unit, which is written as a letter, a word or an abbreviation. `M` is no unit: it means
/// months to some programs, and minutes to others.
fn unit_size(unit: &str) -> Option<u64> {
    if unit == "M" {
        return None;
    }
    let unit = unit.to_ascii_lowercase();
    let unit = match unit.as_str() {
        "sec" | "secs" => "s",
        "min" | "mins" => "m",
        "hr" | "hrs" => "h",
        "wk" | "wks" => "w",
        "yr" | "yrs" => "y",
        other => other,
    };
    let mut units = UNITS.iter();
    let (_, size, _) = units.find(|(letter, _, name)| {
        unit.chars().eq([*letter]) || unit == *name || unit.strip_suffix('s') == Some(*name)
    })?;
    Some(*size)
}

/// Returns the error for a unit that does not exist. The error repeats the unit only if it is a short word.
fn unknown_unit(unit: &str) -> ExpiryError {
    const LONGEST: usize = 12;
    let is_word = unit.len() <= LONGEST && unit.bytes().all(|byte| byte.is_ascii_alphabetic());
    match is_word {
        true => ExpiryError::UnknownUnit(unit.to_owned()),
        false => ExpiryError::Malformed,
    }
}

/// Writes the expiry as in requests and settings: `7d`.
impl fmt::Display for Expiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => f.write_str("never"),
            Self::Seconds(seconds) => {
                let (count, letter, _) = in_largest_unit(seconds.get());
                write!(f, "{count}{letter}")
            }
        }
    }
}

/// The expiries that the operator allows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExpiryPolicy {
    /// The expiry of a paste if the client does not ask for one.
    pub(crate) default: Expiry,
    /// The longest expiry that a client may ask for.
    pub(crate) longest: Expiry,
}

impl ExpiryPolicy {
    /// Makes a policy. The longest expiry limits the default.
    pub fn new(default: Expiry, longest: Expiry) -> Self {
        let default = default.min(longest);
        Self { default, longest }
    }

    /// Returns true if a client may ask for this expiry.
    pub fn allows(&self, expiry: Expiry) -> bool {
        expiry <= self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<u64> {
        text.parse::<Expiry>()
            .unwrap_or_else(|error| panic!("{text}: {error:?}"))
            .seconds()
    }

    #[test]
    fn every_unit_is_understood_in_either_case() {
        for (text, expected) in [
            ("90s", 90),
            ("10m", 600),
            ("2h", 7200),
            ("7d", 604_800),
            ("4w", 2_419_200),
            ("1H", 3600),
            (" 5m ", 300),
            ("10min", 600),
            ("2Hours", 7200),
            ("1day", 86_400),
            ("90secs", 90),
            ("1wk", 604_800),
            ("1y", 31_536_000),
            ("2years", 63_072_000),
            ("1yr", 31_536_000),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        assert_eq!(seconds("Never"), None);
    }

    #[test]
    fn a_text_that_is_not_an_expiry_says_why() {
        for (text, why) in [
            ("10", ExpiryError::NoUnit),
            ("", ExpiryError::Malformed),
            ("h", ExpiryError::Malformed),
            ("10x", ExpiryError::UnknownUnit("x".to_owned())),
            ("1M", ExpiryError::UnknownUnit("M".to_owned())),
            ("1month", ExpiryError::UnknownUnit("month".to_owned())),
            ("1ms", ExpiryError::UnknownUnit("ms".to_owned())),
            ("1abcdefghijklm", ExpiryError::Malformed),
            ("1h30m", ExpiryError::Malformed),
            ("1x`", ExpiryError::Malformed),
            ("-1h", ExpiryError::Malformed),
            ("1.5h", ExpiryError::Malformed),
            ("1ü", ExpiryError::Malformed),
            ("٣h", ExpiryError::Malformed),
            ("0s", ExpiryError::Zero),
            ("99999999999999999999s", ExpiryError::Overflow),
            ("18446744073709551615w", ExpiryError::Overflow),
        ] {
            assert_eq!(text.parse::<Expiry>(), Err(why), "{text:?}");
        }
    }

    #[test]
    fn an_expiry_is_written_in_its_largest_whole_unit_and_reads_back() {
        for (text, written, words) in [
            ("60s", "1m", "1 minute"),
            ("90s", "90s", "90 seconds"),
            ("4w", "28d", "28 days"),
            ("365d", "1y", "1 year"),
            ("730d", "2y", "2 years"),
            ("366d", "366d", "366 days"),
            ("never", "never", "never"),
        ] {
            let expiry: Expiry = text.parse().unwrap_or(Expiry::Never);
            assert_eq!(expiry.to_string(), written);
            assert_eq!(expiry.in_words(), words);
            assert_eq!(written.parse(), Ok(expiry));
        }
    }

    #[test]
    fn the_longest_expiry_of_a_policy_limits_its_default_and_a_request() {
        let day = Expiry::from_seconds(86_400).unwrap_or(Expiry::Never);
        let policy = ExpiryPolicy::new(Expiry::Never, day);
        assert_eq!(policy.default, day);
        assert!(policy.allows(day));
        assert!(!policy.allows(Expiry::Never));
    }
}
