//! The state under the store's lock: the map of stored pastes, and the ledger.
//!
//! A caller with a `&mut State` holds the lock.
//! Invariants: the ledger has exactly the stored pastes. The bytes that the ledger charges and `reserved_room` never
//! exceed `room` together. No id has both a paste and a tombstone. The hash table never grows. [`State::inconsistency`]
//! checks all this.
//! Cost: each operation allocates at most a few nodes. No operation frees a paste: removed pastes are returned, so that
//! the caller frees them without the lock.

mod recount;

use std::hash::BuildHasherDefault;
use std::sync::Arc;
use std::time::Duration;

use linked_hash_map::LinkedHashMap;

use super::budget::{Budget, SLOT, cost_of_data};
use super::owners::Owners;
use crate::fairness::ClientKey;
use crate::paste::{PasteData, PasteId, StoredPaste, Timestamp, TokenHash};
use crate::store::entry::Entry;
use crate::store::evicting::Evicting;
use crate::store::id_hasher::IdHasher;
use crate::store::ledger::Ledger;
use crate::store::moderation::Moderation;
use crate::store::{
    End, ListPage, Listed, Occupancy, Reason, StoreError, StoreStats, Summary, TierUsage, Unnamed,
};

/// Removed pastes. The caller frees them after it released the lock.
pub(super) type Removed = Vec<(PasteId, Entry)>;

pub(super) struct State {
    /// The stored pastes by id, from the least to the most recently used. The ledger chooses the pastes to evict,
    /// fairly between clients. A tier on disk would use this order to choose the pastes that leave memory.
    pastes: LinkedHashMap<PasteId, Entry, BuildHasherDefault<IdHasher>>,
    pub(super) ledger: Ledger,
    owners: Owners,
    /// It keeps the ids of slugs reserved.
    moderation: Arc<Moderation>,
    /// The maximum sum of the bytes that the ledger charges and `reserved_room`.
    pub(super) room: usize,
    /// Bytes reserved for one save that needs several batches. Other saves cannot use them.
    pub(super) reserved_room: usize,
    /// The maximum cost of one paste. It fits even if the ledger's slabs have grown to their full size.
    pub(super) largest: usize,
    /// Whether the map keeps the node of a removed paste for the next one.
    has_spare_node: bool,
    /// The number of entries reserved in the hash table. If the table grew, it would take uncounted memory.
    reserved: usize,
    /// True once the sweeper should stop.
    pub(super) is_stopping: bool,
}

impl State {
    pub(super) fn new(budget: Budget, moderation: Arc<Moderation>) -> Self {
        let pastes = LinkedHashMap::with_capacity_and_hasher(
            budget.table_entries(),
            BuildHasherDefault::default(),
        );
        let reserved = pastes.capacity();
        // At most seven eighths of the slots of a hash table are used.
        let table = reserved / 7 * 8 * SLOT;
        let ledger = Ledger::reserved_for(budget.pastes(), budget.bytes() / 32);
        let room = budget
            .bytes()
            .saturating_sub(table + Ledger::ROOTS + ledger.tombstones.bytes() + Owners::ROOT);
        let slabs = budget.pastes() * (Ledger::ROW + Ledger::ACCOUNT);
        let largest = room.saturating_sub(slabs + Ledger::GROWTH);
        Self {
            pastes,
            ledger,
            owners: Owners::default(),
            moderation,
            room,
            reserved_room: 0,
            has_spare_node: false,
            largest,
            reserved,
            is_stopping: false,
        }
    }

    pub(super) fn stats(&self, now: Timestamp) -> StoreStats {
        let used = Occupancy {
            pastes: self.pastes.len(),
            bytes: self.ledger.charged(),
        };
        let next = self.ledger.next_sweep();
        StoreStats {
            memory: TierUsage {
                used,
                room: self.room,
            },
            disk: None,
            engine: None,
            removed: self.ledger.removal_counts,
            overdue: next.map_or(Duration::ZERO, |due| now.since(due)),
        }
    }

    /// Refuses a new paste that costs too much, or that cannot have this id. A random id is not used again while its
    /// tombstone is known. That of a slug is used again once it is not reserved any more.
    pub(super) fn refuse(
        &self,
        now: Timestamp,
        id: PasteId,
        has_slug: bool,
        cost: usize,
    ) -> Result<(), StoreError> {
        let is_reserved = || match has_slug {
            true => self.moderation.is_reserved(now, id),
            false => self.ledger.tombstones.find(id).is_some(),
        };
        if cost > self.largest {
            return Err(StoreError::TooLarge(self.largest));
        }
        match self.pastes.contains_key(&id) || is_reserved() {
            true => Err(StoreError::IdTaken),
            false => Ok(()),
        }
    }

    /// Returns the paste. For an open paste that is not a short link, this counts a read.
    pub(super) fn get(&mut self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        let entry = self.find(now, id)?;
        if !entry.paste.counts_on_get() {
            return Ok(entry.stored());
        }
        let entry = self.refresh(id)?;
        entry.count_read(now);
        Ok(entry.stored())
    }

    /// Makes the paste the most recently used one and returns its entry.
    fn refresh(&mut self, id: PasteId) -> Result<&mut Entry, StoreError> {
        let entry = self.pastes.get_refresh(&id).ok_or(StoreError::NotFound)?;
        self.ledger.refresh(entry.row);
        Ok(entry)
    }

    /// Returns a page of at most this many pastes of the owner, those before the cursor.
    pub(super) fn list(
        &self,
        now: Timestamp,
        owner: TokenHash,
        before: Option<u64>,
        most: usize,
    ) -> ListPage {
        let mut listed = self.owners.list(owner, before);
        let (mut page, mut last) = (ListPage::default(), None);
        for (place, id) in listed.by_ref().take(most) {
            last = Some(place);
            page.pastes
                .extend(self.find(now, id).ok().map(|entry| Listed {
                    id,
                    slug: entry.paste.owned.as_ref().and_then(|it| it.slug.clone()),
                    summary: Summary::of(&entry.paste),
                    access: entry.paste.access,
                    deadline: entry.paste.deadline,
                    reads: entry.total,
                }));
        }
        page.next = last.filter(|_| listed.next().is_some());
        page
    }

    /// Returns pastes of a network, at most this many.
    pub(super) fn unnamed(&self, network: u64, most: usize) -> Vec<Unnamed> {
        let rows = self.ledger.rows_of(network, most).into_iter();
        let unnamed = rows.filter_map(|row| {
            let entry = self.pastes.get(&self.ledger.id(row))?;
            Some(Unnamed {
                bytes: self.ledger.cost(row),
                saved: entry.paste.saved(),
                access: entry.paste.access,
                reads: entry.total,
            })
        });
        unnamed.collect()
    }

    /// Counts a read and returns the paste. `seen` is the version that the caller looked at. If this was the last
    /// allowed read, the paste is removed and its entry is returned too.
    pub(super) fn consume(
        &mut self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<(StoredPaste, Option<Entry>), StoreError> {
        if self.find(now, id)?.paste.revision != seen.revision() {
            return Err(StoreError::Changed);
        }
        let entry = self.refresh(id)?;
        let is_last = entry.count_read(now);
        let paste = entry.stored();
        if !is_last {
            return Ok((paste, None));
        }
        let burned = self.take(now, id, Reason::Burned);
        Ok((paste, burned.map(|(_, entry)| entry)))
    }

    /// Returns a paste that has not expired.
    pub(super) fn find(&self, now: Timestamp, id: PasteId) -> Result<&Entry, StoreError> {
        match self.pastes.get(&id) {
            Some(entry) if entry.paste.deadline.has_passed(now) => {
                Err(StoreError::Gone(Reason::Expired))
            }
            Some(entry) => Ok(entry),
            None => {
                let reason = self.ledger.tombstones.find(id);
                Err(reason.map_or(StoreError::NotFound, StoreError::Gone))
            }
        }
    }

    pub(super) fn remove(
        &mut self,
        now: Timestamp,
        id: PasteId,
        reason: Reason,
    ) -> Result<Entry, StoreError> {
        self.find(now, id)?;
        let removed = self.take(now, id, reason);
        removed.map(|(_, entry)| entry).ok_or(StoreError::NotFound)
    }

    /// Stores a paste of this cost. The id must be free and the cost must fit.
    pub(super) fn insert(&mut self, client: ClientKey, id: PasteId, paste: PasteData, cost: usize) {
        debug_assert!(
            self.fits(cost) && !self.pastes.contains_key(&id),
            "the caller made room and chose a free id"
        );
        if paste.has_slug() {
            self.ledger.tombstones.forget(id);
        }
        let row = self
            .ledger
            .insert(client, id, cost, paste.deadline, paste.saved());
        let paste = self.owners.insert(id, paste);
        self.pastes.insert(id, Entry::new(paste, row));
        self.has_spare_node = false;
    }

    /// Removes other pastes, at most a batch, until the changed paste fits, and then replaces the one that the caller
    /// saw. Returns `None` if the changed paste does not fit yet. The reads left do not change.
    ///
    /// Meanwhile the paste is not in the ledger, so that it is not itself chosen for eviction. Its new cost still
    /// counts for its client.
    pub(super) fn update(
        &mut self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
        changed: &PasteData,
        removed: &mut Removed,
    ) -> Result<Option<()>, StoreError> {
        let entry = self.find(now, id)?;
        let row = entry.row;
        let former = &entry.paste;
        if (former.revision, former.deadline) != (seen.revision(), seen.deadline()) {
            return Err(StoreError::Changed);
        }
        let (before, after) = (cost_of_data(former), cost_of_data(changed));
        if after > self.largest {
            return Err(StoreError::TooLarge(self.largest));
        }
        let former = former.deadline;
        let client = self.ledger.client(row);
        self.ledger.withdraw(row);
        let has_room = self.make_room(now, client, after, removed);
        let (cost, deadline) = match has_room {
            true => (after, changed.deadline),
            false => (before, former),
        };
        let saved = changed.saved();
        let row = self.ledger.insert(client, id, cost, deadline, saved);
        let entry = self.pastes.get_refresh(&id).ok_or(StoreError::NotFound)?;
        entry.row = row;
        if !has_room {
            return Ok(None);
        }
        let mut changed = changed.clone();
        changed.access = entry.paste.access;
        let former = std::mem::replace(&mut entry.paste, changed);
        removed.push((id, Entry::new(former, row)));
        Ok(Some(()))
    }
}

impl Evicting for State {
    type Removed = (PasteId, Entry);

    fn ledger(&mut self) -> &mut Ledger {
        &mut self.ledger
    }

    fn fits(&self, cost: usize) -> bool {
        cost + Ledger::GROWTH + self.reserved_room <= self.room - self.ledger.charged()
    }

    fn next_expired(&self, now: Timestamp) -> Option<PasteId> {
        self.ledger.next_expired(Timestamp::default(), now)
    }

    fn has_expired(&self, now: Timestamp, id: PasteId) -> bool {
        let entry = self.pastes.get(&id);
        entry.is_some_and(|entry| entry.paste.deadline.has_passed(now))
    }

    /// Removes a paste from every index, and reserves the id of its slug. Returns `None` if there is no paste with this
    /// id.
    ///
    /// `LinkedHashMap::remove` keeps the node for the next insertion, so that a save that evicts neither allocates nor
    /// frees a node under the lock. The map would keep any number of nodes for ever, so it gets only one. `pop_back`
    /// frees a node, once the paste was moved to the end.
    fn take(&mut self, now: Timestamp, id: PasteId, reason: Reason) -> Option<(PasteId, Entry)> {
        let entry = if self.has_spare_node {
            self.pastes.get_refresh(&id)?;
            self.pastes.pop_back()?.1
        } else {
            self.pastes.remove(&id)?
        };
        self.has_spare_node = true;
        let end = End::of(&entry.stored(), now, reason);
        self.ledger.bury(id, end);
        self.ledger.withdraw(entry.row);
        self.owners.remove(&entry.paste);
        if let Some(owned) = entry.paste.owned.as_ref().filter(|it| it.slug.is_some()) {
            self.moderation.reserve(now, id, *owned.by.bytes(), reason);
        }
        Some((id, entry))
    }
}
