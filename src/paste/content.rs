//! Content: the bytes that a client saved, unchanged.
//!
//! Invariants: it is never empty and never larger than the given limit. It has an allocation of its own of exactly its
//! size: a slice of a request's buffer would keep the whole buffer alive.
//! Cost: one copy and one UTF-8 check when it is made; a clone is one counter increment.
//! Why an `Arc<[u8]>` and not `Bytes`: it takes 16 bytes instead of 32. Its counter lies in the same allocation, where
//! `Bytes` makes another of 32 bytes on the first clone. A response wraps it without a copy.

use std::fmt;
use std::sync::Arc;

/// Bytes that may be saved.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    bytes: Arc<[u8]>,
    encoding: Encoding,
}

/// Whether bytes are text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Valid UTF-8; control characters and NUL are allowed.
    Utf8,
    /// Anything else.
    Binary,
}

/// Why bytes may not be saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentError {
    /// There are none.
    Empty,
    /// There are more than the limit.
    TooLarge,
}

impl Content {
    /// A copy of these bytes.
    ///
    /// # Errors
    /// If there are none, or more than `limit`.
    pub fn new(bytes: &[u8], limit: usize) -> Result<Self, ContentError> {
        if bytes.is_empty() {
            return Err(ContentError::Empty);
        }
        if bytes.len() > limit {
            return Err(ContentError::TooLarge);
        }
        let encoding = match std::str::from_utf8(bytes) {
            Ok(_) => Encoding::Utf8,
            Err(_) => Encoding::Binary,
        };
        Ok(Self {
            bytes: Arc::from(bytes),
            encoding,
        })
    }

    /// A copy of these encrypted bytes, which are not text.
    #[must_use]
    pub fn encrypted(bytes: &[u8]) -> Self {
        Self {
            bytes: Arc::from(bytes),
            encoding: Encoding::Binary,
        }
    }

    /// The exact bytes, shared.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    pub(super) fn into_parts(self) -> (Arc<[u8]>, Encoding) {
        (self.bytes, self.encoding)
    }
}

/// Written without the bytes: user text never reaches a log, not even by a debug print.
impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Content({} bytes)", self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_at_least_one_byte_and_at_most_the_limit() {
        assert_eq!(Content::new(b"", 4), Err(ContentError::Empty));
        assert!(Content::new(b"1234", 4).is_ok());
        assert_eq!(Content::new(b"12345", 4), Err(ContentError::TooLarge));
    }

    #[test]
    fn only_valid_utf8_counts_as_text() {
        for (bytes, expected) in [
            (&b"a\0b"[..], Encoding::Utf8),
            ("سلام".as_bytes(), Encoding::Utf8),
            (b"\xff", Encoding::Binary),
            (b"\xed\xa0\x80", Encoding::Binary),
        ] {
            let (_, encoding) = Content::new(bytes, 99)
                .expect("within the limit")
                .into_parts();
            assert_eq!(encoding, expected, "{bytes:?}");
        }
    }
}
