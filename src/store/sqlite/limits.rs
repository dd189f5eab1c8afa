//! The limits of a durable store: how its two budgets, of disk and of memory, are divided.
//!
//! Disk: the database may grow to all of the budget but the log of changes (WAL) and the ballast. A sixteenth of the
//! database stays free for inner pages and for pages that are partly empty.
//! Memory: the catalog and SQLite's own caches come first; the rest is for pastes in memory and for the accounts of
//! clients. The catalog takes at most half.

use crate::store::sqlite::open_error::OpenError;
use crate::store::sqlite::state::Catalog;

/// Bytes of a page of the database.
pub(super) const PAGE: usize = 4096;

/// The least bytes of disk that a paste is charged: one page, and its parts of the pages that several pastes share.
/// It bounds the number of pastes, and so the size of the catalog.
pub(super) const LEAST_COST: usize = 5 * 1024;

/// How long after the start expired pastes are only hidden. So a wrong clock at the start destroys nothing.
pub(super) const GRACE_MILLIS: u64 = 3_600_000;

/// How the budgets are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// The number of pages that the database may have.
    pub(super) pages: usize,
    /// The number of pages of the log from which the writer itself copies them into the database.
    pub(super) log_pages: usize,
    /// The bytes of contents from which a transaction takes no further operation, so that the log stays in its limit.
    pub(super) batch: usize,
    /// Bytes of a file that is deleted when the disk is full, so that pastes can still be deleted.
    pub(super) ballast: usize,
    /// The bytes that all pastes may cost.
    pub(super) room: usize,
    /// The number of pastes.
    pub(super) pastes: usize,
    /// Bytes of tombstones, in memory.
    pub(super) tombstones: usize,
    /// Bytes of the caches of the writer and of each reader.
    pub(super) writer_cache: usize,
    pub(super) reader_cache: usize,
    /// Bytes of memory for pastes and for the accounts of clients.
    pub(super) memory: usize,
}

impl Limits {
    /// Divides budgets of this many bytes.
    ///
    /// # Errors
    /// Fails if the catalog would take more than half of the memory.
    pub(super) fn new(disk: usize, memory: usize) -> Result<Self, OpenError> {
        let log = (disk / 8).min(64 << 20);
        let ballast = (disk / 64).min(4 << 20);
        let pages = disk.saturating_sub(log + ballast) / PAGE;
        let room = pages * PAGE / 16 * 15;
        let pastes = room / LEAST_COST;
        let tombstones = (memory / 64).min(disk / 256);
        let catalog = Catalog::bytes_for(pastes, tombstones);
        if catalog > memory / 2 {
            return Err(OpenError::CatalogTooLarge {
                catalog,
                memory,
                disk,
            });
        }
        let writer_cache = (memory / 8 / 3 * 2).min(8 << 20);
        let reader_cache = writer_cache / 4;
        let caches = writer_cache + 2 * reader_cache;
        Ok(Self {
            pages,
            log_pages: (log / 4 / PAGE).clamp(256, 4096),
            batch: (log / 4).min(8 << 20),
            ballast,
            room,
            pastes,
            tombstones,
            writer_cache,
            reader_cache,
            memory: memory.saturating_sub(catalog + caches),
        })
    }

    /// Returns the bytes of disk that a paste is charged whose sealed content has this many bytes.
    ///
    /// A content that does not fit into a page, with the 40 bytes that SQLite adds, lies in a chain of pages of its own,
    /// which hold four bytes less each. Its beginning may take another page.
    pub(super) fn cost_of(sealed: usize) -> usize {
        let chain = match sealed > PAGE - 40 {
            true => sealed.div_ceil(PAGE - 4) * PAGE,
            false => 0,
        };
        LEAST_COST + chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gibibyte_has_room_for_183_552_small_pastes_and_leaves_most_of_128_mib() {
        let limits = Limits::new(1 << 30, 128 << 20).unwrap();
        assert_eq!(limits.pastes, 183_552);
        assert!(limits.memory > 90 << 20, "{}", limits.memory);
    }

    #[test]
    fn a_content_that_just_does_not_fit_into_a_page_is_charged_for_its_second_one() {
        assert_eq!(Limits::cost_of(4056), LEAST_COST);
        assert_eq!(Limits::cost_of(4057), LEAST_COST + PAGE);
        assert_eq!(Limits::cost_of(8200), LEAST_COST + 3 * PAGE);
    }

    #[test]
    fn a_catalog_that_takes_more_than_half_of_the_memory_is_refused() {
        assert!(Limits::new(64 << 30, 128 << 20).is_err());
        assert!(Limits::new(64 << 30, 4 << 30).is_ok());
    }
}
