//! Entries: the words in which a table stores what one key used.
//!
//! An entry starts with its key and its [`EntryHeader`]; buckets follow. All zeros is an entry that no key has.

use crate::limit::policy::Multiplier;

/// Words before the buckets of an entry.
pub(super) const HEADER_WORDS: usize = 2;

/// The position of the key.
pub(super) const KEY_WORD: usize = 0;

const STATE_WORD: usize = 1;

/// An entry as it was when a key was charged.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EntryRef {
    pub(super) index: usize,
    pub(super) generation: u32,
}

/// The second word of an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryHeader {
    /// How many keys the entry had. A charge of an earlier key is never refunded to a later one, not even to the same
    /// key after it came back. Zero in shared entries.
    pub(super) generation: u32,
    /// The multiplier of the client that was charged last.
    pub(super) multiplier: Multiplier,
}

impl EntryHeader {
    #[inline]
    pub(super) fn read(entry: &[u64]) -> Self {
        let [a, b, c, d, e, f, g, h] = entry[STATE_WORD].to_le_bytes();
        Self {
            generation: u32::from_le_bytes([e, f, g, h]),
            // Zero before the first charge.
            multiplier: Multiplier::new(u32::from_le_bytes([a, b, c, d])).unwrap_or_default(),
        }
    }

    #[inline]
    pub(super) fn write(self, entry: &mut [u64]) {
        entry[STATE_WORD] = u64::from(self.generation) << 32 | u64::from(self.multiplier);
    }
}
