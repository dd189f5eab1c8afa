//! The tally of a minute: latencies and errors.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// Shared by all workers.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    minute: Mutex<Minute>,
}

/// What there was since it was last taken.
#[derive(Debug, Default)]
pub(crate) struct Minute {
    /// Requests that were answered as they should be.
    pub(crate) answered: Vec<Duration>,
    /// Of them those for what was evicted or deleted meanwhile; the newest are not among them.
    pub(crate) gone: u64,
    /// Requests whose client went away.
    pub(crate) left: u64,
    /// What was not as it should be, in words, and how often.
    pub(crate) errors: BTreeMap<String, u64>,
}

impl Minute {
    /// Those of another tally too.
    pub(crate) fn add_errors(&mut self, other: Self) {
        for (what, count) in other.errors {
            *self.errors.entry(what).or_default() += count;
        }
    }
}

impl Tally {
    pub(crate) fn answered(&self, took: Duration, status: u16) {
        let mut minute = self.minute.lock().unwrap();
        minute.answered.push(took);
        minute.gone += u64::from(status == 410);
    }

    pub(crate) fn left(&self) {
        self.minute.lock().unwrap().left += 1;
    }

    pub(crate) fn error(&self, what: String) {
        *self.minute.lock().unwrap().errors.entry(what).or_default() += 1;
    }

    pub(crate) fn take(&self) -> Minute {
        std::mem::take(&mut *self.minute.lock().unwrap())
    }
}
