//! Moderation: the operator blocks contents, and reads the reports of readers.
//!
//! Invariants: a content that the operator blocks is saved by no route. A password-protected content is compared before
//! it is encrypted, which the caller does.

use std::sync::Arc;

use crate::fairness::ClientKey;
use crate::paste::{PasteId, Slug, Timestamp};
use crate::store::{Block, ContentHash, ModerationChange, Note, Report, StoreError};

use super::{App, AppError};

/// The wish to block the content of a paste that is removed, with the operator's reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockContent(pub Option<Note>);

impl App {
    /// Refuses a content that the operator blocks.
    ///
    /// # Errors
    /// Fails if the operator blocks it, or if that is not known.
    pub async fn refuse_blocked(&self, content: &Arc<[u8]>) -> Result<(), AppError> {
        match self.store.is_blocked(content).await? {
            true => Err(AppError::Blocked),
            false => Ok(()),
        }
    }

    /// Blocks all contents with this hash. They stay where they are stored already.
    ///
    /// # Errors
    /// Fails if the list is full, or if the storage failed.
    pub async fn block(
        &self,
        now: Timestamp,
        hash: ContentHash,
        note: Option<Note>,
    ) -> Result<(), StoreError> {
        let since = now;
        let block = Block { hash, since, note };
        let change = ModerationChange::Block(block);
        self.store.moderate(now, change).await.map(|_| ())
    }

    /// Allows all contents with this hash again.
    ///
    /// # Errors
    /// Fails if they were not blocked, or if the storage failed.
    pub async fn unblock(&self, now: Timestamp, hash: ContentHash) -> Result<(), StoreError> {
        let change = ModerationChange::Unblock(hash);
        self.store.moderate(now, change).await.map(|_| ())
    }

    /// Stores a report of this client about a paste. Returns false if the network has reported the paste already, which
    /// changes nothing.
    ///
    /// # Errors
    /// Fails if there is no such paste, or if the storage failed.
    pub async fn report(
        &self,
        now: Timestamp,
        (paste, slug): (PasteId, Option<Slug>),
        client: ClientKey,
        note: Note,
    ) -> Result<bool, StoreError> {
        let at = now;
        let report = Report {
            paste,
            slug,
            client,
            at,
            note,
        };
        let change = ModerationChange::Report(report);
        self.store.moderate(now, change).await
    }

    /// Removes all reports about a paste. The paste stays.
    ///
    /// # Errors
    /// Fails if there are none, or if the storage failed.
    pub async fn dismiss_reports(&self, now: Timestamp, paste: PasteId) -> Result<(), StoreError> {
        let change = ModerationChange::Dismiss(paste);
        self.store.moderate(now, change).await.map(|_| ())
    }
}
