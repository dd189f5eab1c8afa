//! The operator's limits for new and changed pastes.

use super::{Asked, Encryption, ExpiryPolicy};
use crate::byte_size::ByteSize;

/// The limits for new and changed pastes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PasteLimits {
    /// Maximum bytes of content.
    pub max_paste_size: usize,
    /// The default expiry and the longest expiry.
    pub expiry_policy: ExpiryPolicy,
    /// Whether sealed messages are saved, and whether the editor makes them by itself.
    pub encryption: Encryption,
}

impl PasteLimits {
    /// The maximum size of the content, as people read it: `1 MiB`.
    pub fn max_size(&self) -> ByteSize {
        ByteSize(self.max_paste_size)
    }

    /// Returns whether an answer to a question can be saved.
    pub(crate) fn may_ask(&self) -> bool {
        self.encryption != Encryption::Off && self.max_paste_size >= Asked::BYTES
    }
}
