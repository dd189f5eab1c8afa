//! Overload: how much work is in progress at once, and which of it is cancelled or refused when there is too much.
//!
//! What it must not know: HTTP, pastes, how long a request waits.
//! Invariants: everything that is acquired is released when its guard is dropped, also after the client has hung up.
//! Nothing here blocks a thread.
//! Fairness: no client and no network holds more than its share. When something is short nevertheless, the network that
//! holds the most of it makes room, as in the store ([`TransferRegistry`]).
//! Bounded: uploads in progress ([`UPLOAD_SLOTS`]), paused uploads (a quarter of them), pages being rendered at once
//! (in total, per client and per network), and the bytes of uploads and large responses ([`ByteBudget`]). Work that
//! never waits takes nothing: a small body that came with its head, or a small response.

mod byte_budget;
mod preemption;
mod render_share;
#[cfg(test)]
mod tests;
mod throughput_monitor;
mod totals;
mod transfer;
mod transfer_registry;
mod transfer_state;
mod victim_selector;

pub use byte_budget::{ByteBudget, BytePermit, Priority};
pub use render_share::RenderShare;
pub use throughput_monitor::{MAX_PAUSE, ThroughputMonitor};
pub use tokio::sync::OwnedSemaphorePermit as Permit;
pub use transfer::Transfer;
pub use transfer_registry::{MAX_PAUSES_PER_CLIENT, QuotaError};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};

use crate::fairness::{ClientKey, FairShares};
use transfer_registry::TransferRegistry;

/// Uploads in progress at once.
const UPLOAD_SLOTS: usize = 512;

/// Paused uploads at once.
const PAUSES: usize = UPLOAD_SLOTS / 4;

/// Requests that a rate limit delays, at once.
const WAIT_PERMITS: usize = 1024;

/// The load of the whole process, shared by all workers.
#[derive(Debug)]
pub struct Overload {
    byte_budget: ByteBudget,
    upload_slots: Arc<Semaphore>,
    render_permits: Arc<Semaphore>,
    max_renders: usize,
    wait_permits: Semaphore,
    transfers: Mutex<TransferRegistry>,
    /// Pages being rendered, by client.
    render_shares: Mutex<FairShares>,
    /// Notified whenever a render share is released.
    render_share_released: Notify,
    /// Refused requests, in the order of [`Priority::ALL`].
    shed: [AtomicU64; 3],
    over_share: AtomicU64,
}

/// A snapshot of the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Bytes of uploads and large responses; each transfer is rounded up to whole KiB.
    pub bytes: usize,
    /// Uploads that have a slot.
    pub receiving: usize,
    /// Uploads and large responses in progress.
    pub transfers: usize,
    /// Pages being rendered.
    pub rendering: usize,
    /// Requests delayed by a rate limit.
    pub waiting: usize,
    /// Uploads that may pause.
    pub paused: usize,
    /// Bytes of uploads and large responses transferred since the start.
    pub moved: u64,
    /// Requests refused since the start because the process was busy, in the order of [`Priority::ALL`].
    pub shed: [u64; 3],
    /// Transfers cancelled since the start to make room for others.
    pub cancelled: u64,
    /// Requests refused since the start because their client or network had its share.
    pub over_share: u64,
}

impl Overload {
    /// A process that may hold `bytes` of transfers and render `max_renders` pages at once.
    #[must_use]
    pub fn new(bytes: usize, max_renders: usize) -> Self {
        let byte_budget = ByteBudget::new(bytes);
        let transfers =
            TransferRegistry::new(byte_budget.ceilings(), UPLOAD_SLOTS as u64, PAUSES as u64);
        let renders = max_renders as u64;
        Self {
            byte_budget,
            upload_slots: Arc::new(Semaphore::new(UPLOAD_SLOTS)),
            render_permits: Arc::new(Semaphore::new(max_renders)),
            max_renders,
            wait_permits: Semaphore::new(WAIT_PERMITS),
            transfers: Mutex::new(transfers),
            render_shares: Mutex::new(FairShares::new((renders / 4).max(1), (renders / 2).max(1))),
            render_share_released: Notify::new(),
            shed: Default::default(),
            over_share: AtomicU64::new(0),
        }
    }

    /// Registers a transfer until the returned guard is dropped: an upload if it is a save, and a response otherwise.
    ///
    /// If the transfer has to make room for others, `cancel` is called and [`Transfer::cancelled`] completes.
    ///
    /// # Errors
    /// [`QuotaError::OverShare`] if the client or its network has too many transfers.
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
        let started = (self.transfers.lock()).start(now, client, priority, cancel);
        let number = started.inspect_err(|_| self.count_over_share())?;
        Ok(Transfer {
            overload: Arc::clone(self),
            number,
            cancelled,
        })
    }

    /// The bytes of uploads and large responses.
    #[must_use]
    pub fn byte_budget(&self) -> &ByteBudget {
        &self.byte_budget
    }

    /// A permit for each upload in progress.
    #[must_use]
    pub fn upload_slots(&self) -> &Arc<Semaphore> {
        &self.upload_slots
    }

    /// A permit for each page being rendered.
    #[must_use]
    pub fn render_permits(&self) -> &Arc<Semaphore> {
        &self.render_permits
    }

    /// Completes when a render share is released after this call, by any client.
    pub fn render_share_released(&self) -> impl Future<Output = ()> {
        self.render_share_released.notified()
    }

    /// Counts one more page being rendered for this client. Returns `None` if the client already renders a quarter of
    /// all pages rendered at once, or its network half of them; each may always render one.
    #[must_use]
    pub fn try_render_share(self: &Arc<Self>, client: ClientKey) -> Option<RenderShare> {
        RenderShare::try_new(self, client)
    }

    /// Permits a request to wait as long as a rate limit asks. Returns `None` if too many requests wait.
    #[must_use]
    pub fn wait_permit(&self) -> Option<SemaphorePermit<'_>> {
        self.wait_permits.try_acquire().ok()
    }

    /// Counts a request that was refused because its client or network had its share.
    pub fn count_over_share(&self) {
        self.over_share.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request that was refused because the process was busy.
    pub fn count_shed(&self, priority: Priority) {
        self.shed[priority.index()].fetch_add(1, Ordering::Relaxed);
    }

    /// The load at this moment.
    #[must_use]
    pub fn load(&self) -> Load {
        let transfers = self.transfers.lock();
        Load {
            bytes: self.byte_budget.in_use(),
            receiving: UPLOAD_SLOTS - self.upload_slots.available_permits(),
            transfers: transfers.count(),
            rendering: self.max_renders - self.render_permits.available_permits(),
            waiting: WAIT_PERMITS - self.wait_permits.available_permits(),
            paused: transfers.paused(),
            moved: transfers.bytes_moved(),
            shed: [0, 1, 2].map(|index: usize| self.shed[index].load(Ordering::Relaxed)),
            cancelled: transfers.cancelled(),
            over_share: self.over_share.load(Ordering::Relaxed),
        }
    }
}
