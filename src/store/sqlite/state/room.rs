//! Room: how much disk and memory the durable store may use, and which pastes it removes to stay within that.
//!
//! Invariants: the costs of all pastes never exceed the room on disk. The accounts of clients take at most half of the
//! room in memory. Expired pastes are removed first. Those that had expired before the start stay for an hour.

use super::State;
use crate::paste::{PasteId, Reads, Timestamp};
use crate::store::evicting::Evicting;
use crate::store::ledger::Ledger;
use crate::store::seal::RowKey;
use crate::store::sqlite::state::Cached;
use crate::store::sqlite::state::Listing;
use crate::store::{End, Reason};

/// How long after the start expired pastes are only hidden. So a wrong clock at the start destroys nothing.
pub(crate) const GRACE_MILLIS: u64 = 3_600_000;

/// A paste that was removed from the catalog, and from the cache if it was there.
pub(crate) struct Removal {
    pub(crate) listing: Listing,
    pub(crate) end: End,
    pub(crate) cached: Option<Cached>,
    /// Its counts that are not on disk, if it was not in the cache.
    unsaved: Option<(u32, Reads)>,
}

impl State {
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

    /// Removes a paste.
    pub(crate) fn remove(&mut self, key: RowKey, end: End) -> Option<Removal> {
        let listing = self.catalog.withdraw(key)?;
        self.catalog.ledger.bury(key.as_id(), end);
        let unsaved = self.unsaved.remove(&key);
        let cached = self.forget(key);
        Some(Removal {
            listing,
            end,
            cached,
            unsaved,
        })
    }

    /// Puts a removed paste back, since the transaction failed. Returns the pastes that leave the cache.
    pub(crate) fn put_back(&mut self, removal: Removal) -> Vec<Cached> {
        let key = removal.listing.key;
        let ledger = &mut self.catalog.ledger;
        ledger.tombstones.forget(key.as_id());
        let count = ledger.removal_counts.of(removal.end.reason);
        *count = count.saturating_sub(1);
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
}

impl Evicting for State {
    type Removed = Removal;

    fn ledger(&mut self) -> &mut Ledger {
        &mut self.catalog.ledger
    }

    fn fits(&self, cost: usize) -> bool {
        let clients = self.catalog.ledger.bytes_of_clients() + Ledger::GROWTH;
        self.catalog.ledger.costs() + cost <= self.room
            && self.catalog.ledger.len() < self.most_pastes
            && clients <= self.cache.room / 2
    }

    /// A paste that a start found expired is only hidden at first.
    fn next_expired(&self, now: Timestamp) -> Option<PasteId> {
        let uptime = now.since(self.started).as_millis();
        let from = match uptime < u128::from(GRACE_MILLIS) {
            true => self.started,
            false => Timestamp::default(),
        };
        self.catalog.ledger.next_expired(from, now)
    }

    fn has_expired(&self, now: Timestamp, id: PasteId) -> bool {
        self.locate(now, RowKey::of_id(id)).is_err()
    }

    fn take(&mut self, _: Timestamp, id: PasteId, reason: Reason) -> Option<Removal> {
        self.remove(RowKey::of_id(id), reason.into())
    }
}
