//! The error of the use cases.

use super::credentials::Unauthorized;
use crate::store::StoreError;

/// Why a use case failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppError {
    /// The store refused or failed. `IdTaken` means that all ids that were tried were already in use.
    Store(StoreError),
    /// Another paste has the slug, or had it until a day ago.
    SlugTaken,
    /// The operating system did not return random bytes.
    NoRandomBytes,
    /// The operator blocks the content.
    Blocked,
    /// The operator wants to block the content, but it is encrypted, so it is not known.
    ContentUnknown,
    /// The client may not act on the paste.
    Unauthorized(Unauthorized),
    /// The paste does not allow this change.
    Forbidden(ForbiddenChange),
}

/// An update that a paste does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForbiddenChange {
    /// The target of a short link never changes.
    LinkTarget,
    /// The number of reads is fixed when the paste is created.
    Reads,
    /// The address is fixed when the paste is created.
    Slug,
    /// The paste was created without a password, but the update has one.
    Protect,
    /// The paste is protected by a password, but the update with new content has none.
    Unprotect,
    /// The title of a protected paste is encrypted with its content, so it cannot change alone.
    EncryptedTitle,
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Unauthorized> for AppError {
    fn from(error: Unauthorized) -> Self {
        Self::Unauthorized(error)
    }
}

impl From<ForbiddenChange> for AppError {
    fn from(error: ForbiddenChange) -> Self {
        Self::Forbidden(error)
    }
}
