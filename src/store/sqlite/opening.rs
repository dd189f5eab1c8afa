//! Opening a data directory: the catalog is made again from the records of all pastes.
//!
//! Invariants: nothing is deleted. A database of another secret, of a newer version, or with more pastes than the
//! budget allows is refused, and is not changed. A record that is damaged is left where it is and counted.
//! Cost: one scan of the table of records. Each record is opened once.

use std::path::Path;

use rusqlite::Connection;

use crate::paste::Timestamp;
use crate::store::RemovalHook;
use crate::store::seal::{Keys, Record};
use crate::store::sqlite::database::{Directory, tables};
use crate::store::sqlite::failure::Failure;
use crate::store::sqlite::limits::Limits;
use crate::store::sqlite::shared::Shared;
use crate::store::sqlite::state::{Catalog, Listing, State};
use crate::store::sqlite::writer::NextSeq;

/// No sealed content is larger: a paste has at most 1 GiB.
const MOST_SIZE: usize = (1 << 30) + (1 << 20);

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
pub struct Opened {
    pub(crate) directory: Directory,
    pub(crate) connection: Connection,
    pub(crate) keys: Keys,
    pub(crate) limits: Limits,
    pub(crate) catalog: Catalog,
    next: NextSeq,
    /// The bytes that all pastes are charged, with those that are damaged.
    pub(crate) stored: usize,
    /// The latest time that the database has seen. The clock must not be before it.
    pub last_seen: Timestamp,
    /// The time that the clock showed last, which may have been wrong. A clock before it should be looked at.
    pub last_shown: Timestamp,
    damaged: usize,
    /// The bytes that the damaged pastes cost. They are still used.
    damaged_bytes: usize,
}

impl Opened {
    /// Opens a data directory within these budgets of disk and memory.
    ///
    /// # Errors
    /// Returns a [`Failure`] that tells the operator what to do.
    pub fn open(path: &Path, disk: usize, memory: usize, keys: Keys) -> Result<Self, Failure> {
        let limits = Limits::new(disk, memory)?;
        let directory = Directory::lock(path)?;
        let database = directory.database();
        let open = || {
            let mut connection = directory.open_writer(&limits)?;
            directory.accept(&mut connection, &limits, &keys.fingerprint())?;
            let opened = Self::read(directory, connection, limits, keys, limits.pastes)?;
            limits.refuse_stored(opened.stored)?;
            limits.refuse_clients(opened.catalog.ledger.bytes_of_clients())?;
            Ok(opened)
        };
        open().map_err(|failure: Failure| failure.at_start(&database))
    }

    /// Reads an opened database with at most this many pastes, even if they cost more than the budget.
    ///
    /// # Errors
    /// Fails if the database does.
    pub(crate) fn read(
        directory: Directory,
        connection: Connection,
        limits: Limits,
        keys: Keys,
        pastes: usize,
    ) -> rusqlite::Result<Self> {
        let time = |name| -> rusqlite::Result<Timestamp> {
            let millis: Option<i64> = tables::state(&connection, name)?;
            let millis = u64::try_from(millis.unwrap_or(0)).unwrap_or(0);
            Ok(Timestamp::from_millis(millis))
        };
        let mut opened = Self {
            last_seen: time("last_seen")?,
            last_shown: time("last_shown")?,
            catalog: Catalog::reserved_for(pastes, limits.tombstones),
            directory,
            connection,
            keys,
            limits,
            next: NextSeq::default(),
            stored: 0,
            damaged: 0,
            damaged_bytes: 0,
        };
        opened.read_tombstones()?;
        opened.list_pastes(pastes)?;
        Ok(opened)
    }

    /// Returns the findings.
    pub fn found(&self, now: Timestamp) -> Found {
        Found {
            pastes: self.catalog.ledger.len(),
            bytes: self.catalog.ledger.costs(),
            expired: self.catalog.ledger.expired(now),
            damaged: self.damaged,
        }
    }

    /// Makes the state of a store that starts now.
    pub(crate) fn share(
        self,
        now: Timestamp,
        removal_hook: RemovalHook,
    ) -> rusqlite::Result<(Directory, Connection, NextSeq, Shared)> {
        let limits = self.limits;
        let room = limits.room.saturating_sub(self.damaged_bytes);
        let state = State::new(self.catalog, limits.cache, room, limits.pastes, now);
        let shared = Shared::new(state, self.keys, limits, removal_hook);
        shared.read_moderation(&self.connection)?;
        Ok((self.directory, self.connection, self.next, shared))
    }

    fn read_tombstones(&mut self) -> rusqlite::Result<()> {
        tables::for_each_sealed(&self.connection, "tombstone", |seq, sealed| {
            self.next.tombstone = seq;
            if let Ok((key, end)) = self.keys.open_tombstone(seq, sealed) {
                let tombstones = &mut self.catalog.ledger.tombstones;
                tombstones.insert(key.as_id(), end);
            }
        })
    }

    /// Lists the pastes in the order of their use: the day of the last reading decides, and among equal days the order
    /// in which they were saved. Those beyond this number of pastes are not listed, since the catalog must not grow.
    fn list_pastes(&mut self, pastes: usize) -> rusqlite::Result<()> {
        // The part of a row for its owner is charged as if it belonged to the content.
        let select = "SELECT seq, day, size, record, coalesce(length(owned_id) + length(summary), 0) \
                      FROM meta ORDER BY seq";
        let mut statement = self.connection.prepare(select)?;
        let mut rows = statement.query([])?;
        let mut days = Vec::new();
        while let Some(row) = rows.next()? {
            let number = |column| row.get_ref(column).map(|it| it.as_i64().unwrap_or(0));
            let bytes = |number| usize::try_from(number).ok().filter(|it| *it <= MOST_SIZE);
            let seq = tables::seq_in(row, 0)?;
            let (size, owned) = (bytes(number(2)?), bytes(number(4)?));
            let cost = Limits::cost_of(size.map_or(0, |size| size + owned.unwrap_or(0)));
            self.next.paste = seq;
            self.stored = self.stored.saturating_add(cost);
            let sealed = row.get_ref(3)?.as_blob().unwrap_or_default();
            // The record of a row without a size would open, but the cost of the row is not known.
            let record = size.and_then(|_| Record::open(&self.keys, seq, sealed).ok());
            let is_new = |record: &Record| self.catalog.find(record.key).is_none();
            let Some(record) = record.filter(is_new) else {
                self.damaged += 1;
                self.damaged_bytes += cost;
                continue;
            };
            if self.catalog.ledger.len() < pastes {
                let listing = Listing::of(&record, cost, seq);
                days.push((number(1)?, self.catalog.insert(listing)));
            }
        }
        if !days.is_sorted_by_key(|(day, _)| *day) {
            // The sort is stable.
            days.sort_by_key(|(day, _)| *day);
            let rows = days.into_iter();
            rows.for_each(|(_, row)| self.catalog.ledger.refresh(row));
        }
        Ok(())
    }
}
