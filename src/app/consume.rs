//! Consuming a read: of a paste that burns, is protected by a password, or leads elsewhere.

use crate::paste::{PasteId, StoredPaste, Timestamp};
use crate::store::{ConsumeError, Consumed};

use super::App;

impl App {
    /// Counts a read of the paste as it was `seen`, and gives its content. The last read removes it in the same step:
    /// of any number of concurrent readers, exactly as many get the content as it had reads left.
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
