//! The secret, from which all keys derive.
//!
//! Invariants: a secret has 1 to [`Secret::MAX_BYTES`] bytes. It is never printed, not even in debug output of the
//! whole configuration.

use std::fmt;
use std::io;

/// A text that only the operator knows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Maximum bytes of a secret. A longer text is a mistake, such as a file instead of a key.
    pub const MAX_BYTES: usize = 1024;

    /// Returns the secret with this text. Returns `None` if it is empty or too long.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        (1..=Self::MAX_BYTES)
            .contains(&text.len())
            .then(|| Self(text.to_owned()))
    }

    /// Makes a random secret of 64 characters.
    ///
    /// # Errors
    /// Fails if the operating system returns no random bytes.
    pub fn random() -> io::Result<Self> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        Ok(Self(
            random.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// Returns true if the secret has at least 32 characters. A shorter one could be guessed from stored data.
    pub(super) fn is_long(&self) -> bool {
        self.0.chars().count() >= 32
    }

    /// Returns the text. Only the file that keeps it may use it. For other uses see [`Secret::derive`].
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(secret)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_1_to_1024_bytes_and_is_not_printed() {
        assert_eq!(Secret::new(""), None);
        assert_eq!(Secret::new(&"x".repeat(1025)), None);
        let longest = Secret::new(&"x".repeat(1024)).expect("within the limit");
        assert_eq!(format!("{longest:?}"), "Secret(secret)");
    }
}
