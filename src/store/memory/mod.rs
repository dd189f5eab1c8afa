//! The memory tier: pastes in memory, within an exact budget.
//!
//! Invariants:
//! - The charge never exceeds the budget, not by one paste. Reading allocates only what was charged when the paste was
//!   saved, so no reader evicts a paste.
//! - A paste is gone from its deadline on, whether swept or not. A removed paste leaves every index in the same lock hold.
//! - Of any number of concurrent calls of `remove` exactly one gets the paste. A paste that may be read `n` times is read
//!   exactly `n` times.
//! - No client loses a paste to another client's save while a heavier client has one to give.
//! - A save that needs several batches claims the free room between its lock holds, so each hold brings it nearer to its
//!   end whatever other saves do. One save at a time has a claim, or two could wait for each other's.
//!
//! Cost: one mutex, held for map work alone. Operations are O(log n); at most [`BATCH`] pastes are removed in one lock hold;
//! removed pastes are freed after the lock is released.
//! Why a mutex and not a reader-writer lock: a read moves the paste to the end of the order of use, so every read
//! writes.

mod allocation;
mod budget;
mod entry;
mod ledger;
mod state;
mod sweeper;
mod tombstones;

pub use allocation::PAGES_FROM;
pub use budget::{Budget, cost_of};
pub use sweeper::Sweeper;

use std::fmt;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::{
    ConsumeError, Consumed, InsertError, NotFound, Occupancy, Reason, RemovalCounts, RemovalHook,
    UpdateError,
};
use crate::fairness::ClientKey;
use crate::paste::{Change, Counts, PasteId, ReadsLeft, Revision, StoredPaste, Timestamp};
use state::{BATCH, Removed, State};

/// The store. Shared by reference; every method takes the lock itself.
pub struct Store {
    /// Handed on fairly between the batches of a long operation. Otherwise the worker would take the lock again before a
    /// waiting thread wakes, for milliseconds on end.
    state: Mutex<State>,
    /// Held by the save that has a claim. Taken before the state, never while holding it.
    claim: Mutex<()>,
    /// Wakes the sweeper: the next deadline came nearer, or the sweeper is to stop.
    deadline_changed: Condvar,
    /// Bytes that pastes may cost together: the budget without the tables.
    room: usize,
    /// Bytes that one paste may cost.
    largest: usize,
    removal_hook: RemovalHook,
}

impl Store {
    /// An empty store with this budget. Its tables are reserved.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self::with_removal_hook(budget, Box::new(|_| ()))
    }

    /// An empty store with this budget, which calls the hook for every removed or updated paste.
    #[must_use]
    pub fn with_removal_hook(budget: Budget, removal_hook: RemovalHook) -> Self {
        let state = State::new(budget);
        Self {
            room: state.room(),
            largest: state.largest(),
            state: Mutex::new(state),
            claim: Mutex::new(()),
            deadline_changed: Condvar::new(),
            removal_hook,
        }
    }

    /// Stores the paste under this id and makes room for it.
    ///
    /// Expired pastes make room first. Then the heaviest network gives, in it the heaviest client, of that the least
    /// recently read paste. The new paste counts as its client's already; a client that has nothing to give is passed
    /// over.
    ///
    /// # Errors
    /// If the id is taken, or the paste costs more than [`Store::largest`].
    pub fn insert(
        &self,
        now: Timestamp,
        client: ClientKey,
        id: PasteId,
        paste: impl Into<StoredPaste>,
    ) -> Result<(), InsertError> {
        let paste = paste.into();
        let cost = cost_of(&paste);
        if cost > self.largest {
            return Err(InsertError::TooLarge);
        }
        let mut paste = Some(paste.into_data());
        let is_next = self.with_room(|state, removed| {
            if state.knows(id) {
                return Some(Err(InsertError::IdTaken));
            }
            let fits = state.make_room(now, client, cost, removed);
            let paste = paste.take_if(|_| fits)?;
            Some(Ok(state.insert(client, id, paste, cost)))
        })?;
        if is_next {
            self.deadline_changed.notify_one();
        }
        Ok(())
    }

    /// Changes a paste, which gets this revision unless its expiry alone changes. Its token, its counts and its client
    /// stay. Room is made for it as for [`Store::insert`].
    ///
    /// # Errors
    /// If there is no paste, or not the content that may be changed, or it would cost more than [`Store::largest`].
    pub fn update(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
        revision: Revision,
    ) -> Result<(), UpdateError> {
        let is_next = self.with_room(|state, removed| {
            let updated = state.update(now, id, (change, revision), removed);
            updated.transpose()
        })?;
        if is_next {
            self.deadline_changed.notify_one();
        }
        Ok(())
    }

    /// Attempts something that needs room until it succeeds. An attempt without enough room removes a batch of pastes;
    /// the freed room is claimed between the attempts, so each is nearer to the end.
    fn with_room<T>(&self, mut attempt: impl FnMut(&mut State, &mut Removed) -> Option<T>) -> T {
        let mut removed = Vec::new();
        let mut claim = None;
        loop {
            let mut state = self.lock();
            if claim.is_some() {
                state.disclaim();
            }
            if let Some(done) = attempt(&mut state, &mut removed) {
                drop(state);
                self.release(&mut removed);
                return done;
            }
            if claim.is_some() {
                state.claim();
            }
            MutexGuard::unlock_fair(state);
            // Between two lock holds, while other threads have their turn.
            self.release(&mut removed);
            claim.get_or_insert_with(|| self.claim.lock());
        }
    }

    /// The paste. If a GET counts as a read of it, the read is counted and the paste becomes the most recently read of its
    /// client; otherwise the call leaves no trace.
    ///
    /// # Errors
    /// If there is no paste.
    pub fn get(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, NotFound> {
        self.lock().get(now, id)
    }

    /// The paste. The call leaves no trace.
    ///
    /// # Errors
    /// If there is no paste.
    pub fn peek(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, NotFound> {
        self.lock().peek(now, id)
    }

    /// The reads of the paste by hour and day.
    ///
    /// # Errors
    /// If there is no paste.
    pub fn counts(&self, now: Timestamp, id: PasteId) -> Result<Counts, NotFound> {
        self.lock().counts(now, id)
    }

    /// Counts a read of the revision that was `seen` and returns the paste, whatever its access is. If that was the last
    /// read that was left, the paste burns in the same step.
    ///
    /// # Errors
    /// If there is no paste, or it has another revision.
    pub fn consume(
        &self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<Consumed, ConsumeError> {
        let (paste, burned) = self.lock().consume(now, id, seen)?;
        let left = match burned {
            Some(_) => {
                (self.removal_hook)(id);
                Some(0)
            }
            None => paste.access().reads_left().map(ReadsLeft::get),
        };
        Ok(Consumed {
            paste: paste.into_paste(),
            left,
        })
    }

    /// Removes the paste for this reason and returns it, in one step.
    ///
    /// # Errors
    /// If there is no paste.
    pub fn remove(
        &self,
        now: Timestamp,
        id: PasteId,
        reason: Reason,
    ) -> Result<StoredPaste, NotFound> {
        let removed = self.lock().remove(now, id, reason)?;
        (self.removal_hook)(id);
        Ok(removed.stored())
    }

    /// Removes all expired pastes, at most [`BATCH`] in one lock hold. Returns how many they were.
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

    /// How many pastes were removed since the start, by reason.
    #[must_use]
    pub fn removal_counts(&self) -> RemovalCounts {
        self.lock().removal_counts()
    }

    /// How full the store is.
    #[must_use]
    pub fn occupancy(&self) -> Occupancy {
        self.lock().occupancy()
    }

    /// Bytes that pastes may cost together.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room
    }

    /// Bytes that one paste may cost.
    #[must_use]
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// Recounts every index and compares it with the pastes. For tests, since it walks everything.
    ///
    /// # Panics
    /// If an index is wrong.
    pub fn validate(&self) {
        let found = self.lock().inconsistency();
        assert_eq!(found, None, "the store's indexes disagree");
    }

    /// Frees removed pastes and calls the hook for each. The lock must not be held.
    fn release(&self, removed: &mut Removed) {
        for (id, _) in removed.drain(..) {
            (self.removal_hook)(id);
        }
    }

    /// Blocks until `pause` has passed and the next deadline has come, or until the sweeper is to stop. Returns whether to
    /// go on.
    fn wait_for_deadline(&self, clock: &impl Fn() -> Timestamp, pause: Duration) -> bool {
        let mut state = self.lock();
        if !state.is_stopping() {
            match state.next_deadline() {
                Some(next) => {
                    let wait = next.since(clock()).max(pause);
                    self.deadline_changed.wait_for(&mut state, wait);
                }
                None => self.deadline_changed.wait(&mut state),
            }
        }
        !state.is_stopping()
    }

    fn stop_sweeping(&self) {
        self.lock().stop();
        self.deadline_changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("room", &self.room)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
