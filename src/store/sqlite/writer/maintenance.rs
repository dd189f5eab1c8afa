//! The work of the writer between transactions: it removes expired pastes, writes counts, and gives space back.
//!
//! Invariants: each step is short, so that saves do not wait for long. Deleted bytes leave the log within a minute, and
//! the file shrinks when pages are free. A full disk ends no step for good: it is tried again later.

use std::time::Duration;

use super::Writer;
use super::upkeep::{BUSY_MILLIS, NOTE_MILLIS, PAUSE_MILLIS, hour_of};
use crate::paste::Timestamp;
use crate::store::evicting::{BATCH, Evicting};
use crate::store::sqlite::database::{BUSY, tables, wal};
use crate::store::sqlite::failure::Failure;
use crate::store::sqlite::writer::transaction::Transaction;

/// The number of free pages that are kept for the next pastes, and the part of all pages that may be free.
const FREE_PAGES: i64 = 256;
const FREE_PART: i64 = 8;

/// The number of pages that are given back in one step. More would make saves wait.
const VACUUM_PAGES: u32 = 200;

/// How soon free pages are looked for again if there were few. Looking takes two queries.
const FREE_PAGES_MILLIS: u64 = 500;

/// How long the writer waits for readers that use the log, before it tries again later to make it empty.
const TRUNCATE_WAIT: Duration = Duration::from_millis(50);

impl Writer {
    /// Does the due work. Returns true if there is more to do at once.
    pub(crate) fn look_after(&mut self, now: Timestamp) -> Result<bool, Failure> {
        if self.upkeep.is_log_in_doubt && now.as_millis() >= self.upkeep.truncate_from {
            self.upkeep.rewrite_log(now);
        }
        if self.is_damaged || self.upkeep.is_log_in_doubt {
            return Ok(false);
        }
        let done = self.try_to_look_after(now);
        self.upkeep.try_ballast(now);
        let done = done.map(|has_more| has_more && !self.upkeep.is_disk_full);
        self.unless_full(now, done)
    }

    /// Brings everything to the disk, at the end.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        if self.shared.has_failed() || self.is_damaged || self.upkeep.is_log_in_doubt {
            return Ok(());
        }
        let now = (self.clock)();
        let done = self.save_counts(now, true).map(|()| false);
        self.unless_full(now, done)?;
        let done = self.truncate_log(now).map(|()| false);
        self.unless_full(now, done).map(|_| ())
    }

    fn try_to_look_after(&mut self, now: Timestamp) -> Result<bool, Failure> {
        // First, because the space of the log may be needed on a full disk.
        let millis = now.as_millis();
        if self.upkeep.has_deleted && millis >= self.upkeep.truncate_from {
            self.truncate_log(now)?;
        }
        if self.shared.lock().next_expired(now).is_some() {
            self.in_transaction(now, |transaction| transaction.sweep().map(|_| ()))?;
        }
        let hour = hour_of(now);
        let is_new_hour = std::mem::replace(&mut self.upkeep.counts_of, hour) != hour;
        if is_new_hour || self.shared.lock().has_many_unsaved() {
            self.save_counts(now, is_new_hour)?;
        }
        if self.upkeep.has_committed && millis >= self.upkeep.note_from {
            self.note_time(now)?;
        }
        let looks_for_pages = millis >= self.upkeep.free_pages_from;
        let has_free_pages = looks_for_pages && self.give_pages_back(now)?;
        Ok(has_free_pages || self.shared.lock().next_expired(now).is_some())
    }

    /// Ends work that no caller waits for. Only a failure of the database is an error.
    fn unless_full(
        &mut self,
        now: Timestamp,
        done: Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        match done {
            Ok(has_more) => Ok(has_more),
            Err(Failure::Busy(error)) => {
                tracing::debug!(%error, "another process holds the database");
                Ok(false)
            }
            Err(failure) => self.settle(now, failure).map(|()| false),
        }
    }

    /// Writes the counts of reads: those of all pastes, or only of those that left the cache.
    fn save_counts(&mut self, now: Timestamp, all: bool) -> Result<(), Failure> {
        loop {
            let unsaved = self.shared.lock().take_unsaved(all);
            if unsaved.is_empty() {
                return Ok(());
            }
            self.in_transaction(now, |transaction| transaction.save_counts(&unsaved))?;
            self.shared.lock().forget_saved(&unsaved);
            if unsaved.len() < BATCH {
                return Ok(());
            }
        }
    }

    fn in_transaction(
        &mut self,
        now: Timestamp,
        run: impl FnOnce(&mut Transaction<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (shared, connection) = (&self.shared, &self.connection);
        let work = |transaction: &mut Transaction<'_>| {
            transaction.copied = Some(self.files.copied());
            run(transaction)
        };
        let ((), removed) = Transaction::run(shared, connection, &mut self.next, now, work)?;
        self.upkeep.committed(!removed.is_empty());
        self.shared.release(removed);
        self.keep_log_short()
    }

    /// Gives free pages at the end of the file back to the system, in a short step. Returns true if it did.
    fn give_pages_back(&mut self, now: Timestamp) -> Result<bool, Failure> {
        let free: i64 = tables::number(&self.connection, "PRAGMA freelist_count")?;
        let pages: i64 = tables::number(&self.connection, "PRAGMA page_count")?;
        if free < FREE_PAGES.max(pages / FREE_PART) {
            self.upkeep.free_pages_from = now.as_millis() + FREE_PAGES_MILLIS;
            return Ok(false);
        }
        self.in_transaction(now, |transaction| transaction.vacuum(VACUUM_PAGES))?;
        self.upkeep.committed(true);
        Ok(true)
    }

    /// Copies the log into the database and makes it empty. Deleted bytes are gone then. A reader may delay this.
    pub(crate) fn truncate_log(&mut self, now: Timestamp) -> Result<(), Failure> {
        let noted = self.note_time(now);
        self.connection.busy_timeout(TRUNCATE_WAIT)?;
        let empty = || wal::empty(&self.connection);
        let is_empty = self.files.copy(TRUNCATE_WAIT, empty);
        self.connection.busy_timeout(BUSY)?;
        let is_empty = is_empty?.unwrap_or(false);
        self.upkeep.has_deleted &= !is_empty;
        let pause = if is_empty { PAUSE_MILLIS } else { BUSY_MILLIS };
        self.upkeep.truncate_from = now.as_millis() + pause;
        noted
    }

    /// Writes down the time, so that the clock of the next start is not before it, and what the clock shows, so that
    /// the next start can tell.
    fn note_time(&mut self, now: Timestamp) -> Result<(), Failure> {
        self.upkeep.note_from = now.as_millis() + NOTE_MILLIS;
        let times = [("last_seen", self.upkeep.trusted(now)), ("last_shown", now)];
        self.in_transaction(now, |transaction| {
            for (name, time) in times {
                tables::set_state(transaction.connection, name, time.as_millis())?;
            }
            Ok(())
        })?;
        self.upkeep.has_committed = false;
        Ok(())
    }
}
