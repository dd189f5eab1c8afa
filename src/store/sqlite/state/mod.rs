//! The state under the lock of the durable store: the catalog of the pastes on disk, and the cache of those in memory.
//!
//! Invariants: every paste of the cache is in the catalog, in the same version. Only the writer's thread changes the
//! catalog. Readers change the order of use, the counts of reads, and the contents of the cache. Counts that are not on
//! disk yet are in the cache, or in `unsaved` if their paste has left it.
//! Cost: the lock is held for work on maps only. No operation waits for the disk or frees a paste while it holds it.

mod cache;
mod catalog;
mod counts;
mod room;

pub(crate) use cache::{Cache, Cached};
pub(crate) use catalog::{Catalog, Listing, Located};
pub(crate) use counts::UnsavedCounts;
pub(crate) use room::{GRACE_MILLIS, Removal};

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::paste::{Access, PasteData, Reads, StoredPaste, Timestamp};
use crate::store::id_hasher::IdHasher;
use crate::store::memory::Budget;
use crate::store::seal::RowKey;
use crate::store::{Reason, StoreError};

/// The result of loading a paste, for each reader that waits for it. `StoreError::Changed` means that the paste was
/// changed or removed meanwhile, so that the caller should look again.
pub(crate) type Loaded = Result<StoredPaste, StoreError>;

/// Where a reader finds a paste.
pub(crate) enum Found {
    /// In memory.
    Here(StoredPaste),
    /// On disk. The caller must ask for the row with this number, unless another reader has done that.
    OnDisk(Option<u64>, oneshot::Receiver<Loaded>),
}

/// The purpose of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To look at the paste. Nothing is counted.
    Peek,
    /// To read the paste. A read is counted if the paste is open.
    Read,
}

/// The state under the lock.
pub(crate) struct State {
    pub(crate) catalog: Catalog,
    pub(crate) cache: Cache,
    /// The bytes of disk that all pastes may cost. Damaged pastes have less left of it.
    room: usize,
    /// The number of pastes for which the catalog has rows.
    most_pastes: usize,
    /// When the store was started. A wrong clock destroys nothing in the hour after that.
    started: Timestamp,
    /// The pastes that are being loaded.
    loading: HashMap<RowKey, Loading>,
    /// The pastes of the cache whose counts are not on disk yet.
    dirty: HashSet<RowKey, BuildHasherDefault<IdHasher>>,
    /// The counts that are not on disk yet of pastes that have left the cache.
    unsaved: HashMap<RowKey, (u32, Reads)>,
    /// Pastes whose damage is in the log already.
    damaged: HashSet<RowKey, BuildHasherDefault<IdHasher>>,
    /// The number of transactions of callers, and the time that they took to sync. The clock counts milliseconds, so
    /// the time of one is inexact. The sum of many is not.
    pub(crate) commits: u64,
    pub(crate) commit_time: Duration,
    /// Whether the writer saves nothing, because the disk is full.
    pub(crate) is_disk_full: bool,
}

/// A paste that is being loaded.
#[derive(Debug, Default)]
struct Loading {
    /// The callers that wait for it.
    waiting: Vec<oneshot::Sender<Loaded>>,
    /// True if its row was changed meanwhile, so that the reader may load the former version.
    is_outdated: bool,
}

/// Maximum number of damaged pastes that are logged.
const MOST_DAMAGED: usize = 1000;

impl State {
    /// Makes the state of a store that starts now, with an empty cache.
    pub(crate) fn new(
        catalog: Catalog,
        cache: Budget,
        room: usize,
        most_pastes: usize,
        started: Timestamp,
    ) -> Self {
        Self {
            catalog,
            cache: Cache::within(cache),
            room,
            most_pastes,
            started,
            loading: HashMap::new(),
            dirty: HashSet::default(),
            unsaved: HashMap::new(),
            damaged: HashSet::default(),
            commits: 0,
            commit_time: Duration::ZERO,
            is_disk_full: false,
        }
    }

    /// Returns where the paste is on disk.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it has expired.
    pub(crate) fn locate(&self, now: Timestamp, key: RowKey) -> Result<Located, StoreError> {
        let Some(located) = self.catalog.find(key) else {
            let reason = self.catalog.ledger.tombstones.find(key.as_id());
            return Err(reason.map_or(StoreError::NotFound, StoreError::Gone));
        };
        let cached = self.cache.pastes.get(&key);
        let has_expired = match cached {
            Some(cached) => cached.entry.paste.deadline.has_passed(now),
            None => self.catalog.ledger.deadline(located.row).has_passed(now),
        };
        match has_expired {
            true => Err(StoreError::Gone(Reason::Expired)),
            false => Ok(located),
        }
    }

    /// Finds a paste for a reader.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it has expired.
    pub(crate) fn find(
        &mut self,
        now: Timestamp,
        key: RowKey,
        purpose: Purpose,
    ) -> Result<Found, StoreError> {
        let located = self.locate(now, key)?;
        if let Some(cached) = self.cache.pastes.get(&key) {
            if purpose == Purpose::Read && cached.entry.paste.counts_on_get() {
                self.count_read(now, key);
            }
            let cached = self.cache.pastes.get(&key).ok_or(StoreError::NotFound)?;
            return Ok(Found::Here(cached.entry.stored()));
        }
        let (sender, receiver) = oneshot::channel();
        let waiting = &mut self.loading.entry(key).or_default().waiting;
        waiting.push(sender);
        let to_load = (waiting.len() == 1).then_some(located.seq);
        Ok(Found::OnDisk(to_load, receiver))
    }

    /// Ends the loading of a paste: it enters the cache if it was not changed meanwhile. Returns who waits for it,
    /// their answer, and what leaves the cache.
    pub(crate) fn finish_loading(
        &mut self,
        key: RowKey,
        seq: u64,
        loaded: Result<Cached, StoreError>,
    ) -> (Vec<oneshot::Sender<Loaded>>, Loaded, Vec<Cached>) {
        let Loading {
            waiting,
            is_outdated,
        } = self.loading.remove(&key).unwrap_or_default();
        let located = self.catalog.find(key);
        let located = located.filter(|it| it.seq == seq && !is_outdated);
        match (loaded, located) {
            (Ok(mut cached), Some(_)) => {
                self.restore_counts(key, &mut cached);
                let stored = cached.entry.stored();
                (waiting, Ok(stored), self.keep_listed(key, cached))
            }
            (Err(StoreError::Failed), Some(_)) => (waiting, Err(StoreError::Failed), Vec::new()),
            (_, _) => (waiting, Err(StoreError::Changed), Vec::new()),
        }
    }

    /// Returns true if no caller waits for this paste any more. Then it is not loaded.
    pub(crate) fn give_up_loading(&mut self, key: RowKey) -> bool {
        let loading = self.loading.get(&key);
        let is_awaited = loading.is_some_and(|it| it.waiting.iter().any(|it| !it.is_closed()));
        if !is_awaited {
            self.loading.remove(&key);
        }
        !is_awaited
    }

    /// Notes that the row of a paste was changed. A reader that is loading it may have the former version.
    fn outdate(&mut self, key: RowKey) {
        if let Some(loading) = self.loading.get_mut(&key) {
            loading.is_outdated = true;
        }
    }

    /// Puts a paste into the cache, unless the catalog has lost it already. Returns the pastes that are not in the
    /// cache then.
    pub(crate) fn keep_listed(&mut self, key: RowKey, cached: Cached) -> Vec<Cached> {
        if self.catalog.find(key).is_none() {
            return vec![cached];
        }
        let is_dirty = cached.is_dirty;
        let room = self.room_of_cache();
        let demoted = self.cache.insert(key, cached, room);
        if is_dirty && self.cache.pastes.get(&key).is_some() {
            self.dirty.insert(key);
        }
        let demoted = demoted.into_iter().map(|(key, cached)| {
            self.keep_counts(key, &cached);
            cached
        });
        demoted.collect()
    }

    /// Removes a paste from the cache, because it is removed from the disk or replaced.
    pub(crate) fn forget(&mut self, key: RowKey) -> Option<Cached> {
        self.dirty.remove(&key);
        self.unsaved.remove(&key);
        self.cache.remove(key)
    }

    /// Replaces a paste of the cache by its next version. Its counts stay. Returns the pastes that leave the cache.
    pub(crate) fn replace(&mut self, key: RowKey, paste: PasteData) -> Vec<Cached> {
        self.outdate(key);
        let Some(mut cached) = self.cache.remove(key) else {
            return Vec::new();
        };
        cached.entry.paste = paste;
        self.keep_listed(key, cached)
    }

    /// Changes the access of a paste of the cache.
    pub(crate) fn set_access(&mut self, key: RowKey, access: Access) {
        self.outdate(key);
        if let Some(cached) = self.cache.pastes.get_mut(&key) {
            cached.entry.paste.access = access;
        }
    }

    /// Returns the bytes that the pastes in memory may cost together.
    pub(crate) fn room_of_cache(&self) -> usize {
        let clients = self.catalog.ledger.bytes_of_clients();
        self.cache.room.saturating_sub(clients)
    }

    /// Returns true if the damage of this paste was not told yet. Only a bounded number is remembered.
    pub(crate) fn is_new_damage(&mut self, key: RowKey) -> bool {
        self.damaged.len() < MOST_DAMAGED && self.damaged.insert(key)
    }
}
