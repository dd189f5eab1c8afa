//! Reads public pastes, and returns any paste without counting a read.

use crate::paste::{Counts, PasteId, StoredPaste, Timestamp};
use crate::store::ReadError;

use super::App;

impl App {
    /// Decodes an id. Returns `None` if it is malformed.
    #[must_use]
    pub fn id(&self, text: &str) -> Option<PasteId> {
        self.ids.decode(text)
    }

    /// Returns the paste without counting a read.
    ///
    /// # Errors
    /// Returns an error if the paste does not exist or cannot be read.
    pub async fn peek(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, ReadError> {
        self.store.peek(now, id).await
    }

    /// Returns the paste. A read is counted if the paste is public.
    ///
    /// # Errors
    /// Returns an error if the paste does not exist or cannot be read.
    pub async fn read(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, ReadError> {
        let paste = self.store.get(now, id).await?;
        if paste.data().counts_on_get() {
            self.totals.count_read();
        }
        Ok(paste)
    }

    /// Returns how often the paste was read in each hour and on each day.
    ///
    /// # Errors
    /// Returns an error if the paste does not exist or cannot be read.
    pub async fn counts(&self, now: Timestamp, id: PasteId) -> Result<Counts, ReadError> {
        self.store.counts(now, id).await
    }
}
