//! Opening a data directory: the catalog is made again from the records of all pastes.
//!
//! Invariants: nothing is deleted. A database of another secret, of a newer version, or with more pastes than the
//! budget allows is refused, and is not changed. A record that is damaged is left where it is and counted.
//! Cost: one scan of the table of records, on three threads. Each record is opened once.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::byte_size::ByteSize;
use crate::paste::Timestamp;
use crate::store::ledger::Ledger;
use crate::store::memory::Budget;
use crate::store::seal::Keys;
use crate::store::seal::Record;
use crate::store::seal::Tombstone;
use crate::store::sqlite::database::Directory;
use crate::store::sqlite::database::tables;
use crate::store::sqlite::limits::{GRACE_MILLIS, Limits};
use crate::store::sqlite::open_error::OpenError;
use crate::store::sqlite::records::{self, RecordsError};
use crate::store::sqlite::state::Cache;
use crate::store::sqlite::state::{Catalog, Listing};
use crate::store::sqlite::state::{Room, State};
use crate::store::sqlite::writer::NextSeq;

/// The findings of the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// The number of pastes.
    pub pastes: usize,
    /// The bytes that they are charged of the budget of disk.
    pub bytes: usize,
    /// The number of pastes that expired since the last stop.
    pub expired: usize,
    /// The number of pastes whose record cannot be read. They are left where they are.
    pub damaged: usize,
}

/// A data directory that was opened and is not served yet.
#[derive(Debug)]
pub struct Opened {
    pub(super) directory: Directory,
    pub(super) connection: Connection,
    pub(super) keys: Keys,
    pub(super) limits: Limits,
    pub(super) catalog: Catalog,
    cache: Cache,
    pub(super) next: NextSeq,
    /// The bytes that all pastes are charged, with those that are damaged.
    pub(super) stored: usize,
    last_seen: Timestamp,
    last_shown: Timestamp,
    damaged: usize,
    /// The bytes that the damaged pastes cost. They are still used.
    damaged_bytes: usize,
}

impl Opened {
    /// Opens a data directory within these budgets of disk and memory.
    ///
    /// # Errors
    /// Returns an [`OpenError`] that tells the operator what to do.
    pub fn open(path: &Path, disk: usize, memory: usize, keys: Keys) -> Result<Self, OpenError> {
        let limits = Limits::new(disk, memory)?;
        let directory = Directory::lock(path)?;
        let mut connection = directory.open_writer(&limits)?;
        directory.accept(&mut connection, &limits, &keys.fingerprint())?;
        let opened = Self::read(directory, connection, limits, keys, limits.pastes)?;
        let (stored, room) = (opened.stored, limits.room);
        if stored > room {
            return Err(OpenError::TooSmall {
                stored: ByteSize(stored).rounded_up(),
                room: ByteSize(room).rounded_down(),
                disk: ByteSize(disk),
                least: ByteSize(Limits::least_disk(stored)),
            });
        }
        opened.check_clients(disk, memory)?;
        opened.keep_wal_on_close(false)?;
        Ok(opened)
    }

    /// Reads an opened database with at most this many pastes, even if they cost more than the budget.
    ///
    /// # Errors
    /// Fails if the database does.
    pub(super) fn read(
        directory: Directory,
        connection: Connection,
        limits: Limits,
        keys: Keys,
        pastes: usize,
    ) -> Result<Self, OpenError> {
        let mut opened = Self {
            cache: Cache::within(Budget::new(limits.memory)),
            catalog: Catalog::reserved_for(pastes, limits.tombstones),
            directory,
            connection,
            keys,
            limits,
            next: NextSeq::default(),
            stored: 0,
            last_seen: Timestamp::default(),
            last_shown: Timestamp::default(),
            damaged: 0,
            damaged_bytes: 0,
        };
        let read = opened.read_times();
        let read = read.and_then(|()| opened.read_tombstones());
        read.map_err(|error| opened.failed(error))?;
        let days = opened.list_pastes(pastes).map_err(|error| match error {
            RecordsError::Database(error) => opened.failed(error),
            RecordsError::Thread(error) => OpenError::Io(opened.directory.database(), error),
        })?;
        opened.order_by_use(days);
        Ok(opened)
    }

    /// Returns the latest time that the database has seen. The clock must not be before it.
    #[must_use]
    pub fn last_seen(&self) -> Timestamp {
        self.last_seen
    }

    /// Returns the time that the clock showed last, which may have been wrong. A clock before it should be looked at.
    #[must_use]
    pub fn last_shown(&self) -> Timestamp {
        self.last_shown
    }

    /// Returns the findings.
    #[must_use]
    pub fn found(&self, now: Timestamp) -> Found {
        Found {
            pastes: self.catalog.len(),
            bytes: self.catalog.charged(),
            expired: self.catalog.expired(now),
            damaged: self.damaged,
        }
    }

    /// Makes the state of a store that starts now. Returns it with the numbers of the next rows and the connection.
    pub(super) fn into_parts(
        self,
        now: Timestamp,
    ) -> (Directory, Connection, Keys, Limits, NextSeq, State) {
        let room = Room {
            disk: self.limits.room - self.damaged_bytes.min(self.limits.room),
            cache: self.cache.room(),
            pastes: self.limits.pastes,
            started: now,
            sweep_from: Timestamp::from_millis(now.as_millis() + GRACE_MILLIS),
        };
        let state = State::new(self.catalog, self.cache, room);
        (
            self.directory,
            self.connection,
            self.keys,
            self.limits,
            self.next,
            state,
        )
    }

    /// Refuses a budget of memory that has no room for the accounts of the present clients. A save would evict pastes
    /// of all clients there.
    pub(super) fn check_clients(&self, disk: usize, memory: usize) -> Result<(), OpenError> {
        let clients = self.catalog.bytes_of_clients() + Ledger::GROWTH;
        let room = self.cache.room() / 2;
        match clients <= room {
            true => Ok(()),
            false => Err(OpenError::TooManyClients {
                clients: ByteSize(clients).rounded_up(),
                room: ByteSize(room).rounded_down(),
                memory: ByteSize(memory),
                least: ByteSize(Limits::least_memory(disk, clients).unwrap_or(usize::MAX)),
            }),
        }
    }

    /// Sets whether closing the database leaves the WAL as it is. A database that is refused is not changed.
    fn keep_wal_on_close(&self, keep: bool) -> Result<(), OpenError> {
        let option = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        let set = self.connection.set_db_config(option, keep);
        set.map(|_| ()).map_err(|error| self.failed(error))
    }

    fn read_times(&mut self) -> rusqlite::Result<()> {
        let time = |name| -> rusqlite::Result<Timestamp> {
            let millis: Option<i64> = tables::state(&self.connection, name)?;
            let millis = u64::try_from(millis.unwrap_or(0)).unwrap_or(0);
            Ok(Timestamp::from_millis(millis))
        };
        (self.last_seen, self.last_shown) = (time("last_seen")?, time("last_shown")?);
        Ok(())
    }

    fn read_tombstones(&mut self) -> rusqlite::Result<()> {
        let mut statement = self
            .connection
            .prepare("SELECT seq, sealed FROM tombstone ORDER BY seq")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let seq = tables::seq_of(row)?;
            self.next.tombstone = seq;
            let sealed = row.get_ref(1)?.as_blob().unwrap_or_default().to_vec();
            if let Ok(Tombstone { key, reason }) = Tombstone::open(&self.keys, seq, &sealed) {
                self.catalog.keep_tombstone(key, reason);
            }
        }
        Ok(())
    }

    /// Lists the pastes in the order in which they were saved. Returns the row of each with the day of its last
    /// reading. Those beyond this number of pastes are not listed, since the catalog must not grow.
    fn list_pastes(&mut self, pastes: usize) -> Result<Vec<(i64, u32)>, RecordsError> {
        let mut days = Vec::new();
        records::for_each(&mut self.connection, &self.keys, |row| {
            self.next.paste = row.seq;
            let cost = Limits::cost_of(row.size);
            self.stored = self.stored.saturating_add(cost);
            let is_new = |record: &Record| self.catalog.find(record.key).is_none();
            let Some(record) = row.record.filter(is_new) else {
                self.damaged += 1;
                self.damaged_bytes += cost;
                return;
            };
            if self.catalog.len() < pastes {
                let listed = self.catalog.insert(Listing {
                    client: record.client,
                    key: record.key,
                    cost,
                    deadline: record.deadline,
                    seq: row.seq,
                });
                days.push((row.day, listed));
            }
        })?;
        Ok(days)
    }

    /// Brings the listed pastes into the order of their use: the day of the last reading decides, and among equal days
    /// the order in which they are listed.
    fn order_by_use(&mut self, mut days: Vec<(i64, u32)>) {
        if days.is_sorted_by_key(|(day, _)| *day) {
            return;
        }
        // The sort is stable.
        days.sort_by_key(|(day, _)| *day);
        days.into_iter()
            .for_each(|(_, row)| self.catalog.refresh(row));
    }

    fn failed(&self, error: rusqlite::Error) -> OpenError {
        OpenError::Database(self.directory.database(), error)
    }
}
