//! Room: how much disk and memory the durable store may use, and which pastes it removes to stay within that.
//!
//! Invariants: the costs of all pastes never exceed the room on disk. The accounts of clients take at most half of the
//! room in memory. Expired pastes are removed first. Those that had expired before the start stay for an hour.

use super::State;
use crate::fairness::ClientKey;
use crate::paste::{Reads, Timestamp};
use crate::store::Reason;
use crate::store::ledger::Ledger;
use crate::store::seal::RowKey;
use crate::store::sqlite::state::Cached;
use crate::store::sqlite::state::Listing;

/// How long after the start expired pastes are only hidden. So a wrong clock at the start destroys nothing.
pub(crate) const GRACE_MILLIS: u64 = 3_600_000;

/// Maximum number of pastes removed while the lock is held once.
pub(crate) const BATCH: usize = 256;

/// A paste that was removed from the catalog, and from the cache if it was there.
pub(crate) struct Removal {
    pub(crate) listing: Listing,
    pub(crate) reason: Reason,
    pub(crate) cached: Option<Cached>,
    /// Its counts that are not on disk, if it was not in the cache.
    unsaved: Option<(u32, Reads)>,
}

impl State {
    /// Returns true if a paste of this cost fits, even if it is the first of its client and of its network.
    pub(crate) fn fits(&self, cost: usize) -> bool {
        let clients = self.catalog.ledger.bytes_of_clients() + Ledger::GROWTH;
        self.catalog.ledger.costs() + cost <= self.room
            && self.catalog.ledger.len() < self.most_pastes
            && clients <= self.cache.room() / 2
    }

    /// Removes pastes, at most a batch, until `cost` more bytes of this client fit. Expired pastes are removed first,
    /// then those that the ledger chooses. Returns true if the bytes fit now.
    pub(crate) fn make_room(
        &mut self,
        now: Timestamp,
        client: ClientKey,
        cost: usize,
        removed: &mut Vec<Removal>,
    ) -> bool {
        while !self.fits(cost) && removed.len() < BATCH {
            let expired = self.pop_expired(now);
            let Some(removal) = expired.or_else(|| self.pop_victim(now, client, cost)) else {
                break;
            };
            removed.push(removal);
        }
        self.fits(cost)
    }

    /// Lists a paste, in place of its former version if there is one, and removes other pastes, at most a batch, until
    /// it fits. Returns whether it fits now, and the former listing. Readers always find a paste that was there.
    pub(crate) fn list(
        &mut self,
        now: Timestamp,
        new: Listing,
        removed: &mut Vec<Removal>,
    ) -> (bool, Option<Listing>) {
        let former = self.catalog.withdraw(new.key);
        let fits = self.make_room(now, new.client, new.cost, removed);
        let listed = if fits { Some(new) } else { former };
        listed.map(|listing| self.catalog.insert(listing));
        (fits, former)
    }

    /// Removes expired pastes, at most a batch.
    pub(crate) fn sweep(&mut self, now: Timestamp) -> Vec<Removal> {
        std::iter::from_fn(|| self.pop_expired(now))
            .take(BATCH)
            .collect()
    }

    /// Removes a paste for this reason.
    pub(crate) fn remove(&mut self, key: RowKey, reason: Reason) -> Option<Removal> {
        let listing = self.catalog.withdraw(key)?;
        self.catalog.ledger.bury(key.as_id(), reason);
        let unsaved = self.unsaved.remove(&key);
        let cached = self.forget(key);
        Some(Removal {
            listing,
            reason,
            cached,
            unsaved,
        })
    }

    /// Puts a removed paste back, since the transaction failed. Returns the pastes that leave the cache.
    pub(crate) fn put_back(&mut self, removal: Removal) -> Vec<Cached> {
        let key = removal.listing.key;
        self.catalog.ledger.exhume(key.as_id(), removal.reason);
        self.catalog.insert(removal.listing);
        if let Some(unsaved) = removal.unsaved {
            self.unsaved.insert(key, unsaved);
        }
        match removal.cached {
            Some(cached) => self.keep_listed(key, cached),
            None => Vec::new(),
        }
    }

    /// Removes a paste whose rows cannot be deleted, and leaves them where they are. Their space stays used.
    pub(crate) fn set_aside(&mut self, key: RowKey) -> Option<Cached> {
        let listing = self.catalog.withdraw(key)?;
        self.room = self.room.saturating_sub(listing.cost);
        self.forget(key)
    }

    /// Returns an expired paste that may be removed. A paste that a start found expired is only hidden at first.
    pub(crate) fn next_expired(&self, now: Timestamp) -> Option<RowKey> {
        let uptime = now.since(self.started).as_millis();
        let from = match uptime < u128::from(GRACE_MILLIS) {
            true => self.started,
            false => Timestamp::default(),
        };
        let id = self.catalog.ledger.next_expired_since(from, now)?;
        Some(RowKey::of_id(id))
    }

    fn pop_expired(&mut self, now: Timestamp) -> Option<Removal> {
        let key = self.next_expired(now)?;
        self.remove(key, Reason::Expired)
    }

    fn pop_victim(
        &mut self,
        now: Timestamp,
        client: ClientKey,
        incoming: usize,
    ) -> Option<Removal> {
        let id = self.catalog.ledger.next_victim(client, incoming)?;
        let key = RowKey::of_id(id);
        let reason = match self.locate(now, key) {
            Ok(_) => Reason::Evicted,
            Err(_) => Reason::Expired,
        };
        self.remove(key, reason)
    }
}
