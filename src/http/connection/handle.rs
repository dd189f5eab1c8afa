//! The shared handle of a connection: its task reports an activity, and the registry may evict it.
//!
//! Invariants: the registry judges and evicts a connection under one lock, so no request starts in between. An evicted
//! connection stays evicted: a request that starts afterwards is not handled. Its task is woken so that it notices the
//! eviction.
//! Cost: an uncontended lock for each change of activity, twice per request. The check for eviction takes no lock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Waker;
use std::time::Duration;

use parking_lot::Mutex;

/// A peer that has read nothing for this long has stopped reading. The system takes more of a response whenever it has
/// less than 16 KiB to send. It takes 64 KiB at once, so a reader at 4 KiB per second is seen to read twice in this time.
const STALLED: Duration = Duration::from_secs(30);

/// The part of a connection that the registry shares with the connection's task. A new connection waits for its first
/// head.
#[derive(Default)]
pub(crate) struct ConnectionHandle {
    is_evicted: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    activity: Activity,
    /// Wakes the connection's task.
    waker: Option<Waker>,
}

/// The current activity of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Activity {
    /// It is idle, or its peer is sending the head of a request.
    #[default]
    Waiting,
    /// A request is being answered, or the operating system has not accepted the whole response.
    Answering,
    /// Its peer has read nothing of a response since this time of the server's clock.
    Blocked(Duration),
}

/// Why a connection may be evicted. The registry tries [`Evictability::Waiting`] first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evictability {
    /// It is idle, or its peer is sending the head of a request.
    Waiting,
    /// Its peer has stopped reading a response.
    Stalled,
}

impl ConnectionHandle {
    /// Reports the connection's activity from now on.
    pub(crate) fn set_activity(&self, activity: Activity) {
        self.inner.lock().activity = activity;
    }

    /// Sets the waker of the connection's task. The task calls [`Self::is_evicted`] afterwards, because an eviction
    /// before this call did not wake the task.
    pub(crate) fn register(&self, waker: &Waker) {
        self.inner.lock().waker = Some(waker.clone());
    }

    /// Returns whether the connection was evicted.
    pub(crate) fn is_evicted(&self) -> bool {
        self.is_evicted.load(Ordering::Acquire)
    }

    /// Wakes the connection's task.
    pub(crate) fn wake(&self) {
        let waker = self.inner.lock().waker.clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Evicts the connection whatever its activity is.
    pub(crate) fn evict(&self) {
        self.is_evicted.store(true, Ordering::Release);
        self.wake();
    }

    /// Evicts the connection if it has this evictability now. Returns true if the connection was evicted by this call.
    pub(crate) fn evict_if(&self, evictability: Evictability, now: Duration) -> bool {
        let inner = self.inner.lock();
        let is_victim = inner.activity.evictability(now) == Some(evictability);
        let is_evicted = is_victim && !self.is_evicted.swap(true, Ordering::AcqRel);
        drop(inner);
        if is_evicted {
            self.wake();
        }
        is_evicted
    }
}

impl Activity {
    /// Returns `None` for a busy connection.
    fn evictability(self, now: Duration) -> Option<Evictability> {
        match self {
            Self::Waiting => Some(Evictability::Waiting),
            Self::Blocked(since) if now.saturating_sub(since) >= STALLED => {
                Some(Evictability::Stalled)
            }
            Self::Answering | Self::Blocked(_) => None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    /// A waker that counts its calls.
    #[derive(Default)]
    pub(in crate::http) struct Count(AtomicUsize);

    impl Count {
        pub(in crate::http) fn get(&self) -> usize {
            self.0.load(Ordering::SeqCst)
        }
    }

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// A connection with this activity, and the number of times that its task was woken.
    fn connection(activity: Activity) -> (ConnectionHandle, Arc<Count>) {
        let (handle, count) = (ConnectionHandle::default(), Arc::<Count>::default());
        handle.set_activity(activity);
        handle.register(&Arc::clone(&count).into());
        (handle, count)
    }

    #[test]
    fn a_waiting_connection_is_evicted_once_and_its_task_is_woken() {
        let (handle, count) = connection(Activity::Waiting);
        assert!(!handle.evict_if(Evictability::Stalled, NOW));
        assert!(!handle.is_evicted());
        assert!(handle.evict_if(Evictability::Waiting, NOW));
        assert!(handle.is_evicted());
        assert_eq!(count.get(), 1);
        assert!(!handle.evict_if(Evictability::Waiting, NOW));
        assert_eq!(count.get(), 1);
    }

    #[test]
    fn a_connection_that_answers_is_not_evicted() {
        let (handle, count) = connection(Activity::Answering);
        for evictability in [Evictability::Waiting, Evictability::Stalled] {
            assert!(!handle.evict_if(evictability, NOW));
        }
        assert_eq!(count.get(), 0);
    }

    #[test]
    fn a_connection_whose_peer_reads_nothing_may_be_evicted_after_30_seconds() {
        let (handle, _) = connection(Activity::Blocked(NOW));
        for (seconds, is_evicted) in [(0, false), (29, false), (30, true)] {
            let now = NOW + Duration::from_secs(seconds);
            assert!(!handle.evict_if(Evictability::Waiting, now));
            assert_eq!(handle.evict_if(Evictability::Stalled, now), is_evicted);
        }
    }

    #[test]
    fn an_evicted_connection_stays_evicted_whatever_it_reports() {
        let (handle, _) = connection(Activity::Waiting);
        handle.evict();
        handle.set_activity(Activity::Answering);
        assert!(handle.is_evicted());
    }
}
