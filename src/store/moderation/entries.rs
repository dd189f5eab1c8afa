//! What the lists of the operator hold: the contents that the operator blocks, and the reports of readers.
//!
//! Invariants: the operator makes the list of blocks, so a full one refuses the next block and drops none. Any client
//! may write a report, so that list makes room fairly; see [`crate::fairness::FairList`] for which one leaves. A note
//! is one line, is not empty, and has at most [`Note::MAX_CHARS`] characters. Equal contents have equal hashes. Debug
//! output contains no note, and no hash, because a hash tells which known content a paste has.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::fairness::ClientKey;
use crate::hidden::Hidden;
use crate::paste::{PasteId, SizeError, Slug, Timestamp};

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

/// The SHA-256 of a content (FIPS 180-4), by which the operator blocks it. It displays as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContentHash(Hidden<[u8; 32]>);

impl ContentHash {
    /// Returns the hash of this content.
    pub fn of(content: &[u8]) -> Self {
        Self(Hidden(Sha256::digest(content).into()))
    }

    /// Parses what `sha256sum` prints before the file name: 64 hexadecimal digits in upper or lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: &[u8; 64] = text.trim().as_bytes().try_into().ok()?;
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16);
            *byte = u8::try_from(digit(0)? * 16 + digit(1)?).expect("two digits are one byte");
        }
        Some(Self(Hidden(hash)))
    }

    /// Returns the hash with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Hidden(bytes))
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A short text: the reason of a reader's report, or of the operator's block.
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

    /// From FIPS 180-4: the hash of `abc`.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn a_hash_is_that_of_sha256sum_and_is_read_in_upper_and_lower_case() {
        assert_eq!(ContentHash::of(b"abc").to_string(), ABC);
        for text in [ABC, &ABC.to_uppercase(), &format!(" {ABC}\n")] {
            assert_eq!(ContentHash::parse(text), Some(ContentHash::of(b"abc")));
        }
    }

    #[test]
    fn anything_but_64_hexadecimal_digits_is_refused() {
        for text in ["", "ab", &ABC[1..], &ABC.replace('b', "g"), &"é".repeat(32)] {
            assert_eq!(ContentHash::parse(text), None, "{text}");
        }
    }

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
