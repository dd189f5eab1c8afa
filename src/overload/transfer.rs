//! A transfer: the guard of an upload or a large response, and the check that it is fast enough.
//!
//! Invariants: a transfer is fast enough if it moves [`MIN_BYTES`] in every [`PERIOD`], no matter how unevenly. One that
//! may pause is fast enough until a pause exceeds [`MAX_PAUSE`]. Periods are used instead of an average, so that a body
//! that starts fast and then stalls is noticed one period later.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::connection::ConnectionHandle;
use super::{Overload, Priority, QuotaError};
use crate::fairness::ClientKey;

/// The throughput is checked at the end of each period of this length.
const PERIOD: Duration = Duration::from_secs(15);

/// Minimum bytes in each period: one KiB per second.
const MIN_BYTES: u64 = 15 * 1024;

/// The longest pause of a transfer that may pause. It is long enough for `make 2>&1 | curl -T - HOST`.
pub const MAX_PAUSE: Duration = Duration::from_secs(600);

/// The message of a connection as an upload or a large response. It ends when this is dropped. Every `now` is a time on
/// the clock of the process.
pub struct Transfer {
    overload: Arc<Overload>,
    handle: Arc<ConnectionHandle>,
    /// The start of the current period, and the bytes moved before it. `None` if the transfer may pause.
    period: Option<(Duration, u64)>,
}

impl Overload {
    /// Notes that the message of a connection is an upload ([`Priority::Save`]) or a large response, for this client.
    ///
    /// # Errors
    /// [`QuotaError::OverShare`] if the client or its network has too many through proxies.
    pub fn start_transfer(
        self: &Arc<Self>,
        handle: &Arc<ConnectionHandle>,
        now: Duration,
        client: ClientKey,
        priority: Priority,
    ) -> Result<Transfer, QuotaError> {
        let number = handle.number;
        let started = self.change(|it| it.start_message(number, now, client, priority));
        started.inspect_err(|_| self.count_over_share())?;
        Ok(Transfer {
            overload: Arc::clone(self),
            handle: Arc::clone(handle),
            period: Some((now, 0)),
        })
    }

    /// Notes that the message of a connection moves nothing until an event, such as the next view of the awaited paste.
    /// It counts as a paused upload. Another one that waits for the same is revoked.
    ///
    /// # Errors
    /// [`QuotaError::OverShare`] if the client or its network has too many, or if there is no room.
    /// [`QuotaError::Cancelled`] if the server stops.
    pub fn start_wait(
        self: &Arc<Self>,
        handle: &Arc<ConnectionHandle>,
        now: Duration,
        client: ClientKey,
        awaited: u64,
    ) -> Result<Transfer, QuotaError> {
        let mut transfer = self.start_transfer(handle, now, client, Priority::Read)?;
        self.change(|it| it.wait_for(handle.number, awaited));
        transfer.allow_pause(now)?;
        let is_stopping = self.is_stopping.load(Ordering::Relaxed);
        (!is_stopping)
            .then_some(transfer)
            .ok_or(QuotaError::Cancelled)
    }
}

impl Transfer {
    /// Counts `bytes` that were just transferred. Bytes after a good period count for the next one.
    pub fn record_progress(&mut self, now: Duration, bytes: usize) {
        self.is_fast_enough(now);
        self.handle.record_progress(now, bytes as u64);
    }

    /// Returns whether the transfer has to give back what it holds. The task of the connection is woken before.
    pub fn is_revoked(&self) -> bool {
        self.handle.is_revoked()
    }

    /// Takes bytes of the budget, until the transfer holds `total`. Returns false if it has to wait for them: the task
    /// of the connection is woken when it holds them. To be called again then, and now and then, because what is slow by
    /// then has to make room. [`Self::give_up`] ends the wait.
    ///
    /// # Errors
    /// [`QuotaError::OverShare`] if they exceed the share of the client or its network. Then the transfer does not wait.
    /// [`QuotaError::Cancelled`] if the transfer was revoked.
    pub fn hold(&self, now: Duration, total: usize) -> Result<bool, QuotaError> {
        let (number, total) = (self.handle.number, total as u64);
        self.overload.change(|it| it.hold(number, now, total, true))
    }

    /// Takes bytes of the budget if they are free and within the share of the client and its network. Nothing makes
    /// room for them. Returns whether the transfer holds `total`.
    pub fn try_hold(&self, now: Duration, total: usize) -> bool {
        let (number, total) = (self.handle.number, total as u64);
        let held = self
            .overload
            .change(|it| it.hold(number, now, total, false));
        held == Ok(true)
    }

    /// Notes that the response is about to use up a paste, so it cannot be repeated. It keeps what it holds until it
    /// moves bytes.
    ///
    /// # Errors
    /// [`QuotaError::Cancelled`] if the transfer was revoked.
    pub fn set_last_read(&self) -> Result<(), QuotaError> {
        let number = self.handle.number;
        self.overload.change(|it| it.set_last_read(number))
    }

    /// Ends the wait for bytes.
    pub fn give_up(&self) {
        self.overload.change(|it| it.give_up(self.handle.number));
    }

    /// Allows the upload to pause from now on. Then only the length of a pause is checked.
    ///
    /// # Errors
    /// [`QuotaError::OverShare`] if the client or its network has too many paused uploads, or if no pause is free.
    /// [`QuotaError::Cancelled`] if the transfer was revoked.
    pub fn allow_pause(&mut self, now: Duration) -> Result<(), QuotaError> {
        let number = self.handle.number;
        let allowed = self.overload.change(|it| it.allow_pause(number, now));
        if matches!(allowed, Err(QuotaError::OverShare)) {
            self.overload.count_over_share();
        }
        allowed?;
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
            None => self.handle.last_progress().saturating_add(MAX_PAUSE),
        }
    }

    /// Returns false if the client is too slow to keep waiting for it. If a period is over and had enough bytes, the
    /// next one starts.
    pub fn is_fast_enough(&mut self, now: Duration) -> bool {
        if now < self.next_check() {
            return true;
        }
        let moved = self.handle.moved();
        let is_enough = self
            .period
            .is_some_and(|(_, before)| moved - before >= MIN_BYTES);
        if is_enough {
            self.period = Some((now, moved));
        }
        is_enough
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        self.overload
            .change(|it| it.end_message(self.handle.number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overload::ConnectionSlot;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn upload(now: Duration) -> (ConnectionSlot, Transfer) {
        let overload = Arc::new(Overload::new(1 << 20, 1, 1));
        let slot = overload.connect(now, None);
        let client = ClientKey::default();
        let upload = overload.start_transfer(&slot.handle, now, client, Priority::Save);
        (slot, upload.expect("within its share"))
    }

    #[test]
    fn a_kibibyte_per_second_is_fast_enough_and_a_byte_less_is_not() {
        for (bytes, is_fast) in [(15 * 1024, true), (15 * 1024 - 1, false)] {
            let (_slot, mut upload) = upload(at(100));
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
        let (_slot, mut upload) = upload(at(0));
        upload.record_progress(at(1), 15 * 1024);
        upload.record_progress(at(15), 15 * 1024);
        assert!(upload.is_fast_enough(at(15)) && upload.is_fast_enough(at(30)));
        assert!(!upload.is_fast_enough(at(45)));
    }

    #[test]
    fn a_transfer_that_was_fast_and_stalls_is_too_slow_one_period_later() {
        let (_slot, mut upload) = upload(at(0));
        upload.record_progress(at(1), 1 << 30);
        assert!(upload.is_fast_enough(at(15)));
        assert_eq!(upload.next_check(), at(30));
        assert!(!upload.is_fast_enough(at(30)));
    }

    #[test]
    fn a_transfer_that_may_pause_may_do_so_for_ten_minutes_but_no_longer() {
        let (_slot, mut upload) = upload(at(0));
        assert_eq!(upload.allow_pause(at(0)), Ok(()));
        assert!(upload.is_fast_enough(at(599)));
        upload.record_progress(at(599), 1);
        assert_eq!(upload.next_check(), at(1199));
        assert!(upload.is_fast_enough(at(1198)) && !upload.is_fast_enough(at(1199)));
    }
}
