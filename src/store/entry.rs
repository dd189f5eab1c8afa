//! An entry of the store: a paste, its row in the ledger, and its reads.
//!
//! Invariants: `total` is the number of all reads since the paste was saved.
//! Cost: an entry has 96 bytes. The first read in a second hour allocates 240 bytes more.

use crate::paste::{PasteData, Reads, StoredPaste, Timestamp};

/// A paste, its row and its reads.
pub(crate) struct Entry {
    pub(super) paste: PasteData,
    /// How often the paste was read. The number stays at its maximum instead of wrapping around.
    pub(super) total: u32,
    /// The row of the paste in the ledger.
    pub(super) row: u32,
    /// Reads by hour and day.
    pub(super) reads: Reads,
}

impl Entry {
    /// Makes the entry of a paste that was not read yet.
    pub(super) fn new(paste: PasteData, row: u32) -> Self {
        Self {
            paste,
            total: 0,
            row,
            reads: Reads::default(),
        }
    }

    /// Returns a copy of the paste, as callers of the store get it.
    pub(super) fn stored(&self) -> StoredPaste {
        self.paste.clone().with_reads(self.total)
    }

    /// Counts one read. Returns true if it was the last allowed read.
    pub(super) fn count_read(&mut self, now: Timestamp) -> bool {
        self.count(now);
        let left = self.paste.access.after_read();
        self.paste.access = left.unwrap_or(self.paste.access);
        left.is_none()
    }

    /// Counts one read that uses up nothing.
    pub(super) fn count(&mut self, now: Timestamp) {
        self.reads.count(now);
        self.total = self.total.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_96_bytes_so_that_the_memory_budget_is_exact() {
        assert_eq!(size_of::<Entry>(), 96);
    }
}
