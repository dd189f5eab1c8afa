//! A note: the reason of a reader's report, or of the operator's block.
//!
//! Invariants: a note is one line, is not empty, and has at most [`Note::MAX_CHARS`] characters. Debug output does not
//! contain it.

use crate::hidden::Hidden;
use crate::paste::SizeError;

/// A short text for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note(Hidden<Box<str>>);

impl Note {
    /// The maximum number of characters.
    pub const MAX_CHARS: usize = 300;

    /// Makes a note of this text. Control characters become spaces, and the ends are trimmed.
    ///
    /// # Errors
    /// Fails if no characters that can be seen are left, or too many.
    pub fn new(text: &str) -> Result<Self, SizeError> {
        let spaced = text.replace("\r\n", " ").replace(char::is_control, " ");
        let note = spaced.trim();
        match note.chars().nth(Self::MAX_CHARS) {
            Some(_) => Err(SizeError::TooLarge),
            None if note.is_empty() => Err(SizeError::Empty),
            None => Ok(Self(Hidden(note.into()))),
        }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_one_line_of_a_limited_number_of_characters() {
        let note = |text: &str| Note::new(text).map(|note| note.as_str().to_owned());
        assert_eq!(note(" a\r\nb\0c \n"), Ok("a b c".to_owned()));
        assert_eq!(note(" \r\n\0"), Err(SizeError::Empty));
        let longest = "é".repeat(Note::MAX_CHARS);
        assert_eq!(note(&longest), Ok(longest.clone()));
        assert_eq!(note(&(longest + "é")), Err(SizeError::TooLarge));
    }
}
