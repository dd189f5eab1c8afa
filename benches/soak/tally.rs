//! The tally of a minute: latencies and errors.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// The tally that all workers share.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    minute: Mutex<Minute>,
}

/// The results since the last call of [`Tally::take`].
#[derive(Debug, Default)]
pub(crate) struct Minute {
    /// The latencies of requests with an expected response.
    pub(crate) answered: Vec<Duration>,
    /// The number of responses with status 410: the paste was evicted or deleted before.
    pub(crate) gone: u64,
    /// The number of requests whose client hung up.
    pub(crate) left: u64,
    /// The descriptions of the errors, and how often each error occurred.
    pub(crate) errors: BTreeMap<String, u64>,
}

impl Minute {
    /// Adds the errors of another tally.
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
