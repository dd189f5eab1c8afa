//! The JSON object of the list of blocked contents.

use serde::Serialize;

use crate::store::Block;

/// All contents that the operator blocks, the latest first.
#[derive(Serialize)]
pub(crate) struct BlockedContents {
    blocks: Vec<BlockedContent>,
}

/// A content that the operator blocks: saving it is refused.
#[derive(Serialize)]
pub(crate) struct BlockedContent {
    /// The SHA-256 of the content, in hexadecimal digits.
    sha256: String,
    /// When it was blocked, in milliseconds since 1970.
    since: u64,
    /// Why, in the operator's words.
    reason: Option<String>,
}

impl BlockedContents {
    pub(crate) fn new(blocks: &[Block]) -> Self {
        let blocks = blocks.iter().map(BlockedContent::new).collect();
        Self { blocks }
    }
}

impl BlockedContent {
    fn new(block: &Block) -> Self {
        let note = block.note.as_ref();
        Self {
            sha256: block.hash.to_string(),
            since: block.since.as_millis(),
            reason: note.map(|note| note.as_str().to_owned()),
        }
    }
}
