//! How old a paste is and how long it stays, as pages say it.
//!
//! What it must not know: which page.

use std::time::Duration;

use crate::http::state::AppState;
use crate::paste::{Deadline, Timestamp};

/// The time of a paste, seen from now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PasteTimes {
    /// Since its content was saved.
    pub(crate) age: Duration,
    /// None for what does not go out.
    pub(crate) expires_in: Option<Duration>,
    /// The same in milliseconds since 1970.
    pub(crate) expires_at: Option<u64>,
}

impl PasteTimes {
    /// Of what was saved then and goes out then.
    pub(crate) fn of(state: &AppState, saved: Timestamp, deadline: Deadline) -> Self {
        let now = state.now();
        let deadline = deadline.timestamp();
        Self {
            age: now.since(saved),
            expires_in: deadline.map(|deadline| deadline.since(now)),
            expires_at: deadline.map(|deadline| deadline.as_millis()),
        }
    }
}
