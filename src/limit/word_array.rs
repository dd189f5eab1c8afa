//! Lines: zeroed memory in whole cache lines, resident only where it is written.
//!
//! What it must not know: what is kept in it.
//! Invariants: a line begins at a cache line; a piece that divides a line never straddles two.
//! Cost: 64 bytes a line of virtual memory; the kernel gives a page when its first line is written. The allocator
//! hands out zeroed pages untouched for a vector of plain zeros, and only for that: hence words and not structs.

/// Words of eight bytes in a cache line.
pub(super) const LINE: usize = 8;

/// A fixed number of words, all zero at first.
#[derive(Debug)]
pub(super) struct WordArray {
    words: Vec<u64>,
    /// The first word that begins a cache line.
    first: usize,
}

impl WordArray {
    /// So many words, rounded up to whole lines.
    pub(super) fn zeroed(words: usize) -> Self {
        let words = vec![0_u64; words.next_multiple_of(LINE) + LINE];
        let misaligned = words.as_ptr().addr() / size_of::<u64>() % LINE;
        Self {
            words,
            first: (LINE - misaligned) % LINE,
        }
    }

    /// `len` words from `at` on.
    #[inline]
    pub(super) fn get(&self, at: usize, len: usize) -> &[u64] {
        &self.words[self.first + at..][..len]
    }

    /// The same, to be written.
    #[inline]
    pub(super) fn get_mut(&mut self, at: usize, len: usize) -> &mut [u64] {
        &mut self.words[self.first + at..][..len]
    }

    /// Bytes of virtual memory.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_begin_at_cache_lines_and_are_zero() {
        for words in [1, 8, 9, 1 << 16] {
            let lines = WordArray::zeroed(words);
            assert_eq!(lines.get(0, 1).as_ptr().addr() % 64, 0, "{words}");
            assert!(lines.get(0, words).iter().all(|word| *word == 0), "{words}");
        }
    }
}
