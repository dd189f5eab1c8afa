//! Episodes: something that happens often for a while and is said twice in the log, when it begins and when it is over.
//!
//! What it must not know: what happens, and how it is said.
//! Invariants: of any number of threads one is told of the beginning and one of the end; it is over when nothing has
//! happened for [`QUIET`], which is noticed at the next look.
//! Cost: a look while nothing happens is one read of shared memory.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

/// So long nothing happens before an episode is over.
const QUIET: Duration = Duration::from_secs(60);

/// Whether it goes on, and since when and how often.
#[derive(Debug, Default)]
pub(crate) struct Incident {
    is_ongoing: AtomicBool,
    latest: Mutex<Option<Latest>>,
}

#[derive(Debug, Clone, Copy)]
struct Latest {
    began: Duration,
    last: Duration,
    times: u64,
}

/// One that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Over {
    /// How often it happened.
    pub(crate) times: u64,
    /// From the first time to the last.
    pub(crate) lasted: Duration,
}

impl Incident {
    /// It happened; says whether an episode began with it.
    pub(crate) fn record(&self, now: Duration) -> bool {
        let mut latest = self.latest.lock();
        let begins = latest.is_none();
        let episode = latest.get_or_insert(Latest {
            began: now,
            last: now,
            times: 0,
        });
        episode.last = now;
        episode.times += 1;
        self.is_ongoing.store(true, Ordering::Relaxed);
        begins
    }

    /// The episode that is over, to whoever looks first.
    pub(crate) fn poll_end(&self, now: Duration) -> Option<Over> {
        if !self.is_ongoing.load(Ordering::Relaxed) {
            return None;
        }
        let mut latest = self.latest.lock();
        let over = latest.take_if(|episode| now.saturating_sub(episode.last) >= QUIET)?;
        self.is_ongoing.store(false, Ordering::Relaxed);
        Some(Over {
            times: over.times,
            lasted: over.last.saturating_sub(over.began),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_beginning_and_the_end_are_each_told_once() {
        let episode = Incident::default();
        assert_eq!(episode.poll_end(at(1)), None);
        assert!(episode.record(at(10)));
        assert!(!episode.record(at(30)));
        assert_eq!(episode.poll_end(at(89)), None);
        let over = Over {
            times: 2,
            lasted: at(20),
        };
        assert_eq!(episode.poll_end(at(90)), Some(over));
        assert_eq!(episode.poll_end(at(91)), None);
        assert!(episode.record(at(92)));
    }
}
