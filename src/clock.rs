//! The clock: the only place that asks for the time.
//!
//! What it must not know: everything else.
//! Invariants: [`Clock::elapsed`] never goes back and is not moved by steps of the wall clock; only dates shown to
//! people are. On Linux it stands still while the machine is suspended: pastes then live that much longer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Where the time comes from; cheap to clone, all clones agree.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The operating system's, counted from the moment it was made.
    System(Instant),
    /// One that stands still until it is moved, for tests.
    Manual(Arc<ManualClock>),
}

/// A clock that is moved by hand.
#[derive(Debug, Default)]
pub struct ManualClock {
    millis: AtomicU64,
    /// Whoever waits for a time that is yet to come: woken at every move, to look again.
    waiting: Mutex<Vec<Waker>>,
}

/// The date at which a manual clock begins: 2026-01-01T00:00:00Z.
const MANUAL_EPOCH: Duration = Duration::from_secs(1_767_225_600);

impl Clock {
    /// The operating system's clock, begun now.
    #[must_use]
    pub fn system() -> Self {
        Self::System(Instant::now())
    }

    /// A clock that stands at zero.
    #[must_use]
    pub fn manual() -> Self {
        Self::Manual(Arc::default())
    }

    /// How long ago this clock began: monotonic.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        match self {
            Self::System(start) => start.elapsed(),
            Self::Manual(clock) => Duration::from_millis(clock.millis.load(Ordering::SeqCst)),
        }
    }

    /// The date, as time since 1970-01-01T00:00:00Z; for people and for headers, never for deadlines.
    #[must_use]
    pub fn date(&self) -> Duration {
        match self {
            Self::System(_) => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default(),
            Self::Manual(_) => MANUAL_EPOCH + self.elapsed(),
        }
    }

    /// Moves a manual clock on; a system clock cannot be moved.
    pub fn advance(&self, by: Duration) {
        if let Self::Manual(clock) = self {
            let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
            clock.millis.fetch_add(by, Ordering::SeqCst);
            for waker in clock.waiting().drain(..) {
                waker.wake();
            }
        }
    }
}

/// What the calling thread has taken of a processor since it began: a thread that has to wait for its turn is not
/// charged for the others. About 0.2 µs.
#[must_use]
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

impl ManualClock {
    /// Wakes this task at the next move. Whoever waits for a time has to look at the clock after this call, or it may
    /// miss a move in between.
    pub fn wake_when_moved(&self, waker: &Waker) {
        let mut waiting = self.waiting();
        if !waiting.iter().any(|known| known.will_wake(waker)) {
            waiting.push(waker.clone());
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<Waker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
