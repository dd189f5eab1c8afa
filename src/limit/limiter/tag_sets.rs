//! Tag sets: in which entries of a table a key may be, by one byte of the key per entry.
//!
//! Invariants: a key is only in its own set of eight entries. A tag is zero exactly where the entry has no key.
//! Cost: a look-up is one word of eight tags. All tags are an eighth the size of the keys, so that they stay in a near
//! cache while the entries themselves are far. One look-up in thirty-six meets the tag of another key.
//! Why sets of eight and not a hash map: it never rehashes, grows or chains. Keys are keyed hashes, so that no client
//! can aim at a set.

use std::iter;
use std::ops::Range;

/// Entries of a set.
const WAYS: usize = 8;

/// The tags of a table.
#[derive(Debug)]
pub(super) struct TagSets {
    /// A word of tags per set; their number is a power of two.
    sets: Vec<u64>,
}

impl TagSets {
    /// Empty sets with room for at least this many entries.
    pub(super) fn new(entries: usize) -> Self {
        Self {
            sets: vec![0; entries.div_ceil(WAYS).next_power_of_two()],
        }
    }

    /// The number of entries.
    pub(super) fn entries(&self) -> usize {
        self.sets.len() * WAYS
    }

    /// Bytes of virtual memory.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.sets)
    }

    /// The entries in which the key may be.
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

    /// An entry without a key in the set of this key.
    pub(super) fn free_entry(&self, key: u64) -> Option<usize> {
        let set = self.set_of(key);
        Some(set * WAYS + lowest(ways_with_tag(self.sets[set], 0))?)
    }

    /// All entries in the set of this key.
    pub(super) fn entries_of(&self, key: u64) -> Range<usize> {
        let first = self.set_of(key) * WAYS;
        first..first + WAYS
    }

    /// Gives an entry to a key of its set. Returns whether another key had it.
    pub(super) fn assign(&mut self, entry: usize, key: u64) -> bool {
        let word = &mut self.sets[entry / WAYS];
        let mut tags = word.to_le_bytes();
        let before = std::mem::replace(&mut tags[entry % WAYS], tag(key));
        *word = u64::from_le_bytes(tags);
        before != 0
    }

    /// Whether the entry has a key; for tests.
    #[cfg(test)]
    pub(super) fn is_assigned(&self, entry: usize) -> bool {
        self.sets[entry / WAYS].to_le_bytes()[entry % WAYS] != 0
    }

    fn set_of(&self, key: u64) -> usize {
        usize::try_from(key & (self.sets.len() as u64 - 1)).expect("less than the number of sets")
    }
}

/// The tag of a key, from bits that do not choose its set.
#[inline]
fn tag(key: u64) -> u8 {
    key.to_be_bytes()[0].max(1)
}

/// One bit for each way with this tag, and sometimes for a way above such a one: the search for a zero byte of Mycroft
/// (1987), in all eight bytes at once.
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
