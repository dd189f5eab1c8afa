//! Counts of reads on their way to the disk.
//!
//! A count is written at most once an hour for each paste, and when the server stops. A crash loses the counts of the
//! latest hour.
//! Invariants: counts are never dropped because their paste left the cache, unless more than [`MOST`] pastes wait.

use super::State;
use crate::paste::{Reads, Timestamp};
use crate::store::entry::Entry;
use crate::store::evicting::BATCH;
use crate::store::seal::RowKey;
use crate::store::sqlite::state::Cached;

/// Maximum number of pastes outside the cache whose counts wait to be written.
const MOST: usize = 4096;

/// The number of them from which they are written without waiting for the end of the hour.
const ENOUGH: usize = MOST / 4;

/// The counts of a paste that are not on disk yet.
pub(crate) struct UnsavedCounts {
    pub(crate) key: RowKey,
    pub(crate) seq: u64,
    /// The number of all reads.
    pub(crate) total: u32,
    pub(crate) reads: Reads,
}

impl State {
    /// Counts a read of a paste, which becomes the most recently used one. A paste that is not in memory is not
    /// counted.
    pub(crate) fn count_read(&mut self, now: Timestamp, key: RowKey) {
        if let Some(cached) = self.cache.pastes.get_refresh(&key) {
            cached.entry.count(now);
            if let Some(located) = self.catalog.find(key) {
                self.catalog.ledger.refresh(located.row);
            }
            if !std::mem::replace(&mut cached.is_dirty, true) {
                self.dirty.insert(key);
            }
        }
    }

    /// Keeps the counts of a paste that left the cache.
    pub(crate) fn keep_counts(&mut self, key: RowKey, cached: &Cached) {
        self.dirty.remove(&key);
        let is_listed = self.catalog.find(key).is_some();
        let has_room = self.unsaved.len() < MOST || self.unsaved.contains_key(&key);
        if cached.is_dirty && is_listed && has_room {
            let Entry { total, reads, .. } = &cached.entry;
            self.unsaved.insert(key, (*total, reads.clone()));
        }
    }

    /// Gives a loaded paste the counts that are not on disk yet.
    pub(crate) fn restore_counts(&mut self, key: RowKey, cached: &mut Cached) {
        if let Some(counts) = self.unsaved.remove(&key) {
            (cached.entry.total, cached.entry.reads) = counts;
            cached.is_dirty = true;
        }
    }

    /// Returns how often a paste was read, if that is known in memory.
    pub(crate) fn reads(&self, key: RowKey) -> Option<u32> {
        let cached = self.cache.pastes.get(&key).map(|it| it.entry.total);
        cached.or_else(|| self.unsaved.get(&key).map(|(total, _)| *total))
    }

    /// Returns true if enough counts wait that they should be written before the end of the hour.
    pub(crate) fn has_many_unsaved(&self) -> bool {
        self.unsaved.len() >= ENOUGH
    }

    /// Returns the number of pastes whose counts are not on disk yet.
    pub(crate) fn unwritten_counts(&self) -> usize {
        let outside = |key: &&RowKey| !self.unsaved.contains_key(*key);
        self.unsaved.len() + self.dirty.iter().filter(outside).count()
    }

    /// Returns counts that are not on disk yet, at most a batch. Those of the cache are included only if `all` is true.
    /// All of them wait outside the cache until they are written, since their pastes may leave it meanwhile.
    pub(crate) fn take_unsaved(&mut self, all: bool) -> Vec<UnsavedCounts> {
        let room = match all {
            true => BATCH.saturating_sub(self.unsaved.len()),
            false => 0,
        };
        let dirty: Vec<RowKey> = self.dirty.iter().copied().take(room).collect();
        for key in dirty {
            self.dirty.remove(&key);
            if let Some(cached) = self.cache.pastes.get_mut(&key) {
                cached.is_dirty = false;
                let Entry { total, reads, .. } = &cached.entry;
                self.unsaved.insert(key, (*total, reads.clone()));
            }
        }
        let listed = |(key, (total, reads)): (&RowKey, &(u32, Reads))| {
            Some(UnsavedCounts {
                key: *key,
                seq: self.catalog.find(*key)?.seq,
                total: *total,
                reads: reads.clone(),
            })
        };
        let unsaved = self.unsaved.iter().take(BATCH);
        unsaved.filter_map(listed).collect()
    }

    /// Forgets counts that are on disk now, unless there were reads meanwhile.
    pub(crate) fn forget_saved(&mut self, saved: &[UnsavedCounts]) {
        for counts in saved {
            self.outdate(counts.key);
            let kept = self.unsaved.get(&counts.key);
            if kept.is_some_and(|(total, _)| *total == counts.total) {
                self.unsaved.remove(&counts.key);
            }
        }
    }
}
