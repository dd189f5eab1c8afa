//! The writer: the one thread that changes the database.
//!
//! Invariants: the operations that were queued while a transaction was being synced are the next transaction. An answer
//! is given only after the commit, which is synced, and only if the files of the database are still those in the
//! directory. A log that has grown too long is copied into the database before the answer.
//! After a failure of the database nothing is acknowledged any more, and the server stops.
//! Cost: one sync for each transaction, of at most [`MOST_OPERATIONS`] operations and about `Limits::batch` bytes.

mod maintenance;
mod operation;
mod transaction;
mod upkeep;

pub(crate) use operation::{Answer, Insert, Operation, Queued, Update};
pub(crate) use transaction::{NextSeq, Transaction};
pub(crate) use upkeep::Upkeep;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use rusqlite::Connection;

use crate::paste::Timestamp;
use crate::store::StoreError;
use crate::store::entry::Entry;
use crate::store::seal::RowKey;
use crate::store::sqlite::database::files::Files;
use crate::store::sqlite::database::wal;
use crate::store::sqlite::failure::{Failure, is_failed_write};
use crate::store::sqlite::shared::Shared;
use crate::store::sqlite::state::{Cached, Removal};

/// Maximum number of operations in one transaction.
const MOST_OPERATIONS: usize = 4096;

/// The number of damaged pastes that are set aside. More of them show that something else is damaged.
const MOST_SET_ASIDE: usize = 8;

/// How long the writer waits for an operation before it looks after the database.
const TICK: Duration = Duration::from_millis(500);

/// The writer's thread.
pub(crate) struct Writer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) connection: Connection,
    pub(crate) next: NextSeq,
    pub(crate) queue: Receiver<Queued>,
    pub(crate) checkpointer: SyncSender<()>,
    pub(crate) clock: Box<dyn FnMut() -> Timestamp + Send>,
    pub(crate) upkeep: Upkeep,
    pub(crate) files: Arc<Files>,
    pub(crate) wal_pages: Arc<AtomicUsize>,
    /// The number of pastes that cannot be deleted, because they are damaged.
    pub(crate) set_aside: usize,
    /// True if more than pastes is damaged: nothing is changed any more.
    pub(crate) is_damaged: bool,
}

/// The answers to the operations of a transaction, which wait for its commit.
type Answers = Vec<Result<Answer, StoreError>>;

impl Writer {
    /// Carries out operations until all senders are gone or the database fails.
    pub(crate) fn run(mut self) {
        let worked = self.work();
        let finished = worked.and_then(|()| self.finish());
        let pastes = self.shared.lock().unwritten_counts();
        match finished {
            // Callers that wait get an error, since the queue is dropped.
            Err(failure) => self.shared.fail(&self.files.cause(failure)),
            // The disk was full at the stop.
            Ok(()) if pastes > 0 => tracing::warn!(
                pastes,
                "the latest counts of views of these pastes were not written"
            ),
            Ok(()) => {}
        }
    }

    /// Carries out operations, and looks after the database in between.
    fn work(&mut self) -> Result<(), Failure> {
        let mut pause = TICK;
        while !self.shared.has_failed() {
            let received = self.queue.recv_timeout(pause);
            self.check_files()?;
            match received {
                Ok(first) => self.carry_out_batch(first)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let now = (self.clock)();
            pause = match self.look_after(now)? {
                true => Duration::ZERO,
                false => TICK,
            };
            self.shared.lock().is_disk_full = self.upkeep.is_disk_full;
        }
        Ok(())
    }

    /// Carries out queued operations, up to the limits of a transaction.
    fn carry_out_batch(&mut self, first: Queued) -> Result<(), Failure> {
        let mut bytes = first.operation.bytes();
        let mut batch = vec![first];
        while batch.len() < MOST_OPERATIONS && bytes < self.shared.limits.batch {
            let Ok(queued) = self.queue.try_recv() else {
                break;
            };
            bytes += queued.operation.bytes();
            batch.push(queued);
        }
        self.carry_out(batch)
    }

    /// Carries out a batch in one transaction. If the disk is full, only operations that free or need no space are
    /// carried out. The callers of operations that are dropped are told that these failed.
    fn carry_out(&mut self, batch: Vec<Queued>) -> Result<(), Failure> {
        if self.is_damaged {
            return Ok(());
        }
        let (is_full, waits) = (self.upkeep.is_disk_full, self.upkeep.is_log_in_doubt);
        let refuses = |it: &Queued| waits || is_full && it.operation.needs_space();
        let (refused, batch): (Vec<_>, Vec<_>) = batch.into_iter().partition(refuses);
        refused.into_iter().for_each(Queued::refuse_disk_full);
        match self.transact(&batch) {
            Ok((answers, removed)) => {
                // Data derived from a removed paste is freed before any caller gets its answer.
                self.shared.release(removed);
                self.check_files()?;
                self.keep_log_short()?;
                let answered = batch.into_iter().zip(answers);
                answered.for_each(|(queued, answer)| self.answer(queued, answer));
                Ok(())
            }
            Err(Failure::DiskFull(error) | Failure::Database(error))
                if self.upkeep.is_out_of_space(&error) =>
            {
                if is_full && batch.len() == 1 {
                    batch.into_iter().for_each(Queued::refuse_disk_full);
                    return Ok(());
                }
                self.disk_is_full()?;
                let mut batch = batch.into_iter();
                batch.try_for_each(|queued| self.carry_out(vec![queued]))
            }
            Err(Failure::Damaged(Some(key), error)) => {
                self.set_aside(key, &error);
                let is_other = |queued: &Queued| queued.operation.key() != Some(key);
                self.carry_out(batch.into_iter().filter(is_other).collect())
            }
            Err(failure) => {
                let now = (self.clock)();
                self.settle(now, failure)
            }
        }
    }

    /// Does what a failure asks for. Returns the error if the program must stop.
    fn settle(&mut self, now: Timestamp, failure: Failure) -> Result<(), Failure> {
        match failure {
            Failure::DiskFull(_) => self.upkeep.disk_is_full(now),
            Failure::Damaged(Some(key), error) => self.set_aside(key, &error),
            Failure::Damaged(None, error) => self.stop_changing(&error),
            Failure::Busy(error) => {
                tracing::error!(%error, "another process holds the database: nothing was changed");
            }
            Failure::NoRandomBytes(error) => {
                tracing::error!(%error, "the operating system returned no random bytes");
            }
            Failure::Refused(_) | Failure::Declined(_) | Failure::Stopped => {}
            Failure::Database(_) | Failure::Changed(_) => return Err(failure),
        }
        Ok(())
    }

    /// Carries out a batch in one transaction and commits it, which syncs. Returns the answer to each operation, and
    /// the removed pastes. If one operation fails, all are undone.
    fn transact(&mut self, batch: &[Queued]) -> Result<(Answers, Vec<Removal>), Failure> {
        let Some(first) = batch.first() else {
            return Ok((Vec::new(), Vec::new()));
        };
        let (shared, connection, clock) = (&self.shared, &self.connection, &mut self.clock);
        let files = &self.files;
        let mut start = first.now;
        let work = |transaction: &mut Transaction<'_>| {
            let mut answers = Vec::with_capacity(batch.len());
            for queued in batch {
                transaction.now = queued.now;
                answers.push(match transaction.carry_out(&queued.operation) {
                    Err(Failure::Declined(error)) => Err(error),
                    carried_out => Ok(carried_out?),
                });
            }
            transaction.copied = Some(files.copied());
            start = clock();
            Ok(answers)
        };
        let run = Transaction::run(shared, connection, &mut self.next, first.now, work);
        let (answers, removed) = run?;
        let took = (self.clock)().since(start);
        let mut state = self.shared.lock();
        state.commits += 1;
        state.commit_time += took;
        drop(state);
        let has_replaced = batch.iter().any(|it| it.operation.replaces_content());
        self.upkeep.committed(has_replaced || !removed.is_empty());
        // A full channel has a signal already.
        let _ = self.checkpointer.try_send(());
        Ok((answers, removed))
    }

    /// Fails if a file was changed from outside. The failure is told before the callers of dropped operations hear of it.
    fn check_files(&self) -> Result<(), Failure> {
        let checked = self.files.check();
        checked.inspect_err(|failure| self.shared.fail(failure))
    }

    /// Copies the log into the database if it has grown too long, because the checkpointer has fallen behind.
    fn keep_log_short(&self) -> Result<(), Failure> {
        if self.wal_pages.load(Ordering::Relaxed) >= self.shared.limits.log_pages {
            let copy = || wal::copy(&self.connection);
            self.files.copy(Duration::ZERO, copy)?;
        }
        Ok(())
    }

    /// Shows the result of a committed operation to readers, and answers the caller, who may have gone away.
    fn answer(&self, queued: Queued, answer: Result<Answer, StoreError>) {
        let access = answer.ok().and_then(|answer| answer.access);
        let left = match (queued.operation, access) {
            (Operation::Insert(insert), _) if answer.is_ok() => {
                let cached = Cached {
                    id: insert.id,
                    entry: Entry::new(insert.paste, 0),
                    is_dirty: false,
                };
                let key = insert.record.key;
                self.shared.lock().keep_listed(key, cached)
            }
            (Operation::Update(mut update), Some(access)) => {
                update.paste.access = access;
                let left = self.shared.lock().replace(update.key, update.paste);
                (self.shared.removal_hook)(update.id);
                left
            }
            (Operation::Consume(key, ..), Some(access)) => {
                let mut state = self.shared.lock();
                state.set_access(key, access);
                state.count_read(queued.now, key);
                Vec::new()
            }
            _ => Vec::new(),
        };
        let _ = queued.reply.send(answer);
        self.shared.release_cached(left);
    }

    /// Frees the ballast, and copies the log into the database, so that there is space for deletions. If a reader uses
    /// the log, or there is too little space, this is tried again soon.
    ///
    /// # Errors
    /// Fails if the database does. A sync that failed must not be tried again: the second one may succeed without the
    /// bytes of the first. The callers of the batch get an error, because it is dropped.
    fn disk_is_full(&mut self) -> Result<(), Failure> {
        let now = (self.clock)();
        self.upkeep.disk_is_full(now);
        match self.truncate_log(now) {
            Err(Failure::Database(error)) if is_failed_write(&error) => Ok(()),
            Err(failure @ (Failure::Database(_) | Failure::Changed(_))) => Err(failure),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Removes a paste from the catalog whose rows cannot be changed. Otherwise it would make every transaction fail
    /// that evicts it. If there are too many, the damage is not that of pastes.
    fn set_aside(&mut self, key: RowKey, error: &rusqlite::Error) {
        if self.set_aside == MOST_SET_ASIDE {
            return self.stop_changing(error);
        }
        self.set_aside += 1;
        let mut state = self.shared.lock();
        let seq = state.catalog.find(key).map(|it| it.seq);
        let cached = state.set_aside(key);
        drop(state);
        tracing::error!(
            seq,
            %error,
            "a damaged paste cannot be changed or deleted: it is hidden, and its space stays used"
        );
        self.shared.release_cached(cached);
    }

    /// Ends all changes, because the damage is not that of a paste. Readable pastes are still served.
    fn stop_changing(&mut self, error: &rusqlite::Error) {
        if !std::mem::replace(&mut self.is_damaged, true) {
            tracing::error!(
                %error,
                "the database is damaged: nothing is saved, changed or deleted from now on. Run tidebin check, and \
                 restore a backup"
            );
        }
    }
}
