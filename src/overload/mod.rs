//! Overload: how much is done at once, and who is turned away when it is too much.
//!
//! What it must not know: HTTP, pastes, how long anybody waits.
//! Invariants: whatever was taken is given back when its guard is dropped, also that of a client that hung up; nothing
//! here blocks a thread.
//! Whoever holds the most makes room, as in the store: nobody has more than their share, and when
//! something is short nevertheless, the network that holds the most of it gives some up ([`Transfers`]).
//! What is bounded: bodies being received ([`PLACES`]), those of them that pause (a quarter), pages being rendered at
//! once, of all and of one client and network, and the bytes of bodies and large answers ([`ByteBudget`]). What is done at once
//! and without waiting (a small body that came with its head, a small answer) takes nothing.

mod choice;
mod demand;
mod gate;
mod pace;
mod room;
#[cfg(test)]
mod tests;
mod transfer;
mod transfers;

pub use gate::{Gate, Permit};
pub use pace::{LONGEST_PAUSE, ThroughputMonitor};
pub use room::{ByteBudget, BytePermit, Priority};
pub use transfer::Direction;
pub use transfers::{PAUSES_OF_CLIENT, QuotaError};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, Semaphore, SemaphorePermit};

use crate::fairness::{ClientKey, FairShares};
use transfer::Cut;
use transfers::{Press, Transfers};

/// Bodies being received at once.
const PLACES: usize = 512;

/// Of these, bodies that pause.
const PAUSES: usize = PLACES / 4;

/// Requests that wait for their turn by a rule, at once.
const TURNS: usize = 1024;

/// The state of the whole process, shared by all workers.
#[derive(Debug)]
pub struct Overload {
    /// Bytes of bodies and large answers.
    room: ByteBudget,
    /// For bodies being received.
    places: Gate,
    /// For pages being rendered.
    renders: Gate,
    /// Requests that may wait for their turn, where a rule says so.
    turns: Semaphore,
    /// Who holds what of all that.
    transfers: Mutex<Transfers>,
    /// For whom pages are rendered.
    rendering: Mutex<FairShares>,
    /// Notifies whoever waits for a share of it that one was given back.
    rendered: Notify,
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
    /// Requests turned away since the start, in the order of [`Priority::ALL`].
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
        let room = ByteBudget::new(bytes);
        let ceilings = room.ceilings();
        Self {
            room,
            places: Gate::new(PLACES),
            renders: Gate::new(renders),
            turns: Semaphore::new(TURNS),
            transfers: Mutex::new(Transfers::new(ceilings, PLACES as u64, PAUSES as u64)),
            rendered: Notify::new(),
            rendering: Mutex::new(FairShares::new(
                (renders as u64 / 4).max(1),
                (renders as u64 / 2).max(1),
            )),
            shed: Default::default(),
            crowded: AtomicU64::new(0),
        }
    }

    /// Notes a transfer that begins now; it ends when the guard is dropped, or is asked to: then `cut` is called, and
    /// [`Transfer::cut`] is done. What it takes of the room counts as of this class.
    ///
    /// # Errors
    /// If its client or network has its share already.
    pub fn begin(
        self: &Arc<Self>,
        now: Duration,
        client: ClientKey,
        direction: Direction,
        class: Priority,
        cut: impl FnOnce() + Send + 'static,
    ) -> Result<Transfer, QuotaError> {
        let end = Arc::new(Notify::new());
        let heard = Arc::clone(&end);
        let cut: Cut = Box::new(move || {
            cut();
            end.notify_one();
        });
        let begun = (self.transfers.lock()).begin(now, client, direction, class, cut);
        let number = begun.inspect_err(|_| self.count_crowded())?;
        Ok(Transfer {
            overload: Arc::clone(self),
            number,
            cut: heard,
        })
    }

    /// Bytes of bodies and large answers.
    #[must_use]
    pub fn room(&self) -> &ByteBudget {
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

    /// Done when somebody's share in what is rendered was given back after this call.
    pub fn share_of_renders_is_back(&self) -> impl Future<Output = ()> {
        self.rendered.notified()
    }

    /// The share of a client in what is rendered: one gets a quarter of it, a network half, or one page at a time. None
    /// if it has that; whoever keeps on asking for pages that take long does so at their own cost.
    #[must_use]
    pub fn share_renders(self: &Arc<Self>, client: ClientKey) -> Option<RenderShare> {
        let mut rendering = self.rendering.lock();
        if rendering.exceeded(client, 0, 1).is_some() {
            return None;
        }
        rendering.add(client, 1);
        Some(RenderShare {
            overload: Arc::clone(self),
            client,
        })
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
    pub fn count_shed(&self, class: Priority) {
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

/// A page that is rendered for a client, until this is dropped.
#[derive(Debug)]
#[must_use = "dropped, it is given back"]
pub struct RenderShare {
    overload: Arc<Overload>,
    client: ClientKey,
}

impl Drop for RenderShare {
    fn drop(&mut self) {
        self.overload.rendering.lock().sub(self.client, 1);
        self.overload.rendered.notify_waiters();
    }
}

/// A transfer under way.
#[derive(Debug)]
pub struct Transfer {
    overload: Arc<Overload>,
    number: u64,
    /// Notified once, when it is cut.
    cut: Arc<Notify>,
}

impl Transfer {
    /// So many bytes more have moved.
    pub fn moved(&self, now: Duration, bytes: usize) {
        self.transfers().moved(now, self.number, bytes as u64);
    }

    /// Done as soon as it has been cut for the sake of others; told once, to one who waits, now or later.
    pub async fn cut(&self) {
        self.cut.notified().await;
    }

    /// It has the place that it waited for: its end would free one.
    ///
    /// # Errors
    /// If it was cut.
    pub fn take_place(&self) -> Result<(), QuotaError> {
        self.transfers().take_place(self.number)
    }

    /// Counts so many bytes of room as waited for, until [`Transfer::hold`]. If they are beyond the share of its client
    /// or network, others of its own have to go as far as they may.
    ///
    /// # Errors
    /// If its client or network would have more than its share nevertheless, or if it was cut.
    pub fn want(&self, now: Duration, bytes: usize) -> Result<(), QuotaError> {
        let mut transfers = self.transfers();
        let cuts = transfers.press_for_share(now, self.number, bytes as u64);
        let wanted = transfers.want(self.number, bytes as u64);
        drop(transfers);
        call(cuts);
        wanted
    }

    /// Counts what was waited for as held.
    ///
    /// # Errors
    /// If it was cut.
    pub fn hold(&self) -> Result<(), QuotaError> {
        self.transfers().hold(self.number)
    }

    /// Ends who has to go so that this one gets a place. Says whether it may queue for it: the heaviest do not stand in
    /// front of others.
    pub fn press_for_place(&self, now: Duration) -> bool {
        let press = self.transfers().press_for_place(now, self.number);
        carry_out(press)
    }

    /// Ends who has to go so that this one gets the room that it waits for. Says whether it may queue for it.
    pub fn press_for_room(&self, now: Duration) -> bool {
        let press = self.transfers().press_for_room(now, self.number);
        carry_out(press)
    }

    /// Lets it pause from now on.
    ///
    /// # Errors
    /// If its client or network has too many that pause already, or if it was cut.
    pub fn be_patient(&self, now: Duration) -> Result<(), QuotaError> {
        let chosen = self.transfers().be_patient(now, self.number);
        if chosen
            .as_ref()
            .is_err_and(|error| *error == QuotaError::Share)
        {
            self.overload.count_crowded();
        }
        call(chosen?);
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

fn carry_out(press: Press) -> bool {
    call(press.cuts);
    press.may_queue
}

/// Ends those who were chosen under the lock, without it: the end may give back a place and wake whoever waits for it.
fn call(cuts: impl IntoIterator<Item = Cut>) {
    for cut in cuts {
        cut();
    }
}
