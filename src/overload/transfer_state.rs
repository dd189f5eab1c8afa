//! The state of one transfer: the resources that it uses or waits for, and whether it is slow.
//!
//! Invariant: a transfer younger than [`GRACE`] is never slow. An older one is not slow if it averages [`FAST`] and has
//! not stalled.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::byte_budget::Priority;
use crate::fairness::ClientKey;

/// A transfer younger than this is never slow.
const GRACE: Duration = Duration::from_secs(1);

/// An upload without progress for this long is slow, even if it was fast before. The average does not show such a
/// stall, because the buffers of a connection receive megabytes at once.
const STALLED_UPLOAD: Duration = Duration::from_secs(5);

/// A response without progress for this long is slow. The connection takes up to 64 KiB at once, so a client that reads
/// 4 KiB per second is not.
const STALLED_RESPONSE: Duration = Duration::from_secs(30);

/// An average of 64 KiB per second, in micro-bytes per second. A transfer this fast is slow only if it has stalled.
const FAST: u128 = 64 * 1024 * 1_000_000;

/// What a transfer has moved. The transfer writes this for each chunk, without the lock of the registry, which reads it
/// when it looks for a victim, and for the metric of bytes. Bytes of a response count when the connection takes them.
#[derive(Default)]
pub(super) struct Progress {
    /// The time of the last progress, in nanoseconds since the clock was made.
    last: AtomicU64,
    bytes: AtomicU64,
}

impl Progress {
    pub(super) fn record(&self, now: Duration, bytes: u64) {
        self.last.store(nanoseconds(now), Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn last(&self) -> Duration {
        Duration::from_nanos(self.last.load(Ordering::Relaxed))
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A callback that cancels a transfer from outside.
pub(super) type Cancel = Box<dyn FnOnce() + Send>;

/// A resource that can run short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource {
    /// Bytes under the ceiling of this priority. Transfers of this priority and of lower ones use them.
    Bytes(Priority),
    /// A slot for an upload. An upload that may pause is never cancelled for its slot, because pauses have their own
    /// limit.
    Slot,
    /// Permission for an upload to pause.
    Pause,
}

impl Resource {
    /// Returns the position in a [`Demand`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Bytes(priority) => priority.index(),
            Self::Slot => 3,
            Self::Pause => 4,
        }
    }
}

/// The use of each resource: bytes under each ceiling in the order of [`Priority::ALL`], slots and pauses.
pub(super) type Demand = [u64; 5];

/// One transfer, from its start to its end. A cancelled transfer also remains until it ends.
pub(super) struct TransferState {
    pub(super) client: ClientKey,
    pub(super) priority: Priority,
    /// True once an upload has its slot and no longer waits for it.
    pub(super) has_slot: bool,
    pub(super) may_pause: bool,
    pub(super) started: Duration,
    pub(super) progress: Arc<Progress>,
    pub(super) bytes_held: u64,
    pub(super) bytes_requested: u64,
    /// True while the transfer queues for a slot or for bytes.
    pub(super) queues: bool,
    /// The callback that cancels the transfer. It is `None` once the transfer was cancelled.
    pub(super) cancel: Option<Cancel>,
}

impl TransferState {
    pub(super) fn occupy_slot(&mut self) {
        self.has_slot = true;
        self.queues = false;
    }

    pub(super) fn confirm_bytes(&mut self) {
        self.bytes_held += std::mem::take(&mut self.bytes_requested);
        self.queues = false;
    }

    /// Returns how much of the resource would come free if the transfer ended.
    pub(super) fn releasable(&self, resource: Resource) -> u64 {
        match resource {
            Resource::Bytes(ceiling) if self.priority > ceiling => 0,
            Resource::Bytes(_) => self.bytes_held,
            Resource::Slot => u64::from(self.has_slot && !self.may_pause),
            Resource::Pause => u64::from(self.may_pause),
        }
    }

    /// Returns how much of each resource the transfer uses or queues for.
    pub(super) fn demands(&self) -> Demand {
        let bytes = match self.queues {
            true => self.bytes_total(),
            false => self.bytes_held,
        };
        let under = |ceiling| bytes * u64::from(self.priority <= ceiling);
        let [renders, saves, reads] = Priority::ALL.map(under);
        let takes_slot = self.has_slot || self.queues && self.is_upload();
        [
            renders,
            saves,
            reads,
            takes_slot.into(),
            self.may_pause.into(),
        ]
    }

    /// Returns how much of the resource the transfer waits for without being in the queue.
    pub(super) fn unqueued(&self, resource: Resource) -> u64 {
        let wanted = match resource {
            Resource::Bytes(_) => self.bytes_total(),
            Resource::Slot | Resource::Pause => 1,
        };
        wanted - self.demands()[resource.index()]
    }

    /// Returns the bytes that the transfer has acquired or waits for.
    pub(super) fn bytes_total(&self) -> u64 {
        self.bytes_held + self.bytes_requested
    }

    /// Returns true if the client sends the bytes, as in a save. In all other transfers the server sends the bytes.
    pub(super) fn is_upload(&self) -> bool {
        self.priority == Priority::Save
    }

    /// Returns true if the transfer may be cancelled even for a client or network that weighs the same as its own.
    pub(super) fn is_slow(&self, now: Duration) -> bool {
        let stall = match self.priority {
            Priority::Save => STALLED_UPLOAD,
            Priority::Render | Priority::Read => STALLED_RESPONSE,
        };
        let is_stalled = now.saturating_sub(self.progress.last()) >= stall;
        self.age(now) >= GRACE && (is_stalled || self.rate(now) < FAST)
    }

    /// Returns the average rate since the start, in micro-bytes per second. This unit is small enough to compare two
    /// transfers of a few bytes per minute.
    pub(super) fn rate(&self, now: Duration) -> u128 {
        let millis = self.age(now).as_millis().max(1);
        u128::from(self.progress.bytes()) * 1_000_000_000 / millis
    }

    fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.started)
    }
}
