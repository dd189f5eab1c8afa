//! Updates a paste: the paste gets new content, a new title or a new expiry, and keeps its id.
//!
//! Invariant: no update changes the access mode of a paste. So an update never makes a paste public that has a password
//! or limited reads.

use crate::paste::{Access, Change, PasteId, Revision, Timestamp, TitleChange};
use crate::store::{self, NotFound, ReadError};

use super::{App, ContentRefused, random_bytes};

/// The reason why a paste was not updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateError {
    /// The paste does not exist.
    NotFound(NotFound),
    /// The current content of the paste is not the content that the update names.
    ContentMismatch,
    /// The updated paste would be larger than the store can hold. The value is the largest cost of one paste, in bytes.
    TooLarge(usize),
    /// The operator blocks the new content.
    Blocked,
    /// The paste does not allow this change.
    Forbidden(ForbiddenChange),
    /// The operating system did not return random bytes.
    NoRandomBytes,
    /// The disk is full.
    DiskFull,
    /// The storage failed.
    StorageFailed,
    /// The engine of the shared tier cannot be used now.
    StorageUnavailable,
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

/// The form in which new content is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewContent {
    /// The content is stored as it was sent.
    Plain,
    /// The content is encrypted with the password that came with it.
    Encrypted,
}

impl App {
    /// Decides how new content for a paste with this access is stored.
    ///
    /// # Errors
    /// Returns an error if the content of the paste cannot be replaced, or not with these options.
    pub fn new_content_of(
        access: Access,
        has_password: bool,
        has_burn: bool,
    ) -> Result<NewContent, ForbiddenChange> {
        match (access, has_password, has_burn) {
            (Access::Link, ..) => Err(ForbiddenChange::LinkTarget),
            (_, _, true) => Err(ForbiddenChange::Reads),
            (Access::Locked(_), false, false) => Err(ForbiddenChange::Unprotect),
            (Access::Locked(_), true, false) => Ok(NewContent::Encrypted),
            (Access::Open | Access::Burn(_), true, false) => Err(ForbiddenChange::Protect),
            (Access::Open | Access::Burn(_), false, false) => Ok(NewContent::Plain),
        }
    }

    /// Updates the paste. Its owner, its token and its read counts stay the same.
    ///
    /// # Errors
    /// Returns an [`UpdateError`] if the paste cannot be updated.
    pub async fn update(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
    ) -> Result<(), UpdateError> {
        if let Some(content) = &change.content {
            self.refuse_blocked(content.bytes()).await?;
        }
        let is_title_alone = change.content.is_none() && !matches!(change.title, TitleChange::Keep);
        if is_title_alone {
            let paste = self.store.peek(now, id).await?;
            if paste.encrypted().is_some() {
                return Err(UpdateError::Forbidden(ForbiddenChange::EncryptedTitle));
            }
        }
        let revision = random_bytes().map_err(|_| UpdateError::NoRandomBytes)?;
        let revision = Revision::from_random(revision);
        let changed = self.store.update(now, id, change, revision).await;
        if changed.is_ok() {
            let content = change.content.as_ref();
            let bytes = content.map_or(0, |content| content.bytes().len());
            self.totals.count_updated(bytes);
        }
        changed.map_err(|error| match error {
            store::UpdateError::NotFound(error) => UpdateError::NotFound(error),
            store::UpdateError::ContentChanged => UpdateError::ContentMismatch,
            store::UpdateError::TooLarge => UpdateError::TooLarge(self.store.largest()),
            store::UpdateError::DiskFull => UpdateError::DiskFull,
            store::UpdateError::Failed => UpdateError::StorageFailed,
            store::UpdateError::Unavailable => UpdateError::StorageUnavailable,
        })
    }
}

impl From<ReadError> for UpdateError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NotFound(error) => Self::NotFound(error),
            ReadError::Failed => Self::StorageFailed,
            ReadError::Unavailable => Self::StorageUnavailable,
        }
    }
}

impl From<ContentRefused> for UpdateError {
    fn from(refused: ContentRefused) -> Self {
        match refused {
            ContentRefused::Blocked => Self::Blocked,
            ContentRefused::Unknown => Self::StorageUnavailable,
        }
    }
}

impl From<ForbiddenChange> for UpdateError {
    fn from(error: ForbiddenChange) -> Self {
        Self::Forbidden(error)
    }
}
