//! Errors of the configuration: why the process does not start.
//!
//! Invariants: a message names the flag or the variable, the source of its value, the problem, and the allowed form of
//! the value. No message contains the value of a secret or a line of `.env`, which may hold one.

use std::fmt;

use thiserror::Error;

/// The maximum number of characters that a message shows of a value. A longer value is truncated: it may be a whole
/// file, pasted by mistake.
const SHOWN_CHARS: usize = 60;

/// Why the configuration cannot be used: one message for each fault. Each is printed on lines of its own. All but the
/// first start with the program's name, which `main` puts before the first.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", .0.join("\ntidebin: "))]
pub struct ConfigError(pub(crate) Vec<String>);

impl From<String> for ConfigError {
    fn from(fault: String) -> Self {
        Self(vec![fault])
    }
}

/// The setting and the source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ValueOrigin {
    /// The setting as the operator wrote it: `--addr`, or `TIDEBIN_ADDR (from .env)`.
    pub(super) name: String,
    /// The allowed form of the value.
    pub(super) form: &'static str,
    pub(super) is_secret: bool,
}

impl ValueOrigin {
    /// Returns the message for a value with this problem. It hides the value if that may be a secret.
    pub(super) fn refuse(&self, value: &str, problem: impl fmt::Display) -> String {
        let (name, form) = (&self.name, self.form);
        // The text before an `@` in an address may be a password. A leading `@` names a file.
        let is_hidden = self.is_secret || value.find('@').is_some_and(|at| at > 0);
        let value = match value.char_indices().nth(SHOWN_CHARS) {
            _ if is_hidden => "the value".to_owned(),
            Some((end, _)) => format!("{:?}…", &value[..end]),
            None => format!("{value:?}"),
        };
        format!("{name}: {value} {problem}. Use {form}.")
    }
}
