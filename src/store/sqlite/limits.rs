//! The limits of a durable store: how its two budgets, of disk and of memory, are divided.
//!
//! Disk: the database may grow to all of the budget but the write-ahead log (WAL) and the ballast. The ballast has room
//! for all that the WAL usually has, so that it can be copied into the database on a full disk. A sixteenth of the
//! database stays free for inner pages and for pages that are partly empty.
//! Memory: the catalog and SQLite's own caches come first; the rest is for pastes in memory and for the accounts of
//! clients. The catalog takes at most half.

use crate::byte_size::ByteSize;
use crate::store::ledger::Ledger;
use crate::store::memory::Budget;
use crate::store::seal::ONE_PAGE;
use crate::store::sqlite::failure::Failure;
use crate::store::sqlite::state::{Cache, Catalog};

/// Bytes of a page of the database.
pub(crate) const PAGE: usize = 4096;

/// The least bytes of disk that a paste is charged: one page, and its parts of the pages that several pastes share.
/// It bounds the number of pastes, and so the size of the catalog.
const LEAST_COST: usize = 5 * 1024;

/// More bytes than a title and the seal take.
const MARGIN: usize = 16 * 1024;

/// The largest budget of memory that can be set.
const MOST_MEMORY: usize = 64 << 30;

/// How the budgets are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The budgets.
    disk: usize,
    memory: usize,
    /// The bytes of memory that the catalog takes, without the accounts of clients.
    catalog: usize,
    /// The number of pages that the database may have.
    pub(crate) pages: usize,
    /// The number of pages of the WAL from which the writer itself copies them into the database.
    pub(crate) log_pages: usize,
    /// The bytes of contents from which a transaction takes no further operation, so that the WAL stays in its limit.
    pub(crate) batch: usize,
    /// Bytes of a file that is deleted when the disk is full, so that pastes can still be deleted.
    pub(crate) ballast: usize,
    /// The bytes that all pastes may cost.
    pub(crate) room: usize,
    /// The number of pastes.
    pub(crate) pastes: usize,
    /// Bytes of tombstones, in memory.
    pub(crate) tombstones: usize,
    /// Bytes of the caches of the writer and of each reader.
    pub(crate) writer_cache: usize,
    pub(crate) reader_cache: usize,
    /// The budget of memory for pastes and for the accounts of clients.
    pub(crate) cache: Budget,
    /// The bytes of memory that one paste may take, so that it fits whatever clients there are: their accounts may take
    /// the other half.
    pub(crate) largest: usize,
}

impl Limits {
    /// Divides budgets of this many bytes.
    ///
    /// # Errors
    /// Fails if the catalog would take more than half of the memory.
    pub fn new(disk: usize, memory: usize) -> Result<Self, Failure> {
        let limits = Self::divide(disk, memory);
        if limits.catalog <= memory / 2 {
            return Ok(limits);
        }
        let way_out = match Self::least_memory(disk, 0) {
            Some(least) => {
                format!("Set TIDEBIN_MAX_STORE_SIZE to {least}, or lower TIDEBIN_MAX_DISK.")
            }
            None => "Lower TIDEBIN_MAX_DISK.".to_owned(),
        };
        Err(Failure::Refused(format!(
            "The index of a TIDEBIN_MAX_DISK of {} takes {} of memory, more than half of TIDEBIN_MAX_STORE_SIZE ({}). \
             {way_out}",
            ByteSize(disk),
            ByteSize(limits.catalog).rounded_up(),
            ByteSize(memory)
        )))
    }

    fn divide(disk: usize, memory: usize) -> Self {
        let wal = (disk / 8).min(64 << 20);
        let spare = (disk / 64).min(4 << 20);
        let pages = (disk - wal - spare) / PAGE;
        let log_pages = (wal / 4 / PAGE).clamp(256, 4096);
        let room = pages * PAGE / 16 * 15;
        let pastes = room / LEAST_COST;
        let tombstones = (memory / 64).min(disk / 256);
        let catalog = Catalog::bytes_for(pastes, tombstones);
        let writer_cache = (memory / 8 / 3 * 2).min(8 << 20);
        let reader_cache = writer_cache / 4;
        let cache = memory.saturating_sub(catalog + writer_cache + 2 * reader_cache);
        let cache = Budget::new(cache);
        Self {
            disk,
            memory,
            catalog,
            pages,
            log_pages,
            batch: (wal / 4).min(8 << 20),
            ballast: spare + log_pages * PAGE,
            room,
            pastes,
            tombstones,
            writer_cache,
            reader_cache,
            cache,
            largest: Cache::room_within(cache) / 2,
        }
    }

    /// Returns the least budget of memory, in whole MiB, with which this budget of disk can be used and
    /// `largest` is at least this many bytes. Returns `None` if that is more than [`MOST_MEMORY`].
    fn least_memory(disk: usize, largest: usize) -> Option<ByteSize> {
        let mut budgets = (1..=MOST_MEMORY >> 20).map(|mib| Self::divide(disk, mib << 20));
        let least = budgets.find(|it| it.catalog <= it.memory / 2 && it.largest >= largest)?;
        Some(ByteSize(least.memory))
    }

    /// Returns the least budget of disk, in whole MiB, in which pastes may cost this many bytes.
    fn least_disk(cost: usize) -> ByteSize {
        let mut budgets = (cost >> 20..).map(|mib| Self::divide(mib << 20, 0));
        let least = budgets.find(|it| it.room >= cost);
        ByteSize(least.map_or(usize::MAX, |it| it.disk))
    }

    /// Returns a refusal of each budget into which a paste of this many bytes does not fit. Otherwise such a paste would
    /// be received and then rejected.
    pub fn refusals_of(&self, paste: usize) -> Vec<String> {
        let with_seal = paste.saturating_add(MARGIN);
        let (cost, mut disk, mut refused) = (Self::cost_of(with_seal), self.disk, Vec::new());
        if self.room < cost {
            // A larger disk has a larger index.
            ByteSize(disk) = Self::least_disk(cost);
            refused.push(too_small("TIDEBIN_MAX_DISK", self.disk, paste, disk));
        }
        if self.largest < with_seal {
            let (setting, least) = (
                "TIDEBIN_MAX_STORE_SIZE",
                Self::least_memory(disk, with_seal),
            );
            let least = least.map_or(usize::MAX, |ByteSize(least)| least);
            refused.push(too_small(setting, self.memory, paste, least));
        }
        refused
    }

    /// Refuses a budget of disk that is less than the stored pastes cost.
    pub(crate) fn refuse_stored(&self, cost: usize) -> Result<(), Failure> {
        if cost <= self.room {
            return Ok(());
        }
        Err(Failure::Refused(format!(
            "The stored pastes take {}, but TIDEBIN_MAX_DISK ({}) has room for {}. Set it to {} or more, or run \
             tidebin check --shrink to remove pastes.",
            ByteSize(cost).rounded_up(),
            ByteSize(self.disk),
            ByteSize(self.room).rounded_down(),
            Self::least_disk(cost)
        )))
    }

    /// Refuses a budget of memory that has no room for the accounts of the present clients, which take this many bytes.
    /// A save would evict pastes of all clients there.
    pub(crate) fn refuse_clients(&self, bytes: usize) -> Result<(), Failure> {
        let clients = bytes + Ledger::GROWTH;
        if clients <= self.largest {
            return Ok(());
        }
        let least = Self::least_memory(self.disk, clients);
        Err(Failure::Refused(format!(
            "The clients of the stored pastes take {} of memory, but TIDEBIN_MAX_STORE_SIZE ({}) has room for {}. Set \
             it to {}.",
            ByteSize(clients).rounded_up(),
            ByteSize(self.memory),
            ByteSize(self.largest).rounded_down(),
            least.unwrap_or(ByteSize(usize::MAX))
        )))
    }

    /// Returns the bytes of disk that a paste is charged whose sealed content has this many bytes.
    ///
    /// A content that does not fit into a page lies in a chain of pages of its own, which hold four bytes less each.
    /// Its beginning may take another page.
    pub fn cost_of(sealed: usize) -> usize {
        let chain = match sealed > ONE_PAGE {
            true => sealed.div_ceil(PAGE - 4) * PAGE,
            false => 0,
        };
        LEAST_COST + chain
    }
}

/// Returns the refusal of a budget into which the largest paste does not fit, with the least one that is enough.
pub fn too_small(setting: &str, budget: usize, paste: usize, least: usize) -> String {
    let ([budget, paste], least) = ([budget, paste].map(ByteSize), ByteSize(least).rounded_up());
    format!(
        "{setting} ({budget}) is too small for one paste of TIDEBIN_MAX_PASTE_SIZE ({paste}). Set it to {least}, or lower \
         TIDEBIN_MAX_PASTE_SIZE."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gibibyte_has_room_for_183_552_small_pastes_and_leaves_most_of_128_mib() {
        let limits = Limits::new(1 << 30, 128 << 20).unwrap();
        assert_eq!(limits.pastes, 183_552);
        assert!(limits.cache.bytes() > 90 << 20, "{limits:?}");
    }

    #[test]
    fn a_content_that_just_does_not_fit_into_a_page_is_charged_for_its_second_one() {
        assert_eq!(Limits::cost_of(4056), LEAST_COST);
        assert_eq!(Limits::cost_of(4057), LEAST_COST + PAGE);
        assert_eq!(Limits::cost_of(8200), LEAST_COST + 3 * PAGE);
    }

    #[test]
    fn a_budget_that_is_too_small_is_refused_with_the_value_to_set() {
        const MIB: usize = 1 << 20;
        assert!(Limits::new(64 << 30, 4 << 30).is_ok());
        let small = Limits::new(64 * MIB, 8 * MIB).unwrap();
        for (refused, figures, way_out) in [
            (
                Limits::new(16 << 30, 128 * MIB).map(|_| ()),
                "of 16 GiB takes 178 MiB of memory, more than half of TIDEBIN_MAX_STORE_SIZE (128 MiB).",
                "Set TIDEBIN_MAX_STORE_SIZE to 363 MiB, or lower TIDEBIN_MAX_DISK.",
            ),
            (
                Limits::new(64 << 40, 128 * MIB).map(|_| ()),
                "(128 MiB). ",
                "(128 MiB). Lower TIDEBIN_MAX_DISK.",
            ),
            (
                small.refuse_stored(60 * MIB),
                "take 60 MiB, but TIDEBIN_MAX_DISK (64 MiB) has room for 51 MiB.",
                "Set it to 75 MiB or more, or run tidebin check --shrink to remove pastes.",
            ),
            (
                small.refuse_clients(3 * MIB + (64 << 10)),
                "take 4 MiB of memory, but TIDEBIN_MAX_STORE_SIZE (8 MiB)",
                "Set it to 9 MiB.",
            ),
        ] {
            let message = refused.unwrap_err().to_string();
            assert!(message.contains(figures), "{message}");
            assert!(message.ends_with(way_out), "{message}");
        }
    }

    #[test]
    fn the_least_budgets_that_are_named_fit_and_a_mebibyte_less_does_not() {
        const MIB: usize = 1 << 20;
        for (disk, paste) in [(64, 0), (64, 4), (1024, 1), (16 << 10, 1), (64, 900)] {
            let (disk, paste) = (disk * MIB, paste * MIB);
            let ByteSize(least) = Limits::least_memory(disk, paste).unwrap();
            assert!(Limits::new(disk, least).unwrap().largest >= paste);
            let less = Limits::new(disk, least - MIB);
            assert!(less.is_err() || less.unwrap().largest < paste);
        }
        for cost in [MIB, 53 * MIB + 1, 900 * MIB, 4096 * MIB] {
            let ByteSize(least) = Limits::least_disk(cost);
            let room = |disk| Limits::divide(disk, 0).room;
            assert!(room(least) >= cost && room(least - MIB) < cost);
        }
        assert_eq!(Limits::least_memory(usize::MAX, 0), None);
    }

    #[test]
    fn the_room_of_a_cache_leaves_the_bytes_of_its_table() {
        for mib in [1, 3, 8, 61, 128] {
            let limits = Limits::new(4 << 20, mib << 20).unwrap();
            let budget = limits.cache;
            let cache = Cache::within(budget);
            assert_eq!(cache.room + cache.table_bytes(), budget.bytes());
        }
    }
}
