//! What each tier answers without waiting: its state, and its statistics.

use std::time::Duration;

use super::valkey::{Call, CallCount};
use super::{Occupancy, RemovalCounts, Share};
use crate::paste::{Access, PasteId, Revision, Timestamp};

/// What each tier answers without waiting. [`Store`](super::Store) derefs to its tier.
pub trait Tier {
    /// Returns whether the tier reads from a disk or from an engine.
    fn loads(&self) -> bool {
        true
    }

    /// Returns whether reading the paste loads it, from the disk or from the engine.
    fn must_load(&self, _id: PasteId) -> bool {
        true
    }

    /// Returns whether the paste still has this revision. It waits for no disk.
    fn is_current(&self, now: Timestamp, id: PasteId, revision: Revision) -> bool;

    /// Counts a read of an open paste that the caller peeked at. One that is not in memory any more is not counted.
    fn count_read(&self, now: Timestamp, id: PasteId);

    /// Returns the statistics of the tier.
    fn stats(&self, now: Timestamp) -> StoreStats;

    /// Returns how full the tier is.
    fn occupancy(&self) -> Occupancy {
        self.stats(Timestamp::default()).usage().used
    }

    /// Returns the maximum bytes of all pastes together.
    fn room(&self) -> usize {
        self.stats(Timestamp::default()).usage().room
    }

    /// Returns how many pastes were removed since the start, by reason.
    fn removal_counts(&self) -> RemovalCounts {
        self.stats(Timestamp::default()).removed
    }

    /// Returns the heaviest networks, at most this many. An engine knows none.
    fn heaviest(&self, _most: usize) -> Vec<u64> {
        Vec::new()
    }

    /// Returns what a network holds. `None` if an engine keeps the pastes, which does not know.
    fn share(&self, _network: u64) -> Option<Share> {
        None
    }

    /// Recounts every index and compares it with the pastes. Only tests call it, since it visits every paste.
    ///
    /// # Panics
    /// Panics if an index is wrong.
    fn validate(&self) {}

    /// Returns whether the storage has failed in a way that lets nothing be acknowledged any more.
    fn has_failed(&self) -> bool {
        false
    }

    /// Completes all work in progress and stops the background work. Logs how many pastes are kept or lost.
    fn close(&self);
}

/// What the operator may know of a paste of a stranger: never its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unnamed {
    /// The bytes that it is charged.
    pub bytes: usize,
    /// When it was saved, or 1970 if that is not known.
    pub saved: Timestamp,
    /// How it may be read.
    pub access: Access,
    /// How often it was read.
    pub reads: u32,
}

/// A snapshot of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreStats {
    /// The pastes in memory: all of them, or those of the disk that were used last.
    pub memory: TierUsage,
    /// The pastes on disk, if there is a data directory.
    pub disk: Option<DiskStats>,
    /// The pastes in the engine of the shared tier, if there is one.
    pub engine: Option<EngineStats>,
    /// Removed pastes by reason.
    pub removed: RemovalCounts,
    /// How long ago the first deadline passed of the pastes that are still to be swept.
    pub overdue: Duration,
}

impl StoreStats {
    /// Returns how full the tier is that has all pastes.
    pub fn usage(&self) -> TierUsage {
        let engine = self.engine.map(|engine| engine.usage);
        let disk = self.disk.map(|disk| disk.usage);
        engine.or(disk).unwrap_or(self.memory)
    }
}

/// How much of the budget of a tier is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TierUsage {
    /// The pastes and bytes in use.
    pub used: Occupancy,
    /// The maximum bytes of all pastes together.
    pub room: usize,
}

/// A snapshot of the durable tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskStats {
    /// All pastes.
    pub usage: TierUsage,
    /// The number of transactions with saves, changes, deletions and burns that were synced.
    pub commits: u64,
    /// The time that these took to sync.
    pub commit_time: Duration,
    /// Whether the disk is full, so that nothing is saved.
    pub is_full: bool,
}

/// A snapshot of the shared tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineStats {
    /// The memory that the engine used some seconds ago, and may use. Its pastes are not counted.
    pub usage: TierUsage,
    /// The calls of this node, in the order of [`Call::NAMES`].
    pub calls: [CallCount; Call::NAMES.len()],
}
