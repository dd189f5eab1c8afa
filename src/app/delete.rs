//! Deletes a paste on request of its owner or the operator.

use super::{AppError, Bearer, Credentials, UseCases};
use crate::paste::{PasteId, StoredPaste, Timestamp};
use crate::store::{ContentHash, End, Note, Reason, StoreError};

/// How the operator removes a paste.
#[derive(Debug, Default)]
pub struct Removal {
    /// Whether to block the content too.
    pub blocks: bool,
    /// The reason, for the log and for the list of blocked contents.
    pub note: Option<Note>,
}

/// The outcome of a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deleted {
    /// The reason that later readers get.
    pub reason: Reason,
    /// The content that the operator blocked too.
    pub blocked: Option<ContentHash>,
}

impl UseCases {
    /// Deletes the paste if `is_named` returns true, which means that the client wants to delete this content. If
    /// several clients delete the paste at once, exactly one succeeds. Only the operator may block the content too,
    /// which is done first.
    ///
    /// # Errors
    /// Returns an [`AppError`] if the paste cannot be deleted.
    pub async fn delete(
        &self,
        now: Timestamp,
        id: PasteId,
        credentials: &Credentials<'_>,
        is_named: impl FnOnce(&StoredPaste) -> bool,
        removal: &Removal,
    ) -> Result<Deleted, AppError> {
        if removal.blocks {
            credentials.authorize_block()?;
        }
        let paste = match self.store.peek(now, id).await {
            // A damaged paste has no content that the operator could name.
            Err(StoreError::Failed)
                if credentials.bearer == Bearer::Operator && !removal.blocks =>
            {
                let reason = Reason::RemovedByOperator;
                self.store.remove(now, id, reason.into()).await?;
                let blocked = None;
                return Ok(Deleted { reason, blocked });
            }
            found => found?,
        };
        let reason = credentials.authorize_delete(paste.token(), paste.owner())?;
        if !is_named(&paste) {
            return Err(StoreError::ContentChanged.into());
        }
        let mut blocked = None;
        if removal.blocks {
            let content = paste.plain().ok_or(AppError::ContentUnknown)?;
            let hash = ContentHash::of(content);
            self.block(now, hash, removal.note.clone()).await?;
            blocked = Some(hash);
        }
        let end = End::of(&paste, now, reason);
        self.store.remove(now, id, end).await?;
        Ok(Deleted { reason, blocked })
    }
}
