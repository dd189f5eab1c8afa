//! The store: where pastes are kept, in memory, within an exact budget.
//!
//! What it must not know: HTTP, HTML, the clock (every call is told `now`).
//! Invariants: what is charged never exceeds the budget, not by one paste; from its deadline on a paste is gone,
//! whether swept or not; a paste that is gone leaves every index in the same lock hold; of any number of concurrent
//! takers exactly one gets the paste, and of readers of what may be read N times exactly N; to read allocates only what
//! was charged when the paste was saved, so no reader pushes a paste out; nobody loses a paste to a stranger's save while
//! a heavier holder has one to give; a save that needs more than one batch to leave claims what is free between its holds, so every hold brings it nearer
//! to its end whatever others save meanwhile. One save at a time has a claim, or two could wait for each other's.
//! Cost: one mutex, held for map work only: find and save are O(log n), no more than [`BATCH`] pastes leave in one
//! hold, and whatever leaves is freed after the lock is.
//! Why a mutex and not a reader-writer lock: a read moves the paste to the end of the order of use, so every read
//! writes.

mod budget;
mod entry;
mod ledger;
mod removal_counts;
mod state;
mod sweeper;
#[cfg(test)]
mod tests;
mod tombstones;

pub use budget::{Budget, PAGES_FROM, cost_of};
pub use removal_counts::RemovalCounts;
pub use sweeper::Sweeper;
pub use tombstones::Reason;

use std::fmt;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::fairness::ClientKey;

use crate::paste::{Change, Counts, Paste, PasteId, ReadsLeft, Revision, StoredPaste, Timestamp};
use state::{Removed, State};

/// Pastes that leave in one lock hold, at most: about a quarter of a millisecond with the freeing after it.
const BATCH: usize = 256;

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("room", &self.room)
            .finish_non_exhaustive()
    }
}

/// Why there is no paste under an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotFound {
    /// There never was one, or it went so long ago that nobody remembers.
    Unknown,
    /// It is gone, for this reason.
    Gone(Reason),
}

/// Why a paste was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertError {
    /// The id is in use, or was until lately: try another.
    IdTaken,
    /// It alone costs more than there will ever be room for; nothing was evicted for it.
    TooLarge,
}

/// Why a read was not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsumeError {
    /// There is no paste.
    NotFound(NotFound),
    /// Its content is not what was seen of it: look again.
    Changed,
}

/// Why a paste was not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateError {
    /// There is no paste.
    NotFound(NotFound),
    /// It has another content than the change is of.
    Other,
    /// It would cost more than there will ever be room for.
    TooLarge,
}

/// A paste that was read, and counted.
#[derive(Debug)]
pub struct Read {
    /// The paste, still sealed if it is.
    pub paste: Paste,
    /// How often it may be read after this; none if that is not counted.
    pub left: Option<u8>,
}

/// How full the store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Pastes kept, those past their deadline and not yet swept included.
    pub pastes: usize,
    /// Bytes charged for them, and for the most that the ledger of their holders ever was.
    pub bytes: usize,
}

/// The store. Shared by reference; every method takes the lock itself.
pub struct Store {
    /// Handed on fairly between the batches of a long piece of work: whoever waits goes first, or the worker would
    /// take it again before a waiter wakes, for milliseconds on end.
    state: Mutex<State>,
    /// Held by the save that has a claim; taken before the state, never while holding it.
    claim: Mutex<()>,
    /// Signals the sweeper that the next deadline is nearer than it was, or that it is to stop.
    sooner: Condvar,
    /// Bytes that pastes may cost together; what is left of the budget beside the tables.
    room: usize,
    /// Bytes that one may cost.
    largest: usize,
    /// Told of every paste that left.
    watch: RemovalHook,
}

/// What is told of every paste that left, once it has left and without the lock being held: whoever made something of
/// it had better forget it.
pub type RemovalHook = Box<dyn Fn(PasteId) + Send + Sync>;

impl Store {
    /// An empty store of this budget, its tables reserved.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self::watched(budget, Box::new(|_| ()))
    }

    /// The same, which tells of every paste that left.
    #[must_use]
    pub fn watched(budget: Budget, watch: RemovalHook) -> Self {
        let state = State::new(budget);
        Self {
            room: state.room(),
            largest: state.largest(),
            state: Mutex::new(state),
            claim: Mutex::new(()),
            sooner: Condvar::new(),
            watch,
        }
    }

    /// Keeps the paste under this id, and makes room for it. What is past its deadline goes first. Then room is taken
    /// from the heaviest network, in it from its heaviest holder, of that what was not read for longest; this paste
    /// counts as its saver's already, and a saver with nothing else to give is passed over.
    pub fn save(
        &self,
        now: Timestamp,
        holder: ClientKey,
        id: PasteId,
        kept: impl Into<StoredPaste>,
    ) -> Result<(), InsertError> {
        let kept = kept.into();
        let cost = cost_of(&kept);
        if cost > self.largest {
            return Err(InsertError::TooLarge);
        }
        let mut kept = Some(kept.into_data());
        let is_next = self.with_room(|state, leaving| {
            if state.knows(id) {
                return Some(Err(InsertError::IdTaken));
            }
            let fits = state.make_room(now, holder, cost, leaving);
            let kept = kept.take_if(|_| fits)?;
            Some(Ok(state.insert(holder, id, kept, cost)))
        })?;
        if is_next {
            self.sooner.notify_one();
        }
        Ok(())
    }

    /// Changes a paste; its token, its counts and whose it is stay. Room is made for it as for a save.
    pub fn change(
        &self,
        now: Timestamp,
        id: PasteId,
        change: &Change,
        revision: Revision,
    ) -> Result<(), UpdateError> {
        let is_next = self.with_room(|state, leaving| {
            state
                .change(now, id, (change, revision), leaving)
                .transpose()
        })?;
        if is_next {
            self.sooner.notify_one();
        }
        Ok(())
    }

    /// Attempts something that needs room until it is done. Attempts that find too little make some, a batch each; what
    /// they freed is claimed between them, so that each is nearer to the end.
    fn with_room<T>(&self, mut attempt: impl FnMut(&mut State, &mut Removed) -> Option<T>) -> T {
        let mut leaving = Vec::new();
        let mut claim = None;
        loop {
            let mut state = self.lock();
            if claim.is_some() {
                state.disclaim();
            }
            if let Some(done) = attempt(&mut state, &mut leaving) {
                drop(state);
                self.let_go(&mut leaving);
                return done;
            }
            if claim.is_some() {
                state.claim();
            }
            MutexGuard::unlock_fair(state);
            // Between two holds, while others have their turn.
            self.let_go(&mut leaving);
            claim.get_or_insert_with(|| self.claim.lock());
        }
    }

    /// The paste. What is read by a look is counted as read, and now the most recently read of its holder; of anything
    /// else there is no trace of having been looked at.
    pub fn find(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, NotFound> {
        self.lock().find(now, id)
    }

    /// The paste, with no trace of having been looked at.
    pub fn peek(&self, now: Timestamp, id: PasteId) -> Result<StoredPaste, NotFound> {
        self.lock().peek(now, id)
    }

    /// Its reads by hour and day.
    pub fn counts(&self, now: Timestamp, id: PasteId) -> Result<Counts, NotFound> {
        self.lock().counts(now, id)
    }

    /// Counts a read of what was `seen`, however its content may be had, and gives it; in the same step it burns if that
    /// was the last read that it had left.
    pub fn read(
        &self,
        now: Timestamp,
        id: PasteId,
        seen: &StoredPaste,
    ) -> Result<Read, ConsumeError> {
        let (kept, burned) = self.lock().read(now, id, seen)?;
        let left = match burned {
            Some(_) => {
                (self.watch)(id);
                Some(0)
            }
            None => kept.access().reads_left().map(ReadsLeft::get),
        };
        Ok(Read {
            paste: kept.into_paste(),
            left,
        })
    }

    /// Removes the paste and returns it, in one step; from then on it is gone for this reason.
    pub fn take(
        &self,
        now: Timestamp,
        id: PasteId,
        reason: Reason,
    ) -> Result<StoredPaste, NotFound> {
        let taken = self.lock().take(now, id, reason)?;
        (self.watch)(id);
        Ok(taken.stored())
    }

    /// Frees what is past its deadline, at most [`BATCH`] a lock hold; says how many.
    pub fn sweep(&self, now: Timestamp) -> usize {
        let mut swept = 0;
        let mut leaving = Vec::new();
        loop {
            let mut state = self.lock();
            state.sweep(now, &mut leaving);
            MutexGuard::unlock_fair(state);
            let batch = leaving.len();
            self.let_go(&mut leaving);
            swept += batch;
            if batch < BATCH {
                return swept;
            }
        }
    }

    /// How many pastes went since the start, and why.
    #[must_use]
    pub fn departures(&self) -> RemovalCounts {
        self.lock().departures()
    }

    /// How full it is.
    #[must_use]
    pub fn occupancy(&self) -> Occupancy {
        self.lock().occupancy()
    }

    /// Bytes that pastes may cost together.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room
    }

    /// Bytes that one paste may cost at most.
    #[must_use]
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// Recounts every index and compares; for tests, since it walks everything.
    ///
    /// # Panics
    /// If two of them disagree.
    pub fn validate(&self) {
        let found = self.lock().inconsistency();
        assert_eq!(found, None, "the store's indexes disagree");
    }

    /// Frees what left and tells of it; the lock is not held.
    fn let_go(&self, leaving: &mut Removed) {
        for (id, _) in leaving.drain(..) {
            (self.watch)(id);
        }
    }

    /// Blocks until `pause` has passed and the next deadline has come, or until the sweeper is to stop; says whether
    /// to go on.
    fn wait_for_deadline(&self, clock: &impl Fn() -> Timestamp, pause: Duration) -> bool {
        let mut state = self.lock();
        if !state.is_stopping() {
            match state.next_deadline() {
                Some(next) => {
                    let wait = next.since(clock()).max(pause);
                    self.sooner.wait_for(&mut state, wait);
                }
                None => self.sooner.wait(&mut state),
            }
        }
        !state.is_stopping()
    }

    fn stop_sweeping(&self) {
        self.lock().stop();
        self.sooner.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl From<NotFound> for ConsumeError {
    fn from(absent: NotFound) -> Self {
        Self::NotFound(absent)
    }
}

impl From<NotFound> for UpdateError {
    fn from(absent: NotFound) -> Self {
        Self::NotFound(absent)
    }
}
