//! Rule errors: why a text is not a list of rules, and the position of the error.

use thiserror::Error;

/// The maximum number of rules for one action. It bounds the cost of a decision.
pub const MAX_RULES: usize = 8;

/// An error in a list of rules. Its message continues a sentence that starts with the name of the setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("is invalid at character {position}: {kind}")]
pub struct RuleError {
    /// The position of the first character that the parser did not understand, counted from one.
    pub position: usize,
    /// The kind of error at that position.
    pub kind: RuleErrorKind,
}

/// The kind of error in a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RuleErrorKind {
    /// A rule starts with a word other than `rate` and `quota`.
    #[error("expected `rate` or `quota`")]
    UnknownRule,
    /// The word `off` is used together with rules.
    #[error("`off` cannot be combined with rules")]
    OffWithRules,
    /// An amount, a slash and a time were expected.
    #[error("expected an amount, a slash and a time, such as `1/s`")]
    Malformed,
    /// A rate does not specify a burst.
    #[error("expected `burst` and a number")]
    MissingBurst,
    /// A number was expected.
    #[error("expected a number")]
    ExpectedNumber,
    /// A number with a unit of time was expected.
    #[error("expected a number with the unit `s`, `m`, `h`, `d` or `w`")]
    ExpectedDuration,
    /// A complete rule is followed by something other than a comma.
    #[error("expected a comma or the end")]
    TrailingText,
    /// A number is zero.
    #[error("zero is not a limit, use `off` for no limit")]
    Zero,
    /// A number is too large to be counted exactly.
    #[error("the number is too large")]
    TooLarge,
    /// The burst of a rate takes too long to refill to be counted exactly.
    #[error("the burst refills too slowly, use a smaller one or a quota")]
    BurstTooLarge,
    /// There are more than [`MAX_RULES`] rules.
    #[error("there are more than {MAX_RULES} rules")]
    TooManyRules,
    /// The rule counts bytes, but the action has none.
    #[error("only saves can be limited in bytes")]
    BytesNotCounted,
    /// The rule says `wait`, but requests of this action cannot wait.
    #[error("only saves and reads can wait")]
    WaitNotAllowed,
}
