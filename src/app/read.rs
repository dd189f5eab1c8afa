//! Reading a paste that everybody with its id may read, and looking at one without reading it.

use crate::paste::{Counts, PasteId, StoredPaste, Timestamp};
use crate::store::NotFound;

use super::App;

impl App {
    /// The id in this text; `None` if it is malformed.
    #[must_use]
    pub fn id(&self, text: &str) -> Option<PasteId> {
        self.ids.decode(text)
    }

    /// The paste, with no trace of having been looked at.
    ///
    /// # Errors
    /// If there is none.
    pub fn peek(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, NotFound> {
        self.store.peek(now, id)
    }

    /// The paste. One that everybody may read is counted as read.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, NotFound> {
        self.store.get(now, id)
    }

    /// The paste's reads by hour and by day.
    ///
    /// # Errors
    /// If there is no paste.
    pub fn counts(&self, now: Timestamp, id: PasteId) -> Result<Counts, NotFound> {
        self.store.counts(now, id)
    }
}
