//! A slab stores entries under small numbers. An entry keeps its number until it is removed.
//!
//! Invariants: a slab never grows beyond the memory reserved at the start, so entries are never copied. A number is
//! either in use or vacant. The number that became vacant last is used again first.
//! Cost: an operation takes a few nanoseconds. Memory that was reserved but never used is not resident.

use std::ops::{Index, IndexMut};

#[derive(Debug)]
pub(super) struct Slab<T> {
    entries: Vec<T>,
    vacant: Vec<u32>,
}

impl<T> Slab<T> {
    /// Bytes of an entry and of its index in the free list.
    pub(super) const ENTRY: usize = size_of::<T>() + size_of::<u32>();

    /// Makes a slab and reserves memory for at most this many entries.
    pub(super) fn reserved_for(entries: usize) -> Self {
        Self {
            entries: Vec::with_capacity(entries),
            vacant: Vec::with_capacity(entries),
        }
    }

    /// Inserts an entry and returns its number.
    pub(super) fn insert(&mut self, entry: T) -> u32 {
        if let Some(number) = self.vacant.pop() {
            self[number] = entry;
            return number;
        }
        debug_assert!(
            self.entries.len() < self.entries.capacity(),
            "it would grow"
        );
        self.entries.push(entry);
        u32::try_from(self.entries.len() - 1).expect(
            "64 GiB, the largest budget, have room for fewer entries than there are numbers",
        )
    }

    /// Makes a number vacant. The number must be in use.
    pub(super) fn remove(&mut self, number: u32) {
        self.vacant.push(number);
    }

    /// Returns the number of entries in use.
    pub(super) fn len(&self) -> usize {
        self.entries.len() - self.vacant.len()
    }

    /// Returns the bytes of all entries that were ever used. They stay resident.
    pub(super) fn touched_bytes(&self) -> usize {
        self.entries.len() * Self::ENTRY
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

    #[test]
    fn a_number_stays_with_its_entry_and_is_used_again_once_it_is_vacant() {
        let mut slab = Slab::reserved_for(3);
        let numbers: Vec<u32> = [70, 71, 72].map(|entry| slab.insert(entry)).to_vec();
        slab.remove(numbers[0]);
        slab.remove(numbers[2]);
        let touched = 3 * Slab::<i32>::ENTRY;
        assert_eq!(
            (slab[numbers[1]], slab.len(), slab.touched_bytes()),
            (71, 1, touched)
        );
        assert_eq!([slab.insert(73), slab.insert(74)], [numbers[2], numbers[0]]);
        assert_eq!((slab[numbers[0]], slab[numbers[2]]), (74, 73));
        assert_eq!((slab.len(), slab.touched_bytes()), (3, touched));
    }
}
