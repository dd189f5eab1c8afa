//! Updates a paste: the paste gets new content, a new title or a new expiry, and keeps its id.
//!
//! Invariant: no update changes the access mode of a paste. So an update never makes a paste public that has a password
//! or limited reads.

use crate::paste::{
    Access, Change, Content, PasteId, Revision, SealedMessage, StoredPaste, Timestamp, TitleChange,
};
use crate::store::StoreError;

use super::ForbiddenChange;
use super::{AppError, UseCases, random_bytes};

impl UseCases {
    /// Checks that a paste with this access can get new content with these options. A password, if it is allowed, is
    /// there to encrypt the content.
    ///
    /// # Errors
    /// Returns an error if the content of the paste cannot be replaced, or not with these options.
    pub fn check_new_content(
        access: Access,
        has_password: bool,
        has_burn: bool,
    ) -> Result<(), ForbiddenChange> {
        match (access, has_password, has_burn) {
            (Access::Link, ..) => Err(ForbiddenChange::LinkTarget),
            (_, _, true) => Err(ForbiddenChange::Reads),
            (Access::Locked(_), false, false) => Err(ForbiddenChange::Unprotect),
            (Access::Open | Access::Burn(_), true, false) => Err(ForbiddenChange::Protect),
            (Access::Locked(_), true, false) | (Access::Open | Access::Burn(_), false, false) => {
                Ok(())
            }
        }
    }

    /// Updates the paste. Its owner, its token and its read counts stay the same. Returns its revision, which is another
    /// one only if more than the expiry changes.
    ///
    /// # Errors
    /// Returns an [`AppError`] if the paste cannot be updated.
    pub async fn update(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
    ) -> Result<Revision, AppError> {
        if let Some(content) = &change.content {
            self.refuse_blocked(content.bytes()).await?;
            if SealedMessage::of(content.bytes()).is_some() {
                return Err(ForbiddenChange::Sealed.into());
            }
        }
        let is_title_alone = change.content.is_none() && !matches!(change.title, TitleChange::Keep);
        if is_title_alone {
            let paste = self.store.peek(now, id).await?;
            if paste.encrypted().is_some() {
                return Err(ForbiddenChange::EncryptedTitle.into());
            }
        }
        let revision = Revision::from_random(random_bytes()?);
        self.store.update(now, id, change, revision).await?;
        let content = change.content.as_ref();
        let bytes = content.map_or(0, |content| content.bytes().len());
        self.totals.count_saved(false, bytes);
        Ok(revision)
    }

    /// Replaces the question, which the caller has seen, by its answer. That needs no token: the right to answer is that
    /// the content is still this question. So of several answers at once one is stored.
    ///
    /// # Errors
    /// Returns an [`AppError`] if the paste is no question, or none any more.
    pub async fn answer(
        &self,
        now: Timestamp,
        id: PasteId,
        question: &StoredPaste,
        answer: Content,
    ) -> Result<(), AppError> {
        if !question.asks() {
            return Err(ForbiddenChange::Answered.into());
        }
        let change = Change {
            of: Some(question.saved()),
            token: Some(*question.token()),
            content: Some(answer),
            ..Change::default()
        };
        match self.update(now, id, &change).await {
            Err(AppError::Store(StoreError::ContentChanged)) => {
                Err(ForbiddenChange::Answered.into())
            }
            answered => answered.map(drop),
        }
    }
}
