//! A connection: what it does now, which its task and the register both see, and its slot in the register.
//!
//! Invariants: an evicted connection stays evicted. A connection is judged and evicted in one step, so that no request
//! starts in between: whatever its task enters afterwards is not entered. Its task is woken after the lock of the
//! register is released.
//! Cost: a change of the phase is one atomic operation without a lock, and so is progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Waker;
use std::time::Duration;

use parking_lot::Mutex;

use super::Overload;
use crate::fairness::ClientKey;
use Phase::{Answering, Blocked, Evicted, Head, Idle, New, Sending, Stuck};

/// A peer that has read nothing for this long has stopped reading. The system takes more of a response whenever it has
/// less than 16 KiB to send. It takes 64 KiB at once, so a reader at 4 KiB per second is seen to read twice in this time.
pub(super) const STALLED: Duration = Duration::from_secs(30);

/// What a connection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It waits for its first head.
    New,
    /// Nothing was read since the last response.
    Idle,
    /// It waits for the end of a head.
    Head,
    /// A request is being answered.
    Answering,
    /// A request is being answered, and the peer does not read the response.
    Blocked,
    /// The response is complete, but the operating system has not accepted all of it.
    Sending,
    /// The same, and the peer does not read it.
    Stuck,
    /// It has to end, so that another one gets what it holds.
    Evicted,
}

/// The phases by their numbers. A number of four bits needs no check.
const PHASES: [Phase; 16] = [
    New, Idle, Head, Answering, Blocked, Sending, Stuck, Evicted, Evicted, Evicted, Evicted,
    Evicted, Evicted, Evicted, Evicted, Evicted,
];

impl Phase {
    /// Returns whether this may follow. A head that is no request is refused by the HTTP library itself, and the peer
    /// may not read that.
    fn may_become(self, next: Self) -> bool {
        match self {
            New | Head => matches!(next, Answering | Stuck | Evicted),
            Idle => matches!(next, Head | Evicted),
            Answering => matches!(next, Blocked | Sending | Evicted),
            Blocked => matches!(next, Answering | Blocked | Stuck | Evicted),
            Sending | Stuck => matches!(next, Stuck | Idle | Head | Evicted),
            Evicted => false,
        }
    }

    pub(super) fn is_idle(self) -> bool {
        matches!(self, New | Idle | Head)
    }

    /// Returns whether the peer does not read a response.
    pub fn is_blocked(self) -> bool {
        matches!(self, Blocked | Stuck)
    }
}

/// The part of a connection that its task shares with the register.
pub struct ConnectionHandle {
    /// The key of its entry in the register; zero if it was not admitted.
    pub(super) number: u64,
    /// The phase in the last four bits, and before them the nanoseconds since when, by the server's clock.
    phase: AtomicU64,
    /// The time of the last progress of its message, in nanoseconds.
    progress: AtomicU64,
    /// What its message has moved.
    moved: AtomicU64,
    /// True if its message has to give back what it holds.
    is_revoked: AtomicBool,
    /// True once its task has to look at this and at the phase.
    is_called: AtomicBool,
    /// Wakes the connection's task.
    waker: Mutex<Option<Waker>>,
}

impl ConnectionHandle {
    pub(super) fn new(number: u64, phase: Phase, now: Duration) -> Self {
        Self {
            number,
            phase: AtomicU64::new(word(phase, now)),
            progress: AtomicU64::default(),
            moved: AtomicU64::default(),
            is_revoked: AtomicBool::default(),
            is_called: AtomicBool::new(phase == Evicted),
            waker: Mutex::default(),
        }
    }

    /// Returns the phase, and since when. For a phase that ends without a time limit, that is zero.
    #[inline]
    pub fn phase(&self) -> (Phase, Duration) {
        of_word(self.phase.load(Ordering::Acquire))
    }

    /// Enters a phase, if it may follow.
    #[inline]
    pub fn enter(&self, next: Phase, since: Duration) {
        self.enter_from(|phase, _| phase.may_become(next), next, since);
    }

    /// Evicts the connection if this holds for its phase and since when. Returns true if this call has evicted it.
    pub(super) fn evict_if(&self, is_victim: impl Fn(Phase, Duration) -> bool) -> bool {
        let is_victim = |phase, since| phase != Evicted && is_victim(phase, since);
        let is_evicted = self.enter_from(is_victim, Evicted, Duration::ZERO);
        self.is_called.fetch_or(is_evicted, Ordering::Release);
        is_evicted
    }

    #[inline]
    fn enter_from(
        &self,
        may_enter: impl Fn(Phase, Duration) -> bool,
        next: Phase,
        since: Duration,
    ) -> bool {
        let next = word(next, since);
        let enter = |before| {
            let (phase, since) = of_word(before);
            may_enter(phase, since).then_some(next)
        };
        let entered = self
            .phase
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, enter);
        entered.is_ok()
    }

    /// Returns whether the connection was evicted.
    pub fn is_evicted(&self) -> bool {
        self.phase().0 == Evicted
    }

    /// Returns whether the connection's task has to look whether it was evicted, or its message revoked.
    #[inline]
    pub fn is_called(&self) -> bool {
        self.is_called.load(Ordering::Acquire)
    }

    /// Lets the message give back what it holds.
    pub(super) fn revoke(&self) {
        self.is_revoked.store(true, Ordering::Release);
        self.is_called.store(true, Ordering::Release);
    }

    /// Returns whether the message has to give back what it holds.
    pub fn is_revoked(&self) -> bool {
        self.is_revoked.load(Ordering::Acquire)
    }

    /// Sets the waker of the connection's task. The task looks afterwards whether it was evicted, because an eviction
    /// before this call did not wake it.
    pub fn register(&self, waker: &Waker) {
        *self.waker.lock() = Some(waker.clone());
    }

    /// Wakes the connection's task.
    pub fn wake(&self) {
        let waker = self.waker.lock().clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Notes that a message starts.
    pub(super) fn start_message(&self, now: Duration) {
        self.moved.store(0, Ordering::Relaxed);
        self.is_revoked.store(false, Ordering::Release);
        self.record_progress(now, 0);
    }

    pub(super) fn record_progress(&self, now: Duration, bytes: u64) {
        self.progress.store(nanoseconds(now), Ordering::Relaxed);
        self.moved.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn last_progress(&self) -> Duration {
        Duration::from_nanos(self.progress.load(Ordering::Relaxed))
    }

    pub(super) fn moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }
}

/// That of a connection which is not in the register.
impl Default for ConnectionHandle {
    fn default() -> Self {
        Self::new(0, Phase::New, Duration::ZERO)
    }
}

#[inline]
fn word(phase: Phase, since: Duration) -> u64 {
    nanoseconds(since) << 4 | phase as u64
}

#[inline]
fn of_word(word: u64) -> (Phase, Duration) {
    let phase = PHASES[(word & 15) as usize];
    (phase, Duration::from_nanos(word >> 4))
}

#[inline]
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A connection's slot. Dropping the slot releases it.
pub struct ConnectionSlot {
    overload: Arc<Overload>,
    /// What the task of the connection shares with the register.
    pub handle: Arc<ConnectionHandle>,
}

impl ConnectionSlot {
    /// Sets the bytes of the large buffers that the connection has. If all connections have too many, another one or
    /// this one is evicted.
    pub fn set_buffered(&self, bytes: u64) {
        let number = self.handle.number;
        self.overload.change(|it| it.set_buffered(number, bytes));
    }

    /// Gives back the bytes that the response held before it was revoked.
    pub fn release_bytes(&self) {
        let number = self.handle.number;
        self.overload.change(|it| it.release(number));
    }

    /// Ends the wait of the connection's message for an event, since its client has gone.
    pub fn end_wait(&self) {
        let number = self.handle.number;
        self.overload.change(|it| it.end_wait(number));
    }

    /// Returns whether the server stops.
    pub fn is_stopping(&self) -> bool {
        self.overload.is_stopping.load(Ordering::Relaxed)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let number = self.handle.number;
        self.overload.change(|it| it.close(number));
    }
}

impl Overload {
    /// Returns a slot for a new connection. A connection that is not admitted is evicted at once. `peer` is `None` for a
    /// peer that may have any number of connections, such as a trusted proxy.
    pub fn connect(self: &Arc<Self>, now: Duration, peer: Option<ClientKey>) -> ConnectionSlot {
        let handle = self.change(|it| it.connect(now, peer));
        ConnectionSlot {
            overload: Arc::clone(self),
            handle,
        }
    }
}
