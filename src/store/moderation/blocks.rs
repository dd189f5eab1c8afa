//! The blocked contents. The operator makes this list, so a full one refuses the next block and drops none.
//!
//! Invariants: the list has at most [`Blocks::MOST`] contents, each once.

use std::collections::BTreeMap;

use super::content_hash::ContentHash;
use super::note::Note;
use crate::paste::Timestamp;
use crate::store::StoreError;

/// A blocked content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The hash of the content.
    pub hash: ContentHash,
    /// When the operator blocked it.
    pub since: Timestamp,
    /// Why, in the operator's words.
    pub note: Option<Note>,
}

/// The list of blocked contents, each with the number of its row.
#[derive(Debug, Default)]
pub struct Blocks(BTreeMap<ContentHash, (u64, Block)>);

impl Blocks {
    /// The maximum number of blocked contents.
    pub const MOST: usize = 4096;

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, hash: ContentHash) -> bool {
        self.0.contains_key(&hash)
    }

    /// Adds a block, in place of one of the same content. Returns the number of the row that it replaces, if there is
    /// one.
    ///
    /// # Errors
    /// If the list is full.
    pub(super) fn insert(&mut self, seq: u64, block: &Block) -> Result<Option<u64>, StoreError> {
        if self.0.len() == Self::MOST && !self.contains(block.hash) {
            return Err(StoreError::TooManyBlocks);
        }
        let replaced = self.0.insert(block.hash, (seq, block.clone()));
        Ok(replaced.map(|(seq, _)| seq))
    }

    /// Removes a block. Returns the number of its row.
    pub(super) fn remove(&mut self, hash: ContentHash) -> Option<u64> {
        self.0.remove(&hash).map(|(seq, _)| seq)
    }

    pub(super) fn latest_first(&self) -> Vec<Block> {
        let mut blocks: Vec<_> = self.0.values().collect();
        blocks.sort_unstable_by_key(|(seq, _)| std::cmp::Reverse(*seq));
        blocks.into_iter().map(|(_, block)| block.clone()).collect()
    }
}
