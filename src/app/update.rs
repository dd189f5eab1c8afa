//! Changing a paste: other content under the same address, another title, another expiry.
//!
//! Invariants: how a paste may be read does not change, so no change publishes a paste that was protected or burns.

use crate::paste::{Access, Change, PasteId, Revision, StoredPaste, Timestamp, TitleChange};
use crate::store::{self, NotFound};

use super::{App, random_bytes};

/// Why a paste was not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateError {
    /// There is no paste.
    NotFound(NotFound),
    /// Its content is not the one that the change names.
    RevisionMismatch,
    /// It would cost more than the store can hold; holds the most that one paste may cost, in bytes.
    TooLarge(usize),
    /// The paste does not allow this change.
    Forbidden(ForbiddenChange),
    /// The operating system gave no random bytes.
    NoRandomBytes,
}

/// A change that a paste does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForbiddenChange {
    /// A short link leads where it led at first.
    LinkTarget,
    /// The number of reads was given when the paste was created.
    Reads,
    /// It was created without a password, and the change has one.
    Protect,
    /// It is protected, and its new content came without a password.
    Unprotect,
    /// The title of a protected paste is encrypted with its content.
    EncryptedTitle,
}

/// How new content is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewContent {
    /// As it came.
    Plain,
    /// Encrypted under the password that came with it.
    Encrypted,
}

impl App {
    /// Decides how new content for this paste is stored.
    ///
    /// # Errors
    /// If the paste cannot have other content, or not with these options.
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

    /// Changes the paste. Its token, its counts and its owner stay.
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
            store::UpdateError::Other => UpdateError::RevisionMismatch,
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
