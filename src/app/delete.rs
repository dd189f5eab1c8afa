//! Deletes a paste on request of its owner or the operator.

use crate::paste::{PasteId, StoredPaste, Timestamp};
use crate::store::NotFound;

use super::{App, Credentials, Unauthorized};

/// The reason why a paste was not deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteError {
    /// The paste does not exist.
    NotFound(NotFound),
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
    /// Returns a [`DeleteError`] if the paste cannot be deleted. Then the paste is kept.
    pub fn delete(
        &self,
        now: Timestamp,
        id: PasteId,
        credentials: &Credentials<'_>,
        is_named: impl FnOnce(&StoredPaste) -> bool,
    ) -> Result<(), DeleteError> {
        let paste = self.store.peek(now, id)?;
        let reason = credentials.authorize_delete(paste.token())?;
        if !is_named(&paste) {
            return Err(DeleteError::ContentMismatch);
        }
        self.store.remove(now, id, reason)?;
        Ok(())
    }
}

impl From<NotFound> for DeleteError {
    fn from(error: NotFound) -> Self {
        Self::NotFound(error)
    }
}

impl From<Unauthorized> for DeleteError {
    fn from(error: Unauthorized) -> Self {
        Self::Unauthorized(error)
    }
}
