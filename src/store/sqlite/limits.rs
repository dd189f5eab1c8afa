//! The limits of a durable store: how its two budgets, of disk and of memory, are divided.
//!
//! Disk: the database may grow to all of the budget but the write-ahead log (WAL) and the ballast. The ballast has room
//! for all that the WAL usually has, so that it can be copied into the database on a full disk. A sixteenth of the
//! database stays free for inner pages and for pages that are partly empty.
//! Memory: the catalog and SQLite's own caches come first; the rest is for pastes in memory and for the accounts of
//! clients. The catalog takes at most half.

use crate::byte_size::ByteSize;
use crate::store::memory::Budget;
use crate::store::seal::ONE_PAGE;
use crate::store::sqlite::open_error::OpenError;
use crate::store::sqlite::state::{Cache, Catalog};

/// Bytes of a page of the database.
pub(super) const PAGE: usize = 4096;

/// The least bytes of disk that a paste is charged: one page, and its parts of the pages that several pastes share.
/// It bounds the number of pastes, and so the size of the catalog.
pub(super) const LEAST_COST: usize = 5 * 1024;

/// How long after the start expired pastes are only hidden. So a wrong clock at the start destroys nothing.
pub(super) const GRACE_MILLIS: u64 = 3_600_000;

/// More bytes than a title and the seal take.
const MARGIN: usize = 16 * 1024;

/// The largest budget of memory that can be set.
const MOST_MEMORY: usize = 64 << 30;

/// How the budgets are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The number of pages that the database may have.
    pub(super) pages: usize,
    /// The number of pages of the WAL from which the writer itself copies them into the database.
    pub(super) log_pages: usize,
    /// The bytes of contents from which a transaction takes no further operation, so that the WAL stays in its limit.
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
    pub fn new(disk: usize, memory: usize) -> Result<Self, OpenError> {
        Self::divide(disk, memory).map_err(|catalog| OpenError::CatalogTooLarge {
            catalog: ByteSize(catalog).rounded_up(),
            memory: ByteSize(memory),
            disk: ByteSize(disk),
            least: Self::least_memory(disk, 0).map(ByteSize),
        })
    }

    /// Divides budgets of this many bytes, or returns the bytes of a catalog that would take more than half of the
    /// memory.
    fn divide(disk: usize, memory: usize) -> Result<Self, usize> {
        let wal = wal_of(disk);
        let room = room_of(disk);
        let pastes = room / LEAST_COST;
        let tombstones = (memory / 64).min(disk / 256);
        let catalog = Catalog::bytes_for(pastes, tombstones);
        if catalog > memory / 2 {
            return Err(catalog);
        }
        let writer_cache = (memory / 8 / 3 * 2).min(8 << 20);
        let reader_cache = writer_cache / 4;
        let caches = writer_cache + 2 * reader_cache;
        let log_pages = (wal / 4 / PAGE).clamp(256, 4096);
        Ok(Self {
            pages: pages_of(disk),
            log_pages,
            batch: (wal / 4).min(8 << 20),
            ballast: ballast_of(disk) + log_pages * PAGE,
            room,
            pastes,
            tombstones,
            writer_cache,
            reader_cache,
            memory: memory.saturating_sub(catalog + caches),
        })
    }

    /// Returns the bytes of memory that one paste may take, so that it fits whatever clients there are: their accounts
    /// may take the other half.
    #[must_use]
    pub fn largest(&self) -> usize {
        Cache::room_within(Budget::new(self.memory)) / 2
    }

    /// Returns the bytes of disk that all pastes may cost.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room
    }

    /// Returns the least budget of memory, in whole MiB, with which this budget of disk can be used and
    /// [`Limits::largest`] is at least this many bytes. Returns `None` if that is more than [`MOST_MEMORY`].
    #[must_use]
    pub fn least_memory(disk: usize, largest: usize) -> Option<usize> {
        let fits = |memory| Self::divide(disk, memory).is_ok_and(|it| it.largest() >= largest);
        let mut budgets = (1..=MOST_MEMORY >> 20).map(|mib| mib << 20);
        budgets.find(|memory| fits(*memory))
    }

    /// Returns the least budget of disk, in whole MiB, in which pastes may cost this many bytes.
    #[must_use]
    pub fn least_disk(cost: usize) -> usize {
        let mut budgets = (cost >> 20..).map(|mib| mib << 20);
        let least = budgets.find(|disk| room_of(*disk) >= cost);
        least.unwrap_or(usize::MAX)
    }

    /// Refuses budgets into which a paste of this many bytes does not fit. Otherwise such a paste would be received and
    /// then rejected.
    ///
    /// # Errors
    /// Fails if the budget of disk or of memory is too small.
    pub fn refuse_paste(disk: usize, memory: usize, paste: usize) -> Result<(), OpenError> {
        let limits = Self::new(disk, memory)?;
        let with_seal = paste.saturating_add(MARGIN);
        let cost = Self::cost_of(with_seal);
        let (setting, budget, least) = if limits.largest() < with_seal {
            let least = Self::least_memory(disk, with_seal).unwrap_or(usize::MAX);
            ("TIDEBIN_MAX_STORE_SIZE", memory, least)
        } else if limits.room < cost {
            ("TIDEBIN_MAX_DISK", disk, Self::least_disk(cost))
        } else {
            return Ok(());
        };
        Err(OpenError::PasteTooLarge {
            setting,
            budget: ByteSize(budget),
            paste: ByteSize(paste),
            least: ByteSize(least),
        })
    }

    /// Returns the bytes of disk that a paste is charged whose sealed content has this many bytes.
    ///
    /// A content that does not fit into a page lies in a chain of pages of its own, which hold four bytes less each.
    /// Its beginning may take another page.
    #[must_use]
    pub fn cost_of(sealed: usize) -> usize {
        let chain = match sealed > ONE_PAGE {
            true => sealed.div_ceil(PAGE - 4) * PAGE,
            false => 0,
        };
        LEAST_COST + chain
    }
}

/// Returns the bytes of disk for the WAL.
fn wal_of(disk: usize) -> usize {
    (disk / 8).min(64 << 20)
}

/// Returns the bytes of the ballast beyond those for the log.
fn ballast_of(disk: usize) -> usize {
    (disk / 64).min(4 << 20)
}

/// Returns the number of pages that the database may have.
fn pages_of(disk: usize) -> usize {
    disk.saturating_sub(wal_of(disk) + ballast_of(disk)) / PAGE
}

/// Returns the bytes that all pastes may cost.
fn room_of(disk: usize) -> usize {
    pages_of(disk) * PAGE / 16 * 15
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
        let refused = Limits::new(64 << 30, 128 << 20);
        assert!(
            matches!(refused, Err(OpenError::CatalogTooLarge { .. })),
            "{refused:?}"
        );
        assert!(Limits::new(64 << 30, 4 << 30).is_ok());
    }

    #[test]
    fn the_least_budgets_that_are_named_fit_and_a_mebibyte_less_does_not() {
        const MIB: usize = 1 << 20;
        for (disk, paste) in [(64, 0), (64, 4), (1024, 1), (16 << 10, 1), (64, 900)] {
            let (disk, paste) = (disk * MIB, paste * MIB);
            let least = Limits::least_memory(disk, paste).unwrap();
            assert!(Limits::new(disk, least).unwrap().largest() >= paste);
            let less = Limits::new(disk, least - MIB);
            assert!(less.is_err() || less.unwrap().largest() < paste);
        }
        for cost in [MIB, 53 * MIB + 1, 900 * MIB, 4096 * MIB] {
            let least = Limits::least_disk(cost);
            assert!(room_of(least) >= cost && room_of(least - MIB) < cost);
        }
        assert_eq!(Limits::least_memory(usize::MAX, 0), None);
    }

    #[test]
    fn the_room_of_a_cache_leaves_the_bytes_of_its_table() {
        for mib in [1, 3, 8, 61, 128] {
            let limits = Limits::new(4 << 20, mib << 20).unwrap();
            let budget = Budget::new(limits.memory);
            let cache = Cache::within(budget);
            assert_eq!(cache.room() + cache.table_bytes(), budget.bytes());
        }
    }
}
