//! An entry of the store: a paste, its place in the ledger, and the counts of its reads.
//!
//! What it must not know: which other entries there are.
//! Invariants: counts are there from the first read on.
//! Cost: 80 bytes, and 240 more from the first read on.

use crate::paste::{Counts, StoredPaste, Timestamp};

/// A paste and what the store knows of it beside.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kept: StoredPaste,
    /// Its place in the ledger.
    pub(super) slot: u32,
    counts: Option<Box<Counts>>,
}

impl Entry {
    /// A paste that was not read yet.
    pub(super) fn new(kept: StoredPaste, slot: u32) -> Self {
        Self {
            kept,
            slot,
            counts: None,
        }
    }

    /// Counts one read; says whether it was the last.
    pub(super) fn count_read(&mut self, now: Timestamp) -> bool {
        let counts = self
            .counts
            .get_or_insert_with(|| Box::new(Counts::new(now)));
        counts.count(now);
        self.kept.count_read()
    }

    /// Its reads by hour and day.
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
    fn an_entry_is_80_bytes_so_that_the_memory_budget_holds_what_it_promises() {
        assert_eq!(size_of::<Entry>(), 80);
    }
}
