//! A transfer guard: the handle through which one upload or one large response is accounted for.
//!
//! Invariant: callbacks that cancel transfers are called and dropped without the lock. A callback may release what the
//! next waiter acquires, and may drop the last reference to a large response.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::MutexGuard;
use tokio::sync::Notify;

use super::preemption::Preemption;
use super::transfer_registry::TransferRegistry;
use super::transfer_state::Cancel;
use super::{Overload, QuotaError};

/// One transfer in progress, until this is dropped.
#[derive(Debug)]
pub struct Transfer {
    pub(super) overload: Arc<Overload>,
    pub(super) number: u64,
    /// Notified once, when the transfer is cancelled.
    pub(super) cancelled: Arc<Notify>,
}

impl Transfer {
    /// Counts `bytes` that were just transferred.
    pub fn record_progress(&self, now: Duration, bytes: usize) {
        self.registry()
            .record_progress(now, self.number, bytes as u64);
    }

    /// Completes when the transfer is cancelled, also if that happened before the call. It completes only once.
    pub async fn cancelled(&self) {
        self.cancelled.notified().await;
    }

    /// Marks the upload slot as acquired: cancelling this transfer would free one.
    ///
    /// # Errors
    /// [`QuotaError::Cancelled`] if the transfer was cancelled.
    pub fn occupy_slot(&self) -> Result<(), QuotaError> {
        self.registry().occupy_slot(self.number)
    }

    /// Counts `bytes` as requested, until [`Transfer::confirm_bytes`]. If they exceed the share of the client or its
    /// network, slow transfers of that client or network are cancelled to make room for them.
    ///
    /// # Errors
    /// [`QuotaError::OverShare`] if the share is exceeded nevertheless, and [`QuotaError::Cancelled`] if the transfer
    /// was cancelled.
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
    /// [`QuotaError::Cancelled`] if the transfer was cancelled.
    pub fn confirm_bytes(&self) -> Result<(), QuotaError> {
        self.registry().confirm_bytes(self.number)
    }

    /// Cancels transfers of heavier clients until an upload slot comes free for this one. Returns whether this transfer
    /// may queue for the slot: the heaviest network may not, so that it never stands in front of others.
    pub fn preempt_for_slot(&self, now: Duration) -> bool {
        let preemption = self.registry().preempt_for_slot(now, self.number);
        carry_out(preemption)
    }

    /// Cancels transfers of heavier clients until the requested bytes come free. Returns whether this transfer may
    /// queue for them.
    pub fn preempt_for_bytes(&self, now: Duration) -> bool {
        let preemption = self.registry().preempt_for_bytes(now, self.number);
        carry_out(preemption)
    }

    /// Allows the upload to pause from now on.
    ///
    /// # Errors
    /// [`QuotaError::OverShare`] if its client or network pauses too many uploads already, and
    /// [`QuotaError::Cancelled`] if the transfer was cancelled.
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
        // The lock is released by now.
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
