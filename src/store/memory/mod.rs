//! The memory tier keeps pastes in memory, within an exact budget.
//!
//! Invariants:
//! - The charge never exceeds the budget. A read allocates only memory that was charged when the paste was saved, so a
//!   read never evicts a paste.
//! - A paste cannot be read from its deadline on, even if the sweeper did not remove it yet. A removal clears every
//!   index while the lock is held.
//! - If several threads call `remove` for a paste, exactly one of them gets it. A paste that may be read `n` times is
//!   read at most `n` times.
//! - In a network, a save never evicts a paste of a lighter client while a heavier client has a paste to evict. Between
//!   networks the same holds.
//! - A save that must evict several batches of pastes reserves the room freed so far, so other saves cannot take it.
//!   Only one save at a time may hold such a reservation: two could wait for each other.
//!
//! Cost: one mutex protects the state. It is held only for work on maps, and operations take O(log n). At most
//! [`BATCH`] pastes are removed while it is held. Removed pastes are freed after the lock is released.
//! Why a mutex and not a reader-writer lock: most reads move the paste to the end of the order of use. So a read is
//! also a write.

mod budget;
mod owners;
mod state;
mod sweeper;

pub use budget::{Budget, cost_of};
pub(super) use budget::{SLOT, cost_of_data};
pub use sweeper::Sweeper;

use std::sync::Arc;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::error::refuse_other;
use super::evicting::{BATCH, Evicting};
use super::listed::outlined;
use super::moderation::Moderation;
use super::{
    Consumed, ListPage, ModerationChange, Occupancy, Reason, Receipt, RemovalHook, Saver, Share,
    StoreError, StoreStats, Tier, Unnamed,
};
use crate::byte_size::ByteSize;
#[cfg(test)]
use crate::fairness::ClientKey;
use crate::paste::{
    Change, Counts, PasteId, ReadsLeft, Revision, StoredPaste, Timestamp, TokenHash,
};
use state::{Removed, State};

/// The memory tier. Threads share it by reference; every method takes the lock itself.
pub struct Store {
    /// The lock and the state that it protects. A long operation releases the lock fairly between its batches.
    /// Otherwise its thread would take the lock again and again, for milliseconds, before a waiting thread gets it.
    state: Mutex<State>,
    /// A save holds this lock while it has a reservation of room. This lock is taken before that of the state, never
    /// while the state is locked.
    reservation: Mutex<()>,
    /// Wakes the sweeper when the next deadline became earlier, or when the sweeper should stop.
    deadline_changed: Condvar,
    removal_hook: RemovalHook,
    moderation: Arc<Moderation>,
}

impl Store {
    /// Makes an empty store with this budget and reserves its tables. It calls the hook for every removed or updated
    /// paste.
    pub fn new(budget: Budget, removal_hook: RemovalHook) -> Self {
        let moderation = Arc::<Moderation>::default();
        let state = State::new(budget, Arc::clone(&moderation));
        Self {
            state: Mutex::new(state),
            reservation: Mutex::new(()),
            deadline_changed: Condvar::new(),
            removal_hook,
            moderation,
        }
    }

    /// Stores the paste under this id. Other pastes are removed if there is not enough room.
    ///
    /// Expired pastes are removed first, except those that expired in the present second. Then the heaviest client of
    /// the heaviest network loses its least recently read paste. The new paste already counts for its own client.
    /// Clients without a paste are skipped.
    ///
    /// # Errors
    /// Fails if the id is taken, or reserved because a paste with its slug ended within a day, or if the paste costs
    /// more than one may.
    pub fn insert(
        &self,
        now: Timestamp,
        saver: Saver,
        id: PasteId,
        paste: StoredPaste,
    ) -> Result<(), StoreError> {
        let paste = saver.sign(paste.into_data());
        let (client, has_slug) = (saver.client, paste.has_slug());
        let cost = cost_of_data(&paste);
        let mut paste = Some(paste);
        self.with_room(|state, removed| {
            state.refuse(now, id, has_slug, cost)?;
            let fits = state.make_room(now, client, cost, removed);
            let paste = paste.take_if(|_| fits);
            Ok(paste.map(|paste| state.insert(client, id, paste, cost)))
        })
    }

    /// Changes a paste. The paste gets this revision, unless only its expiry changes. Its token, its counts and its
    /// client do not change. Other pastes are removed to make room, as in [`Store::insert`].
    ///
    /// # Errors
    /// Fails if there is no paste, if its content was replaced meanwhile, or if it would cost more than one
    /// may.
    pub fn update(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
        revision: Revision,
    ) -> Result<(), StoreError> {
        loop {
            let seen = self.peek(now, id)?;
            refuse_other(change, seen.data())?;
            // The outline is made without the lock.
            let changed = outlined(seen.data().changed(change, revision, now));
            match self.with_room(|state, removed| state.update(now, id, &seen, &changed, removed)) {
                Err(StoreError::Changed) => {}
                updated => return updated,
            }
        }
    }

    /// Repeats an attempt until it finds enough room. An attempt that does not find enough room removes a batch of
    /// pastes and returns `None`. The freed room is reserved between attempts, so each attempt starts with more.
    fn with_room(
        &self,
        mut attempt: impl FnMut(&mut State, &mut Removed) -> Result<Option<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let mut removed = Vec::with_capacity(1); // So a save that evicts a paste allocates no place under the lock.
        let mut reservation = None;
        loop {
            let mut state = self.lock();
            if reservation.is_some() {
                state.reserved_room = 0;
            }
            let before = state.ledger.next_sweep();
            if let Some(done) = attempt(&mut state, &mut removed).transpose() {
                let after = state.ledger.next_sweep();
                drop(state);
                if after.is_some_and(|after| before.is_none_or(|before| after < before)) {
                    self.deadline_changed.notify_one();
                }
                self.release(&mut removed);
                return done;
            }
            if reservation.is_some() {
                // All that is free now.
                state.reserved_room = state.room - state.ledger.charged();
            }
            MutexGuard::unlock_fair(state);
            // The removed pastes are freed while other threads may take the lock.
            self.release(&mut removed);
            reservation.get_or_insert_with(|| self.reservation.lock());
        }
    }

    /// Returns the paste. For an open paste that is not a short link, this counts a read. The paste then becomes the
    /// most recently read paste of its client. A read of any other paste changes nothing.
    ///
    /// # Errors
    /// Fails if there is no paste.
    pub fn get(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        self.lock().get(now, id)
    }

    /// Returns the paste without counting a read. Nothing changes.
    ///
    /// # Errors
    /// Fails if there is no paste.
    pub fn peek(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, StoreError> {
        self.lock().find(now, id).map(|entry| entry.stored())
    }

    /// Returns how often the paste was read, by hour and by day.
    ///
    /// # Errors
    /// Fails if there is no paste.
    pub fn counts(&self, now: Timestamp, id: PasteId) -> Result<Counts, StoreError> {
        let state = self.lock();
        state.find(now, id).map(|entry| entry.reads.counts())
    }

    /// Returns a page of at most `most` pastes of the owner, those before the cursor.
    pub fn list(
        &self,
        now: Timestamp,
        owner: &TokenHash,
        before: Option<u64>,
        most: usize,
    ) -> ListPage {
        self.lock().list(now, *owner, before, most)
    }

    /// Returns pastes of a network, at most this many, without their ids.
    pub(super) fn unnamed(&self, network: u64, most: usize) -> Vec<Unnamed> {
        self.lock().unnamed(network, most)
    }

    /// Counts a read and returns the paste, for every kind of access. `seen` is the version that the caller looked at.
    /// If this was the last allowed read, the paste is removed under the same lock.
    ///
    /// # Errors
    /// Fails if there is no paste, or if its revision is not that of `seen`.
    pub fn consume(
        &self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<Consumed, StoreError> {
        let (paste, burned) = self.lock().consume(now, id, seen)?;
        let left = match burned {
            Some(_) => {
                self.has_left(id);
                Some(0)
            }
            None => paste.access().reads_left().map(ReadsLeft::get),
        };
        Ok(Consumed {
            paste: paste.into_paste(),
            left,
        })
    }

    /// Removes the paste under one lock. The reason is counted and kept in a tombstone.
    ///
    /// # Errors
    /// Fails if there is no paste.
    pub fn remove(&self, now: Timestamp, id: PasteId, reason: Reason) -> Result<(), StoreError> {
        let removed = self.lock().remove(now, id, reason)?;
        drop(removed);
        self.has_left(id);
        Ok(())
    }

    /// Removes pastes of a network, at most a batch. Returns how many: none if it has no more.
    pub(super) fn remove_of(&self, now: Timestamp, network: u64, reason: Reason) -> usize {
        let mut removed = self.lock().remove_of(now, network, reason);
        let count = removed.len();
        self.release(&mut removed);
        count
    }

    /// Returns the receipt of a paste that was removed.
    pub(in crate::store) fn receipt(&self, id: PasteId) -> Receipt {
        self.lock().ledger.tombstones.receipt(id)
    }

    /// Removes all expired pastes and returns how many there were. At most [`BATCH`] are removed each time the lock is
    /// held.
    pub fn sweep(&self, now: Timestamp) -> usize {
        let mut swept = 0;
        let mut removed = Vec::new();
        loop {
            let mut state = self.lock();
            state.sweep(now, &mut removed);
            MutexGuard::unlock_fair(state);
            let batch = removed.len();
            self.release(&mut removed);
            swept += batch;
            if batch < BATCH {
                return swept;
            }
        }
    }

    /// Returns whether there is such a paste.
    pub(in crate::store) fn is_stored(&self, now: Timestamp, id: PasteId) -> bool {
        self.lock().find(now, id).is_ok()
    }

    /// Changes the list of blocked contents or of reports. Returns false if it was as wanted already.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if the change was refused.
    pub(in crate::store) fn moderate(
        &self,
        now: Timestamp,
        change: &ModerationChange,
    ) -> Result<bool, StoreError> {
        let rows = self.moderation.apply(change, |id| id)?;
        // A paste that is removed after this look takes its reports along.
        if let ModerationChange::Report(report) = change
            && let Err(gone) = self.peek(now, report.paste)
        {
            self.moderation.forget(report.paste);
            return Err(gone);
        }
        Ok(!rows.is_empty())
    }

    /// Returns the lists of blocked contents and of reports.
    pub(in crate::store) fn moderation(&self) -> &Moderation {
        &self.moderation
    }

    /// Frees removed pastes and calls the hook for each. The caller must not hold the lock.
    fn release(&self, removed: &mut Removed) {
        for (id, _) in removed.drain(..) {
            self.has_left(id);
        }
    }

    /// Calls the hook for a paste that was removed or changed, and forgets the reports about a removed one. The caller
    /// must not hold the lock.
    fn has_left(&self, id: PasteId) {
        (self.removal_hook)(id);
        if self.moderation.has_reports_about(id) && !self.is_stored(Timestamp::default(), id) {
            self.moderation.forget(id);
        }
    }

    /// Blocks until the next sweep is due. An earlier deadline or a stop ends the wait sooner. Returns false if the
    /// sweeper should stop.
    fn wait_for_deadline(&self, clock: &impl Fn() -> Timestamp) -> bool {
        let mut state = self.lock();
        if !state.is_stopping {
            match state.ledger.next_sweep() {
                Some(next) => {
                    let wait = next.since(clock());
                    self.deadline_changed.wait_for(&mut state, wait);
                }
                None => self.deadline_changed.wait(&mut state),
            }
        }
        !state.is_stopping
    }

    fn stop_sweeping(&self) {
        self.lock().is_stopping = true;
        self.deadline_changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Tier for Store {
    fn loads(&self) -> bool {
        false
    }

    fn must_load(&self, _: PasteId) -> bool {
        false
    }

    fn is_current(&self, now: Timestamp, id: PasteId, revision: Revision) -> bool {
        let found = self.peek(now, id);
        found.is_ok_and(|stored| stored.revision() == revision)
    }

    fn count_read(&self, now: Timestamp, id: PasteId) {
        let _ = self.get(now, id);
    }

    fn stats(&self, now: Timestamp) -> StoreStats {
        self.lock().stats(now)
    }

    fn heaviest(&self, most: usize) -> Vec<u64> {
        self.lock().ledger.heaviest(most)
    }

    fn share(&self, network: u64) -> Option<Share> {
        Some(self.lock().ledger.share(network))
    }

    fn validate(&self) {
        let found = self.lock().inconsistency();
        assert_eq!(found, None, "the store's indexes disagree");
    }

    fn close(&self) {
        self.stop_sweeping();
        let Occupancy { pastes, bytes } = self.occupancy();
        let used = ByteSize(bytes).rounded_up().to_string();
        tracing::info!(pastes, used, "stopped: the pastes in memory are lost");
    }
}

#[cfg(test)]
mod tests;
