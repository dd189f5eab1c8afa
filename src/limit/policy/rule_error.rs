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
        write!(f, "goes wrong at character {}: ", self.position)?;
        f.write_str(match self.kind {
            Kind::UnknownRule => "a rule begins with `rate` or `quota`",
            Kind::OffWithRules => "`off` stands alone",
            Kind::Malformed => "an amount, a slash and a time are expected",
            Kind::MissingBurst => "a rate goes on with `burst` and a number",
            Kind::ExpectedNumber => "a number is expected",
            Kind::ExpectedDuration => "a number with `s`, `m`, `h`, `d` or `w` is expected",
            Kind::TrailingText => "a comma or the end is expected",
            Kind::Zero => "zero is no limit, `off` switches off",
            Kind::TooLarge => "the figure is too large to be counted exactly",
            Kind::TooManyRules => return write!(f, "there are more than {MAX_RULES} rules"),
            Kind::BytesNotCounted => "bytes are counted of saves only",
            Kind::WaitNotAllowed => "only saves and reads wait",
        })
    }
}

impl Error for RuleError {}
