//! How a client may write an expiry, and how long it may be.

use super::error::RequestError;
use super::query::whole_number;
use crate::paste::{Expiry, ExpiryError, ExpiryPolicy, Timestamp};

/// A bare number from here on is a time in milliseconds since 1970, as 0x0.st has it. A smaller one has no known unit.
pub(crate) const LEAST_EPOCH_MILLIS: u64 = 1_650_460_320_000;

/// The rules for the expiry in a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpiryRules {
    pub(crate) policy: ExpiryPolicy,
    /// The time of the request.
    pub(crate) now: Timestamp,
}

impl ExpiryRules {
    /// Parses an expiry. Returns `None` if it is absent or blank.
    ///
    /// # Errors
    /// If it is malformed, has passed, or is longer than the policy allows.
    pub(crate) fn parse(self, text: Option<&str>) -> Result<Option<Expiry>, RequestError> {
        let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let parsed = match whole_number(text).filter(|millis| *millis >= LEAST_EPOCH_MILLIS) {
            // In whole seconds, so that the paste does not outlive its deadline.
            Some(millis) => match Timestamp::from_millis(millis).since(self.now).as_secs() {
                0 => return Err(RequestError::ExpiryPassed),
                seconds => Expiry::from_seconds(seconds),
            },
            None => text.parse(),
        };
        match parsed {
            Ok(expiry) if self.policy.allows(expiry) => Ok(Some(expiry)),
            Ok(Expiry::Never) => Err(RequestError::NeverNotAllowed(self.policy.longest)),
            Ok(_) | Err(ExpiryError::Overflow) => {
                Err(RequestError::ExpiryTooLong(self.policy.longest))
            }
            Err(error) => Err(RequestError::Expiry(error)),
        }
    }
}

/// An expiry as pinnwand and PrivateBin name it, in our words: `1 day`, `1month`.
pub(crate) fn words_of_expiry(text: &str) -> String {
    match &*text.replace(' ', "") {
        "1month" => "30d".to_owned(),
        "1year" => "365d".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_767_225_600_000;

    fn parse(text: &str) -> Result<Option<Expiry>, RequestError> {
        let days = |days: u64| Expiry::from_seconds(days * 86_400).unwrap();
        let rules = ExpiryRules {
            policy: ExpiryPolicy::new(days(7), days(30)),
            now: Timestamp::from_millis(NOW),
        };
        rules.parse(Some(text))
    }

    #[test]
    fn a_large_bare_number_is_a_time_since_1970_and_a_small_one_is_rejected() {
        let seconds = |text: &str| parse(text).unwrap().unwrap().seconds();
        assert_eq!(seconds(&(NOW + 90_000).to_string()), Some(90));
        assert_eq!(seconds(&(NOW + 90_999).to_string()), Some(90));
        for passed in [LEAST_EPOCH_MILLIS, NOW, NOW + 999] {
            assert_eq!(parse(&passed.to_string()), Err(RequestError::ExpiryPassed));
        }
        let no_unit = Err(RequestError::Expiry(ExpiryError::NoUnit));
        for bare in ["24", "1650460319999"] {
            assert_eq!(parse(bare), no_unit);
        }
        let far = NOW + 31 * 86_400_000;
        assert!(matches!(
            parse(&far.to_string()),
            Err(RequestError::ExpiryTooLong(_))
        ));
    }
}
