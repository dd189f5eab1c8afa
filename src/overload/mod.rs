//! Overload: limits what is in flight at once. When there is too much, this module ends or refuses some of it.
//!
//! This module must not know about HTTP, pastes or the time that a request waits.
//! Invariants: everything that a guard acquired is released when the guard is dropped, even if the client has
//! disconnected. No function blocks a thread. Fairness: no client and no network may use more than its share. If
//! something is still short, one rule names who makes room ([`victim`]). The store evicts pastes by the same rule.
//! Connections, their large buffers, and the bytes of uploads and large responses are in one [`register`]. Work that
//! keeps a core busy takes turns, and so do requests that hold content from the disk or the engine and have no bytes of
//! the register yet ([`TurnQueue`]). Work that never waits needs no permit: a small request body that arrived with its
//! head, or a small response.

mod connection;
mod message;
mod register;
#[cfg(test)]
mod tests;
mod transfer;
mod turn_queue;
mod victim;

pub use connection::{ConnectionHandle, ConnectionSlot, Phase};
pub use register::{ACCEPT_SLACK, Connections, MAX_PAUSES_PER_CLIENT, MAX_PER_PEER};
pub use transfer::{MAX_PAUSE, Transfer};
pub use turn_queue::{Turn, TurnQueue};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};

use register::Register;

/// A kind of work for a client. When bytes run short, the kinds are refused in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Priority {
    /// The server renders a page.
    Render,
    /// The server receives a paste.
    Save,
    /// The server sends bytes.
    Read,
}

impl Priority {
    /// All priorities, in the order in which they are refused.
    pub const ALL: [Self; 3] = [Self::Render, Self::Save, Self::Read];

    /// Returns the position in [`Priority::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// The reason why a transfer gets nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaError {
    /// The client or its network has used up its share.
    OverShare,
    /// The transfer was revoked to free bytes for others.
    Cancelled,
}

/// Maximum number of requests that rate limits delay at once.
const WAIT_PERMITS: usize = 1024;

/// The load of the whole process. All workers share it.
pub struct Overload {
    register: Mutex<Register>,
    is_stopping: AtomicBool,
    /// The turns at work that keeps a core busy: rendering a page, comparing pastes, or deriving a key.
    pub renders: Arc<TurnQueue>,
    /// The turns of requests that may hold content from the disk or the engine.
    pub loads: Arc<TurnQueue>,
    wait_permits: Semaphore,
    /// The number of refused requests of each priority, in the order of [`Priority::ALL`].
    shed: [AtomicU64; 3],
    over_share: AtomicU64,
}

/// A snapshot of the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Load {
    /// Bytes that uploads and large responses hold.
    pub bytes: usize,
    /// The most bytes that they may hold.
    pub budget: usize,
    /// The number of uploads that hold bytes.
    pub receiving: usize,
    /// The number of uploads and large responses in progress.
    pub transfers: usize,
    /// The number of pages being rendered.
    pub rendering: u64,
    /// The number of requests that a rate limit is delaying.
    pub waiting: usize,
    /// The number of uploads that have permission to pause, and of requests that wait for an event.
    pub paused: u64,
    /// The number of bytes of uploads and large responses transferred since the start.
    pub moved: u64,
    /// The number of requests refused since the start because the process was busy, in the order of [`Priority::ALL`].
    pub shed: [u64; 3],
    /// The number of transfers cancelled since the start to free resources for others.
    pub cancelled: u64,
    /// The number of requests refused since the start because their client or network had used up its share.
    pub over_share: u64,
}

impl Overload {
    /// Creates the load of a process whose transfers may hold `bytes`, which renders `max_renders` pages at once, and
    /// responds to `max_loads` requests at once with content from the disk.
    pub fn new(bytes: usize, max_renders: usize, max_loads: usize) -> Self {
        let this = Self {
            register: Mutex::new(Register::new(bytes as u64)),
            is_stopping: AtomicBool::default(),
            renders: TurnQueue::of(max_renders),
            loads: TurnQueue::of(max_loads),
            wait_permits: Semaphore::new(WAIT_PERMITS),
            shed: Default::default(),
            over_share: AtomicU64::new(0),
        };
        this.limit_connections(usize::MAX);
        this
    }

    /// Sets how many connections may be open. To be called before the first one.
    pub fn limit_connections(&self, max: usize) {
        self.change(|it| it.limit_connections(max as u64));
    }

    /// Ends connections that only discard what they receive, and messages that wait for an event, from now on.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.change(|it| it.end_waits(|_| true));
    }

    /// Returns how many connections are open, and how many there were.
    pub fn connections(&self) -> Connections {
        self.register.lock().counts
    }

    /// Changes the register. Wakes those that it names once the lock is released.
    fn change<T>(&self, change: impl FnOnce(&mut Register) -> T) -> T {
        let mut register = self.register.lock();
        let changed = change(&mut register);
        let woken = std::mem::take(&mut register.woken);
        drop(register);
        woken.iter().for_each(|handle| handle.wake());
        changed
    }

    /// Permits a request to wait as long as a rate limit demands. Returns `None` if too many requests are waiting.
    pub fn wait_permit(&self) -> Option<SemaphorePermit<'_>> {
        self.wait_permits.try_acquire().ok()
    }

    /// Counts a request that was refused because its client or network had used up its share.
    pub fn count_over_share(&self) {
        self.over_share.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request that was refused because the process was busy.
    pub fn count_shed(&self, priority: Priority) {
        self.shed[priority.index()].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns a snapshot of the current load.
    pub fn load(&self) -> Load {
        let mut load = Load {
            rendering: self.renders.in_use(),
            waiting: WAIT_PERMITS - self.wait_permits.available_permits(),
            shed: [0, 1, 2].map(|index: usize| self.shed[index].load(Ordering::Relaxed)),
            over_share: self.over_share.load(Ordering::Relaxed),
            ..Load::default()
        };
        self.register.lock().report(&mut load);
        load
    }
}
