//! An entry of the store: a paste, its row in the ledger, and the counts of its reads.
//!
//! Invariants: the counts exist from the first read on; `reads` is their sum since the paste was saved.
//! Cost: 80 bytes, and 240 more from the first read on.

use crate::paste::{Counts, PasteData, StoredPaste, Timestamp};

/// A paste and what the store knows about it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) paste: PasteData,
    /// How often the paste was read. Stays at the largest count instead of wrapping around.
    reads: u32,
    /// The row of the paste in the ledger.
    pub(super) row: u32,
    /// Reads by hour and day.
    counts: Option<Box<Counts>>,
}

impl Entry {
    /// A paste that was not read yet.
    pub(super) fn new(paste: PasteData, row: u32) -> Self {
        Self {
            paste,
            reads: 0,
            row,
            counts: None,
        }
    }

    /// The paste, as it is handed out.
    pub(super) fn stored(&self) -> StoredPaste {
        self.paste.clone().with_reads(self.reads)
    }

    /// Counts one read. Returns whether it was the last that was left.
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
