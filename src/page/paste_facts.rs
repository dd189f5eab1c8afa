//! The facts that several pages of a paste or a short link show.

use std::time::Duration;

use crate::date::Utc;
use crate::paste::{Deadline, Timestamp};

/// The address of a paste or a short link, and what its reader may do.
#[derive(Clone, Copy)]
pub struct PasteHead<'a> {
    /// The id as text.
    pub id: &'a str,
    /// The absolute URL.
    pub url: &'a str,
    /// Whether the reader's browser has the token, which allows deleting it.
    pub may_delete: bool,
    /// The token, if the visitor has just saved it here. It is shown then.
    pub saved: Option<&'a str>,
}

/// The age and the expiry of a paste at the time of a request.
#[derive(Clone, Copy)]
pub(crate) struct PasteTimes {
    /// The time since its content was saved.
    pub(crate) age: Duration,
    /// The time of this save.
    pub(crate) saved_at: Utc,
    /// The time until it expires. `None` if it never expires.
    pub(crate) expires_in: Option<Duration>,
    /// The time of its expiry.
    pub(crate) expires_at: Option<Utc>,
}

impl PasteTimes {
    /// Returns the times of a paste that was saved at `saved` and expires at `deadline`.
    pub(crate) fn of(now: Timestamp, saved: Timestamp, deadline: Deadline) -> Self {
        let deadline = deadline.timestamp();
        Self {
            age: now.since(saved),
            saved_at: Utc::from_epoch_millis(saved.as_millis()),
            expires_in: deadline.map(|deadline| deadline.since(now)),
            expires_at: deadline.map(|deadline| Utc::from_epoch_millis(deadline.as_millis())),
        }
    }
}
