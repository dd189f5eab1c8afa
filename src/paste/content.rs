//! Content: the bytes that a client saved, unchanged.
//!
//! Invariants: the content is never empty and never larger than the given limit. It has its own allocation of exactly
//! its size. A slice of a request's buffer would keep the whole buffer in memory.
//! Cost: making the content takes one copy, and one UTF-8 check of bytes that are not known to be text. A clone only
//! increments a counter.
//! Why an `Arc<[u8]>` and not `Bytes`: an `Arc<[u8]>` takes 16 bytes instead of 32. Its counter is in the same
//! allocation as the bytes, whereas the first clone of `Bytes` allocates 32 bytes more. A response can use it without a
//! copy.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::charset::{Charset, CharsetLabel};
use super::{Archive, Image, LineRange};
use crate::hidden::Hidden;

/// The content of a paste: bytes that were checked and may be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    bytes: Hidden<Arc<[u8]>>,
    encoding: Encoding,
}

/// Whether the content is UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Valid UTF-8; control characters and NUL are allowed.
    Utf8,
    /// A text in another encoding, with the charset that the client named, binary data, or encrypted bytes.
    Other(CharsetLabel),
}

/// Why bytes or a text are refused whose size is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeError {
    /// There is nothing.
    Empty,
    /// It is larger than the limit allows.
    TooLarge,
}

impl Content {
    /// Copies these bytes.
    ///
    /// # Errors
    /// Fails if there are no bytes, or more than `limit`.
    pub fn new(bytes: &[u8], limit: usize) -> Result<Self, SizeError> {
        match bytes.len() {
            0 => Err(SizeError::Empty),
            size if size > limit => Err(SizeError::TooLarge),
            _ => Ok(Self {
                bytes: Hidden(Arc::from(bytes)),
                encoding: ContentSlice::of(bytes).encoding,
            }),
        }
    }

    /// Copies this text.
    ///
    /// # Errors
    /// Fails if the text is empty, or has more bytes than `limit`.
    pub fn from_text(text: &str, limit: usize) -> Result<Self, SizeError> {
        match text.len() {
            0 => Err(SizeError::Empty),
            size if size > limit => Err(SizeError::TooLarge),
            _ => Ok(Self {
                bytes: Hidden(Arc::from(text.as_bytes())),
                encoding: Encoding::Utf8,
            }),
        }
    }

    /// Keeps the charset that the client named, if the bytes are not UTF-8 but a text in that charset.
    #[must_use]
    pub fn with_charset(mut self, named: impl FnOnce() -> Option<Charset>) -> Self {
        if self.encoding != Encoding::Utf8 && Image::of(&self.bytes).is_none() {
            let label = named().map(|charset| CharsetLabel::of(charset, &self.bytes));
            self.encoding = Encoding::Other(label.unwrap_or(CharsetLabel::NONE));
        }
        self
    }

    /// Copies these encrypted bytes. They do not count as text.
    pub fn encrypted(bytes: &[u8]) -> Self {
        Self {
            bytes: Hidden(Arc::from(bytes)),
            encoding: Encoding::Other(CharsetLabel::NONE),
        }
    }

    /// Keeps beside encrypted bytes the charset of the text that they were made of.
    #[must_use]
    pub(crate) fn with_charset_of(mut self, text: &Self) -> Self {
        if text.encoding != Encoding::Utf8 {
            self.encoding = text.encoding;
        }
        self
    }

    /// Makes a content of stored bytes, without checking again whether they are text. Returns `None` if there are none.
    pub(crate) fn restored(bytes: Arc<[u8]>, encoding: Encoding) -> Option<Self> {
        (!bytes.is_empty()).then_some(Self {
            bytes: Hidden(bytes),
            encoding,
        })
    }

    /// Returns the exact bytes. The caller may share them without a copy.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    pub(super) fn into_parts(self) -> (Arc<[u8]>, Encoding) {
        (self.bytes.0, self.encoding)
    }
}

/// The bytes of a content, or of a file in it.
#[derive(Clone, Copy)]
pub struct ContentSlice<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) encoding: Encoding,
}

impl<'a> ContentSlice<'a> {
    /// Looks whether these bytes are UTF-8.
    pub fn of(bytes: &'a [u8]) -> Self {
        let is_text = std::str::from_utf8(bytes).is_ok() && !Charset::is_utf_16(bytes);
        let encoding = match is_text {
            true => Encoding::Utf8,
            false => Encoding::Other(CharsetLabel::NONE),
        };
        Self { bytes, encoding }
    }

    /// Returns the bytes.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Returns whether they are UTF-8.
    pub fn encoding(self) -> Encoding {
        self.encoding
    }

    /// Returns the image that the content is, or `None` if it is none. A text is no image, whatever it begins with.
    pub fn image(self) -> Option<Image> {
        match self.encoding {
            Encoding::Utf8 => None,
            Encoding::Other(_) => Image::of(self.bytes),
        }
    }

    /// Returns whether the content looks like an archive at first sight.
    pub fn is_tar(self) -> bool {
        Archive::may_be(self.bytes)
    }

    /// Returns the charset of a text that is not UTF-8, or `None` if the content is UTF-8, an image or binary. Each
    /// call detects it, unless the client named it.
    pub fn charset(self) -> Option<Charset> {
        match self.encoding {
            Encoding::Utf8 => None,
            Encoding::Other(label) if label != CharsetLabel::NONE => label.charset(),
            Encoding::Other(_) if self.image().is_some() => None,
            Encoding::Other(_) => Charset::of(self.bytes),
        }
    }

    /// Returns the content as text, decoded if it is not UTF-8. It is empty if it is binary.
    pub fn decoded(self) -> Cow<'a, str> {
        match (self.encoding, self.charset()) {
            (Encoding::Utf8, _) => String::from_utf8_lossy(self.bytes),
            (_, Some(charset)) => charset.decode(self.bytes, usize::MAX, || true).text.into(),
            (_, None) => Cow::default(),
        }
    }

    /// Returns the range of bytes of these lines. Returns `None` if the content does not have the first line.
    pub fn find_lines(self, lines: LineRange) -> Option<Range<usize>> {
        match self.charset().and_then(Charset::wide_line_feed) {
            Some(line_feed) => lines.find_in_wide(self.bytes, line_feed),
            None => lines.find_in(self.bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_at_least_one_byte_and_at_most_the_limit() {
        assert_eq!(Content::new(b"", 4), Err(SizeError::Empty));
        assert!(Content::new(b"1234", 4).is_ok());
        assert_eq!(Content::new(b"12345", 4), Err(SizeError::TooLarge));
        assert_eq!(Content::new(b"1234\xff", 4), Err(SizeError::TooLarge));
        assert_eq!(Content::from_text("", 4), Err(SizeError::Empty));
        assert_eq!(Content::from_text("1234", 4), Content::new(b"1234", 4));
    }

    #[test]
    fn only_valid_utf8_counts_as_text() {
        for (bytes, expected) in [
            (&b"a\0b"[..], Encoding::Utf8),
            (
                b"U\0T\0F\0-\x001\x006\0",
                Encoding::Other(CharsetLabel::NONE),
            ),
            ("سلام".as_bytes(), Encoding::Utf8),
            (b"\xff", Encoding::Other(CharsetLabel::NONE)),
            (b"\xed\xa0\x80", Encoding::Other(CharsetLabel::NONE)),
        ] {
            let (_, encoding) = Content::new(bytes, 99)
                .expect("within the limit")
                .into_parts();
            assert_eq!(encoding, expected, "{bytes:?}");
        }
    }
}
