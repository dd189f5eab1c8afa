//! The state of one transfer: what it holds, what it waits for, and whether it is slow.
//!
//! Invariant: a transfer that averages [`FAST`] or is younger than [`GRACE`] is not slow, unless it has stalled.

use std::time::Duration;

use super::byte_budget::Priority;
use crate::fairness::ClientKey;

/// A younger transfer is never slow.
const GRACE: Duration = Duration::from_secs(1);

/// An upload that has not moved for this long is slow, however much it moved before: the buffers of a connection take
/// megabytes at once.
const STALLED_UPLOAD: Duration = Duration::from_secs(5);

/// The same for a response. The system wakes a writer only when a third of the connection's buffer is free. Linux lets
/// the buffer grow to 4 MiB; a reader at 64 KiB per second takes 22 seconds for a third of that.
const STALLED_RESPONSE: Duration = Duration::from_secs(30);

/// An average of 64 KiB per second, in micro-bytes. A transfer this fast is not slow.
const FAST: u128 = 64 * 1024 * 1_000_000;

/// Cancels a transfer from outside.
pub(super) type Cancel = Box<dyn FnOnce() + Send>;

/// Something that can be short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource {
    /// Bytes under the ceiling of this priority; transfers of this and of lower priorities hold them.
    Bytes(Priority),
    /// A slot for an upload. Uploads that may pause never give theirs up: the pauses have a bound of their own.
    Slot,
    /// Permission to pause.
    Pause,
}

impl Resource {
    pub(super) const ALL: [Self; 5] = [
        Self::Bytes(Priority::Render),
        Self::Bytes(Priority::Save),
        Self::Bytes(Priority::Read),
        Self::Slot,
        Self::Pause,
    ];

    /// Its position in [`Self::ALL`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Bytes(priority) => priority.index(),
            Self::Slot => 3,
            Self::Pause => 4,
        }
    }
}

/// One transfer, until it ends; also a cancelled one.
pub(super) struct TransferState {
    pub(super) client: ClientKey,
    pub(super) priority: Priority,
    /// Whether an upload has its slot and no longer waits for it.
    pub(super) has_slot: bool,
    pub(super) may_pause: bool,
    started: Duration,
    last_progress: Duration,
    bytes_moved: u64,
    pub(super) bytes_held: u64,
    pub(super) bytes_requested: u64,
    /// Whether it queues for the slot or the bytes that it waits for.
    queues: bool,
    /// `None` once the transfer was cancelled.
    pub(super) cancel: Option<Cancel>,
}

impl TransferState {
    pub(super) fn new(
        now: Duration,
        client: ClientKey,
        priority: Priority,
        cancel: Cancel,
    ) -> Self {
        Self {
            client,
            priority,
            has_slot: false,
            may_pause: false,
            started: now,
            last_progress: now,
            bytes_moved: 0,
            bytes_held: 0,
            bytes_requested: 0,
            queues: false,
            cancel: Some(cancel),
        }
    }

    pub(super) fn record_progress(&mut self, now: Duration, bytes: u64) {
        self.last_progress = now;
        self.bytes_moved = self.bytes_moved.saturating_add(bytes);
    }

    pub(super) fn occupy_slot(&mut self) {
        self.has_slot = true;
        self.queues = false;
    }

    pub(super) fn confirm_bytes(&mut self) {
        self.bytes_held += std::mem::take(&mut self.bytes_requested);
        self.queues = false;
    }

    pub(super) fn queue(&mut self) {
        self.queues = true;
    }

    /// How much of the resource would come free if the transfer ended.
    pub(super) fn releasable(&self, resource: Resource) -> u64 {
        match resource {
            Resource::Bytes(ceiling) if self.counts_under(ceiling) => self.bytes_held,
            Resource::Bytes(_) => 0,
            Resource::Slot => u64::from(self.has_slot && !self.may_pause),
            Resource::Pause => u64::from(self.may_pause),
        }
    }

    /// How much of the resource it holds or queues for.
    pub(super) fn demand(&self, resource: Resource) -> u64 {
        let is_queued_upload = self.queues && self.is_upload();
        match resource {
            Resource::Bytes(ceiling) if !self.counts_under(ceiling) => 0,
            Resource::Bytes(_) if self.queues => self.bytes_total(),
            Resource::Bytes(_) => self.bytes_held,
            Resource::Slot => u64::from(self.has_slot || is_queued_upload),
            Resource::Pause => u64::from(self.may_pause),
        }
    }

    /// How much of the resource it waits for without being queued.
    pub(super) fn unqueued(&self, resource: Resource) -> u64 {
        let wanted = match resource {
            Resource::Bytes(_) => self.bytes_total(),
            Resource::Slot | Resource::Pause => 1,
        };
        wanted - self.demand(resource)
    }

    /// Bytes that it holds or waits for.
    pub(super) fn bytes_total(&self) -> u64 {
        self.bytes_held + self.bytes_requested
    }

    /// Saves receive their bytes; everything else sends them.
    pub(super) fn is_upload(&self) -> bool {
        self.priority == Priority::Save
    }

    /// Whether it may be cancelled for a client that holds as much as its own.
    pub(super) fn is_slow(&self, now: Duration) -> bool {
        let stall = match self.priority {
            Priority::Save => STALLED_UPLOAD,
            Priority::Render | Priority::Read => STALLED_RESPONSE,
        };
        let is_stalled = now.saturating_sub(self.last_progress) >= stall;
        self.age(now) >= GRACE && (is_stalled || self.rate(now) < FAST)
    }

    /// The average since the start, in micro-bytes per second: even two transfers of a few bytes per minute differ.
    pub(super) fn rate(&self, now: Duration) -> u128 {
        let millis = self.age(now).as_millis().max(1);
        u128::from(self.bytes_moved) * 1_000_000_000 / millis
    }

    fn counts_under(&self, ceiling: Priority) -> bool {
        self.priority.index() <= ceiling.index()
    }

    fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.started)
    }
}
