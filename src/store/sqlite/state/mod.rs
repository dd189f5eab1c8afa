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
pub(crate) use room::{BATCH, Removal, Room};

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use tokio::sync::oneshot;

use crate::paste::{Access, PasteData, Reads, Revision, StoredPaste, Timestamp};
use crate::store::id_hasher::IdHasher;
use crate::store::seal::RowKey;
use crate::store::{Reason, StoreError, TierUsage};

/// The result of loading a paste, for each reader that waits for it. `StoreError::Changed` means that the paste was
/// changed or removed meanwhile, so that the caller should look again.
pub(crate) type Loaded = Result<StoredPaste, StoreError>;

/// Where a reader finds a paste.
#[derive(Debug)]
pub(crate) enum Found {
    /// In memory.
    Here(StoredPaste),
    /// On disk. Another reader has asked for it already.
    Loading(oneshot::Receiver<Loaded>),
    /// On disk. The caller must ask for it.
    ToLoad(u64, oneshot::Receiver<Loaded>),
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
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) catalog: Catalog,
    cache: Cache,
    room: Room,
    /// The pastes that are being loaded.
    loading: HashMap<RowKey, Loading>,
    /// The pastes of the cache whose counts are not on disk yet.
    dirty: HashSet<RowKey, BuildHasherDefault<IdHasher>>,
    /// The counts that are not on disk yet of pastes that have left the cache.
    unsaved: HashMap<RowKey, (u32, Reads)>,
    /// Pastes whose damage is in the log already.
    damaged: HashSet<RowKey, BuildHasherDefault<IdHasher>>,
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
    pub(crate) fn new(catalog: Catalog, cache: Cache, room: Room) -> Self {
        Self {
            catalog,
            cache,
            room,
            loading: HashMap::new(),
            dirty: HashSet::default(),
            unsaved: HashMap::new(),
            damaged: HashSet::default(),
        }
    }

    /// Returns where the paste is on disk.
    ///
    /// # Errors
    /// Fails if there is no paste, or if it has expired.
    pub(crate) fn locate(&self, now: Timestamp, key: RowKey) -> Result<Located, StoreError> {
        let Some(located) = self.catalog.find(key) else {
            let reason = self.catalog.reason(key);
            return Err(reason.map_or(StoreError::NotFound, StoreError::Gone));
        };
        let cached = self.cache.get(key);
        let has_expired = match cached {
            Some(cached) => cached.entry.paste.deadline().has_passed(now),
            None => self.catalog.has_expired(located.row, now),
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
        if let Some(cached) = self.cache.get(key) {
            if purpose == Purpose::Read && cached.entry.paste.counts_on_get() {
                self.count_read(now, key);
            }
            let cached = self.cache.get(key).ok_or(StoreError::NotFound)?;
            return Ok(Found::Here(cached.entry.stored()));
        }
        let (sender, receiver) = oneshot::channel();
        let waiting = &mut self.loading.entry(key).or_default().waiting;
        waiting.push(sender);
        Ok(match waiting.len() {
            1 => Found::ToLoad(located.seq, receiver),
            _ => Found::Loading(receiver),
        })
    }

    /// Ends the loading of a paste: it enters the cache if it was not changed meanwhile. Returns who waits for it. What
    /// leaves the cache is appended to `left`.
    pub(crate) fn finish_loading(
        &mut self,
        key: RowKey,
        seq: u64,
        loaded: Result<Cached, StoreError>,
        left: &mut Vec<Cached>,
    ) -> (Vec<oneshot::Sender<Loaded>>, Loaded) {
        let Loading {
            waiting,
            is_outdated,
        } = self.loading.remove(&key).unwrap_or_default();
        let located = self.catalog.find(key);
        let located = located.filter(|it| it.seq == seq && !is_outdated);
        let loaded = match (loaded, located) {
            (Ok(mut cached), Some(_)) => {
                self.restore_counts(key, &mut cached);
                let stored = cached.entry.stored();
                self.keep(key, cached, left);
                Ok(stored)
            }
            (Err(StoreError::Failed), Some(_)) => Err(StoreError::Failed),
            (_, _) => Err(StoreError::Changed),
        };
        (waiting, loaded)
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

    /// Puts a paste of the catalog into the cache. Pastes that leave the cache are appended to `left`.
    pub(crate) fn keep(&mut self, key: RowKey, cached: Cached, left: &mut Vec<Cached>) {
        let is_dirty = cached.is_dirty;
        let room = self.room_of_cache();
        let mut demoted = Vec::new();
        self.cache.insert(key, cached, room, &mut demoted);
        if is_dirty && self.cache.get(key).is_some() {
            self.dirty.insert(key);
        }
        for (key, cached) in demoted {
            self.keep_counts(key, &cached);
            left.push(cached);
        }
    }

    /// Removes a paste from the cache, because it is removed from the disk or replaced.
    pub(crate) fn forget(&mut self, key: RowKey) -> Option<Cached> {
        self.dirty.remove(&key);
        self.unsaved.remove(&key);
        self.cache.remove(key)
    }

    /// Puts a paste into the cache, unless the catalog has lost it already.
    pub(crate) fn keep_listed(&mut self, key: RowKey, cached: Cached, left: &mut Vec<Cached>) {
        match self.catalog.find(key) {
            Some(_) => self.keep(key, cached, left),
            None => left.push(cached),
        }
    }

    /// Replaces a paste of the cache by its next version. Its counts stay.
    pub(crate) fn replace(&mut self, key: RowKey, paste: PasteData, left: &mut Vec<Cached>) {
        self.outdate(key);
        if let Some(mut cached) = self.cache.remove(key) {
            cached.entry.paste = paste;
            self.keep_listed(key, cached, left);
        }
    }

    /// Changes the access of a paste of the cache.
    pub(crate) fn set_access(&mut self, key: RowKey, access: Access) {
        self.outdate(key);
        if let Some(cached) = self.cache.get_mut(key) {
            cached.entry.paste.access = access;
        }
    }

    /// Returns how much of the memory for pastes is in use.
    pub(crate) fn cache_usage(&self) -> TierUsage {
        TierUsage {
            used: self.cache.occupancy(),
            room: self.room_of_cache(),
        }
    }

    /// Returns the bytes that the pastes in memory may cost together.
    fn room_of_cache(&self) -> usize {
        self.room.cache - self.catalog.bytes_of_clients().min(self.room.cache)
    }

    /// Returns the paste with this key, if it is in memory.
    pub(crate) fn cached(&self, key: RowKey) -> Option<&Cached> {
        self.cache.get(key)
    }

    /// Returns true if the damage of this paste was not told yet. Only a bounded number is remembered.
    pub(crate) fn is_new_damage(&mut self, key: RowKey) -> bool {
        self.damaged.len() < MOST_DAMAGED && self.damaged.insert(key)
    }

    /// Returns true if the paste is in memory and has this revision.
    pub(crate) fn is_current(&self, now: Timestamp, key: RowKey, revision: Revision) -> bool {
        let cached = self.cache.get(key);
        cached.is_some_and(|it| {
            let paste = &it.entry.paste;
            paste.revision() == revision && !paste.deadline().has_passed(now)
        })
    }
}
