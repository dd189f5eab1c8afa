//! Reading a public paste, and looking at any paste without counting a read.

use crate::paste::{Counts, PasteId, StoredPaste, Timestamp};
use crate::store::NotFound;

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
    /// If there is no paste.
    pub fn peek(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, NotFound> {
        self.store.peek(now, id)
    }

    /// Returns the paste. A read is counted if the paste is public.
    ///
    /// # Errors
    /// If there is no paste.
    pub fn read(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, NotFound> {
        self.store.get(now, id)
    }

    /// Returns the paste's reads by hour and by day.
    ///
    /// # Errors
    /// If there is no paste.
    pub fn counts(&self, now: Timestamp, id: PasteId) -> Result<Counts, NotFound> {
        self.store.counts(now, id)
    }
}
