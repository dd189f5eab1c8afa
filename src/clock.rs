//! The clock: the only module that reads the time.
//!
//! It uses no other module of the program, except for the type [`Timestamp`].
//! Invariants: [`Clock::elapsed`] never goes back, and [`Clock::timestamp`] only if it follows another clock, see
//! [`Clock::agree_with`]. The wall clock is read once, when the [`Clock`] is made, so a later step of the wall clock
//! changes no timestamp. Only [`Clock::date`], which the log uses, follows such a step.
//! On Linux, elapsed time and timestamps stand still while the machine is suspended, so pastes expire that much later.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Waker;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use crate::paste::Timestamp;

/// A source of time. It is cheap to clone, and all clones show the same time.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The operating system's clock.
    System {
        /// The monotonic clock when this clock was made.
        start: Instant,
        /// The wall clock at the same moment, in milliseconds since 1970-01-01T00:00:00Z.
        start_date: Arc<AtomicU64>,
    },
    /// A clock that stands still until it is advanced, for tests.
    Manual(Arc<ManualClock>),
}

/// A clock that a test advances.
#[derive(Debug, Default)]
pub struct ManualClock {
    millis: AtomicU64,
    /// Tasks that wait for a later time. Every advance wakes them, and they look at the clock again.
    waiting: Mutex<Vec<Waker>>,
}

/// The time of one request. The clock is read once, and once more each time the request was polled again.
#[derive(Debug, Default)]
pub(crate) struct RequestClock {
    now: Cell<Option<Duration>>,
}

impl RequestClock {
    /// Runs a future that uses this clock, and forgets the time whenever the future is polled again. The caller pins
    /// the future, because this one would have room for it twice.
    pub(crate) async fn follow<T>(&self, mut future: Pin<&mut impl Future<Output = T>>) -> T {
        let mut has_waited = false;
        poll_fn(|task| {
            if std::mem::replace(&mut has_waited, true) {
                self.now.set(None);
            }
            future.as_mut().poll(task)
        })
        .await
    }

    /// Returns the time since the clock was made.
    pub(crate) fn elapsed(&self, clock: &Clock) -> Duration {
        let now = self.now.get().unwrap_or_else(|| clock.elapsed());
        self.now.set(Some(now));
        now
    }
}

/// The date at which a manual clock starts: 2026-01-01T00:00:00Z.
const MANUAL_EPOCH: Duration = Duration::from_secs(1_767_225_600);

impl Clock {
    /// Makes a clock that follows the operating system's clock.
    pub fn system() -> Self {
        Self::System {
            start: Instant::now(),
            start_date: Arc::new(AtomicU64::new(millis(wall_clock()))),
        }
    }

    /// Makes a manual clock that stands at 2026-01-01T00:00:00Z.
    pub fn manual() -> Self {
        Self::Manual(Arc::default())
    }

    /// Returns the time since this clock was made. It never goes back.
    pub fn elapsed(&self) -> Duration {
        match self {
            Self::System { start, .. } => start.elapsed(),
            Self::Manual(clock) => Duration::from_millis(clock.millis.load(Ordering::SeqCst)),
        }
    }

    /// Returns the current time for everything that is stored or sent. It is the wall clock at the start, advanced by
    /// the monotonic clock, so it never goes back.
    pub fn timestamp(&self) -> Timestamp {
        self.timestamp_at(self.elapsed())
    }

    /// Returns the time at which the clock was made.
    pub fn start(&self) -> Timestamp {
        self.timestamp_at(Duration::ZERO)
    }

    /// Sets the clock forward to this time if it is behind it. Returns how far it was behind.
    pub fn catch_up_with(&self, time: Timestamp) -> Duration {
        let behind = time.since(self.timestamp());
        match self {
            Self::System { start_date, .. } => {
                start_date.fetch_add(millis(behind), Ordering::Relaxed);
            }
            Self::Manual(_) => self.advance(behind),
        }
        behind
    }

    /// Returns by how much this clock and another one differ. A manual clock agrees with every other one.
    pub fn difference(&self, time: Timestamp) -> Duration {
        let now = self.timestamp();
        match self {
            Self::System { .. } => time.since(now).max(now.since(time)),
            Self::Manual(_) => Duration::ZERO,
        }
    }

    /// Sets the date of this clock and of its clones to that of another clock, forward or back. A manual clock stays as
    /// it is.
    pub fn agree_with(&self, time: Timestamp) {
        if let Self::System { start_date, .. } = self {
            let now = self.timestamp();
            start_date.fetch_add(millis(time.since(now)), Ordering::Relaxed);
            start_date.fetch_sub(millis(now.since(time)), Ordering::Relaxed);
        }
    }

    /// Returns the timestamp of a time that [`Self::elapsed`] returned.
    pub(crate) fn timestamp_at(&self, elapsed: Duration) -> Timestamp {
        let start_date = match self {
            Self::System { start_date, .. } => {
                Duration::from_millis(start_date.load(Ordering::Relaxed))
            }
            Self::Manual(_) => MANUAL_EPOCH,
        };
        Timestamp::since_epoch(start_date + elapsed)
    }

    /// Returns the wall clock's current time since 1970-01-01T00:00:00Z. It can go back; only the log uses it.
    pub fn date(&self) -> Duration {
        match self {
            Self::System { .. } => wall_clock(),
            Self::Manual(_) => MANUAL_EPOCH + self.elapsed(),
        }
    }

    /// Advances a manual clock; has no effect on the system clock.
    pub fn advance(&self, by: Duration) {
        if let Self::Manual(clock) = self {
            let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
            clock.millis.fetch_add(by, Ordering::SeqCst);
            for waker in clock.waiting.lock().drain(..) {
                waker.wake();
            }
        }
    }
}

/// Returns the wall clock's time since 1970-01-01T00:00:00Z, or zero if the wall clock is before that date.
fn wall_clock() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the processor time that the calling thread has used. Time in which the thread waited for a processor does
/// not count. A call takes about 0.2 µs.
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Returns the processor time that all threads of the process have used.
pub fn processor_time_of_process() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

impl ManualClock {
    /// Wakes this task at the next advance. The caller must look at the clock after this call, or it may miss one.
    pub fn wake_on_advance(&self, waker: &Waker) {
        let mut waiting = self.waiting.lock();
        if !waiting.iter().any(|known| known.will_wake(waker)) {
            waiting.push(waker.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_behind_catches_up_and_one_that_is_ahead_stays() {
        for clock in [Clock::system(), Clock::manual()] {
            let now = clock.timestamp().as_millis();
            assert_eq!(
                clock.catch_up_with(Timestamp::from_millis(5)),
                Duration::ZERO
            );
            clock.catch_up_with(Timestamp::from_millis(now + 90_000));
            assert!(clock.timestamp().as_millis() >= now + 90_000);
        }
    }

    #[test]
    fn a_clock_and_its_clones_follow_another_one_in_both_directions() {
        let clock = Clock::system();
        let (clone, now) = (clock.clone(), clock.timestamp().as_millis());
        for step in [90_000, 30_000] {
            clock.agree_with(Timestamp::from_millis(now + step));
            let ahead = clone.timestamp().as_millis() - now - step;
            assert!(ahead < 30_000, "{ahead}");
        }
    }

    #[test]
    fn a_request_has_one_time_until_it_has_waited() {
        let clock = Clock::manual();
        let request = RequestClock::default();
        let first = request.elapsed(&clock);
        clock.advance(Duration::from_secs(5));
        assert_eq!(request.elapsed(&clock), first);
        request.now.set(None);
        assert_eq!(request.elapsed(&clock), Duration::from_secs(5));
    }
}
