//! Consuming a read of a paste that burns, is protected by a password, or is a short link.

use crate::paste::{PasteId, StoredPaste, Timestamp};
use crate::store::{ConsumeError, Consumed};

use super::App;

impl App {
    /// Counts a read of the paste as it was `seen`, and returns its content. The last read removes the paste in the
    /// same step. Concurrent readers never get the content more often than it had reads left.
    ///
    /// # Errors
    /// If there is no paste, or it has another revision than was seen.
    pub fn consume(
        &self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<Consumed, ConsumeError> {
        self.store.consume(now, id, seen)
    }
}
