//! The grammar of rules.
//!
//! ```text
//! rules    = "off" | rule *("," rule)
//! rule     = "rate" count "/" time "burst" count ["wait" duration]
//!          | "quota" (count | count size) "/" time
//! time     = duration | unit            a unit alone means one of that unit
//! duration = count unit                 unit: s m h d w
//! size     = "B" | "kB" | "KiB" | "MB" | "MiB" | "GB" | "GiB"
//! ```
//!
//! Invariants: every error has a position; no figure is zero or overflows.

use std::time::Duration;

use super::units::{DURATIONS, SIZES};
use super::{Action, MAX_RULES, Quota, Rate, Rule, RuleError, RuleErrorKind, Unit};

/// Parses a list of rules for an action.
pub(super) fn parse(text: &str, action: Action) -> Result<Vec<Rule>, RuleError> {
    if text.trim() == "off" {
        return Ok(Vec::new());
    }
    let mut cursor = Cursor { text, rest: text };
    let mut rules = Vec::new();
    loop {
        let start = cursor.peek();
        if rules.len() == MAX_RULES {
            return Err(start.error(RuleErrorKind::TooManyRules));
        }
        rules.push(cursor.rule(action)?);
        let after = cursor.peek();
        match after.text {
            "" if cursor.skip_comma() => {}
            "" => return Ok(rules),
            _ => return Err(after.error(RuleErrorKind::TrailingText)),
        }
    }
}

/// The text, and what has not been read of it.
struct Cursor<'a> {
    text: &'a str,
    rest: &'a str,
}

/// A part of the text, which has its position in it.
#[derive(Clone, Copy)]
struct Word<'a> {
    whole: &'a str,
    text: &'a str,
}

impl<'a> Cursor<'a> {
    fn rule(&mut self, action: Action) -> Result<Rule, RuleError> {
        let kind = self.next();
        match kind.text {
            "rate" => self.rate(action),
            "quota" => self.quota(action),
            "off" => Err(kind.error(RuleErrorKind::OffWithRules)),
            _ => Err(kind.error(RuleErrorKind::UnknownRule)),
        }
    }

    fn rate(&mut self, action: Action) -> Result<Rule, RuleError> {
        let ratio = self.next();
        let (count, per) = ratio.split_ratio()?;
        let (count, per) = (count.number()?, per.time()?);
        let word = self.next();
        if word.text != "burst" {
            return Err(word.error(RuleErrorKind::MissingBurst));
        }
        let burst = self.next();
        let (burst, burst_error) = (burst.number()?, burst.error(RuleErrorKind::BurstTooLarge));
        let rate = |burst, wait| Rate::new(count, per, burst, wait).map(Rule::Rate);
        rate(1, Duration::ZERO).ok_or_else(|| ratio.error(RuleErrorKind::TooLarge))?;
        let without_wait = rate(burst, Duration::ZERO).ok_or(burst_error)?;
        let wait = self.peek();
        match wait.text {
            "wait" if !action.may_wait() => Err(wait.error(RuleErrorKind::WaitNotAllowed)),
            "wait" => {
                self.next();
                let longest = self.next();
                rate(burst, longest.duration()?)
                    .ok_or_else(|| longest.error(RuleErrorKind::TooLarge))
            }
            _ => Ok(without_wait),
        }
    }

    fn quota(&mut self, action: Action) -> Result<Rule, RuleError> {
        let ratio = self.next();
        let (amount, window) = ratio.split_ratio()?;
        let (limit, unit) = amount.requests_or_bytes()?;
        if unit == Unit::Bytes && action != Action::Save {
            return Err(amount.error(RuleErrorKind::BytesNotCounted));
        }
        Quota::new(limit, unit, window.time()?)
            .map(Rule::Quota)
            .ok_or_else(|| ratio.error(RuleErrorKind::TooLarge))
    }

    /// Reads the next word, which ends at white space or a comma. The word is empty if there is none.
    fn next(&mut self) -> Word<'a> {
        let word = self.peek();
        self.rest = &self.rest.trim_start()[word.text.len()..];
        word
    }

    fn peek(&self) -> Word<'a> {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| c.is_whitespace() || c == ',');
        Word {
            whole: self.text,
            text: &rest[..end.unwrap_or(rest.len())],
        }
    }

    fn skip_comma(&mut self) -> bool {
        let after = self.rest.trim_start().strip_prefix(',');
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }
}

impl<'a> Word<'a> {
    fn error(self, kind: RuleErrorKind) -> RuleError {
        // Both slices belong to the same text, so the difference of their addresses is a position in it.
        let at = self.text.as_ptr().addr() - self.whole.as_ptr().addr();
        RuleError {
            position: self.whole[..at].chars().count() + 1,
            kind,
        }
    }

    fn split_ratio(self) -> Result<(Self, Self), RuleError> {
        let parts = self.text.split_once('/');
        let (amount, time) = parts.ok_or_else(|| self.error(RuleErrorKind::Malformed))?;
        Ok((
            Self {
                text: amount,
                ..self
            },
            Self { text: time, ..self },
        ))
    }

    fn split_unit(self) -> (Self, &'a str) {
        let unit = self.text.trim_start_matches(|c: char| c.is_ascii_digit());
        let text = &self.text[..self.text.len() - unit.len()];
        (Self { text, ..self }, unit)
    }

    fn number(self) -> Result<u64, RuleError> {
        if self.text.is_empty() || !self.text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(self.error(RuleErrorKind::ExpectedNumber));
        }
        match self.text.parse() {
            Ok(0) => Err(self.error(RuleErrorKind::Zero)),
            Ok(number) => Ok(number),
            Err(_) => Err(self.error(RuleErrorKind::TooLarge)),
        }
    }

    fn requests_or_bytes(self) -> Result<(u64, Unit), RuleError> {
        let (number, unit) = self.split_unit();
        if unit.is_empty() {
            return Ok((number.number()?, Unit::Requests));
        }
        let (_, size) = SIZES
            .into_iter()
            .find(|(name, _)| unit.eq_ignore_ascii_case(name))
            .ok_or_else(|| self.error(RuleErrorKind::Malformed))?;
        let bytes = number.number()?.checked_mul(size);
        let bytes = bytes.ok_or_else(|| self.error(RuleErrorKind::TooLarge))?;
        Ok((bytes, Unit::Bytes))
    }

    /// Parses a duration. A unit without a number means one of that unit.
    fn time(self) -> Result<Duration, RuleError> {
        let bare = DURATIONS.into_iter().find(|(name, _)| *name == self.text);
        match bare {
            Some((_, seconds)) => Ok(Duration::from_secs(seconds)),
            None => self.duration(),
        }
    }

    fn duration(self) -> Result<Duration, RuleError> {
        let (number, unit) = self.split_unit();
        let (_, size) = DURATIONS
            .into_iter()
            .find(|(name, _)| unit == *name && !number.text.is_empty())
            .ok_or_else(|| self.error(RuleErrorKind::ExpectedDuration))?;
        let seconds = number.number()?.checked_mul(size);
        seconds
            .map(Duration::from_secs)
            .ok_or_else(|| self.error(RuleErrorKind::TooLarge))
    }
}
