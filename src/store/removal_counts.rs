//! Departures: how many pastes went since the start, by reason.
//!
//! What it must not know: which pastes, and when.
//! Cost: a counter each; 64 bits do not run over.

use super::Reason;

/// How many pastes went since the start, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RemovalCounts {
    /// Their deadline came, and they were swept or made room first.
    pub expired: u64,
    /// They were read as often as they were to be.
    pub burned: u64,
    /// Somebody with the right to do so deleted them.
    pub deleted: u64,
    /// They made room for others.
    pub evicted: u64,
}

impl RemovalCounts {
    /// Counts one more.
    pub(super) fn count(&mut self, reason: Reason) {
        let counter = match reason {
            Reason::Expired => &mut self.expired,
            Reason::Burned => &mut self.burned,
            Reason::Deleted => &mut self.deleted,
            Reason::Evicted => &mut self.evicted,
        };
        *counter += 1;
    }
}
