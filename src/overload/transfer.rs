//! A transfer: one body being received or one answer being sent, what it holds and whether it is slow.
//!
//! What it must not know: the others, who has to go.
//! Invariants: whoever moves at [`FAST`] or is younger than [`GRACE`] is not slow, unless it has stopped.

use std::time::Duration;

use super::room::Priority;
use crate::fairness::ClientKey;

/// Nobody is slow before.
const GRACE: Duration = Duration::from_secs(1);

/// A body that has not moved for so long is slow, however much it moved before: the buffers of a connection take
/// megabytes at once.
const STALLED_RECEIVING: Duration = Duration::from_secs(5);

/// The same of an answer. The system wakes a writer only when a third of the connection's buffer is free: of 4 MiB,
/// which is what Linux lets it grow to, that takes a reader at 64 KiB a second 22 seconds.
const STALLED_SENDING: Duration = Duration::from_secs(30);

/// Micro-bytes a second on the average, 64 KiB; who moves that many is not slow.
const FAST: u128 = 64 * 1024 * 1_000_000;

/// Ends a transfer from outside.
pub(super) type Cut = Box<dyn FnOnce() + Send>;

/// Which way the bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the client.
    Receiving,
    /// To the client.
    Sending,
}

/// What is short, and so whose end would help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// A place for one more body: that of any that is received and has not been allowed to pause.
    Place,
    /// Bytes under the ceiling of this class: those of any that holds some under it.
    Bytes(Priority),
    /// A place for one more that pauses: that of one that is allowed to.
    Patience,
}

/// One that is under way.
pub(super) struct Transfer {
    pub(super) client: ClientKey,
    pub(super) direction: Direction,
    pub(super) class: Priority,
    /// It is received and not only waits for that.
    pub(super) has_place: bool,
    pub(super) patient: bool,
    began: Duration,
    last_move: Duration,
    bytes: u64,
    /// Bytes of room.
    pub(super) held: u64,
    /// Bytes of room that it waits for.
    pub(super) wanted: u64,
    /// It stands in the queue for the place or the room that it waits for.
    queues: bool,
    /// None once it was cut.
    pub(super) cut: Option<Cut>,
}

impl Transfer {
    pub(super) fn new(
        now: Duration,
        client: ClientKey,
        direction: Direction,
        class: Priority,
        cut: Cut,
    ) -> Self {
        Self {
            client,
            direction,
            class,
            has_place: false,
            patient: false,
            began: now,
            last_move: now,
            bytes: 0,
            held: 0,
            wanted: 0,
            queues: false,
            cut: Some(cut),
        }
    }

    /// So many bytes more have moved.
    pub(super) fn moved(&mut self, now: Duration, bytes: u64) {
        self.last_move = now;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// What would be free for this need if it ended.
    pub(super) fn holds(&self, need: Need) -> u64 {
        match need {
            Need::Place => u64::from(self.has_place && !self.patient),
            Need::Bytes(ceiling) if self.class.index() <= ceiling.index() => self.held,
            Need::Bytes(_) => 0,
            Need::Patience => u64::from(self.patient),
        }
    }

    /// Bytes of room held or waited for.
    pub(super) fn room(&self) -> u64 {
        self.held + self.wanted
    }

    /// It has got its place.
    pub(super) fn take_place(&mut self) {
        self.has_place = true;
        self.queues = false;
    }

    /// It has got the room that it waited for.
    pub(super) fn hold(&mut self) {
        self.held += std::mem::take(&mut self.wanted);
        self.queues = false;
    }

    /// It queues from now on for what it waits for.
    pub(super) fn queue(&mut self) {
        self.queues = true;
    }

    /// Bytes of room held or queued for.
    pub(super) fn demands_bytes(&self) -> u64 {
        self.held + if self.queues { self.wanted } else { 0 }
    }

    /// Whether it has a place or queues for one, as a number.
    pub(super) fn demands_places(&self) -> u64 {
        let queues = self.queues && self.direction == Direction::Receiving;
        u64::from(self.has_place || queues)
    }

    /// Whether it pauses, as a number.
    pub(super) fn demands_pauses(&self) -> u64 {
        u64::from(self.patient)
    }

    /// What it needs beyond what it demands: it waits for it, but does not queue.
    pub(super) fn does_not_queue_for(&self, need: Need) -> u64 {
        match need {
            Need::Place => 1 - self.demands_places(),
            Need::Bytes(_) => self.room() - self.demands_bytes(),
            Need::Patience => 1 - self.demands_pauses(),
        }
    }

    fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.began)
    }

    /// Whether it may be cut for somebody who holds no less.
    pub(super) fn is_slow(&self, now: Duration) -> bool {
        let stalled = match self.direction {
            Direction::Receiving => STALLED_RECEIVING,
            Direction::Sending => STALLED_SENDING,
        };
        let stands = now.saturating_sub(self.last_move) >= stalled;
        self.age(now) >= GRACE && (stands || self.rate(now) < FAST)
    }

    /// Micro-bytes a second since it began: two that move a few bytes a minute are to be told apart.
    pub(super) fn rate(&self, now: Duration) -> u128 {
        let millis = self.age(now).as_millis().max(1);
        u128::from(self.bytes) * 1_000_000_000 / millis
    }
}
