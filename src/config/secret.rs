//! The secret: the operator's key for ids.
//!
//! What it must not know: what is encoded with it, and where a random one comes from.
//! Invariants: 1 to [`Secret::MAX_BYTES`] bytes; never printed, not through a debugging print of the whole
//! configuration either.

use std::fmt;

/// A key that nobody but the operator knows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Longer is a mistake (a file, not a key): an id has 64 bits to hide.
    pub const MAX_BYTES: usize = 1024;

    /// The secret of this text; none if it is empty or too long.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        (1..=Self::MAX_BYTES)
            .contains(&text.len())
            .then(|| Self(text.to_owned()))
    }

    /// The key, for the codec of ids and nothing else.
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
