//! Moderation: the operator blocks contents, and reads the reports of readers.
//!
//! Invariants: a content that the operator blocks is saved by no route. A password-protected content is compared before
//! it is encrypted, which the caller does.

use std::sync::Arc;

use crate::fairness::ClientKey;
use crate::paste::{PasteId, Slug, Timestamp};
use crate::store::{
    Block, ContentHash, ModerationChange, ModerationError, Note, ReadError, Report,
};

use super::App;

/// Why a content is not saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentRefused {
    /// The operator blocks it.
    Blocked,
    /// It is not known whether the operator blocks it, because the list cannot be read now.
    Unknown,
}

/// The wish to block the content of a paste that is removed, with the operator's reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockContent(pub Option<Note>);

/// Why a report was not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportError {
    /// There is no such paste, or it cannot be read.
    Store(ReadError),
    /// The report cannot be stored.
    Moderation(ModerationError),
}

impl App {
    /// Refuses a content that the operator blocks.
    ///
    /// # Errors
    /// Returns [`ContentRefused`] if the operator blocks it, or if that is not known.
    pub async fn refuse_blocked(&self, content: &Arc<[u8]>) -> Result<(), ContentRefused> {
        match self.store.is_blocked(content).await {
            Ok(false) => Ok(()),
            Ok(true) => Err(ContentRefused::Blocked),
            Err(_) => Err(ContentRefused::Unknown),
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
    ) -> Result<(), ModerationError> {
        let since = now;
        let block = Block { hash, since, note };
        let change = ModerationChange::Block(block);
        self.store.moderate(now, change).await.map(|_| ())
    }

    /// Allows all contents with this hash again.
    ///
    /// # Errors
    /// Fails if they were not blocked, or if the storage failed.
    pub async fn unblock(&self, now: Timestamp, hash: ContentHash) -> Result<(), ModerationError> {
        let change = ModerationChange::Unblock(hash);
        self.store.moderate(now, change).await.map(|_| ())
    }

    /// Stores a report of this client about a paste. Returns false if the network has reported the paste already, which
    /// changes nothing.
    ///
    /// # Errors
    /// Returns a [`ReportError`] if there is no such paste, or if the storage failed.
    pub async fn report(
        &self,
        now: Timestamp,
        (paste, slug): (PasteId, Option<Slug>),
        client: ClientKey,
        note: Note,
    ) -> Result<bool, ReportError> {
        let at = now;
        let report = Report {
            paste,
            slug,
            client,
            at,
            note,
        };
        let change = ModerationChange::Report(report);
        match self.store.moderate(now, change).await {
            // The paste was removed meanwhile. The store knows why.
            Err(ModerationError::NotFound) => {
                self.store.peek(now, paste).await?;
                Ok(true)
            }
            reported => reported.map_err(ReportError::Moderation),
        }
    }

    /// Removes all reports about a paste. The paste stays.
    ///
    /// # Errors
    /// Fails if there are none, or if the storage failed.
    pub async fn dismiss_reports(
        &self,
        now: Timestamp,
        paste: PasteId,
    ) -> Result<(), ModerationError> {
        let change = ModerationChange::Dismiss(paste);
        self.store.moderate(now, change).await.map(|_| ())
    }
}

impl From<ReadError> for ReportError {
    fn from(error: ReadError) -> Self {
        Self::Store(error)
    }
}
