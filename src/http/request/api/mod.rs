//! The JSON that a client of the API sends: a paste to save, a change of one, or the password of a read.
//!
//! Invariants: an unknown or repeated member is an error, so a mistyped `burm` publishes nothing. `null` counts as
//! absent, except that a title of `null` removes the title.

pub(crate) mod moderation;
mod paste_body;

#[cfg(test)]
pub(crate) use paste_body::all_members;
pub(crate) use paste_body::{PasteBody, options_of_read};
