//! Overload: limits the work in progress at once. When there is too much work, this module cancels or refuses some.
//!
//! This module must not know about HTTP, pastes or the time that a request waits.
//! Invariants: everything that a guard acquired is released when the guard is dropped, even if the client has
//! disconnected. No function blocks a thread. Fairness: no client and no network may use more than its share. If a
//! resource is still short, transfers of the heaviest network are cancelled first ([`TransferRegistry`]). The store
//! evicts pastes by the same rule. Limits: at most [`UPLOAD_SLOTS`] uploads are in progress, and a quarter of that
//! number may pause. The bytes of uploads and large responses are limited too ([`ByteBudget`]). Work that keeps a core
//! busy takes turns, and so do requests that hold content from the disk or the engine and have no bytes of that budget
//! yet ([`TurnQueue`]). Work that never waits needs no permit: a small request body that arrived with its head, or a
//! small response.

mod byte_budget;
mod preemption;
#[cfg(test)]
mod tests;
mod transfer;
mod transfer_registry;
mod transfer_state;
mod turn_queue;

pub use byte_budget::{ByteBudget, BytePermit, Priority};
pub use tokio::sync::OwnedSemaphorePermit as Permit;
pub use transfer::{MAX_PAUSE, Transfer};
pub use transfer_registry::{MAX_PAUSES_PER_CLIENT, QuotaError};
pub use turn_queue::{Turn, TurnQueue};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};

use crate::fairness::ClientKey;
use transfer_registry::TransferRegistry;

/// Maximum number of uploads in progress at once.
const UPLOAD_SLOTS: usize = 512;

/// Maximum number of paused uploads at once.
const PAUSES: usize = UPLOAD_SLOTS / 4;

/// Maximum number of requests that rate limits delay at once.
const WAIT_PERMITS: usize = 1024;

/// The load of the whole process. All workers share it.
pub struct Overload {
    /// The budget for the bytes of uploads and large responses.
    pub byte_budget: ByteBudget,
    /// One permit for each upload in progress.
    pub upload_slots: Arc<Semaphore>,
    /// The turns at work that keeps a core busy: rendering a page, comparing pastes, or deriving a key.
    pub renders: Arc<TurnQueue>,
    /// The turns of requests that may hold content from the disk or the engine.
    pub loads: Arc<TurnQueue>,
    wait_permits: Semaphore,
    transfers: Mutex<TransferRegistry>,
    /// The number of refused requests of each priority, in the order of [`Priority::ALL`].
    shed: [AtomicU64; 3],
    over_share: AtomicU64,
}

/// A snapshot of the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Bytes reserved by uploads and large responses. Each reservation is rounded up to whole KiB.
    pub bytes: usize,
    /// The most bytes that may be reserved.
    pub budget: usize,
    /// The number of uploads that have a slot.
    pub receiving: usize,
    /// The number of uploads and large responses in progress.
    pub transfers: usize,
    /// The number of pages being rendered.
    pub rendering: u64,
    /// The number of requests that a rate limit is delaying.
    pub waiting: usize,
    /// The number of uploads that have permission to pause.
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
    /// Creates the load of a process that may reserve `bytes` for transfers, render `max_renders` pages at once, and
    /// respond to `max_loads` requests at once with content from the disk.
    pub fn new(bytes: usize, max_renders: usize, max_loads: usize) -> Self {
        let byte_budget = ByteBudget::new(bytes);
        let transfers =
            TransferRegistry::new(byte_budget.ceilings(), UPLOAD_SLOTS as u64, PAUSES as u64);
        Self {
            byte_budget,
            upload_slots: Arc::new(Semaphore::new(UPLOAD_SLOTS)),
            renders: TurnQueue::of(max_renders),
            loads: TurnQueue::of(max_loads),
            wait_permits: Semaphore::new(WAIT_PERMITS),
            transfers: Mutex::new(transfers),
            shed: Default::default(),
            over_share: AtomicU64::new(0),
        }
    }

    /// Registers a transfer until the returned guard is dropped. [`Priority::Save`] registers an upload, the other
    /// priorities a response.
    ///
    /// If the transfer must free resources for others, `cancel` is called and [`Transfer::cancelled`] completes.
    ///
    /// # Errors
    /// Returns [`QuotaError::OverShare`] if the client or its network has too many transfers.
    pub fn start_transfer(
        self: &Arc<Self>,
        now: Duration,
        client: ClientKey,
        priority: Priority,
        cancel: impl FnOnce() + Send + 'static,
    ) -> Result<Transfer, QuotaError> {
        let cancelled = Arc::new(Notify::new());
        let notify = Arc::clone(&cancelled);
        let cancel = Box::new(move || {
            cancel();
            notify.notify_one();
        });
        let started = self.transfers.lock().start(now, client, priority, cancel);
        let (number, progress) = started.inspect_err(|_| self.count_over_share())?;
        Ok(Transfer {
            overload: Arc::clone(self),
            number,
            progress,
            cancelled,
            period: Some((now, 0)),
        })
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
        let transfers = self.transfers.lock();
        Load {
            bytes: self.byte_budget.in_use(),
            budget: self.byte_budget.rounded(Priority::Read, usize::MAX),
            receiving: UPLOAD_SLOTS - self.upload_slots.available_permits(),
            transfers: transfers.transfers.len(),
            rendering: self.renders.in_use(),
            waiting: WAIT_PERMITS - self.wait_permits.available_permits(),
            paused: transfers.pauses.total(),
            moved: transfers.bytes_moved(),
            shed: [0, 1, 2].map(|index: usize| self.shed[index].load(Ordering::Relaxed)),
            cancelled: transfers.cancelled,
            over_share: self.over_share.load(Ordering::Relaxed),
        }
    }
}
