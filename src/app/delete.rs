//! Deletes a paste on request of its owner or the operator.

use crate::paste::{PasteId, StoredPaste, Timestamp};
use crate::store::{ReadError, Reason};

use super::{App, Bearer, Credentials, Unauthorized};

/// The reason why a paste was not deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteError {
    /// The paste does not exist, or the storage failed.
    Store(ReadError),
    /// The client is neither the owner of the paste nor the operator.
    Unauthorized(Unauthorized),
    /// The current content of the paste is not the content that the client named.
    ContentMismatch,
}

impl App {
    /// Deletes the paste if `is_named` returns true, which means that the client wants to delete this content. If
    /// several clients delete the paste at once, exactly one succeeds.
    ///
    /// # Errors
    /// Returns a [`DeleteError`] if the paste cannot be deleted.
    pub async fn delete(
        &self,
        now: Timestamp,
        id: PasteId,
        credentials: &Credentials<'_>,
        is_named: impl FnOnce(&StoredPaste) -> bool,
    ) -> Result<(), DeleteError> {
        let paste = match self.store.peek(now, id).await {
            // A damaged paste has no content that the operator could name.
            Err(ReadError::Failed) if credentials.bearer == Bearer::Operator => {
                let removed = self.store.remove(now, id, Reason::RemovedByOperator);
                return Ok(removed.await?);
            }
            found => found?,
        };
        let reason = credentials.authorize_delete(paste.token(), paste.owner())?;
        if !is_named(&paste) {
            return Err(DeleteError::ContentMismatch);
        }
        self.store.remove(now, id, reason).await?;
        Ok(())
    }
}

impl From<ReadError> for DeleteError {
    fn from(error: ReadError) -> Self {
        Self::Store(error)
    }
}

impl From<Unauthorized> for DeleteError {
    fn from(error: Unauthorized) -> Self {
        Self::Unauthorized(error)
    }
}
