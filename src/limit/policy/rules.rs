//! Rules. They state everything that the operator allows for one action, and for all actions.

use std::fmt;

use super::{Action, Rule, RuleError, grammar};

/// The rules of one action, in the order in which they were written. There are at most [`super::MAX_RULES`]. If there
/// are none, the action is not limited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// Parses a text such as `rate 1/s burst 30, quota 64MiB/1d`, or `off`.
    ///
    /// # Errors
    /// Returns an error if the text is malformed, or if a rule does not apply to this action. Only saves count bytes.
    /// Misses and password attempts cannot wait.
    pub fn parse(text: &str, action: Action) -> Result<Self, RuleError> {
        grammar::parse(text, action).map(Self)
    }

    /// Returns the rules in the order in which they were written.
    pub fn as_slice(&self) -> &[Rule] {
        &self.0
    }
}

/// The rules of all actions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RulesByAction {
    /// The rules for [`Action::Save`].
    pub save: Rules,
    /// The rules for [`Action::Read`].
    pub read: Rules,
    /// The rules for [`Action::Miss`].
    pub miss: Rules,
    /// The rules for [`Action::Password`].
    pub password: Rules,
}

impl RulesByAction {
    /// Returns the rules of this action.
    pub fn of(&self, action: Action) -> &Rules {
        match action {
            Action::Save => &self.save,
            Action::Read => &self.read,
            Action::Miss => &self.miss,
            Action::Password => &self.password,
        }
    }
}

/// Writes the rules with commas between them. Writes `off` if there are none.
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
