//! The catalog: which pastes are on disk, where, and in which order they are evicted.
//!
//! The ledger knows each paste by a row. The catalog adds an index from the key of a paste to its row, and the sequence
//! number under which the database stores the row's present version.
//! Invariants: the index and the ledger have the same pastes. A sequence number names one version of one paste; no
//! other version gets it while the store runs.
//! Cost: 8 bytes for a sequence number and at most 12 for the index, in addition to the ledger's row. All of it is
//! reserved at the start, so nothing grows later.

use std::time::Duration;

use hashbrown::HashTable;

use crate::fairness::ClientKey;
use crate::paste::{Deadline, PasteId, Timestamp};
use crate::store::ledger::Ledger;
use crate::store::seal::RowKey;
use crate::store::{Reason, RemovalCounts};

/// The pastes on disk.
#[derive(Debug)]
pub(crate) struct Catalog {
    ledger: Ledger,
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

    /// Returns the bytes of memory that the accounts and shares of the present clients take. They change with every
    /// first and last paste of a client.
    pub(crate) fn bytes_of_clients(&self) -> usize {
        self.ledger.bytes_of_clients()
    }

    /// Returns the bytes of the disk that all pastes are charged.
    pub(crate) fn charged(&self) -> usize {
        self.ledger.costs()
    }

    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns whether a paste or a tombstone has this key.
    pub(crate) fn knows(&self, key: RowKey) -> bool {
        self.find(key).is_some() || self.reason(key).is_some()
    }

    /// Returns the paste with this key.
    pub(crate) fn find(&self, key: RowKey) -> Option<Located> {
        let is_it = |row: &u32| self.ledger.id(*row) == key.as_id();
        let row = *self.index.find(key.0, is_it)?;
        let seq = self.seqs[row as usize];
        Some(Located { row, seq })
    }

    /// Returns true if the paste in this row expired in an earlier second. A paste that expired in the present second
    /// must be loaded to decide.
    pub(crate) fn has_expired(&self, row: u32, now: Timestamp) -> bool {
        self.ledger.deadline(row).has_passed(now)
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
        })
    }

    /// Inserts a paste as the most recently used paste of its client. The catalog must not have its key.
    pub(crate) fn insert(&mut self, listing: Listing) -> u32 {
        let Listing {
            client, key, cost, ..
        } = listing;
        let row = self
            .ledger
            .insert(client, key.as_id(), cost, listing.deadline);
        let place = row as usize;
        if place == self.seqs.len() {
            self.seqs.push(listing.seq);
        } else {
            self.seqs[place] = listing.seq;
        }
        let ledger = &self.ledger;
        let hash = |row: &u32| ledger.id(*row).bits();
        self.index.insert_unique(key.0, row, hash);
        row
    }

    /// Makes the paste in this row the most recently used paste of its client.
    pub(crate) fn refresh(&mut self, row: u32) {
        self.ledger.refresh(row);
    }

    /// Removes a paste for this reason, which is counted and kept in a tombstone. Returns its listing.
    pub(crate) fn remove(&mut self, key: RowKey, reason: Reason) -> Option<Listing> {
        let listing = self.withdraw(key)?;
        self.ledger.bury(key.as_id(), reason);
        Some(listing)
    }

    /// Removes a paste without a tombstone. Returns its listing.
    pub(crate) fn withdraw(&mut self, key: RowKey) -> Option<Listing> {
        let listing = self.listing(key)?;
        let is_it = |row: &u32| self.ledger.id(*row) == key.as_id();
        let (row, _) = self.index.find_entry(key.0, is_it).ok()?.remove();
        self.ledger.withdraw(row);
        Some(listing)
    }

    /// Puts back a paste that [`Catalog::remove`] removed for this reason, since the transaction failed.
    pub(crate) fn put_back(&mut self, listing: Listing, reason: Reason) {
        self.ledger.exhume(listing.key.as_id(), reason);
        self.insert(listing);
    }

    /// Forgets the tombstone of a key that is used again.
    pub(crate) fn forget_tombstone(&mut self, key: RowKey) {
        self.ledger.forget_tombstone(key.as_id());
    }

    /// Keeps the tombstone of a paste that was removed before the start.
    pub(crate) fn keep_tombstone(&mut self, key: RowKey, reason: Reason) {
        self.ledger.keep_tombstone(key.as_id(), reason);
    }

    /// Returns the key of the paste to evict next, as [`Ledger::next_victim`].
    pub(crate) fn next_victim(&mut self, client: ClientKey, incoming: usize) -> Option<RowKey> {
        let id = self.ledger.next_victim(client, incoming)?;
        Some(RowKey::of_id(id))
    }

    /// Returns the key of a paste that expired in an earlier second, but not before `from`.
    pub(crate) fn next_expired_since(&self, from: Timestamp, now: Timestamp) -> Option<RowKey> {
        let id = self.ledger.next_expired_since(from, now)?;
        Some(RowKey::of_id(id))
    }

    /// Returns the number of pastes that expired in an earlier second.
    pub(crate) fn expired(&self, now: Timestamp) -> usize {
        self.ledger.expired(now)
    }

    /// Returns how long ago the first deadline passed of the pastes that are still to be swept.
    pub(crate) fn overdue(&self, now: Timestamp) -> Duration {
        let due = self.ledger.next_sweep();
        due.map_or(Duration::ZERO, |due| now.since(due))
    }

    /// Returns why the paste with this key was removed, or `None` if it has no tombstone.
    pub(crate) fn reason(&self, key: RowKey) -> Option<Reason> {
        self.ledger.reason(key.as_id())
    }

    /// Returns how many tombstones are kept at most.
    pub(crate) fn most_tombstones(&self) -> usize {
        self.ledger.most_tombstones()
    }

    pub(crate) fn removal_counts(&self) -> RemovalCounts {
        self.ledger.removal_counts()
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
