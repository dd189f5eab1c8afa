//! A transfer guard: it represents one upload or one large response, and counts the resources that this transfer uses.
//!
//! Invariant: callbacks that cancel transfers are called and dropped without the lock. A callback may release a
//! resource that the next waiter acquires. It may also drop the last reference to a large response.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::MutexGuard;
use tokio::sync::Notify;

use super::preemption::Preemption;
use super::transfer_registry::TransferRegistry;
use super::transfer_state::{Cancel, Progress};
use super::{Overload, QuotaError};

/// One transfer in progress. The transfer ends when this is dropped.
pub struct Transfer {
    pub(super) overload: Arc<Overload>,
    pub(super) number: u64,
    pub(super) progress: Arc<Progress>,
    /// Notified once, when the transfer is cancelled.
    pub(super) cancelled: Arc<Notify>,
}

impl Transfer {
    /// Counts `bytes` that were just transferred.
    pub fn record_progress(&self, now: Duration, bytes: usize) {
        self.progress.record(now, bytes as u64);
    }

    /// Completes when the transfer is cancelled. If the transfer was cancelled before the call, it completes at once.
    /// Only one call completes.
    pub async fn cancelled(&self) {
        self.cancelled.notified().await;
    }

    /// Marks the upload slot as acquired. From now on, cancelling this transfer would free a slot.
    ///
    /// # Errors
    /// Returns [`QuotaError::Cancelled`] if the transfer was cancelled.
    pub fn occupy_slot(&self) -> Result<(), QuotaError> {
        self.registry().occupy_slot(self.number)
    }

    /// Counts `bytes` as requested until [`Transfer::confirm_bytes`] is called. If they exceed the share of the client
    /// or its network, other transfers of that client or network may be cancelled to free bytes.
    ///
    /// # Errors
    /// Returns [`QuotaError::OverShare`] if the bytes still exceed the share.
    /// Returns [`QuotaError::Cancelled`] if the transfer was cancelled.
    pub fn request_bytes(&self, now: Duration, bytes: usize) -> Result<(), QuotaError> {
        let mut registry = self.registry();
        let cancels = registry.preempt_for_share(now, self.number, bytes as u64);
        let requested = registry.request_bytes(self.number, bytes as u64);
        drop(registry);
        run(cancels);
        requested
    }

    /// Marks the requested bytes as acquired.
    ///
    /// # Errors
    /// Returns [`QuotaError::Cancelled`] if the transfer was cancelled.
    pub fn confirm_bytes(&self) -> Result<(), QuotaError> {
        self.registry().confirm_bytes(self.number)
    }

    /// Cancels other transfers until an upload slot comes free for this one. Returns true if this transfer may then
    /// queue for the slot. A transfer of the heaviest network may not queue, so it never delays others.
    pub fn preempt_for_slot(&self, now: Duration) -> bool {
        let preemption = self.registry().preempt_for_slot(now, self.number);
        carry_out(preemption)
    }

    /// Cancels other transfers until the requested bytes come free for this one. Returns true if this transfer may then
    /// queue for them.
    pub fn preempt_for_bytes(&self, now: Duration) -> bool {
        let preemption = self.registry().preempt_for_bytes(now, self.number);
        carry_out(preemption)
    }

    /// Allows the upload to pause from now on.
    ///
    /// # Errors
    /// Returns [`QuotaError::OverShare`] if the client or its network has too many paused uploads, or if no pause is
    /// free.
    /// Returns [`QuotaError::Cancelled`] if the transfer was cancelled.
    pub fn allow_pause(&self, now: Duration) -> Result<(), QuotaError> {
        let victim = self.registry().allow_pause(now, self.number);
        if matches!(victim, Err(QuotaError::OverShare)) {
            self.overload.count_over_share();
        }
        run(victim?);
        Ok(())
    }

    fn registry(&self) -> MutexGuard<'_, TransferRegistry> {
        self.overload.transfers.lock()
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        let cancel = self.registry().end(self.number);
        // The lock was released at the end of the previous statement.
        drop(cancel);
    }
}

fn carry_out(preemption: Preemption) -> bool {
    run(preemption.cancels);
    preemption.may_queue
}

fn run(cancels: impl IntoIterator<Item = Cancel>) {
    for cancel in cancels {
        cancel();
    }
}
