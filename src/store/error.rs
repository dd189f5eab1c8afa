//! Why an operation of the store fails.

use super::Reason;
use crate::paste::{Change, PasteData};

/// Why an operation of the store failed. Only after `Failed` and `Unavailable` may something have been changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreError {
    /// The store has neither a paste nor a tombstone with this id. The tombstone of a removed paste may have been
    /// overwritten.
    NotFound,
    /// The paste was removed, or it has expired.
    Gone(Reason),
    /// The id belongs to a stored or a removed paste. The caller should try another id.
    IdTaken,
    /// The paste would cost more than one paste may, which is this many bytes.
    TooLarge(usize),
    /// The paste was changed after the caller looked at it. The caller should look again.
    Changed,
    /// The content was replaced after the client saw it, so this change does not apply.
    ContentChanged,
    /// There are as many blocked contents as allowed.
    TooManyBlocks,
    /// There is no such block, or there are no such reports.
    NotListed,
    /// The disk is full, or the memory of the engine.
    DiskFull,
    /// The storage failed. The cause is in the log.
    Failed,
    /// The engine of the shared tier cannot be used now.
    Unavailable,
}

/// Refuses a change that is meant for another paste, which had this id before, or for another content.
pub(super) fn refuse_other(change: &Change, paste: &PasteData) -> Result<(), StoreError> {
    if change.token.is_some_and(|token| token != paste.token) {
        return Err(StoreError::NotFound);
    }
    match change.of.is_some_and(|of| of != paste.saved()) {
        true => Err(StoreError::ContentChanged),
        false => Ok(()),
    }
}
