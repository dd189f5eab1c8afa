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
mod database;
mod failure;
mod limits;
mod opening;
mod reader;
mod reading;
mod restore;
mod shared;
mod state;
mod threads;
mod writer;

pub use backup::{Backup, backup, last_backup, note_backup};
pub use check::{Report, check};
pub use database::Stop;
pub use failure::Failure;
pub use limits::{Limits, too_small};
pub use opening::{Found, Opened};
pub use restore::restore;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::{Semaphore, oneshot};

use super::moderation::Moderation;
use super::{
    DiskStats, Occupancy, Reason, RemovalHook, Share, StoreError, StoreStats, Tier, TierUsage,
};
use crate::byte_size::ByteSize;
use crate::paste::{PasteId, Revision, Timestamp};
use database::files::{self, Files};
use database::wal;
use limits::PAGE;
use shared::Shared;
use threads::{Work, spawn};
use writer::{Answer, Operation, Queued, Upkeep, Writer};

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
}

/// The threads of the store, and the ways to them.
struct Threads {
    writer: Sender<Queued>,
    readers: Sender<Work>,
    handles: Vec<JoinHandle<()>>,
    _files: Arc<Files>,
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
        clock: impl FnMut() -> Timestamp + Send + 'static,
    ) -> Result<Self, Failure> {
        let database = opened.directory.database();
        let started = Self::start_threads(opened, removal_hook, Box::new(clock));
        started.map_err(|failure| failure.at_start(&database))
    }

    fn start_threads(
        opened: Opened,
        removal_hook: RemovalHook,
        mut clock: Box<dyn FnMut() -> Timestamp + Send>,
    ) -> Result<Self, Failure> {
        let now = clock();
        let (seen, limits) = (opened.last_seen, opened.limits);
        let (directory, mut connection, next, shared) = opened.share(now, removal_hook)?;
        let shared = Arc::new(shared);
        let database = directory.database();
        let failed = |error| Failure::of_file(&database, &error);
        let paths = (directory.ballast(), directory.log());
        let mut upkeep = Upkeep::new(paths, limits.ballast, seen, now);
        // On a full disk, the next start writes it.
        if let Err(error) = files::renew_canary(&mut connection)
            && !upkeep.is_out_of_space(&error)
        {
            return Err(error.into());
        }
        if !empty_log(&connection, &mut upkeep, now)? {
            return Err(Failure::Refused(format!(
                "Another process reads {}, perhaps a backup. Start again when it is done.",
                database.display()
            )));
        }
        let reader = || directory.connect(OpenFlags::SQLITE_OPEN_READ_ONLY, limits.reader_cache);
        let readers = vec![reader()?, reader()?];
        let checkpointer = directory.connect(OpenFlags::SQLITE_OPEN_READ_WRITE, 16 * PAGE)?;
        let files = Arc::new(Files::open(directory, &connection, !upkeep.is_disk_full)?);
        let wal_pages = wal::pages(&mut connection)?;
        let (readers, mut handles) = threads::start_readers(readers).map_err(failed)?;
        let checkpointer = threads::start_checkpointer(&shared, &files, checkpointer);
        let (checkpointer, handle) = checkpointer.map_err(failed)?;
        handles.push(handle);
        let (sender, queue) = channel();
        let writer = Writer {
            shared: Arc::clone(&shared),
            connection,
            next,
            queue,
            checkpointer,
            clock,
            upkeep,
            files: Arc::clone(&files),
            wal_pages,
            set_aside: 0,
            is_damaged: false,
        };
        let panicked = Arc::clone(&shared);
        let write = move || {
            if catch_unwind(AssertUnwindSafe(|| writer.run())).is_err() {
                panicked.fail(&"a thread of the store panicked");
            }
        };
        handles.push(spawn("writer", write).map_err(failed)?);
        let threads = Threads {
            writer: sender,
            readers,
            handles,
            _files: files,
        };
        Ok(Self {
            shared,
            threads: Mutex::new(Some(threads)),
            queue: Arc::new(Semaphore::new(QUEUE_KIB as usize)),
        })
    }

    /// Removes expired pastes, at most a batch, and returns how many there were. The writer does this too.
    pub async fn sweep(&self, now: Timestamp) -> usize {
        let done = self.ask(now, Operation::Sweep).await;
        done.map_or(0, |done| done.count)
    }

    /// Removes pastes of a network, at most a batch. Returns how many, once that is synced: none if it has no more.
    ///
    /// # Errors
    /// Fails if they cannot be removed.
    pub(super) async fn remove_of(
        &self,
        now: Timestamp,
        network: u64,
        reason: Reason,
    ) -> Result<usize, StoreError> {
        let remove = Operation::RemoveOf(network, reason);
        self.ask(now, remove).await.map(|done| done.count)
    }

    /// Returns the lists of blocked contents and of reports.
    pub(crate) fn moderation(&self) -> &Moderation {
        &self.shared.moderation
    }

    /// Ends the threads. Returns false if they have ended already.
    fn stop(&self) -> bool {
        let Some(threads) = self.threads.lock().take() else {
            return false;
        };
        drop((threads.writer, threads.readers));
        for handle in threads.handles {
            // A thread that panicked has told the cause.
            let _ = handle.join();
        }
        true
    }

    /// Completes once the database has failed. Nothing is acknowledged from then on, so the server must stop.
    pub async fn failed(&self) {
        let mut failed = self.shared.failed.subscribe();
        // The sender lives as long as the store.
        let _ = failed.wait_for(|failed| *failed).await;
    }

    /// Queues an operation, and returns its answer. Waits while the queue is full.
    async fn ask(&self, now: Timestamp, operation: Operation) -> Result<Answer, StoreError> {
        let kib = u32::try_from(operation.bytes() / 1024 + 1).unwrap_or(u32::MAX);
        let queue = Arc::clone(&self.queue);
        let permit = queue.acquire_many_owned(kib.min(QUEUE_KIB)).await;
        let permit = permit.map_err(|_| StoreError::Failed)?;
        let (reply, answer) = oneshot::channel();
        let queued = Queued {
            now,
            operation,
            reply,
            _permit: permit,
        };
        if let Some(threads) = &*self.threads.lock() {
            // If the writer has ended, the operation is dropped, and the caller gets an error.
            let _ = threads.writer.send(queued);
        }
        answer.await.unwrap_or(Err(StoreError::Failed))
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Tier for Store {
    fn must_load(&self, id: PasteId) -> bool {
        let key = self.shared.keys.row_key(id);
        let state = self.shared.lock();
        state.cache.pastes.get(&key).is_none() && state.catalog.find(key).is_some()
    }

    fn is_current(&self, now: Timestamp, id: PasteId, revision: Revision) -> bool {
        let key = self.shared.keys.row_key(id);
        let state = self.shared.lock();
        state.cache.pastes.get(&key).is_some_and(|cached| {
            let paste = &cached.entry.paste;
            paste.revision == revision && !paste.deadline.has_passed(now)
        })
    }

    fn count_read(&self, now: Timestamp, id: PasteId) {
        let key = self.shared.keys.row_key(id);
        self.shared.lock().count_read(now, key);
    }

    fn stats(&self, now: Timestamp) -> StoreStats {
        let state = self.shared.lock();
        let ledger = &state.catalog.ledger;
        let used = Occupancy {
            pastes: ledger.len(),
            bytes: ledger.costs(),
        };
        let room = self.shared.limits.room;
        let memory = TierUsage {
            used: state.cache.occupancy(),
            room: state.room_of_cache(),
        };
        let overdue = ledger.next_sweep().map(|due| now.since(due));
        StoreStats {
            memory,
            disk: Some(DiskStats {
                usage: TierUsage { used, room },
                commits: state.commits,
                commit_time: state.commit_time,
                is_full: state.is_disk_full,
            }),
            engine: None,
            removed: ledger.removal_counts,
            overdue: overdue.unwrap_or_default(),
        }
    }

    fn heaviest(&self, most: usize) -> Vec<u64> {
        self.shared.lock().catalog.ledger.heaviest(most)
    }

    fn share(&self, network: u64) -> Option<Share> {
        Some(self.shared.lock().catalog.ledger.share(network))
    }

    fn validate(&self) {
        let found = self.shared.lock().catalog.inconsistency();
        assert_eq!(found, None, "the store's indexes disagree");
    }

    fn has_failed(&self) -> bool {
        self.shared.has_failed()
    }

    /// Carries out all queued operations, writes the counts, and closes the database. Later operations fail. It blocks
    /// until all is synced.
    fn close(&self) {
        if self.stop() && !self.has_failed() {
            let Occupancy { pastes, bytes } = self.occupancy();
            let used = ByteSize(bytes).rounded_up().to_string();
            tracing::info!(pastes, used, "the database is closed");
        }
    }
}

/// Makes the log of the last run empty before anything is acknowledged. If a sync of the log had failed then, its pages
/// may be in the memory of the operating system alone, and what is appended would be lost with them. On a full disk the
/// log is written over itself instead. Returns false if another process reads the log.
fn empty_log(
    connection: &Connection,
    upkeep: &mut Upkeep,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    match wal::empty(connection) {
        Err(error) if upkeep.is_out_of_space(&error) && upkeep.is_disk_full => {
            upkeep.rewrite_log(now);
            Ok(true)
        }
        Err(error) if upkeep.is_out_of_space(&error) => {
            // There is the space of the ballast then.
            upkeep.disk_is_full(now);
            empty_log(connection, upkeep, now)
        }
        emptied => emptied,
    }
}

#[cfg(test)]
mod tests;
