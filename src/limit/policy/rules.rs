//! Rules: everything that the operator allows for one action, and for all actions.

use std::fmt;

use super::{Action, Rule, RuleError, grammar};

/// The rules of one action in the order they were written; at most [`super::MAX_RULES`], and none if it is not limited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// Parses a text such as `rate 1/s burst 30, quota 64MiB/1d`, or `off`.
    ///
    /// # Errors If the text is malformed, or a rule would have no effect for this action: only saves count bytes, and
    /// neither misses nor password attempts wait.
    pub fn parse(text: &str, action: Action) -> Result<Self, RuleError> {
        grammar::parse(text, action).map(Self)
    }

    /// The rules in the order they were written.
    #[must_use]
    pub fn as_slice(&self) -> &[Rule] {
        &self.0
    }
}

/// The rules of all actions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RulesByAction {
    /// For [`Action::Save`].
    pub save: Rules,
    /// For [`Action::Read`].
    pub read: Rules,
    /// For [`Action::Miss`].
    pub miss: Rules,
    /// For [`Action::Password`].
    pub password: Rules,
}

impl RulesByAction {
    /// The rules of this action.
    #[must_use]
    pub fn of(&self, action: Action) -> &Rules {
        match action {
            Action::Save => &self.save,
            Action::Read => &self.read,
            Action::Miss => &self.miss,
            Action::Password => &self.password,
        }
    }
}

/// Writes the rules with commas between them, or `off`.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("off");
        }
        for (index, rule) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{rule}")?;
        }
        Ok(())
    }
}
