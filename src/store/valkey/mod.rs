//! The shared tier keeps pastes in a Valkey or Redis server, or in a Cluster of them. Several nodes may use it at once.
//!
//! ```text
//! caller ─ pastes, listing, lists ─ connection ─┐
//!          upkeep (reads, expired pastes) ──────┴─► library/, in the engine
//! ```
//!
//! Invariants:
//! - A node keeps no paste. A change that one node acknowledged is visible on every node.
//! - Each change happens in one call of a function in the engine, so it happens whole or not at all. `library/` says
//!   what the engine keeps.
//! - The keys are divided into shards by the hash of an id. Each shard has its own part of the budget, which its saves
//!   never exceed, and evicts fairly within it.
//! - The content, the title, the language and the slug are sealed; see [`crate::store::seal`]. The engine knows sizes,
//!   deadlines, counts of reads, and hashes of ids, clients and owners.
//! - Every node has the time of the engine; see [`Opened::time`]. `now` is passed to the functions that need it.
//!
//! Cost: a read of a paste is one `GET`. Each call has a deadline, 200 ms if it carries little.
//! Why no cache: see `docs/architecture.md`.

mod charge;
mod connection;
mod exchange;
mod header;
mod listing;
mod lists;
mod meta;
mod open_error;
mod opening;
mod pastes;
mod reads;
mod shared;
mod upkeep;

pub use connection::{Call, CallCount, EngineClock, StandingClock};
pub use open_error::OpenError;
pub use opening::{MOST_CLOCK_DIFFERENCE, Opened};

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{EngineStats, Occupancy, RemovalCounts, RemovalHook, StoreStats, TierUsage};
use crate::paste::Timestamp;
use shared::Shared;
use upkeep::Upkeep;

/// The store. Threads share it by reference.
pub struct Store {
    shared: Arc<Shared>,
    /// `None` after the store was closed.
    upkeep: Mutex<Option<Upkeep>>,
}

impl Store {
    /// Starts a store on an opened engine. Its upkeep reads the time from `clock`, and sets it to that of the engine if
    /// both differ by more than some seconds. The store calls the hook for every paste that this node changed or removed.
    ///
    /// # Errors
    /// Fails if the engine cannot be made tidebin's, or if the operating system cannot start a thread.
    pub fn start(
        mut opened: Opened,
        removal_hook: RemovalHook,
        clock: impl EngineClock + 'static,
    ) -> Result<Self, OpenError> {
        opened.claim()?;
        let (runtime, shared) = opened.into_parts(removal_hook, Box::new(clock));
        let upkeep = Upkeep::start(runtime, Arc::clone(&shared)).map_err(OpenError::Runtime)?;
        Ok(Self {
            shared,
            upkeep: Mutex::new(Some(upkeep)),
        })
    }

    /// Reports all reads that were not reported yet. The upkeep does this too.
    pub async fn report_reads(&self, now: Timestamp) {
        upkeep::report_reads(&self.shared, now).await;
    }

    /// Reports all reads that were not reported yet, and removes all expired pastes. The upkeep does this too.
    pub async fn sweep(&self, now: Timestamp) {
        self.report_reads(now).await;
        for shard in 0..self.shared.shards {
            while upkeep::sweep(&self.shared, now, shard).await > 0 {}
        }
    }

    /// Returns how full the engine is, as far as this node has heard. It hears of a shard with each call that changes
    /// it, and with each sweep.
    #[must_use]
    pub fn occupancy(&self) -> Occupancy {
        self.shared.usage.lock().occupancy()
    }

    /// Returns how many pastes this node removed since its start, by reason.
    #[must_use]
    pub fn removal_counts(&self) -> RemovalCounts {
        self.shared.usage.lock().removed
    }

    /// Returns the statistics of the store.
    #[must_use]
    pub fn stats(&self) -> StoreStats {
        let room = 0;
        let used = Occupancy {
            pastes: 0,
            bytes: 0,
        };
        let usage = self.shared.usage.lock();
        StoreStats {
            memory: TierUsage { used, room },
            disk: None,
            engine: Some(EngineStats {
                usage: TierUsage {
                    used: usage.occupancy(),
                    room: self.room(),
                },
                calls: self.shared.connection.call_counts(),
            }),
            removed: usage.removed,
            overdue: usage.overdue(),
        }
    }

    /// Returns the maximum bytes of all pastes together.
    #[must_use]
    pub fn room(&self) -> usize {
        self.shared.shard_room() * usize::from(self.shared.shards)
    }

    /// Returns the maximum bytes that one paste may cost.
    #[must_use]
    pub fn largest(&self) -> usize {
        self.shared.shard_room()
    }

    /// Recounts every shard and compares the result with what the engine counted. Only tests call it, since it visits
    /// every paste.
    ///
    /// # Panics
    /// Panics if they disagree, or if the engine does not answer.
    pub fn validate(&self) {
        for shard in 0..self.shared.shards {
            let recount = self.shared.function("recount", shard);
            let recount = self.shared.call(Call::Sweep, recount, 0);
            let found: Result<String, _> = self.shared.connection.runtime().block_on(recount);
            assert_eq!(found, Ok(String::new()), "shard {shard} is counted wrongly");
        }
    }

    /// Reports all reads, and stops the upkeep. Later operations fail.
    pub fn close(&self) {
        if let Some(upkeep) = self.upkeep.lock().take() {
            upkeep.stop();
            tracing::info!("disconnected from the engine, which keeps the pastes");
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}
