//! What lies under the store's lock: the pastes, whose they are, their deadlines, the tombstones and the counts.
//!
//! What it must not know: locks, threads. Whoever holds a `&mut State` holds the lock.
//! Invariants: `ledger` holds exactly the pastes, `deadlines` those that have one; `used` is the sum of the costs of
//! `pastes`, and never above `room` with what the ledger touched and what a save has claimed; no id is both kept and
//! buried; the hash table never grows. [`State::inconsistency`] recounts.
//! Nothing here panics, allocates more than a few nodes, or frees a paste: whatever leaves is handed out.

mod recount;

use std::collections::BTreeMap;
use std::hash::{BuildHasherDefault, Hasher};

use linked_hash_map::LinkedHashMap;

use super::budget::{Budget, SLOT, cost_of_data};
use super::entry::Entry;
use super::ledger::Ledger;
use super::removal_counts::RemovalCounts;
use super::tombstones::{Reason, Tombstones};
use super::{BATCH, ConsumeError, NotFound, Occupancy, UpdateError};
use crate::fairness::ClientKey;
use crate::paste::{
    Change, Counts, Deadline, PasteData, PasteId, Revision, StoredPaste, Timestamp,
};

/// Ids are random 64-bit numbers of our own making: their bits are a hash as they are. A client that knows how the
/// table works can ask for ids of its choice, but it cannot choose the ids that are kept.
#[derive(Debug, Default, Clone)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, bits: u64) {
        self.0 = bits;
    }

    /// Never called for a [`PasteId`]; right all the same.
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
}

/// What leaves the store, to be told of and freed when the lock is not held.
pub(super) type Removed = Vec<(PasteId, Entry)>;

#[derive(Debug)]
pub(super) struct State {
    /// Their order means nothing: each holder has an order of its own in the ledger.
    pastes: LinkedHashMap<PasteId, Entry, BuildHasherDefault<IdHasher>>,
    ledger: Ledger,
    /// Keyed by the id as well: two pastes may go out in the same millisecond.
    deadlines: BTreeMap<(Deadline, PasteId), ()>,
    tombstones: Tombstones,
    /// Sum of the costs of all pastes.
    used: usize,
    /// The most that `used` and what the ledger touched may be together.
    room: usize,
    /// Bytes that one save has found free or freed so far, for itself.
    claimed: usize,
    /// The most that one paste may cost: there is room for it even if the ledger was touched all over.
    largest: usize,
    departures: RemovalCounts,
    /// Entries that the table has room for, as reserved; a growth would be uncounted memory.
    reserved: usize,
    /// Whether the sweeper is to stop.
    stopping: bool,
}

impl State {
    pub(super) fn new(budget: Budget) -> Self {
        let pastes = LinkedHashMap::with_capacity_and_hasher(
            budget.table_entries(),
            BuildHasherDefault::default(),
        );
        let tombstones = Tombstones::within(budget.tombstone_bytes());
        let reserved = pastes.capacity();
        // The table is filled to seven eighths at most.
        let table = reserved / 7 * 8 * SLOT;
        let ledger = Ledger::reserved_for(budget.pastes());
        let tables = table + tombstones.bytes() + ledger.tables();
        let room = budget.bytes().saturating_sub(tables);
        let largest = room.saturating_sub((budget.pastes() + 1) * Ledger::GROWTH);
        Self {
            pastes,
            ledger,
            deadlines: BTreeMap::new(),
            tombstones,
            used: 0,
            room,
            claimed: 0,
            largest,
            departures: RemovalCounts::default(),
            reserved,
            stopping: false,
        }
    }

    pub(super) fn room(&self) -> usize {
        self.room
    }

    pub(super) fn largest(&self) -> usize {
        self.largest
    }

    pub(super) fn departures(&self) -> RemovalCounts {
        self.departures
    }

    pub(super) fn occupancy(&self) -> Occupancy {
        Occupancy {
            pastes: self.pastes.len(),
            bytes: self.charged(),
        }
    }

    /// Whether this id is in use or buried.
    pub(super) fn knows(&self, id: PasteId) -> bool {
        self.pastes.contains_key(&id) || self.tombstones.find(id).is_some()
    }

    /// The paste; counted as read if to look at it is to read it.
    pub(super) fn find(&mut self, now: Timestamp, id: PasteId) -> Result<StoredPaste, NotFound> {
        // One look-up for the usual case.
        match self.pastes.get_mut(&id) {
            Some(entry)
                if !entry.paste.deadline().has_passed(now) && entry.paste.counts_on_get() =>
            {
                entry.count_read(now);
                self.ledger.refresh(entry.row);
                Ok(entry.stored())
            }
            _ => self.peek(now, id),
        }
    }

    pub(super) fn peek(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, NotFound> {
        self.look(now, id).map(|entry| entry.stored())
    }

    pub(super) fn counts(&self, now: Timestamp, id: PasteId) -> Result<Counts, NotFound> {
        self.look(now, id).map(|entry| entry.counts(now))
    }

    /// Counts a read of what was `seen`, and gives it; takes the paste out if that was the last read it had left.
    pub(super) fn read(
        &mut self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<(StoredPaste, Option<Entry>), ConsumeError> {
        self.look(now, id)?;
        let Some(entry) = self.pastes.get_mut(&id) else {
            return Err(NotFound::Unknown.into());
        };
        if entry.paste.revision() != seen.revision() {
            return Err(ConsumeError::Changed);
        }
        let is_last = entry.count_read(now);
        let (kept, slot) = (entry.stored(), entry.row);
        if !is_last {
            self.ledger.refresh(slot);
            return Ok((kept, None));
        }
        let burned = self.remove(id, Reason::Burned);
        Ok((kept, burned.map(|(_, entry)| entry)))
    }

    fn look(&self, now: Timestamp, id: PasteId) -> Result<&Entry, NotFound> {
        match self.pastes.get(&id) {
            Some(entry) if entry.paste.deadline().has_passed(now) => {
                Err(NotFound::Gone(Reason::Expired))
            }
            Some(entry) => Ok(entry),
            None => Err(self
                .tombstones
                .find(id)
                .map_or(NotFound::Unknown, NotFound::Gone)),
        }
    }

    pub(super) fn take(
        &mut self,
        now: Timestamp,
        id: PasteId,
        reason: Reason,
    ) -> Result<Entry, NotFound> {
        self.look(now, id)?;
        let (_, entry) = self.remove(id, reason).ok_or(NotFound::Unknown)?;
        Ok(entry)
    }

    /// Takes pastes out until `cost` more bytes of this holder fit, at most a batch of them, into `leaving`: first what
    /// is past its deadline, then what the ledger names. Says whether they fit now.
    pub(super) fn make_room(
        &mut self,
        now: Timestamp,
        holder: ClientKey,
        cost: usize,
        leaving: &mut Removed,
    ) -> bool {
        while !self.fits(cost) && leaving.len() < BATCH {
            let gone = self.pop_due(now);
            let Some(gone) = gone.or_else(|| self.pop_next_to_give(holder, cost)) else {
                break;
            };
            leaving.push(gone);
        }
        self.fits(cost)
    }

    /// Keeps what is free by now for one save, until [`State::disclaim`].
    pub(super) fn claim(&mut self) {
        self.claimed = self.room - self.charged();
    }

    /// Gives up what was claimed.
    pub(super) fn disclaim(&mut self) {
        self.claimed = 0;
    }

    /// Keeps a holder's paste of this cost, for which there is room, under an id that is not known; says whether its
    /// deadline is now the next to come.
    pub(super) fn insert(
        &mut self,
        holder: ClientKey,
        id: PasteId,
        kept: PasteData,
        cost: usize,
    ) -> bool {
        debug_assert!(
            self.fits(cost) && !self.knows(id),
            "the caller made room and chose a free id"
        );
        let deadline = kept.deadline();
        self.used += cost;
        let slot = self.ledger.enter(holder, id, cost);
        self.pastes.insert(id, Entry::new(kept, slot));
        self.index(id, deadline)
    }

    /// Changes a paste if there is room for what it costs then, makes room otherwise, at most a batch at a time. Says
    /// whether its deadline is now the next to come; none if there is no room yet.
    ///
    /// Meanwhile the ledger does not know it, as if it were only being saved: it cannot be what makes room, and weighs
    /// as its holder's all the same.
    pub(super) fn change(
        &mut self,
        now: Timestamp,
        id: PasteId,
        (change, revision): (&Change, Revision),
        leaving: &mut Removed,
    ) -> Result<Option<bool>, UpdateError> {
        let entry = self.look(now, id)?;
        let slot = entry.row;
        if change.of.is_some_and(|of| of != entry.paste.saved()) {
            return Err(UpdateError::Other);
        }
        let changed = entry.paste.changed(change, revision, now);
        let (before, after) = (cost_of_data(&entry.paste), cost_of_data(&changed));
        if after > self.largest {
            return Err(UpdateError::TooLarge);
        }
        let holder = self.ledger.holder(slot);
        self.used -= before;
        self.ledger.strike(slot, before);
        let has_room = self.make_room(now, holder, after, leaving);
        let cost = if has_room { after } else { before };
        self.used += cost;
        let slot = self.ledger.enter(holder, id, cost);
        let Some(entry) = self.pastes.get_mut(&id) else {
            return Err(NotFound::Unknown.into());
        };
        entry.row = slot;
        if !has_room {
            return Ok(None);
        }
        let later = changed.deadline();
        let former = std::mem::replace(&mut entry.paste, changed);
        self.deadlines.remove(&(former.deadline(), id));
        leaving.push((id, Entry::new(former, slot)));
        Ok(Some(self.index(id, later)))
    }

    /// Enters a deadline; says whether it is the next to come.
    fn index(&mut self, id: PasteId, deadline: Deadline) -> bool {
        if deadline.timestamp().is_none() {
            return false;
        }
        let is_next = self
            .deadlines
            .first_key_value()
            .is_none_or(|((next, _), ())| deadline < *next);
        self.deadlines.insert((deadline, id), ());
        is_next
    }

    /// Takes out what is past its deadline, at most a batch.
    pub(super) fn sweep(&mut self, now: Timestamp, leaving: &mut Removed) {
        while leaving.len() < BATCH {
            let Some(gone) = self.pop_due(now) else {
                break;
            };
            leaving.push(gone);
        }
    }

    pub(super) fn next_deadline(&self) -> Option<Timestamp> {
        self.deadlines
            .first_key_value()
            .and_then(|((deadline, _), ())| deadline.timestamp())
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping
    }

    pub(super) fn stop(&mut self) {
        self.stopping = true;
    }

    /// Whether a paste of this cost fits, though it be the first of its holder and its network.
    fn fits(&self, cost: usize) -> bool {
        cost + Ledger::GROWTH + self.claimed <= self.room - self.charged()
    }

    fn charged(&self) -> usize {
        self.used + self.ledger.touched()
    }

    fn pop_due(&mut self, now: Timestamp) -> Option<(PasteId, Entry)> {
        let ((deadline, id), ()) = self.deadlines.first_key_value()?;
        let (due, id) = (deadline.has_passed(now), *id);
        if due {
            self.remove(id, Reason::Expired)
        } else {
            None
        }
    }

    fn pop_next_to_give(&mut self, saver: ClientKey, incoming: usize) -> Option<(PasteId, Entry)> {
        let id = self.ledger.next_to_give(saver, incoming)?;
        self.remove(id, Reason::Evicted)
    }

    /// `LinkedHashMap::remove` would park the node on a free list for ever; moved to the end and popped, it is freed.
    fn remove(&mut self, id: PasteId, reason: Reason) -> Option<(PasteId, Entry)> {
        self.pastes.get_refresh(&id)?;
        let (id, entry) = self.pastes.pop_back()?;
        let cost = cost_of_data(&entry.paste);
        self.used -= cost;
        self.ledger.strike(entry.row, cost);
        self.deadlines.remove(&(entry.paste.deadline(), id));
        self.tombstones.bury(id, reason);
        self.departures.count(reason);
        Some((id, entry))
    }
}
