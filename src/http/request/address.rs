//! The address of a paste: its id and an optional language extension.

use crate::paste::Language;

/// The parsed address of a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PasteAddress<'a> {
    /// The part of the path that varies, as the client sent it.
    pub(crate) segment: &'a str,
    /// The id, still unparsed. Each id has exactly one spelling.
    pub(crate) id: &'a str,
    /// The language of the extension; `None` if there is no extension or it is unknown.
    pub(crate) language: Option<Language>,
}

/// Returns the segment in which a text names a paste: its URL, a part of that, or its id alone. Returns `None` if no
/// paste has such an address.
pub(crate) fn segment_in(text: &str) -> Option<&str> {
    let path = text.trim().split(['?', '#']).next()?;
    let segment = path.trim_end_matches('/').rsplit('/').next()?;
    let is_of_address = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (!segment.is_empty() && segment.bytes().all(is_of_address)).then_some(segment)
}

impl<'a> PasteAddress<'a> {
    /// Splits a segment such as `Abc.rs` at its first dot. `Abc/rs` (ix.io) means the same, and in `Abc.rs/main.rs`
    /// (0x0.st) the second segment is the reader's own file name.
    pub(crate) fn of(segment: &'a str) -> Self {
        let (id, ending) = match segment.split_once(['.', '/']) {
            Some((id, ending)) => (id, ending.split('/').next()),
            None => (segment, None),
        };
        Self {
            segment,
            id,
            language: ending.and_then(Language::from_name),
        }
    }
}
