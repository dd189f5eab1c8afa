//! A transfer guard: it represents one upload or one large response, and counts the resources that this transfer uses.
//!
//! Invariants: callbacks that cancel transfers are called and dropped without the lock. A callback may release a
//! resource that the next waiter acquires. It may also drop the last reference to a large response.
//! A transfer is fast enough if it moves [`MIN_BYTES`] in every [`PERIOD`], no matter how unevenly. One that may pause
//! is fast enough until a pause exceeds [`MAX_PAUSE`]. Periods are used instead of an average, so that a body that
//! starts fast and then stalls is noticed one period later.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::MutexGuard;
use tokio::sync::Notify;

use super::transfer_registry::TransferRegistry;
use super::transfer_state::{Cancel, Progress, TransferState};
use super::{BytePermit, Overload, Priority, QuotaError};

/// The throughput is checked at the end of each period of this length.
const PERIOD: Duration = Duration::from_secs(15);

/// Minimum bytes in each period: one KiB per second.
const MIN_BYTES: u64 = 15 * 1024;

/// The longest pause of a transfer that may pause. It is long enough for `make 2>&1 | curl -T - HOST`.
pub const MAX_PAUSE: Duration = Duration::from_secs(600);

/// One transfer in progress. The transfer ends when this is dropped. Every `now` is a time on the clock of the process.
pub struct Transfer {
    pub(super) overload: Arc<Overload>,
    pub(super) number: u64,
    pub(super) progress: Arc<Progress>,
    /// Notified once, when the transfer is cancelled.
    pub(super) cancelled: Arc<Notify>,
    /// The start of the current period, and the bytes moved before it. `None` if the transfer may pause.
    pub(super) period: Option<(Duration, u64)>,
}

impl Transfer {
    /// Counts `bytes` that were just transferred. Bytes after a good period count for the next one.
    pub fn record_progress(&mut self, now: Duration, bytes: usize) {
        self.is_fast_enough(now);
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
        self.registry()
            .update(self.number, TransferState::occupy_slot)
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
        self.registry()
            .update(self.number, TransferState::confirm_bytes)
    }

    /// Acquires bytes if they are free and within the share of the client and its network. Cancels no transfer.
    pub fn try_bytes(&self, priority: Priority, bytes: usize) -> Option<BytePermit> {
        let budget = &self.overload.byte_budget;
        let permit = budget.try_acquire(priority, bytes)?;
        let mut registry = self.registry();
        let bytes = budget.rounded(priority, bytes) as u64;
        registry.request_bytes(self.number, bytes).ok()?;
        let confirmed = registry.update(self.number, TransferState::confirm_bytes);
        confirmed.ok().map(|()| permit)
    }

    /// Cancels other transfers until the requested bytes, or else an upload slot, come free for this one. Returns true
    /// if this transfer may then queue for them. A transfer of the heaviest network may not queue, so it never delays
    /// others.
    pub fn preempt(&self, now: Duration) -> bool {
        let (cancels, may_queue) = self.registry().preempt(now, self.number);
        run(cancels);
        may_queue
    }

    /// Allows the upload to pause from now on. Then only the length of a pause is checked.
    ///
    /// # Errors
    /// Returns [`QuotaError::OverShare`] if the client or its network has too many paused uploads, or if no pause is
    /// free.
    /// Returns [`QuotaError::Cancelled`] if the transfer was cancelled.
    pub fn allow_pause(&mut self, now: Duration) -> Result<(), QuotaError> {
        let victim = self.registry().allow_pause(now, self.number);
        if matches!(victim, Err(QuotaError::OverShare)) {
            self.overload.count_over_share();
        }
        run(victim?);
        self.period = None;
        Ok(())
    }

    /// Returns true if the transfer may pause.
    pub fn may_pause(&self) -> bool {
        self.period.is_none()
    }

    /// Returns the time at which [`Self::is_fast_enough`] should be called next.
    pub fn next_check(&self) -> Duration {
        match self.period {
            Some((start, _)) => start.saturating_add(PERIOD),
            None => self.progress.last().saturating_add(MAX_PAUSE),
        }
    }

    /// Returns false if the client is too slow to keep waiting for it. If a period is over and had enough bytes, the
    /// next one starts.
    pub fn is_fast_enough(&mut self, now: Duration) -> bool {
        if now < self.next_check() {
            return true;
        }
        let moved = self.progress.bytes();
        let is_enough = self
            .period
            .is_some_and(|(_, before)| moved - before >= MIN_BYTES);
        if is_enough {
            self.period = Some((now, moved));
        }
        is_enough
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

fn run(cancels: impl IntoIterator<Item = Cancel>) {
    for cancel in cancels {
        cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fairness::ClientKey;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn upload(now: Duration) -> Transfer {
        let (network, client) = (1, 1);
        let overload = Arc::new(Overload::new(1 << 20, 1, 1));
        let key = ClientKey { network, client };
        let started = overload.start_transfer(now, key, Priority::Save, || ());
        started.expect("within its share")
    }

    #[test]
    fn a_kibibyte_per_second_is_fast_enough_and_a_byte_less_is_not() {
        for (bytes, is_fast) in [(15 * 1024, true), (15 * 1024 - 1, false)] {
            let mut upload = upload(at(100));
            upload.record_progress(at(101), bytes);
            assert!(
                upload.is_fast_enough(at(114)),
                "a period that is not over is not judged"
            );
            assert_eq!(upload.is_fast_enough(at(115)), is_fast);
        }
    }

    #[test]
    fn bytes_after_a_good_period_and_before_its_check_count_for_the_next() {
        let mut upload = upload(at(0));
        upload.record_progress(at(1), 15 * 1024);
        upload.record_progress(at(15), 15 * 1024);
        assert!(upload.is_fast_enough(at(15)) && upload.is_fast_enough(at(30)));
        assert!(!upload.is_fast_enough(at(45)));
    }

    #[test]
    fn a_transfer_that_was_fast_and_stalls_is_too_slow_one_period_later() {
        let mut upload = upload(at(0));
        upload.record_progress(at(1), 1 << 30);
        assert!(upload.is_fast_enough(at(15)));
        assert_eq!(upload.next_check(), at(30));
        assert!(!upload.is_fast_enough(at(30)));
    }

    #[test]
    fn a_transfer_that_may_pause_may_do_so_for_ten_minutes_but_no_longer() {
        let mut upload = upload(at(0));
        assert_eq!(upload.allow_pause(at(0)), Ok(()));
        assert!(upload.is_fast_enough(at(599)));
        upload.record_progress(at(599), 1);
        assert_eq!(upload.next_check(), at(1199));
        assert!(upload.is_fast_enough(at(1198)) && !upload.is_fast_enough(at(1199)));
    }
}
