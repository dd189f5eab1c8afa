//! A slab: entries of one kind under small numbers that stay theirs until they are removed.
//!
//! What it must not know: what is in an entry, but for the word that chains the vacant ones.
//! Invariants: it never grows beyond what was reserved at start, so nothing is ever copied; a number is either taken
//! or on the chain of vacant ones, and the last to be vacated is the first to be taken again.
//! Cost: a few nanoseconds an operation; memory that was never used is reserved and not resident.

use std::ops::{Index, IndexMut};

/// No number: the end of a chain.
pub(super) const NONE: u32 = u32::MAX;

/// An entry that has a word to spare while it is vacant.
pub(super) trait Chained {
    /// The word.
    fn chain(&mut self) -> &mut u32;
}

#[derive(Debug)]
pub(super) struct Slab<T> {
    entries: Vec<T>,
    /// The vacant entry to be taken next.
    vacant: u32,
    /// Entries that are not vacant.
    taken: usize,
}

impl<T: Chained> Slab<T> {
    /// A slab that holds at most this many entries.
    pub(super) fn reserved_for(entries: usize) -> Self {
        Self {
            entries: Vec::with_capacity(entries),
            vacant: NONE,
            taken: 0,
        }
    }

    /// Puts an entry in, and says under which number.
    pub(super) fn insert(&mut self, entry: T) -> u32 {
        debug_assert!(self.taken < self.entries.capacity(), "it would grow");
        self.taken += 1;
        if self.vacant == NONE {
            self.entries.push(entry);
            // The budget is at most 64 GiB: far fewer entries than there are numbers.
            return u32::try_from(self.entries.len() - 1).unwrap_or(NONE);
        }
        let number = self.vacant;
        let place = &mut self[number];
        let next = *place.chain();
        *place = entry;
        self.vacant = next;
        number
    }

    /// Vacates this number, which is taken.
    pub(super) fn remove(&mut self, number: u32) {
        let next = self.vacant;
        *self[number].chain() = next;
        self.vacant = number;
        self.taken -= 1;
    }

    /// Entries that are not vacant.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Entries that were ever used: their memory stays resident.
    pub(super) fn touched(&self) -> usize {
        self.entries.len()
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

    impl Chained for u32 {
        fn chain(&mut self) -> &mut u32 {
            self
        }
    }

    #[test]
    fn a_number_stays_with_its_entry_and_is_given_again_once_it_is_vacant() {
        let mut slab = Slab::reserved_for(3);
        let numbers: Vec<u32> = [70, 71, 72].map(|entry| slab.insert(entry)).to_vec();
        slab.remove(numbers[0]);
        slab.remove(numbers[2]);
        assert_eq!((slab[numbers[1]], slab.taken(), slab.touched()), (71, 1, 3));
        assert_eq!([slab.insert(73), slab.insert(74)], [numbers[2], numbers[0]]);
        assert_eq!((slab[numbers[0]], slab[numbers[2]]), (74, 73));
        assert_eq!((slab.taken(), slab.touched()), (3, 3));
    }
}
