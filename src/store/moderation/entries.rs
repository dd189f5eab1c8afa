//! What the lists of the operator hold: the contents that the operator blocks, and the reports of readers.
//!
//! Invariants: the operator makes the list of blocks, so a full one refuses the next block and drops none. Anyone may
//! write a report, so that list makes room fairly; see [`crate::fairness::FairList`] for which one leaves.

use super::content_hash::ContentHash;
use super::note::Note;
use crate::fairness::ClientKey;
use crate::paste::{PasteId, Slug, Timestamp};

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

impl Block {
    /// The maximum number of blocked contents.
    pub const MOST: usize = 4096;
}

/// A report about a paste.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The paste.
    pub paste: PasteId,
    /// The slug of the paste, if it has one.
    pub slug: Option<Slug>,
    /// The client that sent the report.
    pub client: ClientKey,
    /// When it was sent.
    pub at: Timestamp,
    /// The reason of the reader.
    pub note: Note,
}

impl Report {
    /// The maximum charge of all reports, in bytes.
    pub const ROOM: usize = 2 << 20;

    /// The charge of a report without its note. It is more than the report takes in memory or on disk.
    pub const OVERHEAD: usize = 384;

    pub(super) fn charge(&self) -> usize {
        Self::OVERHEAD + self.note.as_str().len()
    }
}
