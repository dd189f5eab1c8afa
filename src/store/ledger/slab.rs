//! A slab stores entries under small numbers. An entry keeps its number until it is removed.
//!
//! Invariants: a slab never grows beyond the memory reserved at the start, so entries are never copied. A number is
//! either in use or vacant. The number that became vacant last is used again first.
//! Cost: an operation takes a few nanoseconds. A vacant entry stores the number of the next one, so the free numbers
//! take no memory. Memory that was reserved but never used is not resident.

use std::ops::{Index, IndexMut};

/// The number of no entry.
pub(super) const NONE: u32 = u32::MAX;

/// An entry that can store a number while it is vacant.
pub(super) trait Slot {
    /// Returns the field for the number. The entry does not use it otherwise while it is vacant.
    fn next_vacant(&mut self) -> &mut u32;
}

pub(super) struct Slab<T> {
    entries: Vec<T>,
    /// The number that became vacant last, or [`NONE`].
    vacant: u32,
    /// The number of entries in use.
    len: usize,
}

impl<T: Slot> Slab<T> {
    /// Makes a slab and reserves memory for at most this many entries.
    pub(super) fn reserved_for(entries: usize) -> Self {
        Self {
            entries: Vec::with_capacity(entries),
            vacant: NONE,
            len: 0,
        }
    }

    /// Inserts an entry and returns its number.
    pub(super) fn insert(&mut self, entry: T) -> u32 {
        self.len += 1;
        let number = self.vacant;
        if number != NONE {
            self.vacant = *self[number].next_vacant();
            self[number] = entry;
            return number;
        }
        debug_assert!(
            self.entries.len() < self.entries.capacity(),
            "a slab must not grow"
        );
        self.entries.push(entry);
        u32::try_from(self.entries.len() - 1)
            .expect("the largest budget, 64 GiB, has room for fewer entries than a u32 has numbers")
    }

    /// Makes a number vacant. The number must be in use.
    pub(super) fn remove(&mut self, number: u32) {
        self.len -= 1;
        *self[number].next_vacant() = std::mem::replace(&mut self.vacant, number);
    }

    /// Returns the number of entries in use.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the bytes of all entries that were ever used. They stay resident.
    pub(super) fn touched_bytes(&self) -> usize {
        self.entries.len() * size_of::<T>()
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;

    fn index(&self, number: u32) -> &T {
        &self.entries[number as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    fn index_mut(&mut self, number: u32) -> &mut T {
        &mut self.entries[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Slot for u32 {
        fn next_vacant(&mut self) -> &mut u32 {
            self
        }
    }

    #[test]
    fn a_number_stays_with_its_entry_and_is_used_again_once_it_is_vacant() {
        let mut slab = Slab::reserved_for(3);
        let numbers: Vec<u32> = [70, 71, 72].map(|entry| slab.insert(entry)).to_vec();
        slab.remove(numbers[0]);
        slab.remove(numbers[2]);
        assert_eq!(
            (slab[numbers[1]], slab.len(), slab.touched_bytes()),
            (71, 1, 12)
        );
        assert_eq!([slab.insert(73), slab.insert(74)], [numbers[2], numbers[0]]);
        assert_eq!((slab[numbers[0]], slab[numbers[2]]), (74, 73));
        assert_eq!((slab.len(), slab.touched_bytes()), (3, 12));
    }
}
