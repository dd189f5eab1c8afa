//! The budget: how much memory the store may use, and how much each paste costs.
//!
//! Invariants: the tables are reserved at the start and subtracted from the budget. So the hash table never grows, and
//! all memory is counted. The cost of a paste changes only when its owner changes the paste. Memory that a read
//! allocates is charged in advance, when the paste is saved.
//!
//! How memory is charged:
//! - The hash table and the tombstones are used in random places, so they are subtracted in full at the start.
//! - A slab is filled from its start, and used memory stays resident. A slab is charged by the largest number of
//!   entries it ever had: 44 bytes for a paste and 24 for a client.
//! - An entry of a B-tree is charged while it exists, by its maximum average size (`tree_entry`): 36 bytes for a
//!   deadline, 176 for a client and 141 for a network.
//!
//! Why there is a minimum cost: it bounds the number of pastes, and so the size of the reserved tables. A tiny paste
//! really uses about 240 bytes, and 480 once it was read in a second hour. Without the minimum, the tables would be
//! four times as large, and only stores full of tiny pastes would benefit.

use super::owners::Owners;
use crate::paste::{Counts, PasteData, StoredPaste, Title};
use crate::store::allocation::allocated;
use crate::store::entry::Entry;
use crate::store::ledger::Ledger;

/// The bytes that the whole store may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    total: usize,
}

/// The minimum cost of a paste: that of a content of about 700 bytes.
///
/// The hash table has a power of two of slots. With this minimum it fits exactly into 3.3 % of a budget that is a power
/// of two. With a smaller one it would take twice that. So a store holds 4 % more pastes of 1 KiB, and 27 % fewer
/// pastes of a few bytes, than with 768 bytes.
pub(super) const LEAST_COST: usize = 1136;

/// Bytes that the allocator takes for a node of the map. A node has 120 bytes: two links, the id and the entry.
const NODE: usize = allocated(16 + size_of::<u64>() + size_of::<Entry>());

/// Bytes of a paste's counts of reads. The first read in a second hour allocates them, but they are charged when the
/// paste is saved. If a read charged them, a client could evict the pastes of others by reading.
const COUNTS: usize = allocated(size_of::<Counts>());

/// Bytes of the two reference counters of an `Arc`, in front of its data.
const SHARED: usize = 16;

/// Bytes of a slot of the hash table: a pointer to the key, a pointer to the node and a control byte.
pub(in crate::store) const SLOT: usize = 17;

impl Budget {
    /// The smallest allowed budget. It has room for the tables and a few pastes.
    pub const LEAST: usize = 64 * 1024;

    /// Makes a budget of this many bytes, or of [`Budget::LEAST`] if that is more.
    pub fn new(total: usize) -> Self {
        Self {
            total: total.max(Self::LEAST),
        }
    }

    /// Makes a budget with room for a paste with this many bytes of content and any title.
    pub fn for_largest(content: usize) -> Self {
        // The hash table and the tombstones take about a tenth of the budget. The slabs may take a twentieth.
        let tables = |paste: usize| paste / 8 * 3;
        let paste =
            NODE + COUNTS + Ledger::DEADLINE + allocated(content.saturating_add(SHARED)) + 2 * 1024;
        Self::new(
            paste
                .saturating_add(tables(paste))
                .saturating_add(Self::LEAST),
        )
    }

    /// Returns the bytes of the whole budget.
    pub fn bytes(self) -> usize {
        self.total
    }

    /// Returns the maximum number of pastes that can be stored.
    pub(super) fn pastes(self) -> usize {
        self.total / (LEAST_COST + Ledger::ROW)
    }

    /// Returns how many entries to reserve in the hash table: twice as many as will be used.
    ///
    /// The hash table has groups of 16 places. An entry removed from a full group leaves a mark, which takes up its
    /// place. When no place is free, a table that is at most half full is rehashed in place; a fuller one doubles.
    ///
    /// A rehash makes one save take 5 to 10 ms. The table is fullest at a budget that is a power of two, since its size
    /// is one. There no save took longer than 1 ms while all pastes were replaced 20 times. A table of four times the
    /// entries never needs a rehash, but would always cost twice as much.
    pub(in crate::store) fn table_entries(self) -> usize {
        2 * self.pastes()
    }
}

/// Returns the cost of a paste: the bytes of its content, title, owner, slug, outline and counts of reads, and of its entry
/// in every index.
pub fn cost_of(paste: &StoredPaste) -> usize {
    cost_of_data(paste.data())
}

/// Returns the cost of a paste, like [`cost_of`], for the data that the store keeps.
pub(in crate::store) fn cost_of_data(paste: &PasteData) -> usize {
    let content = allocated(SHARED + paste.bytes.len());
    let title = paste.title.as_ref().map_or(0, cost_of_title);
    let deadline = paste.deadline.timestamp().map_or(0, |_| Ledger::DEADLINE);
    let owner = paste.owned.as_ref().map_or(0, |owned| {
        let slug = owned.slug.as_ref().map(|slug| slug.as_str().len());
        let outline = owned.outline.iter();
        let titles = outline.flat_map(|it| it.name.iter().chain(&it.line));
        Owners::COST + slug.map_or(0, allocated) + titles.map(cost_of_title).sum::<usize>()
    });
    (NODE + COUNTS + content + title + deadline + owner).max(LEAST_COST)
}

fn cost_of_title(title: &Title) -> usize {
    allocated(SHARED + size_of::<Box<str>>()) + allocated(title.as_str().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::memory::Store;

    #[test]
    fn a_node_of_the_map_takes_a_chunk_of_128_bytes_and_its_counts_one_of_240() {
        assert_eq!((NODE, COUNTS), (128, 240));
    }

    #[test]
    fn the_indexes_are_charged_what_the_documentation_says() {
        assert_eq!(
            (Ledger::DEADLINE, Ledger::ROW, Ledger::ACCOUNT),
            (36, 44, 32)
        );
        assert_eq!((Ledger::CLIENT, Ledger::NETWORK), (176, 141));
    }

    #[test]
    fn the_least_budget_for_a_content_has_room_for_it() {
        for content in [1, 1000, 64 << 10, 127 << 10, 1 << 20, 64 << 20] {
            let store = Store::new(Budget::for_largest(content), Box::new(|_| ()));
            let title = 255 * 4 + 64;
            assert!(
                NODE + COUNTS + Ledger::DEADLINE + allocated(SHARED + content) + title
                    <= store.state.lock().largest,
                "{content}"
            );
        }
    }
}
