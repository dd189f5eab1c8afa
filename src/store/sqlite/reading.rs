//! Reading: a paste comes from memory, or from the disk through a reader.
//!
//! Invariants: a hit in memory completes without waiting. A paste that expired is never returned, even if it expired
//! while it was being loaded.

use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::shared::Shared;
use super::state::{Found, Purpose};
use super::threads::Work;
use super::{Store, TRIES, reader};
use crate::paste::{Change, Counts, OwnerId, PasteId, StoredPaste, Timestamp};
use crate::store::seal::RowKey;
use crate::store::{ListPage, Reason, StoreError, Unnamed};

impl Store {
    /// Returns the paste. For an open paste that is not a short link, this counts a read.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn get(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        self.find(now, id, Purpose::Read).await
    }

    /// Returns the paste without counting a read.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn peek(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        self.find(now, id, Purpose::Peek).await
    }

    /// Returns how often the paste was read, by hour and by day.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn counts(&self, now: Timestamp, id: PasteId) -> Result<Counts, StoreError> {
        let key = self.shared.keys.row_key(id);
        for _ in 0..TRIES {
            self.peek(now, id).await?;
            // The paste may have left the memory again.
            if let Some(cached) = self.shared.lock().cache.pastes.get(&key) {
                return Ok(cached.entry.reads.counts());
            }
        }
        Err(StoreError::Failed)
    }

    /// Returns a page of at most `most` pastes of the owner, those before the cursor.
    ///
    /// # Errors
    /// Fails if the list cannot be read.
    pub async fn list(
        &self,
        now: Timestamp,
        owner: &OwnerId,
        before: Option<u64>,
        most: usize,
    ) -> Result<ListPage, StoreError> {
        let owner = *owner;
        let page = move |shared: &_, connection: &_| {
            reader::page(shared, connection, now, &owner, before, most)
        };
        self.ask_reader(page).await
    }

    /// Returns pastes of a network, at most this many, without their ids.
    ///
    /// # Errors
    /// Fails if they cannot be read.
    pub async fn unnamed(&self, network: u64, most: usize) -> Result<Vec<Unnamed>, StoreError> {
        let unnamed =
            move |shared: &_, connection: &_| reader::unnamed(shared, connection, network, most);
        self.ask_reader(unnamed).await
    }

    /// Returns what a reader finds, unless the caller has gone away before that.
    async fn ask_reader<T: Send + 'static>(
        &self,
        find: impl FnOnce(&Shared, &Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, found) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        self.read(Box::new(move |connection| {
            if !reply.is_closed() {
                let _ = reply.send(find(&shared, connection));
            }
        }));
        found.await.unwrap_or(Err(StoreError::Failed))
    }

    async fn find(
        &self,
        now: Timestamp,
        id: PasteId,
        purpose: Purpose,
    ) -> Result<StoredPaste, StoreError> {
        let key = self.shared.keys.row_key(id);
        for _ in 0..TRIES {
            let found = self.shared.lock().find(now, key, purpose)?;
            let (to_load, loaded) = match found {
                Found::Here(paste) => return Ok(paste),
                Found::OnDisk(to_load, loaded) => (to_load, loaded),
            };
            if let Some(seq) = to_load {
                self.load(id, key, seq);
            }
            match loaded.await.unwrap_or(Err(StoreError::Failed)) {
                Ok(paste) => {
                    if to_load.is_some() && paste.data().has_outline() {
                        // If this fails, the next one who loads it tries again. Boxed: this future is large, and rare.
                        let (none, revision) = (Change::default(), paste.revision());
                        let _ = Box::pin(self.replace(now, id, &paste, &none, revision)).await;
                    }
                    return self.loaded(now, key, paste, purpose);
                }
                // A transaction may be in progress, whose rows the readers cannot see yet. It has ended once the next
                // operation is answered.
                Err(StoreError::Changed) => _ = self.sweep(now).await,
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Failed)
    }

    /// Returns a paste that was just loaded. It may have expired in the present second, which the catalog cannot tell.
    fn loaded(
        &self,
        now: Timestamp,
        key: RowKey,
        paste: StoredPaste,
        purpose: Purpose,
    ) -> Result<StoredPaste, StoreError> {
        if paste.deadline().has_passed(now) {
            return Err(StoreError::Gone(Reason::Expired));
        }
        if purpose == Purpose::Read && paste.data().counts_on_get() {
            self.shared.lock().count_read(now, key);
            let reads = paste.reads().saturating_add(1);
            return Ok(paste.into_data().with_reads(reads));
        }
        Ok(paste)
    }

    /// Asks the readers for a paste. If they have ended, the callers that wait for it get an error.
    fn load(&self, id: PasteId, key: RowKey, seq: u64) {
        let shared = Arc::clone(&self.shared);
        let load = move |connection: &_| reader::load(&shared, connection, id, key, seq);
        if !self.read(Box::new(load)) {
            let failed = Err(StoreError::Failed);
            self.shared.finish_loading(key, seq, failed);
        }
    }

    /// Gives work to the readers. Returns false if they are gone.
    fn read(&self, work: Work) -> bool {
        let threads = self.threads.lock();
        let readers = threads.as_ref().map(|it| &it.readers);
        readers.is_some_and(|it| it.send(work).is_ok())
    }
}
