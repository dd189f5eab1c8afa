//! The kinds of calls to the engine, how many of each there were, and why one has no answer.
//!
//! Cost: a call adds to three atomic numbers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::store::StoreError;

/// A kind of call. Its name is that of the function in `library/`, or of the engine's own command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Read a paste.
    Get,
    /// Save a paste.
    Save,
    /// Change a paste.
    Change,
    /// Count a read of a paste, and use up one of its limited reads.
    Take,
    /// Delete a paste.
    Delete,
    /// Report reads.
    Touch,
    /// Remove expired pastes.
    Sweep,
    /// Ask why a paste is gone.
    Missing,
    /// List the pastes of an owner.
    List,
    /// Read or change the operator's lists.
    Moderate,
    /// Exchange the state of the limiter.
    Exchange,
}

/// The calls of one kind since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallCount {
    /// The number of calls, with those that failed.
    pub calls: u64,
    /// The number of calls that failed, or were not answered in time.
    pub failed: u64,
    /// The time that all of them took.
    pub time: Duration,
}

/// Why a call has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Failure {
    /// The engine was not reached, did not answer in time, or answered with an error. The cause was logged.
    Unavailable,
    /// The engine takes no more data: its memory or its disk is full. Nothing was changed.
    Full,
}

/// The counts of all kinds.
#[derive(Debug, Default)]
pub(super) struct Calls([Count; Call::ALL.len()]);

#[derive(Debug, Default)]
struct Count {
    calls: AtomicU64,
    failed: AtomicU64,
    nanos: AtomicU64,
}

impl Call {
    /// All kinds, in the order of their declaration.
    pub const ALL: [Self; 11] = [
        Self::Get,
        Self::Save,
        Self::Change,
        Self::Take,
        Self::Delete,
        Self::Touch,
        Self::Sweep,
        Self::Missing,
        Self::List,
        Self::Moderate,
        Self::Exchange,
    ];

    /// Returns the name, as metrics show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Save => "save",
            Self::Change => "change",
            Self::Take => "take",
            Self::Delete => "delete",
            Self::Touch => "touch",
            Self::Sweep => "sweep",
            Self::Missing => "missing",
            Self::List => "list",
            Self::Moderate => "moderate",
            Self::Exchange => "exchange",
        }
    }

    /// Returns whether a second run changes nothing, so that the call may be repeated when its connection was lost. A
    /// saved revision is recognized. A read that is used up twice would be lost.
    pub(super) fn may_run_twice(self) -> bool {
        match self {
            Self::Get | Self::Save | Self::Sweep | Self::Missing | Self::List => true,
            Self::Change
            | Self::Take
            | Self::Delete
            | Self::Touch
            | Self::Moderate
            | Self::Exchange => false,
        }
    }

    /// Returns whether the engine refuses the call while its memory is full.
    pub(super) fn needs_memory(self) -> bool {
        matches!(self, Self::Save | Self::Change | Self::Exchange)
    }
}

impl Calls {
    pub(super) fn count(&self, call: Call, took: Duration, is_answered: bool) {
        let Count {
            calls,
            failed,
            nanos,
        } = &self.0[call as usize];
        calls.fetch_add(1, Ordering::Relaxed);
        failed.fetch_add(u64::from(!is_answered), Ordering::Relaxed);
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        nanos.fetch_add(took, Ordering::Relaxed);
    }

    /// Returns the counts, in the order of [`Call::ALL`].
    pub(super) fn counts(&self) -> [CallCount; Call::ALL.len()] {
        self.0.each_ref().map(|count| CallCount {
            calls: count.calls.load(Ordering::Relaxed),
            failed: count.failed.load(Ordering::Relaxed),
            time: Duration::from_nanos(count.nanos.load(Ordering::Relaxed)),
        })
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Full => Self::DiskFull,
            Failure::Unavailable => Self::Unavailable,
        }
    }
}
