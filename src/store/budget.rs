//! The budget: what the store may cost in memory, and what a paste costs.
//!
//! What it must not know: which pastes there are.
//! Invariants: what the tables take is reserved at start and subtracted from the budget, so that the table never
//! grows and nothing is left uncounted (marks of what went are swept in place from time to time:
//! [`Budget::table_entries`]); a paste's cost changes only when its owner changes it:
//! what reading it allocates is charged from the start.
//! Tables and slabs: a table is touched everywhere at once, as hashes are, so all of it is subtracted at start. A slab
//! is touched from its beginning on and stays resident, so it is charged by the most it ever held: 20 bytes a paste,
//! 40 a holder and 40 a network that there were at a time. Reserved for the worst they would take an eighth of the
//! budget; the usual store, with several pastes a holder, leaves most of that to pastes.
//! Why a least cost: it bounds the number of pastes, and with it the table that is reserved. A tiny paste really takes
//! about 200 bytes, 440 when it was read; without the floor the table would have to be four times as large for the sake of stores full of
//! them.

use super::entry::Entry;
use super::ledger::Ledger;
use crate::paste::{Counts, PasteData, StoredPaste};

/// Bytes that the whole store may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    total: usize,
}

/// The least that a paste is charged.
pub(super) const LEAST_COST: usize = 768;

/// A node of the map: two links, the id and the entry, 104 bytes, in the allocator's chunk.
const NODE: usize = allocated(16 + size_of::<u64>() + size_of::<Entry>());

/// The counts of its reads, which the first of them allocates. They are charged from the save on: else a read would
/// make its paste heavier, and whoever reads much could push others out.
const COUNTS: usize = allocated(size_of::<Counts>());

/// An entry of the deadline index: 16 bytes in B-tree nodes of eleven, which ascending inserts leave six elevenths
/// full: 208 bytes for six, and their share of the nodes above. The bench finds the whole cost right, not this part.
const DEADLINE: usize = 42;

/// The two counters in front of shared bytes.
const SHARED: usize = 16;

/// A slot of the hash table: a pointer to the key, a pointer to the node, a control byte.
pub(super) const SLOT: usize = 17;

impl Budget {
    /// The smallest budget that makes sense: a handful of pastes beside the tables.
    pub const LEAST: usize = 64 * 1024;

    /// A budget of this many bytes.
    #[must_use]
    pub fn new(total: usize) -> Self {
        Self {
            total: total.max(Self::LEAST),
        }
    }

    /// The smallest budget that has room for a paste of this size, whatever its title.
    #[must_use]
    pub fn for_largest(content: usize) -> Self {
        // About a tenth of the whole is the map's table, the directories and the tombstones; an eighth what the
        // slabs may touch.
        let tables = |paste: usize| paste / 8 * 3;
        let paste = NODE + COUNTS + DEADLINE + allocated(content.saturating_add(SHARED)) + 2 * 1024;
        Self::new(
            paste
                .saturating_add(tables(paste))
                .saturating_add(Self::LEAST),
        )
    }

    /// All of it.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.total
    }

    /// Pastes that can be kept at most.
    pub(super) fn pastes(self) -> usize {
        self.total / (LEAST_COST + Ledger::SLOT)
    }

    /// Entries to reserve in the hash table: twice as many as will be used. What goes from within a full group of 16
    /// leaves a mark that takes up a place; when marks have used up the places that are left, a table at most half full
    /// is swept in place, and one that is fuller doubles.
    ///
    /// A sweep is one save that takes 5 to 10 ms. It was measured to come once while everything in a full store is
    /// replaced about 220 times at 128 MiB, 30 times at 172 MiB, where the table, a power of two, is fullest. Four times
    /// as many entries leave one mark a turnover instead of hundreds and so are never swept, but take a fifteenth more
    /// of everybody's budget all the time: not worth that.
    pub(super) fn table_entries(self) -> usize {
        2 * self.pastes()
    }

    /// Bytes that tombstones may take.
    pub(super) fn tombstone_bytes(self) -> usize {
        self.total / 32
    }
}

/// What a paste costs: its content, its title, the counts of its reads, and its entry in every index.
#[must_use]
pub fn cost_of(paste: &StoredPaste) -> usize {
    cost_of_data(paste.data())
}

pub(super) fn cost_of_data(kept: &PasteData) -> usize {
    let content = allocated(SHARED + kept.content_bytes());
    let title = kept.title_bytes().map_or(0, |title| {
        allocated(SHARED + size_of::<Box<str>>()) + allocated(title)
    });
    let deadline = kept.deadline().timestamp().map_or(0, |_| DEADLINE);
    (NODE + COUNTS + content + title + deadline).max(LEAST_COST)
}

/// From this size on a block is pages of its own, which are given back when it is freed.
///
/// The program tells its allocator so at its start. Smaller ones, such as the connections' buffers, would be mapped with
/// every answer. Where the allocator was told something else, a content below this size may take up to 4 KiB more.
pub const PAGES_FROM: usize = 256 * 1024;

/// What the allocator takes for a request of this size: glibc's chunks carry a word of overhead and come in steps of
/// 16 bytes, at least 32; large ones are whole pages.
const fn allocated(size: usize) -> usize {
    if size >= PAGES_FROM {
        return size.saturating_add(16).next_multiple_of(4096);
    }
    let chunk = (size + 8).next_multiple_of(16);
    if chunk < 32 { 32 } else { chunk }
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
