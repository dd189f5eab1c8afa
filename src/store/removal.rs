//! Removals: why pastes are removed, and how many were.

use crate::paste::PasteId;

/// Why a paste was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It expired.
    Expired,
    /// Its last read was used up.
    Burned,
    /// Its owner deleted it.
    Deleted,
    /// It made room for another paste.
    Evicted,
}

/// Called with the id of every removed or updated paste, without the store's lock: whatever was derived from the paste is
/// out of date.
pub type RemovalHook = Box<dyn Fn(PasteId) + Send + Sync>;

/// How many pastes were removed since the start, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RemovalCounts {
    /// Pastes that expired and were then swept or made room.
    pub expired: u64,
    /// Pastes whose last read was used up.
    pub burned: u64,
    /// Pastes that their owners deleted.
    pub deleted: u64,
    /// Pastes that made room for others.
    pub evicted: u64,
}

impl RemovalCounts {
    /// Counts one removal.
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
