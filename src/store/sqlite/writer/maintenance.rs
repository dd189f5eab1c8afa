//! What the writer does between transactions: it removes what expired, writes counts, and gives space back.
//!
//! Invariants: each step is short, so that saves do not wait for long. Deleted bytes leave the log within a minute, and
//! the file shrinks when pages are free.

use super::Writer;
use crate::paste::Timestamp;
use crate::store::sqlite::database::tables;
use crate::store::sqlite::state::BATCH;
use crate::store::sqlite::writer::failure::Failure;
use crate::store::sqlite::writer::transaction::Transaction;

/// The number of free pages that are kept for the next pastes, and the part of all pages that may be free.
const FREE_PAGES: i64 = 256;
const FREE_PART: i64 = 8;

/// The number of pages that are given back in one step. More would make saves wait.
const VACUUM_PAGES: u32 = 200;

impl Writer {
    /// Does what is due.
    pub(in crate::store::sqlite) fn look_after(
        &mut self,
        now: Timestamp,
    ) -> Result<(), rusqlite::Error> {
        if self.shared.lock().has_expired(now) {
            self.sweep(now)?;
        }
        let is_new_hour = self.upkeep.is_new_hour(now);
        if is_new_hour || self.shared.lock().has_many_unsaved() {
            self.save_counts(now, is_new_hour)?;
        }
        if self.upkeep.should_truncate(now) {
            self.truncate_log(now)?;
        }
        self.give_pages_back()?;
        self.upkeep.try_ballast(now);
        Ok(())
    }

    /// Brings everything to the disk, at the end.
    pub(in crate::store::sqlite) fn finish(
        &mut self,
        now: Timestamp,
    ) -> Result<(), rusqlite::Error> {
        self.save_counts(now, true)?;
        self.truncate_log(now)
    }

    /// Removes expired pastes, at most a batch.
    fn sweep(&mut self, now: Timestamp) -> Result<(), rusqlite::Error> {
        self.in_transaction(|transaction| transaction.sweep(now).map(|_| ()))
    }

    /// Writes the counts of reads: those of all pastes, or only of those that left the cache.
    fn save_counts(&mut self, now: Timestamp, all: bool) -> Result<(), rusqlite::Error> {
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

    /// Runs a transaction that no caller waits for. If the disk is full, it is given up.
    fn in_transaction(
        &mut self,
        run: impl FnOnce(&mut Transaction<'_>) -> Result<(), Failure>,
    ) -> Result<(), rusqlite::Error> {
        match self.try_in_transaction(run) {
            Ok(()) => Ok(()),
            Err(Failure::DiskFull) => {
                self.upkeep.disk_is_full();
                Ok(())
            }
            Err(Failure::NoRandomBytes(_)) => Ok(()),
            Err(Failure::Database(error)) => Err(error),
        }
    }

    fn try_in_transaction(
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
        Ok(())
    }

    /// Gives free pages at the end of the file back to the system, in short steps.
    fn give_pages_back(&mut self) -> Result<(), rusqlite::Error> {
        let count = |name| {
            let pragma = self
                .connection
                .pragma_query_value(None, name, |row| row.get(0));
            pragma as rusqlite::Result<i64>
        };
        if count("freelist_count")? < FREE_PAGES.max(count("page_count")? / FREE_PART) {
            return Ok(());
        }
        // Each row that is stepped over frees one page. Executing the statement at once would free a single page.
        let vacuum = format!("PRAGMA incremental_vacuum({VACUUM_PAGES})");
        let mut statement = self.connection.prepare_cached(&vacuum)?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
        Ok(())
    }

    /// Copies the log into the database and makes it empty. Deleted bytes are gone then. A reader may delay this.
    fn truncate_log(&mut self, now: Timestamp) -> Result<(), rusqlite::Error> {
        let last_seen = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        tables::set_state(&self.connection, "last_seen", last_seen)?;
        let truncate = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy: i64 = self.connection.query_row(truncate, [], |row| row.get(0))?;
        if is_busy == 0 {
            self.upkeep.truncated();
        }
        Ok(())
    }
}
