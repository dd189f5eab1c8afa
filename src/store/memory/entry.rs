//! An entry of the store: a paste, its row in the ledger, and the counts of its reads.
//!
//! Invariants: the first read allocates the counts. `reads` is the number of all reads since the paste was saved.
//! Cost: an entry has 80 bytes. The first read allocates 240 bytes more.

use crate::paste::{Counts, PasteData, StoredPaste, Timestamp};

/// A paste, its row and its counts.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) paste: PasteData,
    /// How often the paste was read. The number stays at its maximum instead of wrapping around.
    reads: u32,
    /// The row of the paste in the ledger.
    pub(super) row: u32,
    /// Reads by hour and day.
    counts: Option<Box<Counts>>,
}

impl Entry {
    /// Makes the entry of a paste that was not read yet.
    pub(super) fn new(paste: PasteData, row: u32) -> Self {
        Self {
            paste,
            reads: 0,
            row,
            counts: None,
        }
    }

    /// Returns a copy of the paste, as callers of the store get it.
    pub(super) fn stored(&self) -> StoredPaste {
        self.paste.clone().with_reads(self.reads)
    }

    /// Counts one read. Returns true if it was the last allowed read.
    pub(super) fn count_read(&mut self, now: Timestamp) -> bool {
        let counts = self
            .counts
            .get_or_insert_with(|| Box::new(Counts::new(now)));
        counts.count(now);
        self.reads = self.reads.saturating_add(1);
        self.paste.use_up_read()
    }

    /// Reads by hour and day.
    pub(super) fn counts(&self, now: Timestamp) -> Counts {
        match &self.counts {
            Some(counts) => Counts::clone(counts),
            None => Counts::new(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_80_bytes_so_that_the_memory_budget_is_exact() {
        assert_eq!(size_of::<Entry>(), 80);
    }
}
