//! The SHA-256 of a content (FIPS 180-4), by which the operator blocks it.
//!
//! Invariants: equal contents have equal hashes. Debug output contains no hash, because a hash tells which known
//! content a paste has.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::hidden::Hidden;

/// The hash of a content. It displays as 64 hexadecimal digits.
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
}
