//! Overload: how much is done at once, and who is turned away when it is too much.
//!
//! What it must not know: HTTP, pastes, how long anybody waits.
//! Invariants: whatever was taken is given back when its guard is dropped, also that of a client that hung up; nothing
//! here blocks a thread.
//! Whoever holds the most makes room, as in the store: nobody has more than their share, and when
//! something is short nevertheless, the network that holds the most of it gives some up ([`Transfers`]).
//! What is bounded: bodies being received ([`PLACES`]), those of them that pause (a quarter), pages being rendered at
//! once, and the bytes of bodies and large answers ([`Room`]). What is done at once and without waiting (a small body
//! that came with its head, a small answer) takes nothing.

mod gate;
mod pace;
mod room;
mod shares;
#[cfg(test)]
mod tests;
mod transfer;
mod transfers;

pub use gate::{Gate, Permit};
pub use pace::{LONGEST_PAUSE, Pace};
pub use room::{Class, Room, Taken};
pub use transfer::{Cut, Direction, Need};
pub use transfers::{Among, Crowded};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Semaphore, SemaphorePermit};

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
    room: Room,
    /// For bodies being received.
    places: Gate,
    /// For pages being rendered.
    renders: Gate,
    /// Requests that may wait for their turn, where a rule says so.
    turns: Semaphore,
    /// Who holds what of all that.
    transfers: Mutex<Transfers>,
    shed: [AtomicU64; 3],
    crowded: AtomicU64,
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
    /// Pages being rendered.
    pub rendering: usize,
    /// Requests that wait for their turn by a rule.
    pub waiting: usize,
    /// Bodies that pause.
    pub patient: usize,
    /// Bytes of bodies and large answers moved since the start.
    pub moved: u64,
    /// Requests turned away since the start, in the order of [`Class::ALL`].
    pub shed: [u64; 3],
    /// Transfers cut since the start, so that others had room.
    pub cut: u64,
    /// Requests refused since the start because their client or network had its share.
    pub crowded: u64,
}

impl Overload {
    /// Of this many bytes under way and this many renders at once.
    #[must_use]
    pub fn new(bytes: usize, renders: usize) -> Self {
        Self {
            room: Room::new(bytes),
            places: Gate::new(PLACES),
            renders: Gate::new(renders),
            turns: Semaphore::new(TURNS),
            transfers: Mutex::new(Transfers::new(bytes, PLACES, PATIENT)),
            shed: Default::default(),
            crowded: AtomicU64::new(0),
        }
    }

    /// Notes a transfer that begins now; it ends when the guard is dropped, or is asked to by `cut`. What it takes of
    /// the room counts as of this class.
    ///
    /// # Errors
    /// If its client or network has its share already.
    pub fn begin(
        self: &Arc<Self>,
        now: Duration,
        client: ClientKey,
        direction: Direction,
        class: Class,
        cut: Cut,
    ) -> Result<Transfer, Crowded> {
        let mut transfers = self.transfers.lock();
        let begun = transfers.begin(now, client, direction, class, cut);
        drop(transfers);
        let number = begun.inspect_err(|_| self.count_crowded())?;
        Ok(Transfer {
            overload: Arc::clone(self),
            number,
        })
    }

    /// Bytes of bodies and large answers.
    #[must_use]
    pub fn room(&self) -> &Room {
        &self.room
    }

    /// Places for bodies being received.
    #[must_use]
    pub fn places(&self) -> &Gate {
        &self.places
    }

    /// Leave to render pages.
    #[must_use]
    pub fn renders(&self) -> &Gate {
        &self.renders
    }

    /// Leave to wait for one's turn, where a rule says so; none if too many wait.
    #[must_use]
    pub fn turn(&self) -> Option<SemaphorePermit<'_>> {
        self.turns.try_acquire().ok()
    }

    /// Counts a request whose client or network had its share.
    pub fn count_crowded(&self) {
        self.crowded.fetch_add(1, Ordering::Relaxed);
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
            receiving: self.places.inside(),
            transfers: transfers.count(),
            rendering: self.renders.inside(),
            waiting: TURNS - self.turns.available_permits(),
            patient: usize::try_from(transfers.patient()).unwrap_or(usize::MAX),
            moved: transfers.bytes(),
            shed: [0, 1, 2].map(|class| self.shed[class].load(Ordering::Relaxed)),
            cut: transfers.cuts(),
            crowded: self.crowded.load(Ordering::Relaxed),
        }
    }
}

/// A transfer under way.
#[derive(Debug)]
pub struct Transfer {
    overload: Arc<Overload>,
    number: u64,
}

impl Transfer {
    /// So many bytes more have moved.
    pub fn moved(&self, now: Duration, bytes: usize) {
        self.transfers().moved(now, self.number, bytes as u64);
    }

    /// It has the place that it waited for: its end would free one.
    pub fn take_place(&self) {
        self.transfers().take_place(self.number);
    }

    /// Counts so many bytes of room as waited for, until [`Transfer::hold`].
    ///
    /// # Errors
    /// If its client or network would have more than its share.
    pub fn want(&self, bytes: usize) -> Result<(), Crowded> {
        self.transfers().want(self.number, bytes as u64)
    }

    /// Counts what was waited for as held.
    pub fn hold(&self) {
        self.transfers().hold(self.number);
    }

    /// Ends who has to go so that this one gets so much of what it needs. Says whether this one may queue for it: the
    /// heaviest do not stand in front of others.
    pub fn make_room(&self, now: Duration, need: Need, among: Among, amount: usize) -> bool {
        let mut transfers = self.transfers();
        let cuts = transfers.make_room(now, self.number, need, among, amount as u64);
        let may_queue = transfers.is_light(self.number, need);
        // Chosen under the lock, ended without it: the end may give back a place and wake whoever waits for it.
        drop(transfers);
        for cut in cuts {
            cut();
        }
        may_queue
    }

    /// Lets it pause from now on.
    ///
    /// # Errors
    /// If its client or network has too many that pause already.
    pub fn be_patient(&self, now: Duration) -> Result<(), Crowded> {
        let chosen = self.transfers().be_patient(now, self.number);
        let cut = chosen.inspect_err(|_| self.overload.count_crowded())?;
        if let Some(cut) = cut {
            cut();
        }
        Ok(())
    }

    fn transfers(&self) -> MutexGuard<'_, Transfers> {
        self.overload.transfers.lock()
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        let ended = self.transfers().end(self.number);
        // Dropped without the lock: it may hold the last of a large answer.
        drop(ended);
    }
}
