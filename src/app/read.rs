//! Finds pastes by their texts, and counts reads of them.

use crate::paste::{IdCodec, PasteId, Slug, StoredPaste, Timestamp};
use crate::store::{Consumed, StoreError};

use super::App;

impl App {
    /// Returns the id that a text or a slug stands for. Returns `None` if the text is neither.
    pub fn id(&self, text: &str) -> Option<PasteId> {
        match text.len() {
            IdCodec::LENGTH => self.ids.decode(text),
            _ => Some(Slug::parse(text).ok()?.id(&self.ids)),
        }
    }

    /// Returns the text under which a paste is found: its slug, or else that of its id.
    pub fn text_of(&self, id: PasteId, slug: Option<&Slug>) -> String {
        match slug {
            Some(slug) => slug.as_str().to_owned(),
            None => self.ids.encode(id),
        }
    }

    /// Returns the paste. A read is counted if the paste is public.
    ///
    /// # Errors
    /// Returns an error if the paste does not exist or cannot be read.
    pub async fn read(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        let paste = self.store.get(now, id).await?;
        if paste.data().counts_on_get() {
            self.totals.count_read();
        }
        Ok(paste)
    }

    /// Counts a read of an open paste that the caller peeked at.
    pub fn count_read(&self, now: Timestamp, id: PasteId) {
        self.store.count_read(now, id);
        self.totals.count_read();
    }

    /// Counts a read of the paste and returns its content. `seen` is the paste as the caller last saw it. The last
    /// allowed read also removes the paste, in the same step. So concurrent readers never get the content more often
    /// than allowed.
    ///
    /// # Errors
    /// Returns an error if the paste does not exist, if its revision differs from `seen`, or if the storage failed.
    pub async fn consume(
        &self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<Consumed, StoreError> {
        let consumed = self.store.consume(now, id, seen).await?;
        self.totals.count_read();
        Ok(consumed)
    }
}
