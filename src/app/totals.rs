//! Totals of the use cases since the start.
//!
//! Cost: one relaxed addition for a read, two for a save.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts use cases. All workers share it.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    created: AtomicU64,
    updated: AtomicU64,
    read: AtomicU64,
    saved_bytes: AtomicU64,
}

/// How often pastes were saved, changed and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// New pastes.
    pub created: u64,
    /// Changes of pastes.
    pub updated: u64,
    /// Reads that count as views.
    pub read: u64,
    /// Bytes of the contents of new pastes and of changes, as they were stored: encrypted ones are a little longer.
    pub saved_bytes: u64,
}

impl Totals {
    pub(super) fn count_saved(&self, is_new: bool, bytes: usize) {
        let saves = if is_new { &self.created } else { &self.updated };
        saves.fetch_add(1, Ordering::Relaxed);
        self.saved_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn count_read(&self) {
        self.read.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn activity(&self) -> Activity {
        let [created, updated, read, saved_bytes] =
            [&self.created, &self.updated, &self.read, &self.saved_bytes]
                .map(|total| total.load(Ordering::Relaxed));
        Activity {
            created,
            updated,
            read,
            saved_bytes,
        }
    }
}
