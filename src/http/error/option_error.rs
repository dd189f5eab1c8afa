//! Options that cannot be: what is wrong with them, in words that say what to write instead.
//!
//! What it must not know: who asks, and how.
//! Invariants: all of them are the client's to mend, and nothing was kept or changed.

use std::fmt;

use crate::paste::{LinkTargetError, PasswordError};

/// Why options were refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionError {
    /// A number of reads that is none, or too small or too large.
    Reads,
    /// A password that is none, or too long.
    Password(PasswordError),
    /// An address that a link may not lead to.
    LinkTarget(LinkTargetError),
    /// An address of this server.
    LeadsHere,
    /// A link that is to burn.
    LinkBurns,
    /// A link that is to be locked.
    LinkLocked,
    /// Another content for a link.
    LinkStays,
    /// Another number of reads for what is kept.
    ReadsStay,
    /// A password for what has none.
    StaysOpen,
    /// New content without a password for what has one.
    StaysLocked,
    /// Another title for what is locked.
    TitleIsSealed,
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reads => {
                "`burn` is not a number of reads: write `burn=1` for a paste to be read once, or up to `burn=100`."
            }
            Self::Password(PasswordError::Empty) => {
                "`password` is empty: send 1 to 1024 bytes, or leave it out."
            }
            Self::Password(PasswordError::TooLong) => {
                "`password` is too long: send 1 to 1024 bytes."
            }
            Self::LinkTarget(error) => return error.fmt(f),
            Self::LeadsHere => {
                "`url` is an address of this server: shorten what is elsewhere, and hand on what is here as it is."
            }
            Self::LinkBurns => {
                "A short link cannot burn: leave out `burn`, or save the address as a text in `file`."
            }
            Self::LinkLocked => {
                "A short link cannot be locked: leave out `password`, or save the address as a text in `file`."
            }
            Self::LinkStays => {
                "Where a short link leads does not change: delete it and save another."
            }
            Self::ReadsStay => {
                "How often a paste may be read does not change: leave out `burn`, or delete it and save another."
            }
            Self::StaysOpen => {
                "A paste that was saved without a password stays so: leave out `password`, or delete it and save another."
            }
            Self::StaysLocked => {
                "This paste is locked: send the password that its new content is to have as `X-Password`, the same or another."
            }
            Self::TitleIsSealed => {
                "The title of a locked paste is sealed with its content: send both anew, with the password."
            }
        })
    }
}
