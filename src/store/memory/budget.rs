//! The budget: how much memory the store may take, and what a paste costs.
//!
//! Invariants: tables are reserved at the start and subtracted from the budget, so the hash table never grows and nothing
//! is left uncounted. The cost of a paste changes only when its owner changes the paste: what reading it allocates is
//! charged from the start.
//!
//! What is charged how:
//! - The hash table and the tombstones are touched everywhere at once, so all of them are subtracted at the start.
//! - A slab is touched from its beginning on and stays resident, so it is charged by the most it ever held: 24 bytes a
//!   paste and 28 a client.
//! - An entry of a B-tree is charged as long as it exists, by the most that it can take on average ([`tree_entry`]): 45
//!   bytes a deadline, 141 a client and 90 a network.
//!
//! Why a least cost: it bounds the number of pastes, and with it the reserved tables. A tiny paste really takes about 200
//! bytes, 440 after its first read. Without the floor the tables would have to be four times as large, for stores full of
//! tiny pastes alone.

use super::allocation::{allocated, tree_entry};
use super::entry::Entry;
use super::ledger::Ledger;
use crate::paste::{Counts, Deadline, PasteData, PasteId, StoredPaste};

/// Bytes that the whole store may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    total: usize,
}

/// The least that a paste is charged.
pub(super) const LEAST_COST: usize = 768;

/// A node of the map: two links, the id and the entry, 104 bytes, in the allocator's chunk.
const NODE: usize = allocated(16 + size_of::<u64>() + size_of::<Entry>());

/// The counts of reads, which the first read allocates. They are charged from the start: otherwise a read would make its
/// paste heavier, and a client that reads much could evict the pastes of others.
const COUNTS: usize = allocated(size_of::<Counts>());

/// Bytes of an entry of the deadline index: the deadline and the id.
pub(super) const DEADLINE_ENTRY: usize = size_of::<(Deadline, PasteId)>();

/// An entry of the deadline index, with its share of the nodes.
const DEADLINE: usize = tree_entry(DEADLINE_ENTRY);

/// The two counters in front of shared bytes.
const SHARED: usize = 16;

/// A slot of the hash table: a pointer to the key, a pointer to the node, a control byte.
pub(super) const SLOT: usize = 17;

impl Budget {
    /// The smallest budget that makes sense: the tables and a handful of pastes.
    pub const LEAST: usize = 64 * 1024;

    /// A budget of this many bytes, at least [`Budget::LEAST`].
    #[must_use]
    pub fn new(total: usize) -> Self {
        Self {
            total: total.max(Self::LEAST),
        }
    }

    /// The smallest budget that has room for a paste of this size with any title.
    #[must_use]
    pub fn for_largest(content: usize) -> Self {
        // About a tenth of the budget is the hash table and the tombstones; a fifteenth is what the slabs may touch.
        let tables = |paste: usize| paste / 8 * 3;
        let paste = NODE + COUNTS + DEADLINE + allocated(content.saturating_add(SHARED)) + 2 * 1024;
        Self::new(
            paste
                .saturating_add(tables(paste))
                .saturating_add(Self::LEAST),
        )
    }

    /// Bytes of the whole budget.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.total
    }

    /// The most pastes that can be stored.
    pub(super) fn pastes(self) -> usize {
        self.total / (LEAST_COST + Ledger::ROW)
    }

    /// Entries to reserve in the hash table: twice as many as will be used.
    ///
    /// An entry removed from a full group of 16 leaves a mark that takes up a place. When marks have used up the free
    /// places, a table at most half full is swept in place; a fuller one doubles.
    ///
    /// A sweep is one save of 5 to 10 ms. It was measured to come once while everything in a full store is replaced about
    /// 220 times at 128 MiB, 30 times at 172 MiB, where the table, a power of two, is fullest. With four times as many
    /// entries it never comes, but that costs a fifteenth of the budget all the time: not worth it.
    pub(super) fn table_entries(self) -> usize {
        2 * self.pastes()
    }

    /// Bytes that tombstones may take.
    pub(super) fn tombstone_bytes(self) -> usize {
        self.total / 32
    }
}

/// Bytes that a paste is charged: its content, its title, the counts of its reads, and its entry in every index.
#[must_use]
pub fn cost_of(paste: &StoredPaste) -> usize {
    cost_of_data(paste.data())
}

/// The same of a paste in an entry.
pub(super) fn cost_of_data(paste: &PasteData) -> usize {
    let content = allocated(SHARED + paste.content_bytes());
    let title = paste.title_bytes().map_or(0, |title| {
        allocated(SHARED + size_of::<Box<str>>()) + allocated(title)
    });
    let deadline = paste.deadline().timestamp().map_or(0, |_| DEADLINE);
    (NODE + COUNTS + content + title + deadline).max(LEAST_COST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn a_node_of_the_map_takes_a_chunk_of_112_bytes_and_its_counts_one_of_240() {
        assert_eq!((NODE, COUNTS), (112, 240));
    }

    #[test]
    fn the_indexes_are_charged_what_the_documentation_says() {
        assert_eq!((DEADLINE, Ledger::ROW, Ledger::ACCOUNT), (45, 24, 28));
        assert_eq!((Ledger::CLIENT, Ledger::NETWORK), (141, 90));
    }

    #[test]
    fn the_least_budget_for_a_content_has_room_for_it() {
        for content in [1, 1000, 64 << 10, 127 << 10, 1 << 20, 64 << 20] {
            let store = Store::new(Budget::for_largest(content));
            let title = 255 * 4 + 64;
            assert!(
                NODE + COUNTS + DEADLINE + allocated(SHARED + content) + title <= store.largest(),
                "{content}"
            );
        }
    }
}
