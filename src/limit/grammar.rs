//! The grammar of rules: text in, rules or the place where it goes wrong out.
//!
//! ```text
//! rules    = "off" | rule *("," rule)
//! rule     = "rate" count "/" time "burst" count ["wait" duration]
//!          | "quota" (count | count size) "/" time
//! time     = duration | unit            a bare unit is one of it
//! duration = count unit                 unit: s m h d w
//! size     = "B" | "KiB" | "MiB" | "GiB"
//! ```
//!
//! What it must not know: what a rule is applied to, or which setting the text is of.
//! Invariants: every refusal has the position of what is refused; no figure is zero or overflows.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use super::{Action, MAX_RULES, Quota, Rate, Rule, Unit};

/// Units of time, largest first, in seconds.
pub(super) const DURATIONS: [(&str, u64); 5] = [
    ("w", 7 * 24 * 3600),
    ("d", 24 * 3600),
    ("h", 3600),
    ("m", 60),
    ("s", 1),
];

/// Units of size, largest first, in bytes.
pub(super) const SIZES: [(&str, u64); 4] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];

/// Why a text is no list of rules, and where. Reads on after the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleError {
    /// The character that is not understood, counted from one.
    pub position: usize,
    /// What is wrong there.
    pub problem: RuleErrorKind,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleErrorKind {
    /// A rule begins with another word.
    UnknownRule,
    /// `off` stands beside rules.
    OffWithRules,
    /// Not a count or a size, a slash and a time.
    Malformed,
    /// A rate says nothing about its burst.
    MissingBurst,
    /// Not a number.
    ExpectedNumber,
    /// Not a number with a unit of time.
    ExpectedDuration,
    /// Something follows a rule that does not belong to it.
    TrailingText,
    /// A zero.
    Zero,
    /// A figure is too large to be counted exactly.
    TooLarge,
    /// One rule more than may be.
    TooManyRules,
    /// Bytes where none are counted.
    BytesNotCounted,
    /// A wait where nothing waits.
    WaitNotAllowed,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "goes wrong at character {}: ", self.position)?;
        match self.problem {
            RuleErrorKind::UnknownRule => f.write_str("a rule begins with `rate` or `quota`"),
            RuleErrorKind::OffWithRules => f.write_str("`off` stands alone"),
            RuleErrorKind::Malformed => f.write_str("an amount, a slash and a time are expected"),
            RuleErrorKind::MissingBurst => f.write_str("a rate goes on with `burst` and a number"),
            RuleErrorKind::ExpectedNumber => f.write_str("a number is expected"),
            RuleErrorKind::ExpectedDuration => {
                f.write_str("a number with `s`, `m`, `h`, `d` or `w` is expected")
            }
            RuleErrorKind::TrailingText => f.write_str("a comma or the end is expected"),
            RuleErrorKind::Zero => f.write_str("zero is no limit, `off` switches off"),
            RuleErrorKind::TooLarge => f.write_str("the figure is too large to be counted exactly"),
            RuleErrorKind::TooManyRules => write!(f, "there are more than {MAX_RULES} rules"),
            RuleErrorKind::BytesNotCounted => f.write_str("bytes are counted of saves only"),
            RuleErrorKind::WaitNotAllowed => f.write_str("only saves and reads wait"),
        }
    }
}

impl Error for RuleError {}

pub(super) fn parse(text: &str, action: Action) -> Result<Vec<Rule>, RuleError> {
    if text.trim() == "off" {
        return Ok(Vec::new());
    }
    let mut rest = Rest { text, at: 0 };
    let mut rules = Vec::new();
    loop {
        let start = rest.peek();
        if rules.len() == MAX_RULES {
            return Err(start.error(RuleErrorKind::TooManyRules));
        }
        rules.push(rest.rule(action)?);
        let after = rest.peek();
        match after.text {
            "" if rest.skip_comma() => {}
            "" => return Ok(rules),
            _ => return Err(after.error(RuleErrorKind::TrailingText)),
        }
    }
}

/// What is not read yet.
struct Rest<'a> {
    text: &'a str,
    /// In bytes.
    at: usize,
}

/// A piece of the text, and where it stands.
#[derive(Clone, Copy)]
struct Word<'a> {
    whole: &'a str,
    /// In bytes.
    at: usize,
    text: &'a str,
}

impl<'a> Rest<'a> {
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
        let burst = self.next().number()?;
        let wait = self.peek();
        let wait = match wait.text {
            "wait" if !action.may_wait() => return Err(wait.error(RuleErrorKind::WaitNotAllowed)),
            "wait" => {
                self.next();
                self.next().duration()?
            }
            _ => Duration::ZERO,
        };
        Rate::new(count, per, burst, wait)
            .map(Rule::Rate)
            .ok_or_else(|| ratio.error(RuleErrorKind::TooLarge))
    }

    fn quota(&mut self, action: Action) -> Result<Rule, RuleError> {
        let ratio = self.next();
        let (amount, window) = ratio.split_ratio()?;
        let (most, unit) = amount.requests_or_bytes()?;
        if unit == Unit::Bytes && action != Action::Save {
            return Err(amount.error(RuleErrorKind::BytesNotCounted));
        }
        Quota::new(most, unit, window.time()?)
            .map(Rule::Quota)
            .ok_or_else(|| ratio.error(RuleErrorKind::TooLarge))
    }

    /// The next word, up to a blank or a comma; empty if there is none.
    fn next(&mut self) -> Word<'a> {
        let word = self.peek();
        self.at = word.at + word.text.len();
        word
    }

    fn peek(&self) -> Word<'a> {
        let rest = self.text[self.at..].trim_start();
        let end = rest
            .find(|c: char| c.is_whitespace() || c == ',')
            .unwrap_or(rest.len());
        Word {
            whole: self.text,
            at: self.text.len() - rest.len(),
            text: &rest[..end],
        }
    }

    fn skip_comma(&mut self) -> bool {
        let at = self.peek().at;
        let is_comma = self.text[at..].starts_with(',');
        self.at = at + usize::from(is_comma);
        is_comma
    }
}

impl<'a> Word<'a> {
    fn error(self, problem: RuleErrorKind) -> RuleError {
        RuleError {
            position: self.whole[..self.at].chars().count() + 1,
            problem,
        }
    }

    /// The piece from `start` to `end`, in bytes of this one.
    fn part(self, start: usize, end: usize) -> Self {
        Self {
            whole: self.whole,
            at: self.at + start,
            text: &self.text[start..end],
        }
    }

    fn split_ratio(self) -> Result<(Self, Self), RuleError> {
        let slash = self
            .text
            .find('/')
            .ok_or_else(|| self.error(RuleErrorKind::Malformed))?;
        Ok((self.part(0, slash), self.part(slash + 1, self.text.len())))
    }

    fn split_unit(self) -> (Self, &'a str) {
        let digits = self.text.len()
            - self
                .text
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        (self.part(0, digits), &self.text[digits..])
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

    /// A duration, or a bare unit for one of it.
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
