//! The errors of the store: one enum for each operation that can fail.

use super::Reason;

/// Why there is no paste under an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotFound {
    /// There never was one, or it was removed so long ago that its tombstone is forgotten.
    Unknown,
    /// It was removed, or has expired.
    Gone(Reason),
}

/// Why a paste was not inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertError {
    /// The id is in use or tombstoned: try another.
    IdTaken,
    /// It costs more than there will ever be room for. Nothing was evicted for it.
    TooLarge,
}

/// Why a read was not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsumeError {
    /// There is no paste.
    NotFound(NotFound),
    /// The paste has another revision than the one that was seen: look again.
    Changed,
}

/// Why a paste was not updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateError {
    /// There is no paste.
    NotFound(NotFound),
    /// The paste has another content than the one that may be changed.
    Other,
    /// The paste would cost more than there will ever be room for.
    TooLarge,
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
