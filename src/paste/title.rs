//! Titles. A client may name its paste, or the paste is named after the uploaded file.
//!
//! A title is plain text. It is not escaped for HTML or for a header. What is derived from a content has the same form.
//! Invariants: a title is not empty and has at most [`Title::MAX_CHARS`] characters. It has no white space at its ends.
//! It has no control character, so no line break reaches a header or a log. Marks of writing direction are kept, since
//! names in some languages need them. So every page isolates the direction of a title.

use std::sync::Arc;

use crate::hidden::Hidden;

/// A title. It is one thin pointer: most pastes have no title, so a stored paste spends only eight bytes on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title(Hidden<Arc<Box<str>>>);

impl Title {
    /// Maximum number of characters. Longer titles are cut. File names of the usual file systems are not longer.
    pub const MAX_CHARS: usize = 255;

    /// Makes a title of this text. Control characters become spaces, then the ends are trimmed and the text is cut.
    /// Returns `None` if nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let clean = |c: char| if c.is_control() { ' ' } else { c };
        let start = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_control());
        let title: String = start.chars().map(clean).take(Self::MAX_CHARS).collect();
        let title = title.trim_end();
        (!title.is_empty()).then(|| Self(Hidden(Arc::new(title.into()))))
    }

    /// Makes a title of a file name. Some clients send the whole path, so only its last segment is used. Returns `None`
    /// for `-`, `stdin` and names without a segment.
    pub fn from_file_name(name: &str) -> Option<Self> {
        let last = name
            .rsplit(['/', '\\'])
            .find(|part| !part.trim().is_empty())?;
        match last.trim() {
            "-" | "stdin" | "." | ".." => None,
            name => Self::new(name),
        }
    }

    /// Returns the title as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(text: &str) -> Option<String> {
        Title::new(text).map(|title| title.as_str().to_owned())
    }

    #[test]
    fn control_characters_become_spaces_and_the_ends_are_trimmed() {
        assert_eq!(
            title("a\r\nSet-Cookie: b\u{85}c\0"),
            Some("a  Set-Cookie: b c".to_owned())
        );
        assert_eq!(title(" \r\n\t "), None);
        assert_eq!(title(""), None);
    }

    #[test]
    fn quotes_markup_and_marks_of_direction_stay_as_they_are() {
        let odd = "\"<b>'&../\u{202e}\u{200f}";
        assert_eq!(title(odd), Some(odd.to_owned()));
    }

    #[test]
    fn a_long_title_is_cut_between_characters() {
        let kept = title(&"é".repeat(10_000)).expect("not empty");
        assert_eq!(kept.chars().count(), Title::MAX_CHARS);
    }

    #[test]
    fn a_file_name_is_its_last_segment_and_standard_input_is_not_a_name() {
        let name = |text: &str| Title::from_file_name(text).map(|title| title.as_str().to_owned());
        assert_eq!(name("../../etc/passwd"), Some("passwd".to_owned()));
        assert_eq!(name(r"C:\notes\a.txt"), Some("a.txt".to_owned()));
        assert_eq!(name("src/"), Some("src".to_owned()));
        for none in ["-", "stdin", "", "/", "..", "./"] {
            assert_eq!(name(none), None, "{none:?}");
        }
    }
}
