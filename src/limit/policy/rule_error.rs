//! Rule errors: why a text is not a list of rules, and the position of the error.

use std::error::Error;
use std::fmt;

/// The maximum number of rules for one action. It bounds the cost of a decision.
pub const MAX_RULES: usize = 8;

/// An error in a list of rules. Its message continues a sentence that starts with the name of the setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleError {
    /// The position of the first character that the parser did not understand, counted from one.
    pub position: usize,
    /// The kind of error at that position.
    pub kind: RuleErrorKind,
}

/// The kind of error in a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleErrorKind {
    /// A rule starts with a word other than `rate` and `quota`.
    UnknownRule,
    /// The word `off` is used together with rules.
    OffWithRules,
    /// An amount, a slash and a time were expected.
    Malformed,
    /// A rate does not specify a burst.
    MissingBurst,
    /// A number was expected.
    ExpectedNumber,
    /// A number with a unit of time was expected.
    ExpectedDuration,
    /// A complete rule is followed by something other than a comma.
    TrailingText,
    /// A number is zero.
    Zero,
    /// A number is too large to be counted exactly.
    TooLarge,
    /// The burst of a rate takes too long to refill to be counted exactly.
    BurstTooLarge,
    /// There are more than [`MAX_RULES`] rules.
    TooManyRules,
    /// The rule counts bytes, but the action has none.
    BytesNotCounted,
    /// The rule says `wait`, but requests of this action cannot wait.
    WaitNotAllowed,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use RuleErrorKind as Kind;
        write!(f, "is invalid at character {}: ", self.position)?;
        f.write_str(match self.kind {
            Kind::UnknownRule => "expected `rate` or `quota`",
            Kind::OffWithRules => "`off` cannot be combined with rules",
            Kind::Malformed => "expected an amount, a slash and a time, such as `1/s`",
            Kind::MissingBurst => "expected `burst` and a number",
            Kind::ExpectedNumber => "expected a number",
            Kind::ExpectedDuration => "expected a number with the unit `s`, `m`, `h`, `d` or `w`",
            Kind::TrailingText => "expected a comma or the end",
            Kind::Zero => "zero is not a limit, use `off` for no limit",
            Kind::TooLarge => "the number is too large",
            Kind::BurstTooLarge => "the burst refills too slowly, use a smaller one or a quota",
            Kind::TooManyRules => return write!(f, "there are more than {MAX_RULES} rules"),
            Kind::BytesNotCounted => "only saves can be limited in bytes",
            Kind::WaitNotAllowed => "only saves and reads can wait",
        })
    }
}

impl Error for RuleError {}
