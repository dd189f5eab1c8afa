//! The writer: the one thread that changes the database.
//!
//! Invariants: the operations that were queued while a transaction was being synced are the next transaction. An answer
//! is given only after the commit, which is synced, and only if the files of the database are still those in the
//! directory. A log that has grown too long is copied into the database before the answer.
//! After a failure of the database nothing is acknowledged any more, and the server stops.
//! Cost: one sync for each transaction, of at most [`MOST_OPERATIONS`] operations and about `Limits::batch` bytes.

mod failure;
mod maintenance;
mod operation;
mod transaction;
mod upkeep;

pub(crate) use failure::Failure;
pub(crate) use operation::{Consume, Insert, Moderate, Operation, Queued, Remove, Update};
pub(crate) use transaction::{NextSeq, Transaction};
pub(crate) use upkeep::Upkeep;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use rusqlite::Connection;

use crate::paste::{Access, Timestamp};
use crate::store::StoreError;
use crate::store::entry::Entry;
use crate::store::sqlite::database::FileIdentity;
use crate::store::sqlite::database::wal::{self, WalPages};
use crate::store::sqlite::shared::Shared;
use crate::store::sqlite::state::{Cached, Removal};
use crate::store::sqlite::writer::failure::{Damage, is_failed_write};

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
    pub(crate) files: Vec<FileIdentity>,
    pub(crate) wal: WalPages,
    /// The known damage.
    pub(crate) damage: Extent,
}

/// The extent of the damage that the writer met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// This number of pastes cannot be deleted.
    Pastes(usize),
    /// More than pastes: nothing is changed any more.
    File,
}

/// The answer to an operation, which waits for the commit.
#[derive(Debug)]
enum Answer {
    Insert(Result<(), StoreError>),
    Update(Result<Access, StoreError>),
    Consume(Result<Option<Access>, StoreError>),
    Remove(Result<(), StoreError>),
    Moderate(Result<bool, StoreError>),
    Sweep(usize),
    Barrier,
}

impl Writer {
    /// Carries out operations until all senders are gone or the database fails.
    pub(crate) fn run(mut self) {
        let mut has_more_to_do = false;
        while !*self.shared.failed.borrow() {
            let pause = match has_more_to_do {
                true => Duration::ZERO,
                false => TICK,
            };
            let carried_out = match self.queue.recv_timeout(pause) {
                Ok(first) => self.carry_out_batch(first),
                Err(RecvTimeoutError::Timeout) => {
                    self.has_lost_file();
                    Ok(())
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let now = (self.clock)();
            match carried_out.and_then(|()| self.look_after(now)) {
                Ok(more) => has_more_to_do = more,
                Err(error) => return self.fail(&error),
            }
        }
        let now = (self.clock)();
        match self.finish(now) {
            Ok(()) => self.tell_unwritten_counts(),
            Err(error) => self.fail(&error),
        }
    }

    /// Carries out queued operations, up to the limits of a transaction. The operations keep their part of the queue
    /// until they are answered.
    fn carry_out_batch(&mut self, (first, permit): Queued) -> Result<(), rusqlite::Error> {
        let mut bytes = first.bytes();
        let (mut batch, mut permits) = (vec![first], vec![permit]);
        while batch.len() < MOST_OPERATIONS && bytes < self.shared.limits.batch {
            let Ok((operation, permit)) = self.queue.try_recv() else {
                break;
            };
            bytes += operation.bytes();
            batch.push(operation);
            permits.push(permit);
        }
        self.carry_out(batch)
    }

    /// Carries out a batch in one transaction. If the disk is full, only operations that free or need no space are
    /// carried out.
    fn carry_out(&mut self, batch: Vec<Operation>) -> Result<(), rusqlite::Error> {
        if self.damage == Extent::File {
            batch.into_iter().for_each(Operation::fail);
            return Ok(());
        }
        let (batch, refused) = match self.upkeep.is_disk_full() {
            true => batch.into_iter().partition(|it| !it.needs_space()),
            false => (batch, Vec::new()),
        };
        refused.into_iter().for_each(Operation::refuse_disk_full);
        match self.transact(&batch) {
            Ok((answers, removed)) => {
                // Data derived from a removed paste is freed before any caller gets its answer.
                self.shared.release(removed);
                if self.has_lost_file() {
                    batch.into_iter().for_each(Operation::fail);
                    return Ok(());
                }
                if let Err(error) = self.keep_log_short() {
                    batch.into_iter().for_each(Operation::fail);
                    return Err(error);
                }
                for (operation, answer) in batch.into_iter().zip(answers) {
                    self.answer(operation, answer);
                }
                Ok(())
            }
            Err(Failure::DiskFull) if batch.len() > 1 || !self.upkeep.is_disk_full() => {
                self.disk_is_full()?;
                let mut batch = batch.into_iter();
                batch.try_for_each(|operation| self.carry_out(vec![operation]))
            }
            Err(Failure::DiskFull) => {
                batch.into_iter().for_each(Operation::refuse_disk_full);
                Ok(())
            }
            Err(Failure::Damaged(damage)) => {
                let key = damage.key;
                self.set_aside(damage);
                let is_about_it = |operation: &Operation| operation.key() == Some(key);
                let (damaged, rest): (Vec<_>, Vec<_>) = batch.into_iter().partition(is_about_it);
                damaged.into_iter().for_each(Operation::fail);
                self.carry_out(rest)
            }
            Err(Failure::DamagedFile(error)) => {
                self.stop_changing(&error);
                batch.into_iter().for_each(Operation::fail);
                Ok(())
            }
            Err(Failure::Busy(error)) => {
                tracing::error!(%error, "another process holds the database: nothing was changed");
                batch.into_iter().for_each(Operation::fail);
                Ok(())
            }
            Err(Failure::Database(error)) if self.upkeep.is_out_of_space(&error) => {
                self.disk_is_full()?;
                batch.into_iter().for_each(Operation::refuse_disk_full);
                Ok(())
            }
            Err(Failure::NoRandomBytes(error)) => {
                tracing::error!(%error, "the operating system returned no random bytes");
                batch.into_iter().for_each(Operation::fail);
                Ok(())
            }
            Err(Failure::Database(error)) => {
                batch.into_iter().for_each(Operation::fail);
                Err(error)
            }
        }
    }

    /// Carries out a batch in one transaction and commits it, which syncs. Returns the answer to each operation, and
    /// the removed pastes. If one operation fails, all are undone.
    fn transact(&mut self, batch: &[Operation]) -> Result<(Vec<Answer>, Vec<Removal>), Failure> {
        if batch.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut transaction = Transaction::begin(&self.shared, &self.connection, self.next)?;
        let mut answers = Vec::with_capacity(batch.len());
        for operation in batch {
            let answer = match operation {
                Operation::Insert(insert, _) => transaction.insert(insert).map(Answer::Insert),
                Operation::Update(update, _) => transaction.update(update).map(Answer::Update),
                Operation::Consume(consume, _) => transaction.consume(consume).map(Answer::Consume),
                Operation::Remove(remove, _) => transaction.remove(remove).map(Answer::Remove),
                Operation::Moderate(moderate, _) => {
                    transaction.moderate(moderate).map(Answer::Moderate)
                }
                Operation::Sweep(now, _) => transaction.sweep(*now).map(Answer::Sweep),
                Operation::Barrier(_) => Ok(Answer::Barrier),
            };
            match answer {
                Ok(answer) => answers.push(answer),
                Err(failure) => return Err(transaction.roll_back(failure)),
            }
        }
        let start = (self.clock)();
        let (next, removed) = transaction.commit()?;
        self.shared.commits.count((self.clock)().since(start));
        self.next = next;
        let has_replaced = batch.iter().any(Operation::replaces_content);
        self.upkeep.committed(has_replaced || !removed.is_empty());
        // A full channel has a signal already.
        let _ = self.checkpointer.try_send(());
        Ok((answers, removed))
    }

    /// Copies the log into the database if it has grown too long, because the checkpointer has fallen behind.
    fn keep_log_short(&self) -> Result<(), rusqlite::Error> {
        match self.wal.count() < self.shared.limits.log_pages {
            true => Ok(()),
            false => wal::copy(&self.connection),
        }
    }

    /// Returns true if a file of the database was moved, replaced or deleted. Then nothing more is acknowledged.
    fn has_lost_file(&self) -> bool {
        let lost = self.files.iter().find(|file| file.has_changed());
        if let Some(lost) = lost {
            self.shared.fail(&format!(
                "{lost} was moved, replaced or deleted while the server ran"
            ));
        }
        lost.is_some()
    }

    /// Shows the result of a committed operation to readers, and answers the caller, who may have gone away.
    fn answer(&self, operation: Operation, answer: Answer) {
        let mut left = Vec::new();
        match (operation, answer) {
            (Operation::Insert(insert, reply), Answer::Insert(answer)) => {
                if answer.is_ok() {
                    let cached = Cached {
                        id: insert.id,
                        entry: Entry::new(insert.paste, 0),
                        is_dirty: false,
                    };
                    self.shared
                        .lock()
                        .keep_listed(insert.record.key, cached, &mut left);
                }
                let _ = reply.send(answer);
            }
            (Operation::Update(update, reply), Answer::Update(answer)) => {
                if let Ok(access) = answer {
                    let paste = update.paste.with_access(access);
                    self.shared.lock().replace(update.key, paste, &mut left);
                    self.shared.changed(update.id);
                }
                let _ = reply.send(answer.map(|_| ()));
            }
            (Operation::Consume(consume, reply), Answer::Consume(answer)) => {
                if let Ok(Some(access)) = answer {
                    let mut state = self.shared.lock();
                    state.set_access(consume.key, access);
                    state.count_read(consume.now, consume.key);
                }
                let _ = reply.send(answer);
            }
            (Operation::Remove(_, reply), Answer::Remove(answer)) => _ = reply.send(answer),
            (Operation::Moderate(_, reply), Answer::Moderate(answer)) => _ = reply.send(answer),
            (Operation::Sweep(_, reply), Answer::Sweep(swept)) => _ = reply.send(swept),
            (Operation::Barrier(reply), Answer::Barrier) => _ = reply.send(()),
            (operation, _) => operation.fail(),
        }
        self.shared.release_cached(left);
    }

    /// Frees the ballast, and copies the log into the database, so that there is space for deletions. If a reader uses
    /// the log, or there is too little space, this is tried again soon.
    ///
    /// # Errors
    /// Fails if the database does. A sync that failed must not be tried again: the second one may succeed without the
    /// bytes of the first. The callers of the batch get an error, because it is dropped.
    fn disk_is_full(&mut self) -> Result<(), rusqlite::Error> {
        let now = (self.clock)();
        self.upkeep.disk_is_full(now);
        match self.truncate_log(now) {
            Err(Failure::Database(error)) if !is_failed_write(&error) => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Removes a paste from the catalog whose rows cannot be changed. Otherwise it would make every transaction fail
    /// that evicts it. If there are too many, the damage is not that of pastes.
    fn set_aside(&mut self, Damage { key, error }: Damage) {
        let Extent::Pastes(count @ ..MOST_SET_ASIDE) = self.damage else {
            return self.stop_changing(&error);
        };
        self.damage = Extent::Pastes(count + 1);
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
        if self.damage != Extent::File {
            self.damage = Extent::File;
            tracing::error!(
                %error,
                "the database is damaged: nothing is saved, changed or deleted from now on. Run tidebin check, and \
                 restore a backup"
            );
        }
    }

    /// Logs how many pastes lose their latest counts of reads, because the disk was full at the stop.
    fn tell_unwritten_counts(&self) {
        let pastes = self.shared.lock().unwritten_counts();
        if pastes > 0 {
            tracing::warn!(
                pastes,
                "the latest counts of views of these pastes were not written"
            );
        }
    }

    /// Ends the acknowledging of anything. Callers that wait get an error, since the queue is dropped.
    fn fail(self, error: &rusqlite::Error) {
        self.shared.fail(error);
    }
}
