//! What the log tells of an engine that fails: one line when that starts, and one when it ends.
//!
//! Invariant: about each kind of failure, at most one line is logged in ten seconds. One server of a Cluster may fail
//! while others answer, so the lines would alternate.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use redis::RedisError;

use super::call::{Call, Failure};

/// In this number of periods of the upkeep, at most one line is logged about each kind.
const PAUSE: u32 = 40;

/// The kinds of failures.
#[derive(Debug, Default)]
pub(super) struct Outages {
    fails: Outage,
    is_full: Outage,
}

#[derive(Debug, Default)]
struct Outage {
    is_on: AtomicBool,
    /// The number of periods in which nothing is logged.
    pause: AtomicU32,
}

impl Outages {
    /// Records a call that succeeded.
    pub(super) fn succeeded(&self, call: Call) {
        if self.fails.changes_to(false) {
            tracing::info!("the engine of the pastes answers again");
        }
        if call.needs_memory() && self.is_full.changes_to(false) {
            tracing::info!("the engine of the pastes takes data again");
        }
    }

    /// Records a call that failed.
    pub(super) fn failed(&self, call: Call, failure: Failure, error: &RedisError) {
        let call = call.name();
        match failure {
            Failure::Full if self.is_full.changes_to(true) => tracing::error!(
                call, %error,
                "the engine is full: saves get 507, and each node limits clients on its own. Raise maxmemory, or make room on its disk"
            ),
            Failure::Unavailable if self.fails.changes_to(true) => tracing::error!(
                call, %error,
                "a call to the engine of the pastes failed: requests that need it get 503, and each node limits clients on its own"
            ),
            Failure::Full | Failure::Unavailable => {}
        }
    }

    /// Shortens the pauses by a period of the upkeep that has passed.
    pub(super) fn shorten_pauses(&self) {
        for outage in [&self.fails, &self.is_full] {
            shorten(&outage.pause);
        }
    }
}

impl Outage {
    /// Returns whether this is news that may be logged.
    fn changes_to(&self, is_on: bool) -> bool {
        if self.is_on.load(Ordering::Relaxed) == is_on || self.pause.load(Ordering::Relaxed) > 0 {
            return false;
        }
        self.pause.store(PAUSE, Ordering::Relaxed);
        self.is_on.swap(is_on, Ordering::Relaxed) != is_on
    }
}

/// Shortens a pause by a period that has passed.
pub(super) fn shorten(pause: &AtomicU32) {
    let one_less = |pause: u32| pause.checked_sub(1);
    let _ = pause.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_and_the_end_of_an_outage_are_news_but_only_once_in_a_pause() {
        let outage = Outage::default();
        let is_news = |is_on| outage.changes_to(is_on);
        let pass = || (0..PAUSE).for_each(|_| shorten(&outage.pause));
        assert_eq!([false, true, true].map(is_news), [false, true, false]);
        assert!(!is_news(false), "it ended in the pause");
        pass();
        assert!(!is_news(true), "it started again");
        assert_eq!([false, false].map(is_news), [true, false]);
    }
}
