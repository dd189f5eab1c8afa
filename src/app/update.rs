//! Updating a paste: new content under the same address, a new title, or a new expiry.
//!
//! Invariants: the access mode of a paste does not change, so no update publishes a paste that burns or is protected.

use crate::paste::{Access, Change, PasteId, Revision, StoredPaste, Timestamp, TitleChange};
use crate::store::{self, NotFound};

use super::{App, random_bytes};

/// The reason why a paste was not updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateError {
    /// There is no paste.
    NotFound(NotFound),
    /// The paste no longer has the content that the update names.
    ContentMismatch,
    /// It would be larger than the store can hold; holds the largest cost of one paste, in bytes.
    TooLarge(usize),
    /// The paste does not allow this change.
    Forbidden(ForbiddenChange),
    /// The operating system gave no random bytes.
    NoRandomBytes,
}

/// An update that a paste does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForbiddenChange {
    /// The target of a short link never changes.
    LinkTarget,
    /// The number of reads is fixed when the paste is created.
    Reads,
    /// It was created without a password, and the update has one.
    Protect,
    /// It is protected, and the new content came without a password.
    Unprotect,
    /// The title of a protected paste is encrypted with its content and cannot change alone.
    EncryptedTitle,
}

/// How new content is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewContent {
    /// As it was sent.
    Plain,
    /// Encrypted under the password that came with it.
    Encrypted,
}

impl App {
    /// Decides how new content for this paste is stored.
    ///
    /// # Errors
    /// If the content cannot be replaced, or not with these options.
    pub fn new_content_of(
        paste: &StoredPaste,
        has_password: bool,
        has_burn: bool,
    ) -> Result<NewContent, ForbiddenChange> {
        match (paste.access(), has_password, has_burn) {
            (Access::Link, ..) => Err(ForbiddenChange::LinkTarget),
            (_, _, true) => Err(ForbiddenChange::Reads),
            (Access::Locked(_), false, false) => Err(ForbiddenChange::Unprotect),
            (Access::Locked(_), true, false) => Ok(NewContent::Encrypted),
            (Access::Open | Access::Burn(_), true, false) => Err(ForbiddenChange::Protect),
            (Access::Open | Access::Burn(_), false, false) => Ok(NewContent::Plain),
        }
    }

    /// Updates the paste. Its token, its counts and its owner stay the same.
    ///
    /// # Errors
    /// See [`UpdateError`]; nothing is changed then.
    pub fn update(&self, now: Timestamp, id: PasteId, change: &Change) -> Result<(), UpdateError> {
        let is_title_alone =
            change.content.is_none() && !matches!(change.title, TitleChange::Stays);
        if is_title_alone {
            let paste = self.store.peek(now, id)?;
            if paste.encrypted().is_some() {
                return Err(UpdateError::Forbidden(ForbiddenChange::EncryptedTitle));
            }
        }
        let revision = random_bytes().map_err(|_| UpdateError::NoRandomBytes)?;
        let revision = Revision::from_random(revision);
        let changed = self.store.update(now, id, change, revision);
        changed.map_err(|error| match error {
            store::UpdateError::NotFound(error) => UpdateError::NotFound(error),
            store::UpdateError::Other => UpdateError::ContentMismatch,
            store::UpdateError::TooLarge => UpdateError::TooLarge(self.store.largest()),
        })
    }
}

impl From<NotFound> for UpdateError {
    fn from(error: NotFound) -> Self {
        Self::NotFound(error)
    }
}

impl From<ForbiddenChange> for UpdateError {
    fn from(error: ForbiddenChange) -> Self {
        Self::Forbidden(error)
    }
}
