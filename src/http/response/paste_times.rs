//! The age of a paste and its remaining time, as pages show them.

use std::time::Duration;

use crate::http::state::AppState;
use crate::paste::{Deadline, Timestamp};

/// The age and the expiry of a paste at the time of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PasteTimes {
    /// The time since its content was saved.
    pub(crate) age: Duration,
    /// The time of this save, in milliseconds since 1970.
    pub(crate) saved_at: u64,
    /// The time until it expires. `None` if it never expires.
    pub(crate) expires_in: Option<Duration>,
    /// The time of its expiry, in milliseconds since 1970.
    pub(crate) expires_at: Option<u64>,
}

impl PasteTimes {
    /// Returns the times of a paste that was saved at `saved` and expires at `deadline`.
    pub(crate) fn of(state: &AppState, saved: Timestamp, deadline: Deadline) -> Self {
        let now = state.now();
        let deadline = deadline.timestamp();
        Self {
            age: now.since(saved),
            saved_at: saved.as_millis(),
            expires_in: deadline.map(|deadline| deadline.since(now)),
            expires_at: deadline.map(|deadline| deadline.as_millis()),
        }
    }
}
