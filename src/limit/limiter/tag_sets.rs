//! Tag sets. They find the entries of a table that a key may have. For each entry they store a tag, which is one byte
//! of its key.
//!
//! Invariants: A key belongs to one set of eight entries and is never stored in another. A tag is zero if and only if
//! the entry has no key.
//! Cost: A look-up reads one word of eight tags. The tags take an eighth of the memory of the keys, so they stay in a
//! fast cache when the entries do not. One look-up in thirty-six finds the tag of another key.
//! Why sets of eight and not a hash map: A set never rehashes, grows or chains. Keys are keyed hashes, so no client can
//! choose its set.

use std::iter;
use std::ops::Range;

/// The number of entries in a set.
const WAYS: usize = 8;

/// The tags of a table.
pub(super) struct TagSets {
    /// One word of eight tags for each set. The number of sets is a power of two.
    sets: Vec<u64>,
}

impl TagSets {
    /// Creates empty sets for at least this many entries.
    pub(super) fn new(entries: usize) -> Self {
        Self {
            sets: vec![0; entries.div_ceil(WAYS).next_power_of_two()],
        }
    }

    /// Returns the number of entries.
    pub(super) fn entries(&self) -> usize {
        self.sets.len() * WAYS
    }

    /// Returns the virtual memory of the tags in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.sets)
    }

    /// Returns the entries in which the key may be. The caller must compare their keys.
    #[inline]
    pub(super) fn candidates(&self, key: u64) -> impl Iterator<Item = usize> + use<> {
        let set = self.set_of(key);
        let mut ways = ways_with_tag(self.sets[set], tag(key));
        iter::from_fn(move || {
            let way = lowest(ways)?;
            ways &= ways - 1;
            Some(set * WAYS + way)
        })
    }

    /// Returns an unused entry in the set of this key, or `None` if the set is full.
    pub(super) fn free_entry(&self, key: u64) -> Option<usize> {
        let set = self.set_of(key);
        Some(set * WAYS + lowest(ways_with_tag(self.sets[set], 0))?)
    }

    /// Returns all entries in the set of this key.
    pub(super) fn entries_of(&self, key: u64) -> Range<usize> {
        let first = self.set_of(key) * WAYS;
        first..first + WAYS
    }

    /// Assigns an entry to a key of its set. Returns whether the entry belonged to another key before.
    pub(super) fn assign(&mut self, entry: usize, key: u64) -> bool {
        let word = &mut self.sets[entry / WAYS];
        let mut tags = word.to_le_bytes();
        let before = std::mem::replace(&mut tags[entry % WAYS], tag(key));
        *word = u64::from_le_bytes(tags);
        before != 0
    }

    /// Returns whether the entry has a key. Only tests use this.
    #[cfg(test)]
    pub(super) fn is_assigned(&self, entry: usize) -> bool {
        self.sets[entry / WAYS].to_le_bytes()[entry % WAYS] != 0
    }

    fn set_of(&self, key: u64) -> usize {
        usize::try_from(key & (self.sets.len() as u64 - 1)).expect("less than the number of sets")
    }
}

/// Returns the tag of a key. It is computed from bits that do not choose the set.
#[inline]
fn tag(key: u64) -> u8 {
    key.to_be_bytes()[0].max(1)
}

/// Returns a word with one bit set in each byte of `tags` that equals `tag`. A byte above a match may be reported by
/// mistake. This is the search for a zero byte of Mycroft (1987), in all eight bytes at once.
#[inline]
fn ways_with_tag(tags: u64, tag: u8) -> u64 {
    const LOW: u64 = u64::from_le_bytes([1; WAYS]);
    const HIGH: u64 = LOW << 7;
    let differs = tags ^ (LOW * u64::from(tag));
    differs.wrapping_sub(LOW) & !differs & HIGH
}

#[inline]
fn lowest(ways: u64) -> Option<usize> {
    (ways != 0).then(|| ways.trailing_zeros() as usize / 8)
}
