//! The durable tier keeps pastes in an SQLite database, with those that were used last in memory.
//!
//! ```text
//! caller ─ state (catalog, cache) ─ in memory: at once
//!              │
//!              ├─ readers ── a paste that is not in memory ──┐
//!              └─ writer ─── every change, one transaction   ├─ tidebin.db
//!                 checkpointer, upkeep ──────────────────────┘
//! ```
//!
//! Invariants:
//! - Everything acknowledged is synced: a save, a change, a deletion, and the use of a limited read.
//! - A paste whose reads are limited is consumed on disk before the caller gets its content.
//! - The costs of all pastes never exceed the room on disk. A save evicts fairly, as in the memory tier.
//! - Everything that a row tells is sealed; see [`crate::store::seal`].
//! - Only the writer changes the database. After a failure of the database it acknowledges nothing more.
//!
//! Cost: a hit in memory takes the lock once and waits for nothing. A miss is loaded by a reader's thread. A change
//! waits for a sync, which it shares with all changes that were queued meanwhile.

mod backup;
mod changing;
mod check;
mod checkpointer;
mod database;
mod limits;
mod listing;
mod open_error;
mod opening;
mod reader;
mod reading;
mod records;
mod shared;
mod state;
mod thread;
mod writer;

pub use backup::{Backup, BackupError, backup};
pub use check::{CheckError, Pastes, Removed, Report, check};
pub use limits::Limits;
pub use open_error::OpenError;
pub use opening::{Found, Opened};

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::{Semaphore, oneshot};

use super::moderation::Moderation;
use super::{DiskStats, Occupancy, RemovalHook, StoreStats, Tier, TierUsage};
use crate::byte_size::ByteSize;
use crate::paste::{PasteId, Revision, Timestamp};
use database::wal::{self, WalPages};
use database::{Directory, FileIdentity};
use reader::Request;
use shared::Shared;
use thread::Thread;
use writer::{Extent, Operation, Queued, Upkeep, Writer};

/// The number of threads that load pastes from the disk.
const READERS: usize = 2;

/// How often an operation is tried again if the paste was changed meanwhile.
const TRIES: usize = 8;

/// The room of the writer's queue, in KiB. The clients of queued operations may have gone away, so their bytes are
/// counted here. An operation takes one KiB in addition to its content.
const QUEUE_KIB: u32 = 32 * 1024;

/// The durable store. Threads share it by reference.
pub struct Store {
    shared: Arc<Shared>,
    /// The ways to the threads. `None` after the store was closed.
    threads: Mutex<Option<Threads>>,
    /// The free room of the writer's queue, in KiB.
    queue: Arc<Semaphore>,
    /// The maximum bytes of memory that a paste may cost, so that it fits into the cache.
    largest: usize,
}

/// The threads of the store, and the ways to them.
struct Threads {
    writer: Sender<Queued>,
    readers: Sender<Request>,
    _reader_threads: Vec<Thread>,
    _writer_thread: Thread,
    _checkpointer_thread: Thread,
    _directory: Directory,
}

impl Store {
    /// Starts a store on an opened directory. Its writer reads the time from `clock`. The store calls the hook for
    /// every paste that was changed, or that left the memory.
    ///
    /// # Errors
    /// Fails if the database does, or if the operating system cannot start a thread.
    pub fn start(
        opened: Opened,
        removal_hook: RemovalHook,
        mut clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<Self, OpenError> {
        let now = clock();
        let seen = opened.last_seen();
        let (directory, mut connection, keys, limits, next, state) = opened.into_parts(now);
        let failed = |error| OpenError::Io(directory.database(), error);
        let mut upkeep = Upkeep::new(directory.ballast(), limits.ballast, seen, now);
        empty_log(&directory, &connection, &mut upkeep, now)?;
        let readers = (0..READERS).map(|_| directory.open_reader(&limits));
        let readers: Vec<_> = readers.collect::<Result<_, _>>()?;
        let checkpointer = directory.open_checkpointer()?;
        let files = directory.files();
        let files = files.iter().map(|path| FileIdentity::of(path));
        let files = files.collect::<Result<_, _>>().map_err(failed)?;
        let largest = limits.largest();
        let shared = Arc::new(Shared::new(state, keys, limits, removal_hook));
        let database = |error| OpenError::Database(directory.database(), error);
        shared.read_moderation(&connection).map_err(database)?;
        let wal = WalPages::of(&mut connection).map_err(database)?;
        let checkpointer = checkpointer::start(&shared, checkpointer);
        let (signal, checkpointer) = checkpointer.map_err(failed)?;
        let (writer, queue) = channel();
        let thread = Writer {
            shared: Arc::clone(&shared),
            connection,
            next,
            queue,
            checkpointer: signal,
            clock: Box::new(clock),
            upkeep,
            files,
            wal,
            damage: Extent::Pastes(0),
        };
        let thread = Thread::start_vital("writer", &shared, move || thread.run());
        let thread = thread.map_err(failed)?;
        let (readers, reader_threads) = reader::start(&shared, readers).map_err(failed)?;
        let threads = Threads {
            writer,
            readers,
            _reader_threads: reader_threads,
            _writer_thread: thread,
            _checkpointer_thread: checkpointer,
            _directory: directory,
        };
        Ok(Self {
            shared,
            threads: Mutex::new(Some(threads)),
            queue: Arc::new(Semaphore::new(QUEUE_KIB as usize)),
            largest,
        })
    }

    /// Removes expired pastes, at most a batch, and returns how many there were. The writer does this too.
    pub async fn sweep(&self, now: Timestamp) -> usize {
        let done = self.ask(|reply| Operation::Sweep(now, reply)).await;
        done.unwrap_or(0)
    }

    /// Returns the lists of blocked contents and of reports.
    pub(in crate::store) fn moderation(&self) -> &Moderation {
        &self.shared.moderation
    }

    /// Completes once the database has failed. Nothing is acknowledged from then on, so the server must stop.
    pub async fn failed(&self) {
        let mut failed = self.shared.failed.subscribe();
        // The sender lives as long as the store.
        let _ = failed.wait_for(|failed| *failed).await;
    }

    /// Queues an operation, and returns its answer. Returns `None` if the writer is gone. Waits while the queue is
    /// full.
    async fn ask<T>(&self, operation: impl FnOnce(oneshot::Sender<T>) -> Operation) -> Option<T> {
        let (reply, receiver) = oneshot::channel();
        let operation = operation(reply);
        let kib = u32::try_from(operation.bytes() / 1024 + 1).unwrap_or(u32::MAX);
        let queue = Arc::clone(&self.queue);
        let permit = queue.acquire_many_owned(kib.min(QUEUE_KIB)).await.ok()?;
        if let Some(threads) = &*self.threads.lock() {
            // If the writer is gone, the sender is dropped with the operation, and the receiver is told.
            let _ = threads.writer.send((operation, permit));
        }
        receiver.await.ok()
    }
}

impl Tier for Store {
    fn must_load(&self, id: PasteId) -> bool {
        let key = self.shared.keys.row_key(id);
        let state = self.shared.lock();
        state.cached(key).is_none() && state.catalog.find(key).is_some()
    }

    fn is_current(&self, now: Timestamp, id: PasteId, revision: Revision) -> bool {
        let key = self.shared.keys.row_key(id);
        self.shared.lock().is_current(now, key, revision)
    }

    fn count_read(&self, now: Timestamp, id: PasteId) {
        let key = self.shared.keys.row_key(id);
        self.shared.lock().count_read(now, key);
    }

    fn stats(&self, now: Timestamp) -> StoreStats {
        let (commits, commit_time) = self.shared.commits.totals();
        let state = self.shared.lock();
        let used = Occupancy {
            pastes: state.catalog.len(),
            bytes: state.catalog.charged(),
        };
        let room = self.shared.limits.room;
        StoreStats {
            memory: state.cache_usage(),
            disk: Some(DiskStats {
                usage: TierUsage { used, room },
                commits,
                commit_time,
            }),
            engine: None,
            removed: state.catalog.removal_counts(),
            overdue: state.catalog.overdue(now),
        }
    }

    fn validate(&self) {
        let found = self.shared.lock().catalog.inconsistency();
        assert_eq!(found, None, "the store's indexes disagree");
    }

    fn has_failed(&self) -> bool {
        *self.shared.failed.borrow()
    }

    /// Carries out all queued operations, writes the counts, and closes the database. Later operations fail. It blocks
    /// until all is synced.
    fn close(&self) {
        let Some(threads) = self.threads.lock().take() else {
            return;
        };
        drop(threads);
        if !self.has_failed() {
            let Occupancy { pastes, bytes } = self.occupancy();
            let used = ByteSize(bytes).rounded_up().to_string();
            tracing::info!(pastes, used, "the database is closed");
        }
    }
}

/// Makes the log of the last run empty before anything is acknowledged. If a sync of the log had failed then, its pages
/// may be in the memory of the operating system alone, and what is appended would be lost with them. A full disk only
/// delays this.
fn empty_log(
    directory: &Directory,
    connection: &Connection,
    upkeep: &mut Upkeep,
    now: Timestamp,
) -> Result<(), OpenError> {
    let mut emptied = wal::empty(connection);
    if emptied.as_ref().is_err_and(|it| upkeep.is_out_of_space(it)) {
        upkeep.disk_is_full(now);
        emptied = wal::empty(connection);
    }
    match emptied {
        Ok(true) => Ok(()),
        Ok(false) => Err(OpenError::WalInUse(directory.database())),
        Err(error) if upkeep.is_out_of_space(&error) => Ok(()),
        Err(error) => Err(OpenError::Database(directory.database(), error)),
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
