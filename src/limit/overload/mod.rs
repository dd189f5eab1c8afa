//! Overload: how much is done at once, and who is turned away when it is too much.
//!
//! What it must not know: HTTP, pastes, how long anybody waits.
//! Invariants: whatever was taken is given back when its guard is dropped, also that of a client that hung up; nothing
//! here blocks a thread.
//! What is bounded: bodies being received ([`PLACES`]), those of them that pause (a quarter), pages being rendered at
//! once, and the bytes of bodies and large answers ([`Room`]). What is done at once and without waiting (a small body
//! that came with its head, a small answer) takes nothing.

mod pace;
mod room;
mod transfers;

pub use pace::{LONGEST_PAUSE, Pace};
pub use room::{Class, Room, Taken};
pub use transfers::{Crowded, Cut, Direction, Need};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::ClientKey;
use transfers::Transfers;

/// Bodies being received at once.
const PLACES: usize = 512;

/// Of these, bodies that pause.
const PATIENT: usize = PLACES / 4;

/// Requests that wait for their turn by a rule, at once.
const TURNS: usize = 1024;

/// The state of the whole process, shared by all workers.
#[derive(Debug)]
pub struct Overload {
    /// Bytes of bodies and large answers.
    pub room: Room,
    /// Places for bodies being received.
    pub places: Arc<Semaphore>,
    /// Pages that may be rendered at once.
    pub renders: Arc<Semaphore>,
    /// Requests that may wait for their turn, where a rule says so.
    pub turns: Semaphore,
    transfers: Mutex<Transfers>,
    shed: [AtomicU64; 3],
}

/// How busy it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Bytes of bodies and large answers, in KiB rounded up each.
    pub bytes: usize,
    /// Bodies being received.
    pub receiving: usize,
    /// Bodies and large answers under way.
    pub transfers: usize,
    /// Requests that wait for their turn by a rule.
    pub waiting: usize,
    /// Bodies that pause.
    pub patient: usize,
    /// Bytes of bodies and large answers moved since the start.
    pub moved: u64,
    /// Requests turned away since the start, in the order of [`Class::ALL`].
    pub shed: [u64; 3],
}

impl Overload {
    /// Of this many bytes under way and this many renders at once.
    #[must_use]
    pub fn new(bytes: usize, renders: usize) -> Self {
        Self {
            room: Room::new(bytes),
            places: Arc::new(Semaphore::new(PLACES)),
            renders: Arc::new(Semaphore::new(renders)),
            turns: Semaphore::new(TURNS),
            transfers: Mutex::default(),
            shed: Default::default(),
        }
    }

    /// Notes a transfer that begins now; it ends when the guard is dropped, or is asked to by `cut`.
    ///
    /// # Errors
    /// If the client has too many already.
    pub fn begin(
        self: &Arc<Self>,
        now: Duration,
        client: ClientKey,
        direction: Direction,
        cut: Cut,
    ) -> Result<Transfer, Crowded> {
        let number = self.transfers.lock().begin(now, client, direction, cut)?;
        Ok(Transfer {
            overload: Arc::clone(self),
            number,
        })
    }

    /// Ends the transfer that has to go first, if any is slow.
    pub fn cut_slowest(&self, now: Duration, need: Need) {
        // Chosen under the lock, ended without it: the end may give back a place and wake whoever waits for it.
        let cut = self.transfers.lock().cut_slowest(now, need);
        if let Some(cut) = cut {
            cut();
        }
    }

    /// Counts a request that was turned away.
    pub fn count_shed(&self, class: Class) {
        self.shed[class.index()].fetch_add(1, Ordering::Relaxed);
    }

    /// How busy it is.
    #[must_use]
    pub fn load(&self) -> Load {
        let transfers = self.transfers.lock();
        Load {
            bytes: self.room.taken(),
            receiving: PLACES - self.places.available_permits(),
            transfers: transfers.count(),
            waiting: TURNS - self.turns.available_permits(),
            patient: transfers.patient(),
            moved: transfers.bytes(),
            shed: [0, 1, 2].map(|class| self.shed[class].load(Ordering::Relaxed)),
        }
    }
}

/// A place or a render; given back when dropped.
pub type Permit = OwnedSemaphorePermit;

/// A transfer under way.
#[derive(Debug)]
pub struct Transfer {
    overload: Arc<Overload>,
    number: u64,
}

impl Transfer {
    /// So many bytes more have moved.
    pub fn moved(&self, now: Duration, bytes: usize) {
        self.overload
            .transfers
            .lock()
            .moved(now, self.number, bytes as u64);
    }

    /// It has some of the room, so ending it would help who waits for that. Of an answer this is known.
    pub fn take_room(&self) {
        self.overload.transfers.lock().take_room(self.number);
    }

    /// Lets it pause from now on.
    ///
    /// # Errors
    /// If its client has too many that pause already.
    pub fn be_patient(&self, now: Duration) -> Result<(), Crowded> {
        let cut = self
            .overload
            .transfers
            .lock()
            .be_patient(now, self.number, PATIENT)?;
        if let Some(cut) = cut {
            cut();
        }
        Ok(())
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        self.overload.transfers.lock().end(self.number);
    }
}
