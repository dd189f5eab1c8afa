//! Deleting a paste: by its owner or the operator.

use crate::paste::{PasteId, StoredPaste, Timestamp};
use crate::store::{NotFound, Reason};

use super::{App, Credentials, Unauthorized};

/// The reason why a paste was not deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteError {
    /// There is no paste.
    NotFound(NotFound),
    /// The client is neither its owner nor the operator.
    Unauthorized(Unauthorized),
    /// The paste no longer has the content that the client named.
    ContentMismatch,
}

impl App {
    /// Deletes the paste, if `is_named` accepts its content. Among concurrent deletes, exactly one succeeds.
    ///
    /// # Errors
    /// See [`DeleteError`]; the paste is kept then.
    pub fn delete(
        &self,
        now: Timestamp,
        id: PasteId,
        credentials: &Credentials<'_>,
        is_named: impl FnOnce(&StoredPaste) -> bool,
    ) -> Result<(), DeleteError> {
        let paste = self.store.peek(now, id)?;
        credentials.authorize_delete(paste.token())?;
        if !is_named(&paste) {
            return Err(DeleteError::ContentMismatch);
        }
        self.store.remove(now, id, Reason::Deleted)?;
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
