//! The work of the writer between transactions: it removes expired pastes, writes counts, and gives space back.
//!
//! Invariants: each step is short, so that saves do not wait for long. Deleted bytes leave the log within a minute, and
//! the file shrinks when pages are free. A full disk ends no step for good: it is tried again later.

use std::time::Duration;

use super::{Extent, Writer};
use crate::paste::Timestamp;
use crate::store::sqlite::database::{BUSY, tables, wal};
use crate::store::sqlite::state::BATCH;
use crate::store::sqlite::writer::failure::Failure;
use crate::store::sqlite::writer::transaction::Transaction;

/// The number of free pages that are kept for the next pastes, and the part of all pages that may be free.
const FREE_PAGES: i64 = 256;
const FREE_PART: i64 = 8;

/// The number of pages that are given back in one step. More would make saves wait.
const VACUUM_PAGES: u32 = 200;

/// How long the writer waits for readers that use the log, before it tries again later to make it empty.
const TRUNCATE_WAIT: Duration = Duration::from_millis(50);

impl Writer {
    /// Does the due work. Returns true if there is more to do at once.
    pub(crate) fn look_after(&mut self, now: Timestamp) -> Result<bool, rusqlite::Error> {
        if self.damage == Extent::File {
            return Ok(false);
        }
        let done = self.try_to_look_after(now);
        self.upkeep.try_ballast(now);
        let done = done.map(|has_more| has_more && !self.upkeep.is_disk_full());
        self.unless_full(now, done)
    }

    /// Brings everything to the disk, at the end.
    pub(crate) fn finish(&mut self, now: Timestamp) -> Result<(), rusqlite::Error> {
        if self.damage == Extent::File {
            return Ok(());
        }
        let done = self.save_counts(now, true).map(|()| false);
        self.unless_full(now, done)?;
        let done = self.truncate_log(now).map(|()| false);
        self.unless_full(now, done).map(|_| ())
    }

    fn try_to_look_after(&mut self, now: Timestamp) -> Result<bool, Failure> {
        // First, because the space of the log may be needed on a full disk.
        if self.upkeep.should_truncate(now) {
            self.truncate_log(now)?;
        }
        if self.shared.lock().has_expired(now) {
            self.in_transaction(|transaction| transaction.sweep(now).map(|_| ()))?;
        }
        let is_new_hour = self.upkeep.is_new_hour(now);
        if is_new_hour || self.shared.lock().has_many_unsaved() {
            self.save_counts(now, is_new_hour)?;
        }
        if self.upkeep.should_note_time(now) {
            self.note_time(now)?;
        }
        let has_free_pages =
            self.upkeep.should_give_pages_back(now) && self.give_pages_back(now)?;
        Ok(has_free_pages || self.shared.lock().has_expired(now))
    }

    /// Ends work that no caller waits for. Only a failure of the database is an error.
    fn unless_full(
        &mut self,
        now: Timestamp,
        done: Result<bool, Failure>,
    ) -> Result<bool, rusqlite::Error> {
        match done {
            Ok(has_more) => return Ok(has_more),
            Err(Failure::DiskFull) => self.upkeep.disk_is_full(now),
            Err(Failure::Damaged(damage)) => self.set_aside(damage),
            Err(Failure::DamagedFile(error)) => self.stop_changing(&error),
            Err(Failure::Busy(error)) => {
                tracing::debug!(%error, "another process holds the database")
            }
            Err(Failure::NoRandomBytes(error)) => {
                tracing::error!(%error, "the operating system returned no random bytes");
            }
            Err(Failure::Database(error)) => return Err(error),
        }
        Ok(false)
    }

    /// Writes the counts of reads: those of all pastes, or only of those that left the cache.
    fn save_counts(&mut self, now: Timestamp, all: bool) -> Result<(), Failure> {
        loop {
            let unsaved = self.shared.lock().take_unsaved(all);
            if unsaved.is_empty() {
                return Ok(());
            }
            self.in_transaction(|transaction| transaction.save_counts(now, &unsaved))?;
            self.shared.lock().forget_saved(&unsaved);
            if unsaved.len() < BATCH {
                return Ok(());
            }
        }
    }

    fn in_transaction(
        &mut self,
        run: impl FnOnce(&mut Transaction<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut transaction = Transaction::begin(&self.shared, &self.connection, self.next)?;
        if let Err(failure) = run(&mut transaction) {
            return Err(transaction.roll_back(failure));
        }
        let (next, removed) = transaction.commit()?;
        self.next = next;
        self.upkeep.committed(!removed.is_empty());
        self.shared.release(removed);
        Ok(self.keep_log_short()?)
    }

    /// Gives free pages at the end of the file back to the system, in a short step. Returns true if it did.
    fn give_pages_back(&mut self, now: Timestamp) -> Result<bool, Failure> {
        let count = |name| {
            let pragma = self
                .connection
                .pragma_query_value(None, name, |row| row.get(0));
            pragma as rusqlite::Result<i64>
        };
        if count("freelist_count")? < FREE_PAGES.max(count("page_count")? / FREE_PART) {
            self.upkeep.has_few_free_pages(now);
            return Ok(false);
        }
        // Each row that is stepped over frees one page. Executing the statement at once would free a single page.
        let vacuum = format!("PRAGMA incremental_vacuum({VACUUM_PAGES})");
        let mut statement = self.connection.prepare_cached(&vacuum)?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
        // The file becomes shorter when the log is copied into it, as after a deletion.
        self.upkeep.committed(true);
        Ok(true)
    }

    /// Copies the log into the database and makes it empty. Deleted bytes are gone then. A reader may delay this.
    pub(super) fn truncate_log(&mut self, now: Timestamp) -> Result<(), Failure> {
        let noted = self.note_time(now);
        self.connection.busy_timeout(TRUNCATE_WAIT)?;
        let is_empty = wal::empty(&self.connection);
        self.connection.busy_timeout(BUSY)?;
        self.upkeep.truncated(now, is_empty?);
        noted
    }

    /// Writes down the time, so that the clock of the next start is not before it, and what the clock shows, so that the
    /// next start can tell.
    fn note_time(&self, now: Timestamp) -> Result<(), Failure> {
        let times = [("last_seen", self.upkeep.trusted(now)), ("last_shown", now)];
        for (name, time) in times {
            let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
            tables::set_state(&self.connection, name, millis)?;
        }
        Ok(())
    }
}
