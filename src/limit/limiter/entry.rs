//! An entry of a table. It records how much one key has used of each rule.
//!
//! An entry is a slice of 64-bit words. Its key comes first, then its [`EntryHeader`], then its buckets. An entry whose
//! words are all zero does not belong to any key.

use crate::limit::policy::Multiplier;

/// The number of words before the buckets of an entry.
pub(super) const HEADER_WORDS: usize = 2;

/// The index of the word that contains the key.
pub(super) const KEY_WORD: usize = 0;

const STATE_WORD: usize = 1;

/// Refers to an entry and to the key that owned the entry at the time of a charge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct EntryRef {
    pub(super) index: usize,
    pub(super) generation: u32,
}

/// The second word of an entry, decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryHeader {
    /// Counts the keys that the entry has had. A refund applies only if the generation is still that of the charge. A
    /// key that was evicted and came back has a new generation. The generation of a shared entry is always zero.
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
            // The stored multiplier is zero before the first charge.
            multiplier: Multiplier::new(u32::from_le_bytes([a, b, c, d])).unwrap_or_default(),
        }
    }

    #[inline]
    pub(super) fn write(entry: &mut [u64], generation: u32, multiplier: Multiplier) {
        entry[STATE_WORD] = u64::from(generation) << 32 | u64::from(multiplier);
    }
}
