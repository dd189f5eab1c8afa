//! Errors of the configuration: why the process does not start, for whoever tries to start it.
//!
//! What it must not know: how a value is read.
//! Invariants: a message names the flag or the variable, where its value came from, what is wrong with it and what to
//! write instead; a secret's value is in none, and neither is a line of `.env`, which may hold one.

use std::error::Error;
use std::fmt;

use super::setting::Setting;

/// Longer values are cut here: a whole file given by mistake should not fill the terminal.
const SHOWN_CHARS: usize = 60;

/// Why the configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigError {
    /// The command line is not understood; the message says how it is meant.
    Usage(String),
    /// A variable has our prefix and is no setting.
    Unknown {
        /// The variable and where it was found.
        place: Place,
        /// The setting whose name is nearest.
        nearest: String,
    },
    /// A setting's value is not of the allowed form.
    Invalid {
        /// The setting and where its value was found.
        place: Place,
        /// The value in quotes, or `the value` if it must not be shown.
        value: String,
        /// What is wrong with it.
        problem: String,
        /// What to write instead.
        form: &'static str,
    },
    /// The lifetime given to pastes is longer than the longest allowed.
    DefaultBeyondMax {
        /// Where the default lifetime was found.
        default: Place,
        /// Where the longest was found.
        max: Place,
        /// Both, as they are written.
        expiry_policy: [String; 2],
    },
    /// `.env` gives one variable two values.
    Twice(Place),
    /// A line of `.env` is not understood.
    DotenvLine {
        /// The variable before it, if any.
        after: Option<String>,
    },
    /// `.env` exists and cannot be read.
    DotenvUnreadable(String),
}

/// Which setting, and where its value was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub(super) name: String,
    pub(super) source: Source,
}

/// Where values are found, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The command line.
    Flag,
    /// The process environment.
    Environment,
    /// The file `.env` in the working directory.
    Dotenv,
    /// The table of settings.
    Default,
}

impl ConfigError {
    /// The value of this setting has this problem.
    pub(super) fn invalid(
        setting: &Setting,
        place: Place,
        value: &str,
        problem: impl fmt::Display,
    ) -> Self {
        // What stands before an `@` in an address may be a password. `@file` names a file.
        let hidden = setting.secret || value.find('@').is_some_and(|at| at > 0);
        let value = match value.char_indices().nth(SHOWN_CHARS) {
            _ if hidden => "the value".to_owned(),
            Some((end, _)) => format!("{:?}…", &value[..end]),
            None => format!("{value:?}"),
        };
        Self::Invalid {
            place,
            value,
            problem: problem.to_string(),
            form: setting.form,
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) => f.write_str(message),
            Self::Unknown { place, nearest } => {
                write!(f, "{place} is not a setting; the nearest is {nearest}")
            }
            Self::Invalid {
                place,
                value,
                problem,
                form,
            } => write!(f, "{place}: {value} {problem}; write {form}"),
            Self::DefaultBeyondMax {
                default,
                max,
                expiry_policy: [given, longest],
            } => write!(
                f,
                "{default} is {given}, which is longer than {max}, {longest}; lower the first or raise the second"
            ),
            Self::Twice(place) => write!(f, "{place} is set twice; keep one of the lines"),
            Self::DotenvLine { after } => {
                match after {
                    Some(name) => write!(f, ".env: what follows {name} is not understood")?,
                    None => f.write_str(".env: the first line is not understood")?,
                }
                f.write_str("; write NAME=value, and quote a value with blanks: NAME='a value'")
            }
            Self::DotenvUnreadable(cause) => write!(
                f,
                ".env cannot be read ({cause}); make it a readable text file or remove it"
            ),
        }
    }
}

impl Error for ConfigError {}

/// As the operator would look for it: `--addr`, or `TIDEBIN_ADDR (from .env)`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.source {
            Source::Flag => write!(f, "{name}"),
            Source::Environment => write!(f, "{name} (from the environment)"),
            Source::Dotenv => write!(f, "{name} (from .env)"),
            Source::Default => write!(f, "{name} (by default)"),
        }
    }
}
