//! How much a connection would be missed: told by its task, judged by the list of all connections.
//!
//! What it must not know: sockets, requests.
//! Invariants: whoever is ended was judged under the same lock; a connection that was ended stays so, and its task is
//! woken to hear of it.
//! Cost: a lock without contention for a moment when what is done changes, twice a request; to hear of the end none.

use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Waker;
use std::time::Duration;

use parking_lot::Mutex;

/// A peer that took nothing for so long has stopped reading. The system wakes a writer only when a third of the
/// connection's buffer is free: of 4 MiB, which is what Linux lets it grow to, that takes a reader at 64 KiB a second
/// 22 seconds.
const STALLED: Duration = Duration::from_secs(30);

/// One connection's standing.
#[derive(Debug)]
pub(crate) struct ConnectionHandle {
    is_ended: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    doing: Activity,
    task: Option<Waker>,
}

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    /// It is idle, or in the middle of a head.
    Waiting,
    /// It has a request, or an answer that has not gone.
    Answering,
    /// Its peer has taken nothing of what is written since this time, as the clock counts.
    Blocked(Duration),
}

/// How little a connection would be missed, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evictability {
    /// Idle, or in the middle of a head.
    Waiting,
    /// Its peer has stopped reading.
    Stalled,
}

impl ConnectionHandle {
    /// A connection that waits for its first head.
    pub(crate) fn new() -> Self {
        let state = State {
            doing: Activity::Waiting,
            task: None,
        };
        Self {
            is_ended: AtomicBool::new(false),
            state: Mutex::new(state),
        }
    }

    /// What it is doing from now on.
    pub(crate) fn tell(&self, doing: Activity) {
        self.state.lock().doing = doing;
    }

    /// The task to be woken; it has to ask after this whether it was ended before.
    pub(crate) fn belong_to(&self, task: &Waker) {
        self.state.lock().task = Some(task.clone());
    }

    /// Whether it was ended.
    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Acquire)
    }

    /// Has its task look at the connection again.
    pub(crate) fn wake(&self) {
        let task = self.state.lock().task.clone();
        if let Some(task) = task {
            task.wake();
        }
    }

    /// Ends it, whatever it is doing.
    pub(crate) fn end(&self) {
        self.is_ended.store(true, Ordering::Release);
        self.wake();
    }

    /// Ends it, if it has this leisure at this time, as the clock counts; tells whether it did. One that was ended
    /// before has none.
    pub(crate) fn end_if(&self, leisure: Evictability, now: Duration) -> bool {
        let state = self.state.lock();
        if self.is_ended() || state.doing.leisure(now) != Some(leisure) {
            return false;
        }
        self.is_ended.store(true, Ordering::Release);
        let task = state.task.clone();
        drop(state);
        if let Some(task) = task {
            task.wake();
        }
        true
    }
}

impl Activity {
    /// None of one that is busy.
    fn leisure(self, now: Duration) -> Option<Evictability> {
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

    /// Counts how often it was woken.
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

    /// A connection that does this, and how often its task was woken.
    fn doing(doing: Activity) -> (ConnectionHandle, Arc<Count>) {
        let (handle, count) = (ConnectionHandle::new(), Arc::<Count>::default());
        handle.tell(doing);
        handle.belong_to(&Arc::clone(&count).into());
        (handle, count)
    }

    #[test]
    fn who_waits_is_ended_once_and_its_task_hears_of_it() {
        let (handle, count) = doing(Activity::Waiting);
        assert!(!handle.end_if(Evictability::Stalled, NOW));
        assert!(!handle.is_ended());
        assert!(handle.end_if(Evictability::Waiting, NOW));
        assert!(handle.is_ended());
        assert_eq!(count.get(), 1);
        assert!(!handle.end_if(Evictability::Waiting, NOW));
        assert_eq!(count.get(), 1);
    }

    #[test]
    fn who_answers_is_not_ended() {
        let (handle, count) = doing(Activity::Answering);
        for leisure in [Evictability::Waiting, Evictability::Stalled] {
            assert!(!handle.end_if(leisure, NOW));
        }
        assert_eq!(count.get(), 0);
    }

    #[test]
    fn whose_peer_takes_nothing_is_ended_after_thirty_seconds_and_not_before() {
        let (handle, _) = doing(Activity::Blocked(NOW));
        for (seconds, is_ended) in [(0, false), (29, false), (30, true)] {
            let now = NOW + Duration::from_secs(seconds);
            assert!(!handle.end_if(Evictability::Waiting, now));
            assert_eq!(handle.end_if(Evictability::Stalled, now), is_ended);
        }
    }

    #[test]
    fn what_is_told_after_the_end_brings_nobody_back() {
        let (handle, _) = doing(Activity::Waiting);
        handle.end();
        handle.tell(Activity::Answering);
        assert!(handle.is_ended());
    }
}
