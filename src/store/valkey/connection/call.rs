//! The kinds of calls to the engine, and how many of each there were.
//!
//! Cost: a call takes one lock for a moment.

use std::time::Duration;

use parking_lot::Mutex;
use redis::RedisError;

/// A kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Read a paste.
    Get,
    /// Save a paste.
    Save,
    /// Change a paste.
    Change,
    /// Use up one of the limited reads of a paste.
    Take,
    /// Delete a paste.
    Delete,
    /// Report reads.
    Touch,
    /// Ask why a paste is gone.
    Missing,
    /// List the pastes of an owner, or add one to the list.
    List,
    /// Read or change the operator's lists.
    Moderate,
    /// Count a save for the limits.
    Limit,
}

/// The calls of one kind since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallCount {
    /// The number of calls, with those that failed.
    pub calls: u64,
    /// The number of calls that failed, were not answered in time, or were not made while the engine failed.
    pub failed: u64,
    /// The time that all of them took.
    pub time: Duration,
}

/// The calls so far.
#[derive(Debug, Default)]
pub(in crate::store::valkey) struct Calls(Mutex<Recorded>);

#[derive(Debug, Default)]
struct Recorded {
    counts: [CallCount; Call::NAMES.len()],
    /// Why the last call failed, since that was asked.
    failure: Option<String>,
}

impl Call {
    /// The names, as metrics show them, in the order of the declaration.
    pub const NAMES: [&str; 10] = [
        "get", "save", "change", "take", "delete", "touch", "missing", "list", "moderate", "limit",
    ];

    /// Returns whether a second run changes nothing, so that the call may be repeated when its connection was lost. A
    /// save recognizes its own value. A read that is used up twice would be lost.
    pub(super) fn may_run_twice(self) -> bool {
        matches!(self, Self::Get | Self::Save | Self::Missing | Self::List)
    }
}

impl Calls {
    /// Records a call that took this long, and failed or not.
    pub(super) fn record(&self, call: Call, took: Duration, error: Option<&RedisError>) {
        let recorded = &mut *self.0.lock();
        let count = &mut recorded.counts[call as usize];
        count.calls += 1;
        count.time += took;
        if let Some(error) = error {
            count.failed += 1;
            let name = Call::NAMES[call as usize];
            recorded.failure = Some(format!("{name}: {error}"));
        }
    }

    /// Records a call that was not made, because the engine fails.
    pub(super) fn record_refused(&self, call: Call) {
        let count = &mut self.0.lock().counts[call as usize];
        count.calls += 1;
        count.failed += 1;
    }

    /// Returns why a call failed since this was asked last.
    pub(in crate::store::valkey) fn take_failure(&self) -> Option<String> {
        self.0.lock().failure.take()
    }

    /// Returns how many calls the engine answered.
    pub(super) fn answered(&self) -> u64 {
        let counts = self.counts();
        counts.iter().map(|count| count.calls - count.failed).sum()
    }

    /// Returns the counts, in the order of [`Call::NAMES`].
    pub(in crate::store::valkey) fn counts(&self) -> [CallCount; Call::NAMES.len()] {
        self.0.lock().counts
    }
}
