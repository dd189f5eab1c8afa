//! The cache: the pastes of the disk that were used last, in memory.
//!
//! Invariants: the charge never exceeds the room, which shrinks and grows with the catalog's clients. A paste is in the
//! cache in its present version only. Whatever leaves the cache is returned, so that the caller frees it without the
//! lock.
//! Cost: one reserved [`LinkedHashMap`] in order of use, as in the memory tier. Every operation takes O(1), besides its
//! removals.

use std::hash::BuildHasherDefault;

use linked_hash_map::LinkedHashMap;

use crate::paste::PasteId;
use crate::store::Occupancy;
use crate::store::entry::Entry;
use crate::store::id_hasher::IdHasher;
use crate::store::memory::{Budget, SLOT, cost_of_data};
use crate::store::seal::RowKey;

/// A paste in memory.
pub(crate) struct Cached {
    pub(crate) id: PasteId,
    /// The paste and its reads. Its row is not used: the catalog may move a paste to another row.
    pub(crate) entry: Entry,
    /// True if there were reads since the counts were written to the disk.
    pub(crate) is_dirty: bool,
}

/// The bytes that a paste in the cache takes in addition to its cost in the memory tier: its id, its mark, and its slot
/// in the set of pastes with unsaved counts.
const EXTRA: usize = 56;

/// The pastes in memory, from the least to the most recently used.
pub(crate) struct Cache {
    /// The callers change only the order of use, and what changes no cost.
    pub(crate) pastes: LinkedHashMap<RowKey, Cached, BuildHasherDefault<IdHasher>>,
    /// Bytes charged for the pastes.
    charged: usize,
    /// Bytes that the pastes may cost together.
    pub(crate) room: usize,
}

impl Cache {
    /// Makes an empty cache within this budget, and reserves its table.
    pub(crate) fn within(budget: Budget) -> Self {
        let pastes = LinkedHashMap::with_capacity_and_hasher(
            budget.table_entries(),
            BuildHasherDefault::default(),
        );
        Self {
            room: Self::room_within(budget),
            pastes,
            charged: 0,
        }
    }

    /// Returns the bytes that the pastes of a cache within this budget may cost together.
    pub(crate) fn room_within(budget: Budget) -> usize {
        // The table has a power of two of slots, of which it uses at most seven eighths.
        let slots = (budget.table_entries() * 8 / 7).next_power_of_two();
        budget.bytes().saturating_sub(slots * SLOT)
    }

    /// Returns the bytes that the table takes. Only a test asks.
    #[cfg(test)]
    pub(crate) fn table_bytes(&self) -> usize {
        self.pastes.capacity() / 7 * 8 * SLOT
    }

    /// Returns the number of pastes and the bytes that they cost.
    pub(crate) fn occupancy(&self) -> Occupancy {
        Occupancy {
            pastes: self.pastes.len(),
            bytes: self.charged,
        }
    }

    /// Inserts a paste, unless it is larger than the room. The least recently used pastes leave until at most `room`
    /// bytes are charged. Returns what is not in the cache then.
    pub(crate) fn insert(
        &mut self,
        key: RowKey,
        cached: Cached,
        room: usize,
    ) -> Vec<(RowKey, Cached)> {
        drop(self.remove(key));
        let cost = cost_of(&cached.entry);
        if cost > room {
            return vec![(key, cached)];
        }
        let mut left = Vec::new();
        while self.charged + cost > room {
            let Some((key, oldest)) = self.pastes.pop_front() else {
                break;
            };
            self.charged -= cost_of(&oldest.entry);
            left.push((key, oldest));
        }
        self.charged += cost;
        self.pastes.insert(key, cached);
        left
    }

    /// Removes the paste with this key.
    ///
    /// `LinkedHashMap::remove` would keep the node on a free list for ever. `pop_back` frees the node, so the paste is
    /// first moved to the end.
    pub(crate) fn remove(&mut self, key: RowKey) -> Option<Cached> {
        self.pastes.get_refresh(&key)?;
        let (_, cached) = self.pastes.pop_back()?;
        self.charged -= cost_of(&cached.entry);
        Some(cached)
    }
}

fn cost_of(entry: &Entry) -> usize {
    cost_of_data(&entry.paste) + EXTRA
}
