//! Counts a read of a paste with limited reads or a password, or of a short link.

use crate::paste::{PasteId, StoredPaste, Timestamp};
use crate::store::{Consumed, StoreError};

use super::App;

impl App {
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
