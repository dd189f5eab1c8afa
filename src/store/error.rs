//! The errors of the store. Each operation that can fail has an error type.
//!
//! Invariants: after `DiskFull`, nothing was changed. `Failed` means that the storage failed, and that the cause is
//! already in the log. The memory tier has no such errors.

use super::Reason;

/// Why a paste was not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotFound {
    /// The store has neither a paste nor a tombstone with this id. The tombstone of a removed paste may have been
    /// overwritten.
    Unknown,
    /// The paste was removed, or it has expired.
    Gone(Reason),
}

/// Why a paste was not read or not removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadError {
    /// There is no paste.
    NotFound(NotFound),
    /// The storage failed.
    Failed,
    /// The engine of the shared tier cannot be used now.
    Unavailable,
}

/// Why a paste was not inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertError {
    /// The id belongs to a stored or a removed paste. The caller should try another id.
    IdTaken,
    /// The paste costs more than the store allows for one paste. Nothing was evicted.
    TooLarge,
    /// The disk is full, or the memory of the engine.
    DiskFull,
    /// The storage failed.
    Failed,
    /// The engine of the shared tier cannot be used now. The change may have been made.
    Unavailable,
}

/// Why a read was not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsumeError {
    /// There is no paste.
    NotFound(NotFound),
    /// The paste was changed after the caller looked at it. The caller should look again.
    Changed,
    /// The storage failed. The read may have been counted.
    Failed,
    /// The engine of the shared tier cannot be used now. The read may have been counted.
    Unavailable,
}

/// Why a paste was not updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateError {
    /// There is no paste.
    NotFound(NotFound),
    /// The content was replaced after the client saw it, so this change does not apply.
    ContentChanged,
    /// The changed paste would cost more than the store allows for one paste.
    TooLarge,
    /// The disk is full, or the memory of the engine.
    DiskFull,
    /// The storage failed.
    Failed,
    /// The engine of the shared tier cannot be used now. The change may have been made.
    Unavailable,
}

impl From<NotFound> for ReadError {
    fn from(not_found: NotFound) -> Self {
        Self::NotFound(not_found)
    }
}

impl From<NotFound> for ConsumeError {
    fn from(not_found: NotFound) -> Self {
        Self::NotFound(not_found)
    }
}

impl From<NotFound> for UpdateError {
    fn from(not_found: NotFound) -> Self {
        Self::NotFound(not_found)
    }
}

/// A paste could not be read before it was changed.
impl From<ReadError> for UpdateError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NotFound(not_found) => not_found.into(),
            ReadError::Failed => Self::Failed,
            ReadError::Unavailable => Self::Unavailable,
        }
    }
}
