//! The catalog: which pastes are on disk, where, and in which order they are evicted.
//!
//! The ledger knows each paste by a row. The catalog adds an index from the key of a paste to its row, and the sequence
//! number under which the database stores the row's present version.
//! Invariants: the index and the ledger have the same pastes. A sequence number names one version of one paste; no
//! other version gets it while the store runs.
//! Cost: 8 bytes for a sequence number and at most 12 for the index, in addition to the ledger's row. All of it is
//! reserved at the start, so nothing grows later.

use hashbrown::HashTable;

use crate::fairness::ClientKey;
use crate::paste::{Deadline, PasteId, Timestamp};
use crate::store::ledger::Ledger;
use crate::store::seal::{Record, RowKey};

/// The pastes on disk.
pub(crate) struct Catalog {
    /// The callers change no paste of it, only the order of use and the tombstones.
    pub(crate) ledger: Ledger,
    /// The rows of the ledger, by key.
    index: HashTable<u32>,
    /// The sequence number of each row's present version.
    seqs: Vec<u64>,
}

/// A paste of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) row: u32,
    pub(crate) seq: u64,
}

/// All that the catalog knows of a paste. A failed transaction puts it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) client: ClientKey,
    pub(crate) key: RowKey,
    /// The bytes of the disk that the paste is charged.
    pub(crate) cost: usize,
    pub(crate) deadline: Deadline,
    pub(crate) seq: u64,
    /// When it was saved. Only the listing of a record tells it.
    pub(crate) saved: Timestamp,
}

impl Listing {
    /// Returns the listing of the paste with this record.
    pub(crate) fn of(record: &Record, cost: usize, seq: u64) -> Self {
        Self {
            client: record.client,
            key: record.key,
            cost,
            deadline: record.deadline,
            seq,
            saved: record.saved,
        }
    }
}

impl Catalog {
    /// Makes an empty catalog and reserves memory for at most this many pastes, and these bytes of tombstones.
    pub(crate) fn reserved_for(pastes: usize, tombstones: usize) -> Self {
        Self {
            ledger: Ledger::reserved_for(pastes, tombstones),
            index: HashTable::with_capacity(pastes),
            seqs: Vec::with_capacity(pastes),
        }
    }

    /// Returns the bytes of memory that a catalog for this many pastes may take, without the shares of clients.
    pub(crate) fn bytes_for(pastes: usize, tombstones: usize) -> usize {
        // A table has a power of two of slots, of which it uses at most seven eighths, and a control byte for each.
        let slots = (pastes * 8 / 7 + 1).next_power_of_two();
        pastes * (Ledger::ROW + size_of::<u64>()) + slots * (size_of::<u32>() + 1) + tombstones
    }

    /// Returns the paste with this key.
    pub(crate) fn find(&self, key: RowKey) -> Option<Located> {
        let is_it = |row: &u32| self.ledger.id(*row) == key.as_id();
        let row = *self.index.find(key.0, is_it)?;
        let seq = self.seqs[row as usize];
        Some(Located { row, seq })
    }

    /// Returns all that the catalog knows of the paste with this key.
    pub(crate) fn listing(&self, key: RowKey) -> Option<Listing> {
        let Located { row, seq } = self.find(key)?;
        Some(Listing {
            client: self.ledger.client(row),
            key,
            cost: self.ledger.cost(row),
            deadline: self.ledger.deadline(row),
            seq,
            saved: Timestamp::default(),
        })
    }

    /// Returns all that the catalog knows of pastes of a network, at most this many.
    pub(crate) fn listings_of(&self, network: u64, most: usize) -> Vec<Listing> {
        let rows = self.ledger.rows_of(network, most).into_iter();
        let keys = rows.map(|row| RowKey::of_id(self.ledger.id(row)));
        keys.filter_map(|key| self.listing(key)).collect()
    }

    /// Inserts a paste as the most recently used paste of its client. The catalog must not have its key.
    pub(crate) fn insert(&mut self, listing: Listing) -> u32 {
        let Listing {
            client,
            key,
            cost,
            deadline,
            saved,
            ..
        } = listing;
        let id = key.as_id();
        let row = self.ledger.insert(client, id, cost, deadline, saved);
        let place = row as usize;
        // The ledger gives out its rows one after the other.
        self.seqs.resize(self.seqs.len().max(place + 1), 0);
        self.seqs[place] = listing.seq;
        let ledger = &self.ledger;
        let hash = |row: &u32| ledger.id(*row).bits();
        self.index.insert_unique(key.0, row, hash);
        row
    }

    /// Removes a paste without a tombstone. Returns its listing.
    pub(crate) fn withdraw(&mut self, key: RowKey) -> Option<Listing> {
        let listing = self.listing(key)?;
        let is_it = |row: &u32| self.ledger.id(*row) == key.as_id();
        let (row, _) = self.index.find_entry(key.0, is_it).ok()?.remove();
        self.ledger.withdraw(row);
        Some(listing)
    }

    /// Returns a contradiction, for tests and `tidebin check`.
    pub(crate) fn inconsistency(&self) -> Option<&'static str> {
        let ids = self.index.iter().map(|row| self.ledger.id(*row));
        let is_lost = |id: PasteId| self.find(RowKey::of_id(id)).is_none();
        if ids.clone().any(is_lost) || self.index.len() != self.ledger.len() {
            return Some("the index and the ledger have different pastes");
        }
        let costs = self.index.iter().map(|row| self.ledger.cost(*row));
        (costs.sum::<usize>() != self.ledger.costs()).then_some("the clients hold another sum")
    }
}
