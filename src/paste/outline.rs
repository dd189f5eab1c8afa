//! What is known of a content without reading it again.

use super::{Language, Title};

/// What is derived from the first bytes of a content, so that its owner recognises it in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The language that was named or detected. `None` if the content is no text.
    pub language: Option<Language>,
    /// What the paste is called that has no title.
    pub name: Option<Title>,
    /// The first line with words, unless it may be a secret or says no more than the name.
    pub line: Option<Title>,
}
