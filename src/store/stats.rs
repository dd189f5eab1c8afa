//! Statistics of the store: the contents of each tier, removals, and syncs.

use std::time::Duration;

use super::valkey::{Call, CallCount};
use super::{Occupancy, RemovalCounts};

/// A snapshot of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// How much of the budget of a tier is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

/// A snapshot of the shared tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineStats {
    /// All pastes, as far as this node has heard.
    pub usage: TierUsage,
    /// The calls of this node, in the order of [`Call::ALL`].
    pub calls: [CallCount; Call::ALL.len()],
}
