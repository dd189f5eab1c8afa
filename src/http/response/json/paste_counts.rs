//! The JSON object of the counts of a paste.

use serde::Serialize;

use super::paste_object::PasteKind;
use crate::paste::{Counts, ReadsLeft, StoredPaste, Timestamp};

/// The counts of a paste. Hours and days are those of UTC, times are in milliseconds since 1970.
#[derive(Serialize)]
pub(crate) struct PasteCounts {
    kind: PasteKind,
    /// All views, or clicks of a link.
    reads: u32,
    /// Views until the paste is deleted, or `null` if they are not limited.
    reads_left: Option<u8>,
    /// One number per hour. The current hour is last.
    by_hour: [u32; 24],
    /// One number per day. Today is last.
    by_day: [u32; 30],
    /// When the present content was saved.
    saved: u64,
    /// When the paste expires, or `null` for never.
    expires: Option<u64>,
}

impl PasteCounts {
    pub(crate) fn new(stored: &StoredPaste, counts: &Counts, now: Timestamp) -> Self {
        let deadline = stored.deadline().timestamp();
        Self {
            kind: PasteKind::of(stored.access()),
            reads: stored.reads(),
            reads_left: stored.access().reads_left().map(ReadsLeft::get),
            by_hour: counts.by_hour(now),
            by_day: counts.by_day(now),
            saved: stored.saved().as_millis(),
            expires: deadline.map(|deadline| deadline.as_millis()),
        }
    }
}
