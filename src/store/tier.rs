//! The tiers of the store behind one interface. The rest of the program knows only this interface.
//!
//! Invariants: an operation that needs only memory completes at the first poll. An operation that waits may be dropped,
//! for example because its client disconnected. The tier may still complete it then, so the caller must not rely on
//! either outcome.
//! Cost: the memory tier adds no task, no allocation and no lock to its own. The futures of the other tiers are boxed
//! where requests would have room for them that are answered from memory.

use std::io;
use std::ops::Deref;
use std::sync::Arc;

use super::evicting::BATCH;
use super::memory::{self, Budget, Sweeper};
use super::moderation::Moderation;
use super::seal::aside_if_large;
use super::sqlite;
use super::valkey;
use super::{
    Block, Consumed, ContentHash, End, ListPage, ModerationChange, Reason, Receipt, RemovalHook,
    Report, Saver, StoreError, Tier, Unnamed,
};
use crate::limit::SharedCounters;
use crate::paste::{Archive, Change, Counts, OwnerId, PasteId, Revision, StoredPaste, Timestamp};

/// The store. Threads share it by reference.
pub enum Store {
    /// The pastes are in memory alone. The sweeper stops when the store is dropped.
    Memory(Arc<memory::Store>, Sweeper),
    /// The pastes are on disk, and those that were used last are in memory too.
    Sqlite(sqlite::Store),
    /// The pastes are in an engine that several nodes share.
    Valkey(Arc<valkey::Store>),
}

impl Store {
    /// Makes an empty store in memory with this budget, and starts its sweeper, which reads the time from `clock`. The
    /// store calls the hook for every removed or updated paste.
    ///
    /// # Errors
    /// Fails if the operating system cannot start a thread.
    pub fn in_memory(
        budget: Budget,
        removal_hook: RemovalHook,
        clock: impl Fn() -> Timestamp + Send + 'static,
    ) -> io::Result<Self> {
        let store = Arc::new(memory::Store::new(budget, removal_hook));
        let sweeper = Sweeper::start(Arc::clone(&store), clock)?;
        Ok(Self::Memory(store, sweeper))
    }

    /// Returns the counters that several nodes share, if there are several.
    pub fn counters(&self) -> Option<Arc<dyn SharedCounters>> {
        match self {
            Self::Memory(..) | Self::Sqlite(_) => None,
            Self::Valkey(store) => Some(Arc::<valkey::Store>::clone(store)),
        }
    }

    /// Stores the paste under this id. Other pastes are removed if there is not enough room. See
    /// [`memory::Store::insert`] for their order.
    ///
    /// # Errors
    /// Returns an [`StoreError`] if the paste is not stored.
    pub async fn insert(
        &self,
        now: Timestamp,
        saver: Saver,
        id: PasteId,
        paste: StoredPaste,
    ) -> Result<(), StoreError> {
        match self {
            Self::Memory(store, _) => store.insert(now, saver, id, paste),
            Self::Sqlite(store) => Box::pin(store.insert(now, saver, id, paste)).await,
            Self::Valkey(store) => Box::pin(store.insert(now, saver, id, paste)).await,
        }
    }

    /// Returns the paste. For an open paste that is not a short link, this counts a read. A read of any other paste
    /// changes nothing.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn get(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        match self {
            Self::Memory(store, _) => store.get(now, id),
            Self::Sqlite(store) => store.get(now, id).await,
            Self::Valkey(store) => store.get(now, id).await,
        }
    }

    /// Returns the paste without counting a read. Nothing changes.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn peek(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        match self {
            Self::Memory(store, _) => store.peek(now, id),
            Self::Sqlite(store) => store.peek(now, id).await,
            Self::Valkey(store) => store.peek(id).await,
        }
    }

    /// Returns how often the paste was read, by hour and by day.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be read.
    pub async fn counts(&self, now: Timestamp, id: PasteId) -> Result<Counts, StoreError> {
        match self {
            Self::Memory(store, _) => store.counts(now, id),
            Self::Sqlite(store) => store.counts(now, id).await,
            Self::Valkey(store) => store.counts(id).await,
        }
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
        match self {
            Self::Memory(store, _) => Ok(store.list(now, &owner.hash(), before, most)),
            Self::Sqlite(store) => store.list(now, owner, before, most).await,
            Self::Valkey(store) => store.list(now, owner, before, most).await,
        }
    }

    /// Counts a read and returns the paste, for every kind of access. `seen` is the version that the caller looked at.
    /// The last allowed read removes the paste in the same step.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if there is nothing to show.
    pub async fn consume(
        &self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<Consumed, StoreError> {
        match self {
            Self::Memory(store, _) => store.consume(now, id, seen),
            Self::Sqlite(store) => store.consume(now, id, seen).await,
            Self::Valkey(store) => store.consume(now, id, seen).await,
        }
    }

    /// Changes a paste. The paste gets this revision, unless only its expiry changes. Its token, its counts and its
    /// client do not change. Other pastes are removed to make room, as in [`Self::insert`].
    ///
    /// # Errors
    /// Returns an [`StoreError`] if the paste is not changed.
    pub async fn update(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
        revision: Revision,
    ) -> Result<(), StoreError> {
        match self {
            Self::Memory(store, _) => store.update(now, id, change, revision),
            Self::Sqlite(store) => store.update(now, id, change, revision).await,
            Self::Valkey(store) => store.update(now, id, change, revision).await,
        }
    }

    /// Removes the paste. Exactly one of several callers succeeds. The reason is counted and kept in a
    /// tombstone.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it cannot be removed.
    pub async fn remove(&self, now: Timestamp, id: PasteId, end: End) -> Result<(), StoreError> {
        match self {
            Self::Memory(store, _) => store.remove(now, id, end.reason),
            Self::Sqlite(store) => store.remove(now, id, end).await,
            Self::Valkey(store) => store.remove(id, end).await,
        }
    }

    /// Returns the receipt of a removed paste, for as long as its tombstone is known.
    pub async fn receipt(&self, id: PasteId) -> Receipt {
        match self {
            Self::Memory(store, _) => store.receipt(id),
            Self::Sqlite(store) => store.receipt(id),
            Self::Valkey(store) => store.receipt(id).await,
        }
    }

    /// Returns pastes of a network, at most this many: those of its heaviest client first, and of each client those that
    /// were used last. An engine knows none.
    ///
    /// # Errors
    /// Fails if they cannot be read.
    pub async fn unnamed(&self, network: u64, most: usize) -> Result<Vec<Unnamed>, StoreError> {
        match self {
            Self::Memory(store, _) => Ok(store.unnamed(network, most)),
            Self::Sqlite(store) => store.unnamed(network, most).await,
            Self::Valkey(_) => Ok(Vec::new()),
        }
    }

    /// Removes pastes of a network, at most a batch. Returns how many: none if it has no more. An engine knows those of
    /// an owner alone.
    ///
    /// # Errors
    /// Fails if one cannot be removed. Others may be removed then.
    pub async fn remove_of(
        &self,
        now: Timestamp,
        network: u64,
        owner: Option<&OwnerId>,
        reason: Reason,
    ) -> Result<usize, StoreError> {
        match (self, owner) {
            (Self::Memory(store, _), _) => {
                let store = Arc::clone(store);
                let remove = move || store.remove_of(now, network, reason);
                Ok(tokio::task::spawn_blocking(remove).await.unwrap_or(0))
            }
            (Self::Sqlite(store), _) => store.remove_of(now, network, reason).await,
            (Self::Valkey(_), None) => Ok(0),
            (Self::Valkey(store), Some(owner)) => {
                let page = store.list(now, owner, None, BATCH).await?;
                for paste in &page.pastes {
                    match store.remove(paste.id, reason.into()).await {
                        Ok(()) | Err(StoreError::NotFound | StoreError::Gone(_)) => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(page.pastes.len())
            }
        }
    }

    /// Changes the list of blocked contents or of reports. Returns false if it was as wanted already. A report needs a
    /// paste that can be read.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if the change was refused.
    pub async fn moderate(
        &self,
        now: Timestamp,
        change: ModerationChange,
    ) -> Result<bool, StoreError> {
        match self {
            Self::Memory(store, _) => store.moderate(now, &change),
            Self::Sqlite(store) => store.moderate(now, change).await,
            Self::Valkey(store) => store.moderate(now, change).await,
        }
    }

    /// Returns whether the operator blocks this content, or a file in it. While nothing is blocked, this computes no hash.
    /// A large content is hashed on a thread of its own, so that other requests of the worker do not wait for that.
    ///
    /// # Errors
    /// Fails if the list cannot be read.
    pub async fn is_blocked(&self, content: &Arc<[u8]>) -> Result<bool, StoreError> {
        let moderation = self.moderation();
        if !moderation.has_blocks() {
            return Ok(false);
        }
        let content = Arc::clone(content);
        let hashes = aside_if_large(content.len(), move || hashes_of(&content)).await;
        let mut hashes = hashes.expect("hashing does not panic").into_iter();
        Ok(hashes.any(|hash| moderation.is_blocked(hash)))
    }

    /// Returns the blocked contents, the latest first.
    pub fn blocks(&self) -> Vec<Block> {
        self.moderation().blocks()
    }

    /// Returns the reports about pastes that can still be read, the latest first.
    ///
    /// # Errors
    /// Fails if the list cannot be read.
    pub async fn reports(&self, now: Timestamp) -> Result<Vec<Report>, StoreError> {
        match self {
            Self::Memory(store, _) => Ok(store.moderation().reports(|id| store.is_stored(now, id))),
            Self::Sqlite(store) => Ok(store.moderation().reports(|id| store.is_stored(now, id))),
            Self::Valkey(store) => store.reports().await,
        }
    }

    fn moderation(&self) -> &Moderation {
        match self {
            Self::Memory(store, _) => store.moderation(),
            Self::Sqlite(store) => store.moderation(),
            Self::Valkey(store) => store.moderation(),
        }
    }

    /// Removes all expired pastes. The sweeper does this too, but a test does not wait for it.
    pub async fn sweep(&self, now: Timestamp) {
        match self {
            Self::Memory(store, _) => _ = store.sweep(now),
            Self::Sqlite(store) => while store.sweep(now).await > 0 {},
            Self::Valkey(store) => store.report_reads().await,
        }
    }

    /// Completes once [`Tier::has_failed`]. Then the server must stop.
    pub async fn failed(&self) {
        match self {
            Self::Memory(..) | Self::Valkey(_) => std::future::pending().await,
            Self::Sqlite(store) => store.failed().await,
        }
    }
}

impl Deref for Store {
    type Target = dyn Tier;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Memory(store, _) => &**store,
            Self::Sqlite(store) => store,
            Self::Valkey(store) => &**store,
        }
    }
}

/// Returns the hash of a content, and those of the files in it.
fn hashes_of(content: &[u8]) -> Vec<ContentHash> {
    let archive = Archive::of(content).and_then(Result::ok);
    let files = archive.iter().flat_map(Archive::files);
    let hashes = files.map(|file| ContentHash::of(&file.content));
    hashes.chain([ContentHash::of(content)]).collect()
}
