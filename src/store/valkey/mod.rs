//! The shared tier keeps pastes in a Valkey or Redis server, or in a Cluster of them. Several nodes may use it at once.
//!
//! What the engine can do itself is left to it: expiry, eviction by least recent use, replication, and its slots.
//!
//! ```text
//! caller ─ pastes, listing, lists ─┐
//!          upkeep ─────────────────┴─ connection ─ the engine, with scripts/
//!
//! tb:{KEY}    a paste: header, part of the owner, sealed content; see [`header`]. KEY is the keyed hash of the id
//! tb:{KEY}t   its tombstone for a day: the number of the reason
//! tb:{KEY}r   the receipt beside the tombstone, for as long: numbers of 8 bytes, little-endian
//! tb:{KEY}c   its reads by hour and day, a hash that expires with it
//! tb:oOWNER   the list of an owner, a sorted set that expires with its last paste; see [`listing`]
//! tb:{m}b     the blocks of the operator, tb:{m}r the reports; see [`lists`]
//! tb:{NET}l…  a counter of the limits of a client or a network, tb:{NET}m… the mark of a save; see [`counters`]
//! tb:meta     what all nodes agree on; see [`meta`]
//! ```
//!
//! Invariants:
//! - A node keeps no paste. A change that one node acknowledged is visible on every node.
//! - A paste is one value with an expiry, also if it never expires: that is 100 years. What must change together is in
//!   one slot, and changes by one command, one transaction or one script. The views that are left are a byte of the
//!   value, so a missing value is never a fresh allowance.
//! - Only the operator makes keys without an expiry: `tb:meta` and the blocks. All others may be evicted.
//! - The engine decides that a paste has expired. Nodes pass remaining times, so their clocks do not matter. They show
//!   and compute times by the clock of the engine; see [`EngineClock`].
//! - The content, the title, the language and the slug are sealed; see [`crate::store::seal`]. The engine knows sizes,
//!   deadlines, counts of reads, and hashes of ids and owners.
//!
//! Cost: a read of a paste is one `GET`, a save one `SET`, a burn of the only view one transaction of two commands.
//! Why no cache: see `docs/architecture.md`.

mod checks;
mod connection;
mod counters;
mod header;
mod listing;
mod lists;
mod meta;
mod open_error;
mod pastes;
mod reads;
mod shared;
mod upkeep;

pub use connection::{Call, CallCount, DEADLINE, EngineClock};
pub use open_error::OpenError;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::Builder;

use super::seal::Keys;
use super::{EngineStats, RemovalHook, StoreStats, Tier};
use crate::byte_size::ByteSize;
use crate::paste::{PasteId, Revision, Timestamp};
use connection::Connection;
use reads::PendingReads;
use shared::{OperatorList, Shared};
use upkeep::Upkeep;

/// The largest content that an engine takes: its `proto-max-bulk-len` is 512 MiB.
const MOST_CONTENT: usize = 511 << 20;

/// The store. Threads share it by reference.
pub struct Store {
    shared: Arc<Shared>,
    /// `None` after the store was closed.
    upkeep: Mutex<Option<Upkeep>>,
}

impl Store {
    /// Opens the engine at these addresses, of which several are those of a Cluster, and starts a store on it. The
    /// engine may be silent for `deadline` during a call, and the largest content has `largest` bytes. The clock
    /// follows that of the engine. The store calls the hook for every paste that this node changed or removed.
    ///
    /// # Errors
    /// Returns an [`OpenError`] if the engine cannot be used as it is. Then nothing was changed in it, unless another
    /// node that started at the same time was faster.
    pub fn open(
        urls: &[String],
        keys: Keys,
        (deadline, largest): (Duration, usize),
        removal_hook: RemovalHook,
        clock: impl EngineClock + 'static,
    ) -> Result<Self, OpenError> {
        if largest > MOST_CONTENT {
            return Err(OpenError::ValueTooLarge(ByteSize(MOST_CONTENT)));
        }
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(OpenError::Runtime)?;
        let connection = Connection::open(urls, runtime.handle().clone(), Box::new(clock));
        let mut shared = Shared {
            connection: runtime.block_on(connection)?,
            keys: Arc::new(keys),
            largest,
            usage: Mutex::default(),
            removed: Mutex::default(),
            reads: PendingReads::default(),
            to_take_back: Mutex::default(),
            reporting: tokio::sync::Mutex::default(),
            blocks: OperatorList::named("tb:{m}b"),
            reports: OperatorList::named("tb:{m}r"),
            removal_hook,
            last_place: Mutex::default(),
        };
        runtime.block_on(upkeep::follow(&shared, true))?;
        shared.connection.deadline = deadline;
        let shared = Arc::new(shared);
        // If they cannot be read, the upkeep tries it again.
        let _ = runtime.block_on(shared.refresh(&shared.blocks));
        let upkeep = upkeep::start(runtime, Arc::clone(&shared)).map_err(OpenError::Runtime)?;
        let upkeep = Mutex::new(Some(upkeep));
        Ok(Self { shared, upkeep })
    }

    /// Reports all reads that were not reported yet. The upkeep does this too.
    pub async fn report_reads(&self) {
        upkeep::report_reads(&self.shared, ..).await;
    }
}

impl Tier for Store {
    /// A cached page belongs to a revision, and each request for it asks the engine for the paste first.
    fn is_current(&self, _: Timestamp, _: PasteId, _: Revision) -> bool {
        true
    }

    fn count_read(&self, now: Timestamp, id: PasteId) {
        self.shared.reads.add(now, self.shared.keys.row_key(id), 1);
    }

    /// Returns what this node did, and how full the engine was some seconds ago. It does not count pastes.
    fn stats(&self, _: Timestamp) -> StoreStats {
        StoreStats {
            engine: Some(EngineStats {
                usage: *self.shared.usage.lock(),
                calls: self.shared.connection.calls.counts(),
            }),
            removed: *self.shared.removed.lock(),
            ..StoreStats::default()
        }
    }

    /// Reports all reads, and stops the upkeep. Later operations fail.
    fn close(&self) {
        if let Some((stop, thread)) = self.upkeep.lock().take() {
            drop(stop);
            let _ = thread.join();
            tracing::info!("disconnected from the engine, which keeps the pastes");
        }
    }
}
