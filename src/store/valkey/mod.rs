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

use std::sync::Arc;

use parking_lot::Mutex;

use super::{EngineStats, RemovalHook, StoreStats, Tier, TierUsage};
use crate::paste::{PasteId, Revision, Timestamp};
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

    /// Returns the maximum bytes that one paste may cost.
    pub fn largest(&self) -> usize {
        self.shared.shard_room()
    }
}

impl Tier for Store {
    fn must_load(&self, _: PasteId) -> bool {
        true
    }

    /// A cached page belongs to a revision, and each request for it asks the engine for the paste first.
    fn is_current(&self, _: Timestamp, _: PasteId, _: Revision) -> bool {
        true
    }

    fn count_read(&self, now: Timestamp, id: PasteId) {
        self.shared.reads.count(now, self.shared.keys.row_key(id));
    }

    /// Returns what this node has heard. It hears of a shard with each call that changes it, and with each sweep.
    fn stats(&self, _: Timestamp) -> StoreStats {
        let room = self.shared.shard_room() * usize::from(self.shared.shards);
        let usage = self.shared.usage.lock();
        StoreStats {
            memory: TierUsage::default(),
            disk: None,
            engine: Some(EngineStats {
                usage: TierUsage {
                    used: usage.occupancy(),
                    room,
                },
                calls: self.shared.connection.call_counts(),
            }),
            removed: usage.removed,
            overdue: usage.overdue(),
        }
    }

    /// Compares each shard with what the engine counted. It also panics if the engine does not answer.
    fn validate(&self) {
        for shard in 0..self.shared.shards {
            let recount = self.shared.function("recount", shard);
            let recount = self.shared.call(Call::Sweep, recount, 0);
            let found: Result<String, _> = self.shared.connection.runtime().block_on(recount);
            assert_eq!(found, Ok(String::new()), "shard {shard} is counted wrongly");
        }
    }

    /// Reports all reads, and stops the upkeep. Later operations fail.
    fn close(&self) {
        if let Some(upkeep) = self.upkeep.lock().take() {
            upkeep.stop();
            tracing::info!("disconnected from the engine, which keeps the pastes");
        }
    }
}
