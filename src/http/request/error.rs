//! The errors of a malformed request. Each message tells the client what to send instead.
//!
//! Invariants: each of them is a client error (status 400), and nothing was stored or changed.

use std::fmt;

use super::form::FormError;
use crate::paste::{Expiry, ExpiryError, PasswordError};

/// The reason why a request is malformed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestError {
    Empty,
    /// A malformed form, or one with missing, repeated or unknown fields.
    Form(FormError),
    /// The query is not valid percent-encoded UTF-8.
    Query,
    /// A malformed expiry.
    Expiry(ExpiryError),
    /// An expiry longer than the maximum, which is the argument.
    ExpiryTooLong(Expiry),
    /// `lines` is not a range of lines.
    Lines,
    /// The `Host` is not a host name.
    Host,
    /// A `burn` that is not a number, too small or too large.
    Reads,
    /// A password that is empty or too long.
    Password(PasswordError),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => {
                "There is nothing to save: send the text as the body, as in `cmd | curl --data-binary @- URL`."
            }
            Self::Form(error) => return error.fmt(f),
            Self::Query => {
                "The query is not readable: write it as name=value, percent-encoded, joined by `&`."
            }
            Self::Expiry(error) => {
                return write!(
                    f,
                    "`expires` is not a lifetime, {error}: write `90s`, `10m`, `2h`, `7d` or `4w`."
                );
            }
            Self::ExpiryTooLong(longest) => {
                let words = longest.in_words();
                return write!(
                    f,
                    "`expires` is longer than {words}, the longest kept here: ask for `{longest}` or less."
                );
            }
            Self::Lines => {
                "`lines` is not a range of lines: write `lines=10-20`, or `lines=10` for one."
            }
            Self::Host => {
                "The Host header is not a host name: send the name and port you connected to."
            }
            Self::Reads => {
                "`burn` is not a number of reads: write `burn=1` for a paste to be read once, or up to `burn=100`."
            }
            Self::Password(PasswordError::Empty) => {
                "`password` is empty: send 1 to 1024 bytes, or leave it out."
            }
            Self::Password(PasswordError::TooLong) => {
                "`password` is too long: send 1 to 1024 bytes."
            }
        })
    }
}

impl From<FormError> for RequestError {
    fn from(error: FormError) -> Self {
        match error {
            FormError::NoContent => Self::Empty,
            error => Self::Form(error),
        }
    }
}
