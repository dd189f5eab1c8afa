//! Refuses contents for the operator: those on the list of blocked ones, and sealed messages and questions if the
//! operator wants none.
//!
//! Invariants: a content that the operator refuses is saved by no route. A password-protected content is compared before
//! it is encrypted, which the caller does.

use std::sync::Arc;

use super::{AppError, UseCases};
use crate::paste::{Asked, Encryption, SealedMessage, Timestamp};
use crate::store::{Block, ContentHash, ModerationChange, Note, StoreError};

impl UseCases {
    /// Refuses a content that the operator does not want.
    ///
    /// # Errors
    /// Fails if the operator refuses it, or if that is not known.
    pub async fn refuse_blocked(&self, content: &Arc<[u8]>) -> Result<(), AppError> {
        let is_sealed = || SealedMessage::of(content).is_some() || Asked::of(content).is_some();
        if self.limits.encryption == Encryption::Off && is_sealed() {
            return Err(AppError::EncryptionOff);
        }
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
}
