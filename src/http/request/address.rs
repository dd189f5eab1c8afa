//! The address of a paste as it was written: the id, and an ending that asks for a language.

use crate::paste::Language;

/// A paste's address, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PasteAddress<'a> {
    /// The last segment of the path as it was written.
    pub(crate) segment: &'a str,
    /// The id in it. An id can be written in one way only.
    pub(crate) id: &'a str,
    /// The language that an ending asks for; `None` if there is no ending, or an unknown one.
    pub(crate) language: Option<Language>,
}

impl<'a> PasteAddress<'a> {
    /// The parts of a segment such as `Abc.rs`.
    pub(crate) fn of(segment: &'a str) -> Self {
        let (id, ending) = match segment.split_once('.') {
            Some((id, ending)) => (id, Some(ending)),
            None => (segment, None),
        };
        Self {
            segment,
            id,
            language: ending.and_then(Language::from_name),
        }
    }
}
